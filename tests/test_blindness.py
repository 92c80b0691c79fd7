"""Every address, asked twice by somebody who works blind: with one sample a gold check and another ordinary, then with
the two exchanged; with a judging queue drawn from one model, then from another; with a human study whose gold, models
and people say one thing, then another. All answers are the same, by field.

The same crawls by a lead, and after the queue or the study is finished, find what differs: so the tests are able to
fail. (D2.7)
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.urls import reverse

from annotation.benchmarks.write.benchmark import add_member
from annotation.content.samples import save_samples
from annotation.content.tools import NameDraft, propose_drafted
from annotation.drafting import Arm, Field, arm_of
from annotation.models import (
    BankTool,
    Benchmark,
    BenchmarkQueue,
    CheckAnswer,
    Drafting,
    GoldCheck,
    Image,
    Lease,
    Proposal,
    Sample,
)
from annotation.quality.write.checks import add_checks, set_check_rules
from annotation.queue.leases import ANNOTATE, queue_of, take
from annotation.review.write.decisions import Decision, answer_blind, decide, start_review
from annotation.schema import AnswerType, Box, SampleContent, SampleRecord
from annotation.studio.write.draft import save_draft
from annotation.studio.write.submit import submit
from annotation.tools.write import refuse_tool
from annotation.workflow import Role
from evaluation.answers.read.groups import read_groups
from evaluation.answers.write import decide_answers
from evaluation.common.judging.words import ANSWERS, CROPS
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.judging.write.queues import draw_judging, judge_item, next_to_judge
from evaluation.models import Experiment, HumanAnswer, Judgement, JudgingItem, JudgingQueue, Run, Step, Trajectory
from evaluation.schema import Trajectory as TrajectoryRecord
from evaluation.scoring.write import score_benchmark
from evaluation.studies.write.answers import answer, finish, next_to_answer
from evaluation.studies.write.create import StudyChoices, create_study
from tests import permission_table as table
from tests.annotation.quality.test_checks import RULES
from tests.annotation.work_data import content
from tests.evaluation.run_pages import MISSED, SEEN, _zoom
from tests.factories import make_user
from tests.test_permissions import World
from tests.worlds import forget_rows
from webapp.accounts.actions import create_token
from webapp.accounts.models import User
from webapp.accounts.scopes import Scope
from webapp.common.errors import Conflict
from webapp.common.formatting import MOMENTS
from webapp.common.templatetags.ui import when

pytestmark = pytest.mark.one_database
TWINS = ("twin-a", "twin-b")
DRAFTS: dict[str, Any] = {
    "question": "Which tool is drafted?",
    "boxes": [{"box": [1, 2, 30, 40], "label": "saw", "score": 0.5}],
    "toolchain": [{"tool": "canny", "arguments": {}, "image_in": None, "image_out": None}],
    "targets": [{"tool": "saw", "step": 1}],
    "distractors": ["hammer"],
}
MODELS = ("Model A", "Model B")
SAMPLES = ("seen-00", "a", "{to_do}", "{handed_in}", "{drawn}")
"""Arguments of the table that name a sample."""
VOLATILE = re.compile(
    r"\b\d{4}-\d\d(-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?([+-]\d\d:?\d\d|Z)?)?)?\b|\b\d\d:\d\d(:\d\d)?\b"
    r"|\b(\d{1,2} )?(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d{4}\b"
    r"|\b[A-Z][a-z]+day \d{1,2} [A-Z][a-z]+\b"
    r"|(\b[\d.]+\W(s|min|h)|\b\d+ (second|minute)s?)( ago)?\b|just now"
    r"|studies/\d+/[\w-]{22}/|\bmsg_[0-9a-f]{32}\b"
    r"|\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{32}\b|\b[A-Za-z0-9]{64}\b"
)
"""Days, times and durations, random names of jobs, forms and tokens."""
REFERENCE = {"X-Request-Id": "the-same-in-both"}
"""Of every request: pages that refuse something show it."""
LOOSE_HEADERS = {
    "set-cookie",
    "date",
    "expires",
    "last-modified",
    "server-timing",
    "content-security-policy",
}

SCHEMA = "/api/v1/schema/"
"""Programs ask for it. It takes half a second, and nothing that anybody does changes it."""

Said = Mapping[str, Any]


@dataclass(frozen=True)
class Ask:
    """A request of the crawl."""

    method: str
    address: str
    data: Mapping[str, Any]
    json: bool

    def __str__(self) -> str:
        return f"{self.method} {self.address}"


def asked_of(line: table.Line, address: str) -> Iterator[Ask]:
    methods = {"GET": line.get or not line.post, "POST": line.post, "PUT": line.put, "PATCH": line.patch}
    for method, there in methods.items():
        if there:
            yield Ask(method, address, line.data, line.json or method in ("PUT", "PATCH"))


@dataclass(frozen=True)
class Answer:
    """What a request is answered with."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Crawled = Mapping[str, Answer]
"""By request."""


def answer_to(client: Client, ask: Ask) -> Answer:
    """What it wrote is taken back."""
    send = getattr(client, ask.method.lower())
    with transaction.atomic():
        kind: dict[str, Any] = {"headers": REFERENCE} | ({"content_type": "application/json"} if ask.json else {})
        answer = send(ask.address, dict(ask.data), **kind) if ask.method != "GET" else send(ask.address, **kind)
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        transaction.set_rollback(True)
    headers = {name: value for name, value in answer.headers.items() if name.lower() not in LOOSE_HEADERS}
    return Answer(answer.status_code, headers, body)


def read(body: bytes) -> str:
    """The text of an answer; of a zip file, its members. Its manifest has nothing but their checksums, which depend on
    times and random names."""
    if not zipfile.is_zipfile(io.BytesIO(body)):
        return body.decode("utf-8", "backslashreplace")
    with zipfile.ZipFile(io.BytesIO(body)) as packed:
        names = [name for name in packed.namelist() if name != "manifest.json"]
        return "\n".join(f"{name}\n{packed.read(name).decode('utf-8', 'backslashreplace')}" for name in names)


def fields_of(answer: Answer) -> Said:
    """What an answer says, without times and random names."""
    text, loose = VOLATILE.subn("~", read(answer.body))
    headers = {name: VOLATILE.sub("~", value) for name, value in answer.headers.items()}
    if loose:
        # They are those of a body with a time in it.
        headers = {name: value for name, value in headers.items() if name not in ("ETag", "Content-Length")}
    told: dict[str, Any] = {f"header {name}": value for name, value in headers.items()}
    try:
        fields = json.loads(text)
        told |= fields if isinstance(fields, dict) else {"body": fields}
    except ValueError:
        told |= {f"line {number}": line for number, line in enumerate(text.splitlines())}
    return {"status": answer.status, **told}


@pytest.mark.parametrize("form", sorted(MOMENTS))
def test_two_crawls_may_lie_on_both_sides_of_midnight_and_of_a_year(form: str) -> None:
    before, after = datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC), datetime(2027, 1, 1, 0, 0, 1, tzinfo=UTC)
    bodies = [f"{when(one, form)} {one.isoformat()} {one:%Y-%m-%d} {one:%Y-%m} {one:%B %Y}" for one in (before, after)]
    first, second = (fields_of(Answer(200, {}, body.encode())) for body in bodies)
    assert first == second


def working_on(world: World) -> Iterator[Ask]:
    """What the pages of annotating, reviewing and chains send, with something in it."""
    bodies: dict[str, list[dict[str, Any]]] = {
        "draft": [{"version": version, "content": content(question="Other")} for version in (0, 1)],
        "submit": [{"version": version, "content": content()} for version in (0, 1)],
        "skip": [{"reason": "Too dark."}],
        "review-comments": [{"text": "Small?"}],
        "review-decide": [{"decision": "accept"}],
        "review-skip": [{"reason": "Too dark."}],
        "take-back": [{}],
        "hand-in": [{}],
        "report-problem": [{"text": "Too dark."}],
        "chain-verify": [{"calls": [{"tool": "canny", "arguments": {"threshold1": 10, "threshold2": 20}}]}],
        "chain-accept": [{"calls": [{"tool": "canny", "arguments": {"threshold1": 10, "threshold2": 20}}]}],
    }
    for key in TWINS:
        for route, sent in bodies.items():
            address = reverse(f"annotation:{route}", args=[table.B, key])
            yield from (Ask("POST", address, body, json=True) for body in sent)


def crawl(client: Callable[[], Client], asks: list[Ask]) -> Crawled:
    cache.clear()
    forget_rows()
    found = {}
    for number, ask in enumerate(asks):
        if number % 50 == 49:
            # Requests are limited; the limits are not what is looked at.
            cache.clear()
        found[f"{number} {ask}"] = answer_to(client(), ask)
    return found


def differing(one: Crawled, other: Crawled) -> dict[str, dict[str, Any]]:
    """By request, the fields that differ. Most answers are the same to the byte, and not taken apart."""
    assert one.keys() == other.keys()
    found: dict[str, dict[str, Any]] = {}
    for ask in one:
        if one[ask] == other[ask]:
            continue
        here, there = fields_of(one[ask]), fields_of(other[ask])
        apart = {
            name: (here.get(name), there.get(name)) for name in {**here, **there} if here.get(name) != there.get(name)
        }
        if apart:
            found[ask] = apart
    return found


def in_words(found: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """One line for each request that tells the worlds apart, with its first difference."""
    lines = []
    for ask, apart in found.items():
        name, (here, there) = next(iter(apart.items()))
        lines.append(f"{ask}: {len(apart)} fields, {name}: {str(here)[:200]!r} / {str(there)[:200]!r}")
    return lines


@contextmanager
def taken_back() -> Iterator[None]:
    """What happens inside is undone, numbers of rows included, so that two worlds have the same."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def crawled(build: Callable[[], Any], crawls: Mapping[str, Callable[[], Crawled]]) -> dict[str, Crawled]:
    """By the name of a crawl, what it found in a world that is built once for all of them."""
    found = {}
    with taken_back():
        build()
        for name, one in crawls.items():
            with taken_back():
                found[name] = one()
    return found


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with django_db_blocker.unblock(), transaction.atomic():
        made = World(tmp_path_factory.mktemp("pictures"))
        prepare(made)
        yield made
        transaction.set_rollback(True)


def prepare(world: World) -> None:
    """Two further samples that are alike, and two models that did the same on every sample with a picture."""
    benchmark, picture = Benchmark.objects.get(slug=table.B), Image.objects.get(sha256=world.names["sha256"])
    JudgingQueue.objects.all().delete()
    Experiment.objects.filter(kind=Experiment.Kind.HUMAN).delete()
    GoldCheck.objects.all().delete()
    Sample.objects.filter(benchmark=benchmark).update(image=picture)
    for key in TWINS:
        Sample.objects.create(benchmark=benchmark, key=key, image=picture, width=1000, height=800)
    keys = list(benchmark.samples.values_list("key", flat=True))
    rows = [TrajectoryRecord(model, key, steps=(_zoom(SEEN),), answer="B") for model in MODELS for key in keys]
    save_trajectories(RunRegistry(benchmark, world.people[table.LEAD]), rows, None)
    world.people["bo"] = make_user("Bo Ek")
    add_member(actor=None, benchmark=benchmark, user=world.people["bo"], role=Role.ANNOTATOR)
    draft_twins(world, benchmark)


def draft_twins(world: World, benchmark: Benchmark) -> None:
    """Both twins have the drafts that a model makes from their image, and Ana is shown those of both."""
    twins, ana = list(benchmark.samples.filter(key__in=TWINS)), world.people[table.ANNOTATOR]
    share = 0.05
    seeds = (f"{number:032x}" for number in range(1000))
    seed = next(one for one in seeds if all(arm_of(one, ana.pk, twin.pk, share) is Arm.SHOWN for twin in twins))
    drafting = Drafting.objects.create(benchmark=benchmark, seed=seed, control_share=share)
    Proposal.objects.bulk_create(
        Proposal(drafting=drafting, sample=twin, field=name, content=drafted, source="m-1", prompt_digest="d" * 64)
        for twin in twins
        for name, drafted in DRAFTS.items()
    )


def the_benchmark() -> Benchmark:
    return Benchmark.objects.select_related("queue", "quality").get(slug=table.B)


def addresses_of(world: World, twins: bool = False, **names: tuple[Any, ...]) -> list[Ask]:
    """Every address of the table, filled in; where it names a sample, with both twins."""
    asks: list[Ask] = []
    for line in table.TABLE:
        for filled in _filled(world, line, twins, names):
            asks += asked_of(line, reverse(line.name, args=filled) + line.query)
    return list({str(ask): ask for ask in asks}.values())


def _filled(world: World, line: table.Line, twins: bool, names: Mapping[str, tuple[Any, ...]]) -> Iterator[list[Any]]:
    choices: list[tuple[Any, ...]] = []
    for arg in line.args:
        if twins and arg in SAMPLES:
            choices.append(TWINS)
        elif isinstance(arg, str) and arg.strip("{}") in names:
            choices.append(names[arg.strip("{}")])
        else:
            choices.append((arg.format(**world.names) if isinstance(arg, str) else arg,))
    most = max(map(len, choices), default=1)
    for place in range(most):
        yield [options[place % len(options)] for options in choices]


def asks_of(who: str, asks: list[Ask]) -> list[Ask]:
    """What this person asks, or a program with somebody's token."""
    if who == "token":
        return [ask for ask in asks if ask.address.startswith("/api/")]
    return [ask for ask in asks if ask.address != SCHEMA]


def browser(world: World, name: str) -> Callable[[], Client]:
    return lambda: world.client(name)


def program(user: User) -> Callable[[], Client]:
    _, secret = create_token(name="program", actor=user, scopes=list(Scope))
    return lambda: Client(raise_request_exception=False, headers={"Authorization": f"Bearer {secret}"})


def handed(world: World, check: str) -> None:
    """One twin is accepted, known and handed to Ana as a check; the other is to do and handed to her as any sample."""
    benchmark, ana = the_benchmark(), world.people[table.ANNOTATOR]
    gold_of(world, benchmark, check)
    add_checks(actor=world.people[table.LEAD], benchmark=benchmark, keys=[check])
    set_check_rules(actor=world.people[table.LEAD], benchmark=benchmark, **{**RULES, "check_first": 1})
    answer = CheckAnswer.objects.create(check_of=GoldCheck.objects.get(), user=ana, place=1001)
    for key in TWINS:
        sample = benchmark.samples.get(key=key)
        assert take(ana, sample.pk, ANNOTATE, queue_of(benchmark).lasts, answer.place if key == check else 0)
    score_benchmark(actor=world.people[table.LEAD], benchmark=benchmark)


def gold_of(world: World, benchmark: Benchmark, key: str) -> None:
    bo, rui = world.people["bo"], world.people[table.REVIEWER]
    sample = benchmark.samples.select_related("benchmark").get(key=key)
    assert take(bo, sample.pk, ANNOTATE, queue_of(benchmark).lasts)
    submit(actor=bo, sample=sample, version=0, content=content())
    Lease.objects.filter(user=bo).delete()
    sample.refresh_from_db()
    start_review(rui, sample)
    answer_blind(actor=rui, sample=sample, answer="B", unsure=False, seconds=4.5)
    decide(actor=rui, sample=sample, decision=Decision("accept"))
    Lease.objects.filter(user=rui).delete()


def begun_one(world: World) -> None:
    """Only the first twin was handed to Ana, who has begun it."""
    first, second = (Sample.objects.select_related("benchmark").get(key=key) for key in TWINS)
    CheckAnswer.objects.filter(check_of__sample=second).delete()
    Lease.objects.filter(sample=second).delete()
    save_draft(actor=world.people[table.ANNOTATOR], sample=first, version=0, content=content(question="Half a"))


def submitted(world: World) -> None:
    for key in TWINS:
        sample = Sample.objects.select_related("benchmark").get(key=key)
        submit(actor=world.people[table.ANNOTATOR], sample=sample, version=0, content=content())


def held(world: World) -> None:
    """Submitted, and both can be taken back."""
    BenchmarkQueue.objects.update_or_create(benchmark=the_benchmark(), defaults={"take_back_minutes": 10})
    submitted(world)


EVERY = 100
"""More verdicts than any queue here has questions."""
STAGES: dict[str, Callable[[World], None]] = {
    "handed": lambda world: None,
    "one begun": begun_one,
    "submitted": submitted,
    "held": held,
}


def with_checks(world: World, stage: str, roles: list[Role], who: str, only: str = "") -> Crawled:
    """The crawl once things have come to this stage. Ana has these roles too."""
    ana, benchmark = world.people[table.ANNOTATOR], the_benchmark()
    for role in roles:
        add_member(actor=None, benchmark=benchmark, user=ana, role=role)
    STAGES[stage](world)
    client = program(ana) if who == "token" else browser(world, who)
    asks = [*addresses_of(world, twins=True), *working_on(world)]
    if stage == "one begun":
        # What comes next is drawn at random.
        asks = [ask for ask in asks if not re.search("/annotate/(next|ahead|submit)/", ask.address)]
    return crawl(client, [ask for ask in asks_of(who, asks) if re.search(only, ask.address)])


OF_A_LEAD = ("street/samples/twin-a/$", "street/quality/$", r"api/.*/samples/twin-a/$", "toolchain/samples/twin-b/$")
"""Where a lead finds out which twin is the check."""


@pytest.fixture(scope="module")
def checking(world: World) -> list[dict[str, Crawled]]:
    """What was found with the one twin as the check, and with the other."""
    more, ana, look = [Role.REVIEWER, Role.RESEARCHER], table.ANNOTATOR, partial(with_checks, world)
    crawls = {
        "one begun": partial(look, "one begun", more, ana),
        "submitted": partial(look, "submitted", more, ana),
        "held": partial(look, "held", more, ana, only="annotate/|review/|work/problems"),
        "program": partial(look, "handed", more, "token"),
        "visitor": partial(look, "handed", [], table.VISITOR),
        "lead": partial(look, "one begun", [], table.LEAD, only="|".join(OF_A_LEAD)),
    }
    return [crawled(partial(handed, world, check), crawls) for check in TWINS]


@pytest.mark.parametrize("name", ["one begun", "submitted", "held", "program", "visitor"])
@pytest.mark.endurance
def test_nothing_tells_a_gold_check_from_an_ordinary_sample(checking: list[dict[str, Crawled]], name: str) -> None:
    """D2.4, D2.5, D2.6, D2.7"""
    one, other = (found[name] for found in checking)
    assert len(one) > 40
    apart = in_words(differing(one, other))
    assert not apart, "\n".join(apart)


@pytest.mark.endurance
def test_a_lead_finds_out_by_the_same_crawl(checking: list[dict[str, Crawled]]) -> None:
    """So the crawl can see what it looks for."""
    found = list(differing(*(found["lead"] for found in checking)))
    assert [part for part in OF_A_LEAD if not any(re.search(part, ask) for ask in found)] == []


ASKED, OTHER = "Neither of them, I fear.", "It cannot be told from here."
"""What one model said on every sample, and the other. No rule decides either."""


def answered(model: str) -> None:
    """This model said what is asked about, the other something else."""
    for name in MODELS:
        Trajectory.objects.filter(run__model__name=name).update(answer=ASKED if name == model else OTHER)


def looked(model: str) -> None:
    """This model looked where a question shows it, the other elsewhere."""
    for name in MODELS:
        x1, y1, x2, y2 = SEEN if name == model else MISSED
        steps = Step.objects.filter(trajectory__run__model__name=name)
        steps.update(x1=x1, y1=y1, x2=x2, y2=y2, executed_x1=x1, executed_y1=y1, executed_x2=x2, executed_y2=y2)


def said_to_differ(text: str) -> None:
    """Somebody decides what all answers with this text say, if anybody may now."""
    benchmark = the_benchmark()
    groups = [group for group in read_groups(benchmark, None).groups if group.raw == text]
    if groups:
        said = {group.key: "0" if group.multiple_choice else "n" for group in groups}
        with suppress(Conflict):
            decide_answers(actor=None, benchmark=benchmark, said=said)


def queue_about(world: World, model: str, about: str = CROPS, decided: str = "", alike: bool = False) -> None:
    """A queue drawn from one of two models. ``about`` crops the models looked at different places, ``about`` answers
    they said different things, and what the one looked at or said is asked about; ``alike``: they did the same.
    ``decided``: what was said and somebody decides: what is not asked about before the queue is drawn, what is asked
    about after it."""
    lea, mira = world.people[table.LEAD], world.people[table.RESEARCHER]
    benchmark = the_benchmark()
    if not alike:
        (answered if about == ANSWERS else looked)(model)
    if about == ANSWERS:
        # Before anything is decided; the log says how often it was done.
        score_benchmark(actor=lea, benchmark=benchmark)
    if decided == OTHER:
        said_to_differ(decided)
    score_benchmark(actor=lea, benchmark=benchmark)
    run = Run.objects.get(model__name=model)
    for trajectory in Trajectory.objects.filter(run__model__name__in=MODELS):
        place = {"run": trajectory.run, "sample": trajectory.sample}
        Judgement.objects.create(**place, kind="reliability", judge="judge-7b", verdict="yes")
    queue = draw_judging(
        actor=mira, benchmark=benchmark, terms={"run": str(run.pk)}, size=10, people=2, about=about,
        seed="the same in both",
    )  # fmt: skip
    for number, item in enumerate(queue.items.order_by("pk")):
        # Names are random: here the two worlds need the same.
        JudgingItem.objects.filter(pk=item.pk).update(key=f"question-{number}")
    if decided == ASKED:
        said_to_differ(decided)


def judge_some(world: World, judge: str, verdicts: int | None) -> None:
    """Who judges has judged so many questions of the queue, and holds the next; None: has not begun."""
    queue = JudgingQueue.objects.get()
    world.names |= {"judging": queue.pk, "question": "question-0"}
    if verdicts is None:
        return
    person = world.people[judge]
    for _ in range(verdicts):
        item = next_to_judge(actor=person, queue=queue)
        if item is None:
            break
        said = {"verdict": "undecided"} if item.kind == JudgingItem.Kind.ANSWER else {"verdict": "yes", "answer": "B"}
        judge_item(actor=person, item=item, said={**said, "seconds": 2})
    if held := next_to_judge(actor=person, queue=queue):
        world.names["question"] = held.key


def with_a_queue(world: World, judge: str, who: str, verdicts: int | None, only: str = "") -> Crawled:
    """The crawl once somebody has judged so many questions."""
    judge_some(world, judge, verdicts)
    runs = Run.objects.filter(model__name__in=MODELS).order_by("model__name")
    rows = Trajectory.objects.filter(run__in=runs, sample__key__in=["seen-00", *TWINS]).order_by("pk")
    asks = addresses_of(
        world, run=tuple(run.pk for run in runs), trajectory=tuple(rows.values_list("pk", flat=True)),
        question=tuple(f"question-{number}" for number in range(6)),
    )  # fmt: skip
    client = program(world.people[judge]) if who == "token" else browser(world, who)
    return crawl(client, [ask for ask in asks_of(who, asks) if re.search(only, ask.address)])


OF_CROPS = (r"street/judging/\d+/$", "street/agreement/judges/$", r"street/trajectories/\d+/$")
"""Where who has finished is told which model the questions were about."""


@pytest.fixture(scope="module")
def judging_crops(world: World) -> list[dict[str, Crawled]]:
    """What was found with a queue drawn from the one model, and from the other."""
    look, mira = partial(with_a_queue, world), table.RESEARCHER
    crawls = {
        "lead": partial(look, table.LEAD, table.LEAD, 2),
        "annotator": partial(look, table.ANNOTATOR, table.ANNOTATOR, 0),
        "program": partial(look, mira, "token", 2),
        "finished": partial(look, mira, mira, EVERY, only="|".join(OF_CROPS)),
    }
    return [crawled(partial(queue_about, world, model), crawls) for model in MODELS]


@pytest.mark.parametrize("name", ["lead", "annotator", "program"])
@pytest.mark.endurance
def test_nothing_tells_which_model_a_question_is_about(judging_crops: list[dict[str, Crawled]], name: str) -> None:
    """D2.1, D2.2, D2.3, D2.7"""
    one, other = (found[name] for found in judging_crops)
    assert len(one) > 50
    apart = in_words(differing(one, other))
    assert not apart, "\n".join(apart)


@pytest.mark.endurance
def test_nothing_tells_who_has_not_begun_which_model_a_question_is_about(world: World) -> None:
    """They see results, but not which of two models that did the same is asked about."""
    rui = table.REVIEWER
    crawls = {rui: partial(with_a_queue, world, rui, rui, None)}
    one, other = (crawled(partial(queue_about, world, model, alike=True), crawls)[rui] for model in MODELS)
    assert len(one) > 50
    apart = in_words(differing(one, other))
    assert not apart, "\n".join(apart)


@pytest.mark.endurance
def test_who_has_finished_is_told_by_the_same_addresses(judging_crops: list[dict[str, Crawled]]) -> None:
    """So the crawl can see what it looks for."""
    found = list(differing(*(found["finished"] for found in judging_crops)))
    parts = (*OF_CROPS, "api/v1/.*/judges/$")
    assert [part for part in parts if not any(re.search(part, ask) for ask in found)] == []


OF_ANSWERS = (r"street/trajectories/\d+/$", "street/answers/report/$", r"street/judging/\d+/$")
"""Where who has finished is told whose answers the questions quoted."""


@pytest.fixture(scope="module")
def judging_answers(world: World) -> dict[str, dict[str, Crawled]]:
    """What was found with a queue about answers of the one model, and of the other; and of the one, where somebody
    decided what is not asked about before it was drawn, or what is asked about since."""
    look, lea, about = partial(with_a_queue, world), table.LEAD, partial(queue_about, world, about=ANSWERS)
    crawls = {
        "lead": partial(look, lea, lea, 1),
        "annotator": partial(look, table.ANNOTATOR, table.ANNOTATOR, 1),
        "program": partial(look, table.RESEARCHER, "token", 1),
        "finished": partial(look, lea, lea, EVERY, only="|".join(OF_ANSWERS)),
    }
    not_begun = {"not begun": partial(look, lea, lea, None)}
    one, other = MODELS
    return {
        one: crawled(partial(about, one), crawls | not_begun),
        other: crawled(partial(about, other), crawls),
        "decided before": crawled(partial(about, one, decided=OTHER), {"lead": crawls["lead"]}),
        "decided since": crawled(partial(about, one, decided=ASKED), not_begun),
    }


@pytest.mark.parametrize("name", ["lead", "annotator", "program"])
@pytest.mark.endurance
def test_nothing_tells_whose_answer_a_question_quotes(
    judging_answers: dict[str, dict[str, Crawled]], name: str
) -> None:
    one, other = (judging_answers[model][name] for model in MODELS)
    assert len(one) > 50
    apart = in_words(differing(one, other))
    assert not apart, "\n".join(apart)


@pytest.mark.parametrize(("name", "decided"), [("not begun", "decided since"), ("lead", "decided before")])
@pytest.mark.endurance
def test_nothing_tells_a_judge_what_was_decided(
    judging_answers: dict[str, dict[str, Crawled]], name: str, decided: str
) -> None:
    """Who has not begun sees decisions, and there is none about what the queue asks. Who has begun sees none."""
    # The log says that somebody decided, and how many answers, but neither which nor what they say.
    one, other = (
        {ask: answer for ask, answer in judging_answers[where][name].items() if not ask.endswith("/log/")}
        for where in (MODELS[0], decided)
    )
    assert len(one) > 50
    apart = in_words(differing(one, other))
    assert not apart, "\n".join(apart)


@pytest.mark.endurance
def test_who_has_finished_learns_whose_answers_they_were_by_the_same_addresses(
    judging_answers: dict[str, dict[str, Crawled]],
) -> None:
    """So the crawl can see what it looks for."""
    found = list(differing(*(judging_answers[model]["finished"] for model in MODELS)))
    assert [part for part in OF_ANSWERS if not any(re.search(part, ask) for ask in found)] == []


OF_THE_BANK = ("street/settings/tools/$", "street/board/$")
"""Where a lead is told which tools a model proposed."""
DRAFTED, REFUSED = "zebra rasp", "zebra tongs"


def drafting_names(world: World, drafts: bool) -> None:
    """A model drafted two names that the bank lacks, of which a lead rejected one; or the same bank without."""
    benchmark = the_benchmark()
    lea, ana = world.people[table.LEAD], world.people[table.ANNOTATOR]
    for key in TWINS:
        assert take(ana, benchmark.samples.get(key=key).pk, ANNOTATE, queue_of(benchmark).lasts)
    if drafts:
        twin = benchmark.samples.get(key=TWINS[0])
        names = [NameDraft(twin.pk, Field.TARGETS, name) for name in (DRAFTED, REFUSED)]
        propose_drafted(benchmark, "m-1", names)
        refuse_tool(actor=lea, tool=BankTool.objects.get(name=REFUSED), reason="No tool.")


def with_names(world: World, who: str, roles: list[Role], only: str = "") -> Crawled:
    """The crawl, also with a plan that has the drafted name."""
    ana, benchmark = world.people[table.ANNOTATOR], the_benchmark()
    for role in roles:
        add_member(actor=None, benchmark=benchmark, user=ana, role=role)
    planned = content(targets=[{"tool": DRAFTED, "step": 1}], distractors=[])
    asks = [*addresses_of(world, twins=True), *working_on(world)]
    for key in TWINS:
        for route in ("draft", "submit"):
            address = reverse(f"annotation:{route}", args=[table.B, key])
            asks.append(Ask("POST", address, {"version": 0, "content": planned}, json=True))
    client = program(ana) if who == "token" else browser(world, who)
    return crawl(client, [ask for ask in asks_of(who, asks) if re.search(only, ask.address)])


@pytest.fixture(scope="module")
def naming(world: World) -> list[dict[str, Crawled]]:
    """What was found with the names that a model drafted, and without."""
    more, ana = [Role.REVIEWER, Role.RESEARCHER], table.ANNOTATOR
    crawls = {
        "annotator": partial(with_names, world, ana, more),
        "program": partial(with_names, world, "token", more),
        "visitor": partial(with_names, world, table.VISITOR, []),
        "lead": partial(with_names, world, table.LEAD, [], only="|".join(OF_THE_BANK)),
    }
    return [crawled(partial(drafting_names, world, drafts), crawls) for drafts in (True, False)]


@pytest.mark.parametrize("name", ["annotator", "program", "visitor"])
@pytest.mark.endurance
def test_nothing_tells_which_tools_only_a_model_proposed(naming: list[dict[str, Crawled]], name: str) -> None:
    one, other = (found[name] for found in naming)
    assert len(one) > 40
    apart = in_words(differing(one, other))
    assert not apart, "\n".join(apart)


@pytest.mark.endurance
def test_a_lead_is_told_which_tools_a_model_proposed_by_the_same_addresses(naming: list[dict[str, Crawled]]) -> None:
    """So the crawl can see what it looks for."""
    found = list(differing(*(found["lead"] for found in naming)))
    assert [part for part in OF_THE_BANK if not any(re.search(part, ask) for ask in found)] == []


OF_A_STUDY = (
    r"street/samples/asked-0/$",
    r"street/leaderboard/$",
    r"api/.*/trajectories/$",
    r"api/.*/samples/asked-0/$",
)
"""Where whoever has finished a study is told its gold, and what models said."""
SAID = {"familiarity": 3, "seconds": 2, "zooms": "[]"}


def study_about(world: World, letter: str) -> None:
    """A study of samples whose gold, and what a model and another person said on them, is this letter. Its images are
    the same, and so are the names of its answers."""
    lea, rui, benchmark = world.people[table.LEAD], world.people[table.REVIEWER], the_benchmark()
    box = SEEN if letter == "A" else MISSED
    shown = SampleContent("Which?", AnswerType.MULTIPLE_CHOICE, {"A": "black", "B": "white"}, (letter,), (Box(*box),))
    keys = [f"asked-{number}" for number in range(3)]
    save_samples(
        actor=lea, benchmark=benchmark,
        records=[SampleRecord(key, shown, f"{key}.png", None, 1000, 800, {}) for key in keys],
    )  # fmt: skip
    benchmark.samples.filter(key__in=keys).update(image=Image.objects.get(sha256=world.names["sha256"]))
    # Only these have an image that can be asked about.
    benchmark.samples.exclude(key__in=keys).update(image=None)
    rows = [TrajectoryRecord(MODELS[0], key, steps=(_zoom(box),), answer=letter) for key in keys]
    save_trajectories(RunRegistry(benchmark, lea), rows, None)
    score_benchmark(actor=lea, benchmark=benchmark)
    study = create_study(actor=lea, benchmark=benchmark, choices=StudyChoices("asked", 3, people=2, seed="the same"))
    for number in range(2):
        take_part(world, rui, study, letter, f"rui-{number}")


def take_part(world: World, person: User, study: Experiment, letter: str, name: str, *, answers: bool = True) -> None:
    """This person is assigned a sample, whose answer has this name, and answers it."""
    item = next_to_answer(actor=person, study=study)
    assert item is not None
    HumanAnswer.objects.filter(pk=item.pk).update(key=name)
    world.names |= {"study": study.pk, "task": name}
    if answers:
        item.key = name
        answer(actor=person, item=item, said={**SAID, "answer": letter})


def with_a_study(world: World, who: str, *, ended: bool = False, only: str = "") -> Crawled:
    """The crawl by Ana, who has every role but the lead's, has answered one sample and holds another; or has ended."""
    ana, benchmark = world.people[table.ANNOTATOR], the_benchmark()
    for role in (Role.REVIEWER, Role.RESEARCHER):
        add_member(actor=None, benchmark=benchmark, user=ana, role=role)
    study = Experiment.objects.select_related("benchmark").get(kind=Experiment.Kind.HUMAN)
    study.benchmark = the_benchmark()
    take_part(world, ana, study, "A", "ana-0")
    take_part(world, ana, study, "A", "ana-1", answers=False)
    if ended:
        finish(actor=ana, study=study)
    run = Run.objects.get(model__name=MODELS[0])
    rows = Trajectory.objects.filter(run=run, sample__key__startswith="asked").order_by("pk")
    asks = addresses_of(
        world, run=(run.pk,), trajectory=tuple(rows.values_list("pk", flat=True)), task=("ana-0", "ana-1", "rui-0"),
        **dict.fromkeys(("to_do", "handed_in", "drawn"), ("asked-0", "asked-1", "asked-2")),
    )  # fmt: skip
    asks += [
        Ask("GET", reverse(f"evaluation:{name}", args=[table.B, "asked-0"]), {}, json=False)
        for name in ("sample", "sample-models", "sample-chains")
    ]
    asks += [Ask("GET", reverse(name, args=[table.B, "asked-0"]), {}, json=False) for name in ("api-sample",)]
    client = program(ana) if who == "token" else browser(world, who)
    return crawl(client, [ask for ask in asks_of(who, asks) if re.search(only, ask.address)])


@pytest.fixture(scope="module")
def studying(world: World) -> list[dict[str, Crawled]]:
    """What was found with the one letter, and with the other."""
    look = partial(with_a_study, world)
    crawls = {
        "participant": partial(look, table.ANNOTATOR),
        "program": partial(look, "token"),
        "visitor": partial(look, table.VISITOR),
        "finished": partial(look, table.ANNOTATOR, ended=True, only="|".join(OF_A_STUDY)),
        "lead": partial(look, table.LEAD, only=r"street/studies/\d+/answers.jsonl$"),
    }
    return [crawled(partial(study_about, world, letter), crawls) for letter in "AB"]


@pytest.mark.parametrize("name", ["participant", "program", "visitor"])
@pytest.mark.endurance
def test_nothing_tells_a_participant_the_gold_or_what_others_answered(
    studying: list[dict[str, Crawled]], name: str
) -> None:
    one, other = (found[name] for found in studying)
    assert len(one) > 40
    apart = in_words(differing(one, other))
    assert not apart, "\n".join(apart)


@pytest.mark.endurance
def test_who_has_finished_a_study_and_its_lead_are_told_by_the_same_addresses(
    studying: list[dict[str, Crawled]],
) -> None:
    """So the crawl can see what it looks for."""
    found = list(differing(*(found["finished"] for found in studying)))
    assert [part for part in OF_A_STUDY if not any(re.search(part, ask) for ask in found)] == []
    assert differing(*(found["lead"] for found in studying))
