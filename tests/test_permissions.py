"""Every address of the project, asked by everybody on a private benchmark: who may, and that a GET writes nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import cv2
import numpy as np
import pytest
from django.conf import settings
from django.db import connection, transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, resolve, reverse
from django.utils import timezone

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.benchmarks.write.invitations import invite_person
from annotation.benchmarks.write.trash import delete_benchmark
from annotation.content.freeze import freeze_version
from annotation.content.people import PLACEHOLDERS, uids_of
from annotation.content.samples import save_samples
from annotation.exchange.write.pictures import FORMAT as PICTURES
from annotation.guidelines.write import publish
from annotation.images.store import store_pictures
from annotation.models import (
    AcceptedChain,
    Benchmark,
    BuildItem,
    CheckAnswer,
    Comment,
    GoldCheck,
    GuidelineImage,
    Image,
    ImportRecord,
    Lease,
    PayRate,
    PortableUpload,
    Problem,
    Receipt,
    Sample,
    Webhook,
    WebhookDelivery,
    WorkPackage,
)
from annotation.quality.write.audits import draw_audit
from annotation.quality.write.checks import add_checks
from annotation.schema import SampleContent, SampleRecord
from annotation.tools.write import add_tool
from annotation.workflow import Role, SampleState
from evaluation.common.lineage.write import Place, place_run
from evaluation.experiments.write.create import Choices, create_experiment
from evaluation.experiments.write.endpoints import add_endpoint
from evaluation.experiments.write.plan import plan_attempts
from evaluation.experiments.write.prompts import create_prompt
from evaluation.exports.read.comparison import KIND as COMPARISON
from evaluation.exports.read.comparison import samples_name, summary_name
from evaluation.judging.write.queues import draw_judging, next_to_judge
from evaluation.models import Run, Trajectory
from evaluation.studies.write.answers import next_to_answer
from evaluation.studies.write.create import StudyChoices, create_study
from evaluation.trajectories.write.marks import write_note
from evaluation.trajectories.write.slices import save_slice
from evaluation.trash.write.runs import delete_run
from evaluation.trash.write.samples import delete_samples
from tests import permission_table as table
from tests.annotation.work_data import submitted
from tests.evaluation.run_pages import make_benchmark
from tests.factories import make_user
from webapp.accounts.actions import create_token
from webapp.accounts.links import reset_path, verify_path
from webapp.accounts.models import Session, User
from webapp.accounts.scopes import Scope
from webapp.accounts.sessions import kept_as
from webapp.common import objects
from webapp.jobs.models import Job
from webapp.jobs.runner import run_waiting
from webapp.notifications.models import Notification
from webapp.notifications.write import Event, notify

ADMIN_SITE = "admin:"
LET_IN = {"GET": frozenset({200})}
"""Statuses of who may: a page; or, for what is sent, also what is wrong with it."""
LET_IN |= dict.fromkeys(("POST", "PUT", "PATCH"), frozenset({200, 201, 202, 204, 302, 303, 400, 409, 415, 422}))
WRITING = ("INSERT", "UPDATE", "DELETE", "REPLACE", "MERGE", "TRUNCATE")
OF_SCOPE = re.compile(rb'"?code"?: ?"?scope\b')
"""Of an error, in JSON or YAML."""


def placed_run(lea: User) -> dict[str, Any]:
    """The run, at the first step of a lineage."""
    run = place_run(actor=lea, run=Run.objects.get(), place=Place("GRPO", 0))
    return {"run": run.pk, "lineage": run.lineage_id}


def trash_of(lea: User, benchmark: Benchmark) -> dict[str, Any]:
    """A deleted run, a deleted sample, and a deleted benchmark."""
    run = Run.objects.create(benchmark=benchmark, model=Run.objects.get().model, setting="old", number=99)
    delete_run(actor=lea, run=run)
    gone = create_benchmark(actor=lea, slug="deleted")
    delete_benchmark(actor=lea, benchmark=gone, title=gone.title)
    removed = Sample.objects.create(benchmark=benchmark, key="old")
    delete_samples(actor=lea, benchmark=benchmark, keys=["old"])
    return {"trashed": run.pk, "removed": removed.pk, "deleted": gone.slug}


def portable_of(lea: User, benchmark: Benchmark) -> dict[str, Any]:
    """An uploaded portable file that was read, and a job that wrote one."""
    upload = PortableUpload.objects.create(
        file_name="a.sightline", bytes=1, state="ready", preview={"title": "A", "counts": {}}, created_by=lea
    )
    job = Job.objects.create(
        kind="evaluation.portable_export", title="Portable file", benchmark=benchmark.slug, state=Job.State.DONE,
        result={"file": "street.sightline"},
    )  # fmt: skip
    objects.put(f"portable/{job.pk}.sightline", b"file")
    update = PortableUpload.objects.create(
        file_name="b.sightline", bytes=1, state="failed", created_by=lea, benchmark=benchmark, updates=True
    )
    return {
        "portable": upload.pk, "portable_update": update.pk, "portable_job": job.pk,
        "comparison": compared_by(lea, benchmark.slug), "files_comparison": compared_by(lea, ""),
    }  # fmt: skip


def compared_by(lea: User, slug: str) -> Any:
    """A job that compared portable files."""
    job = Job.objects.create(kind=COMPARISON, title="b.sightline", benchmark=slug, state=Job.State.DONE, created_by=lea)
    summary = {
        "files": ["a", "b"], "counts": {"changed": 0, "added": 0, "removed": 0}, "same": 1, "places": [], "rows": [],
        "tables": [], "mixed": False, "runs": [], "runs_n": 0, "runs_compared": True, "number": None,
        "same_benchmark": True,
    }  # fmt: skip
    objects.put(summary_name(job.pk), json.dumps(summary).encode())
    objects.put(samples_name(job.pk), b"")
    return job.pk


LINES = {line.name: line for line in table.TABLE}


def placeholder_in(benchmark: Benchmark) -> dict[str, Any]:
    """A person of an imported file. Everyone has a uid, so that two portable files of this world are the same."""
    person = make_user("Pia Wolf", email=f"person{PLACEHOLDERS}", is_active=False)
    uids_of(benchmark, list(User.objects.values_list("pk", flat=True)))
    return {"placeholder": person.pk}


class World:
    """A private benchmark with a bit of everything, the people, and what fills the addresses."""

    def __init__(self, folder: Any) -> None:
        lea, ana = make_user("Lea Moreau"), make_user("Ana Lind")
        self.people = {
            table.STRANGER: make_user("Sam Ode"),
            table.ANNOTATOR: ana,
            table.REVIEWER: make_user("Rui Costa"),
            table.RESEARCHER: make_user("Mira Sato"),
            table.LEAD: lea,
            table.ADMIN: make_user("Ada Kern", is_staff=True, is_superuser=True),
        }
        benchmark = make_benchmark(lea, kinds={"seen": 3, "missed": 2}, pictures=False)
        for name in (table.ANNOTATOR, table.REVIEWER, table.RESEARCHER):
            add_member(actor=lea, benchmark=benchmark, user=self.people[name], role=Role(name))
        picture = with_picture(benchmark, lea, folder)
        freeze_version(actor=lea, benchmark=benchmark)
        handed_in, to_do, comment = work_of(ana, benchmark)
        invitation, secret = invite_person(actor=lea, benchmark=benchmark, email="new@example.org", roles=[Role.LEAD])
        record = ImportRecord.objects.create(
            benchmark=benchmark, kind="runs", state="done", file_name="a.jsonl", format="native", created_by=lea
        )
        upload = ImportRecord.objects.create(
            benchmark=benchmark, kind="samples", state="done", file_name="a.png", format=PICTURES, created_by=lea
        )
        chain = AcceptedChain.objects.create(
            sample=benchmark.samples.get(key="a"), calls=[{"tool": "canny"}], digest="0", accepted_by=lea
        )
        held = Lease.objects.filter(sample__benchmark=benchmark).first()
        nothing: dict[str, Any] = {"done": [], "refused": []}
        receipt = Receipt.objects.create(user=lea, key="one", about=f"return:{benchmark.pk}", answer=nothing)
        self.names = {
            "lease": held.pk,
            "receipt": receipt.pk,
            "upload": upload.pk,
            **(placed_run(lea) | trash_of(lea, benchmark) | portable_of(lea, benchmark)),
            "trajectory": Trajectory.objects.filter(sample__key="seen-00", condition="none").first().pk,
            "record": record.pk,
            "sha256": picture.sha256,
            "to_do": to_do.key,
            "handed_in": handed_in.key,
            "comment": comment.pk,
            "job": Job.objects.filter(created_by=lea).exclude(kind=COMPARISON).first().pk,
            "token": create_token(name="notebook", actor=lea, scopes=[Scope.READ])[0].pk,
            "secret": secret,
            "lea": lea.pk,
            "verify": verify_path(lea).split("/")[-2],
            "session": kept_as(self.session_of(lea)),
            "invitation": invitation.pk,
            "ana": ana.pk,
            **(marks_of(lea, benchmark) | webhook_of(lea, benchmark) | placeholder_in(benchmark)),
            "chain": chain.pk,
            "tool": add_tool(actor=lea, benchmark=benchmark, name="saw", segment="27", aliases=[]).pk,
            **quality_of(lea, ana, benchmark, picture),
            **judging_of(lea, benchmark, picture),
            **experiment_of(lea, benchmark),
            **(study_of(lea, benchmark, picture) | item_of(benchmark, picture)),
        }
        self.sessions = {name: self.session_of(user) for name, user in self.people.items()}
        lea.refresh_from_db()
        self.names["reset"] = reset_path(lea, by_email=False).split("/")[-2]
        self.programs = self._programs(lea, benchmark)

    def _programs(self, lea: User, benchmark: Benchmark) -> dict[str, Client]:
        """Programs of the lead's: one for each scope, and with all scopes on the benchmark or on another one."""
        create_benchmark(actor=lea, slug="elsewhere")
        programs = {scope: self._program(scope) for scope in table.SCOPES}
        programs["here"] = self._program(*table.SCOPES, benchmark=benchmark.slug)
        programs["elsewhere"] = self._program(*table.SCOPES, benchmark="elsewhere")
        return programs

    def session_of(self, user: User) -> str:
        client = Client()
        client.force_login(user)
        return client.cookies[settings.SESSION_COOKIE_NAME].value

    def _program(self, *scopes: str, benchmark: str = "") -> Client:
        """A program of the lead's, with a token."""
        held = [Scope(scope) for scope in scopes]
        _, secret = create_token(name="program", actor=self.people[table.LEAD], scopes=held, benchmark=benchmark)
        return Client(raise_request_exception=False, headers={"Authorization": f"Bearer {secret}"})

    def client(self, name: str) -> Client:
        """A browser of this person; a new one each time, because an answer may take its cookie away."""
        client = Client(raise_request_exception=False)
        if name in self.sessions:
            client.cookies[settings.SESSION_COOKIE_NAME] = self.sessions[name]
        return client

    def address(self, line: table.Line) -> str:
        args = [arg.format(**self.names) if isinstance(arg, str) else arg for arg in line.args]
        return reverse(line.name, args=args) + line.query


def item_of(benchmark: Any, picture: Image) -> dict[str, int]:
    """An item of the building board whose image waits for a check."""
    item = BuildItem.objects.create(
        benchmark=benchmark, number=1, stage="image_check", targets=["saw"], steps=[1], image=picture,
        entered_at=timezone.now(),
    )  # fmt: skip
    return {"item": item.number}


def with_picture(benchmark: Any, lea: Any, folder: Any) -> Image:
    """A further sample whose picture is here, its tiles made."""
    (folder / "a.png").write_bytes(bytes(cv2.imencode(".png", np.full((800, 1000, 3), 90, np.uint8))[1]))
    records = [SampleRecord("a", SampleContent("What?"), "a.png")]
    pictures = store_pictures(actor=lea, benchmark=benchmark, records=records, folder=folder, embedded={})
    save_samples(actor=lea, benchmark=benchmark, records=records, pictures=pictures)
    run_waiting()
    return Image.objects.get(samples__benchmark=benchmark)


def work_of(ana: User, benchmark: Benchmark) -> tuple[Sample, Sample, Comment]:
    """A sample that Ana handed in, one that is still to do, and a remark of hers."""
    for key in ("handed-in", "to-do"):
        Sample.objects.create(benchmark=benchmark, key=key, width=1000, height=800)
    handed_in = submitted(ana, benchmark)
    remark = Comment.objects.create(annotation=handed_in.annotations.get(), author=ana, text="Small?")
    return handed_in, benchmark.samples.get(state=SampleState.TO_DO), remark


def experiment_of(lea: User, benchmark: Benchmark) -> dict[str, Any]:
    """An endpoint that does not answer, an experiment on it with one attempt, and the prompt ``mine``."""
    create_prompt(actor=lea, benchmark=benchmark, slug="mine", role="user", text="{{ question }} {{ options }}")
    values = {"base_url": "http://127.0.0.1:1/v1", "model": "m"}
    endpoint = add_endpoint(actor=lea, benchmark=benchmark, name="local", values=values)
    experiment = create_experiment(actor=lea, benchmark=benchmark, endpoint=endpoint, choices=Choices("base"))
    plan_attempts(experiment)
    attempt = experiment.attempts.first()
    assert attempt is not None
    return {"endpoint": endpoint.pk, "experiment": experiment.pk, "attempt": attempt.pk}


def quality_of(lea: User, ana: User, benchmark: Benchmark, picture: Image) -> dict[str, Any]:
    """Guidelines with an image, a gold check that Ana answered, and a sample drawn for an audit."""
    image = GuidelineImage.objects.create(benchmark=benchmark, image=picture, uploaded_by=lea)
    body = f"# Street\n\n![A street]({image.reference})\n"
    publish(actor=lea, benchmark=benchmark, body=body, must_read=False, based_on=0)
    add_checks(actor=lea, benchmark=benchmark, keys=["seen-01"])
    check = GoldCheck.objects.get()
    now = timezone.now()
    answer = CheckAnswer.objects.create(check_of=check, user=ana, place=1001, state="handed_in", handed_in_at=now)
    drawn = draw_audit(actor=lea, benchmark=benchmark, share=0.01).items.select_related("sample").get()
    audited = {"drawn": drawn.sample.key, "audit_item": drawn.pk, "guide_image": image.name}
    return audited | {"check": check.pk, "check_answer": answer.pk}


def planned(benchmark: Benchmark) -> dict[str, Any]:
    package = WorkPackage.objects.create(benchmark=benchmark, title="Pilot", due_at=timezone.now())
    rate = PayRate.objects.create(benchmark=benchmark, role="annotate", per="hour", amount=9)
    return {"package": package.pk, "pay_rate": rate.pk}


def marks_of(lea: User, benchmark: Benchmark) -> dict[str, Any]:
    """A note, a saved slice and a report of a problem of Lea's."""
    seen = Trajectory.objects.filter(sample__key="seen-00", condition="none").first()
    note = write_note(actor=lea, trajectory=seen, text="Look again.")
    problem = Problem.objects.create(sample=seen.sample, reporter=lea, text="Two mugs.")
    return {
        "problem": problem.pk,
        "note": note.pk,
        "slice": save_slice(actor=lea, benchmark=benchmark, name="Wrong", query="wrong").pk,
    } | planned(benchmark)


def webhook_of(lea: User, benchmark: Benchmark) -> dict[str, Any]:
    """A webhook of the benchmark with a delivery, and an entry of Lea's inbox."""
    hook = Webhook.objects.create(benchmark=benchmark, url="https://hooks.example.org/a", kinds=["freeze"])
    sent = WebhookDelivery.objects.create(webhook=hook, event="msg_1", kind="freeze", body="{}", state="failed")
    notify(Event("freeze", {"title": "Street"}, benchmark=benchmark.slug), [lea.pk])
    told = Notification.objects.of(lea).latest("pk")
    return {"webhook": hook.pk, "delivery": sent.pk, "notification": told.pk}


def judging_of(lea: User, benchmark: Benchmark, picture: Image) -> dict[str, Any]:
    """A question about the crops of a run, handed out to Jo: whoever judges sees no results."""
    jo = make_user("Jo Berg")
    add_member(actor=lea, benchmark=benchmark, user=jo, role=Role.ANNOTATOR)
    Sample.objects.filter(benchmark=benchmark, key="seen-00").update(image=picture)
    drawn = draw_judging(actor=lea, benchmark=benchmark, terms={}, size=1, people=1)
    question = next_to_judge(actor=jo, queue=drawn)
    return {"judging": drawn.pk, "question": question.key if question else ""}


def study_of(lea: User, benchmark: Benchmark, picture: Image) -> dict[str, Any]:
    """A human study, of which Ivo has a sample: whoever takes part sees no gold."""
    ivo = make_user("Ivo Blom")
    add_member(actor=lea, benchmark=benchmark, user=ivo, role=Role.ANNOTATOR)
    Sample.objects.filter(benchmark=benchmark, key="seen-02").update(image=picture)
    study = create_study(actor=lea, benchmark=benchmark, choices=StudyChoices("study 1", 2))
    item = next_to_answer(actor=ivo, study=study)
    return {"study": study.pk, "task": item.key if item else ""}


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Made once for all lines: each request is taken back."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield World(tmp_path_factory.mktemp("pictures"))
        transaction.set_rollback(True)


def addresses() -> Iterator[tuple[str, str]]:
    """The name and the pattern of every address there is."""

    def walk(resolver: URLResolver, pattern: str, space: str) -> Iterator[tuple[str, str]]:
        for found in resolver.url_patterns:
            where = pattern + str(found.pattern)
            if isinstance(found, URLPattern):
                yield space + (found.name or ""), where
            else:
                yield from walk(found, where, space + (f"{found.namespace}:" if found.namespace else ""))

    return walk(get_resolver(), "", "")


def is_api(line: table.Line) -> bool:
    return line.name.startswith("api-")


# Marked so that there is a database even when this file runs alone: the other tests share one world instead.
@pytest.mark.django_db
def test_every_address_has_its_line() -> None:
    there = {name: pattern for name, pattern in addresses() if not name.startswith(ADMIN_SITE)}
    assert {name: pattern for name, pattern in there.items() if name not in LINES} == {}, "Add a line to TABLE."
    assert [name for name in LINES if name not in there] == [], "These lines lead nowhere."
    assert len(LINES) == len(table.TABLE), "An address has two lines."


@pytest.mark.endurance
@pytest.mark.one_database
def test_the_admin_site_is_for_site_admins(world: World) -> None:
    plain = [name for name, pattern in addresses() if name.startswith(ADMIN_SITE) and "<" not in pattern]
    lists = [name for name in plain if name.endswith(("_changelist", "index"))]
    assert len(lists) > 20
    for name in lists:
        # One rule turns away whoever is not of the staff: all of them at the door, one of them inside.
        for person in table.PEOPLE if name.endswith("index") else (table.ADMIN, table.LEAD):
            answer = ask(world.client(person), "GET", reverse(name))
            expected = 200 if person == table.ADMIN else 302
            assert answer.status_code == expected, f"{name} for the {person}: {answer.status_code}"


@pytest.fixture(autouse=True)
def sessions_used_just_now(db: None, world: World) -> None:
    """On a busy machine the table takes minutes, after which a request would note when its session was used."""
    Session.objects.update(last_used=timezone.now())


@pytest.mark.one_database
@pytest.mark.parametrize("line", table.TABLE, ids=lambda line: line.name)
@pytest.mark.endurance
def test_each_is_let_in_or_turned_away_as_the_table_says_and_a_get_writes_nothing(
    world: World, line: table.Line
) -> None:
    address = world.address(line)
    assert resolve(address.split("?")[0]).view_name == line.name
    wrong = []
    for method, rule in rules_of(line):
        for person in table.PEOPLE:
            with connection.execute_wrapper(written := Written()):
                found = outcome(world.client(person), method, address, line)
            if not agrees(method, rule[person], found):
                wrong.append(f"{method} for the {person}: {found}, not {rule[person]}")
            if method == "GET" and written.statements:
                wrong.append(f"GET for the {person} writes: {written.statements[0]}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.one_database
@pytest.mark.parametrize("line", [line for line in table.TABLE if is_api(line)], ids=lambda line: line.name)
def test_a_token_opens_what_its_scope_and_its_benchmark_cover(world: World, line: table.Line) -> None:
    """D4.2: a part of what the person may do. A session of the same lead is let in everywhere."""
    address, wrong = world.address(line), []
    for method, rule in [(method, rule) for method, rule in rules_of(line) if rule[table.LEAD] != 405]:
        usual = rule[table.LEAD]
        covering = {line.scope} | ({"read"} if method == "GET" else set())
        expected = {scope: usual if scope in covering else "scope" for scope in table.SCOPES}
        expected |= {
            "here": "scope" if "{deleted}" in line.args or line.for_all else usual,
            "elsewhere": "scope"
            if {table.B, "{deleted}"} & set(line.args) or line.for_all
            else 404
            if "{job}" in line.args
            else usual,
        }
        for name, outcome_expected in expected.items():
            answer = ask(world.programs[name], method, address, line.data, line.json)
            refused = answer.status_code == 403 and OF_SCOPE.search(answer.content)
            if not agrees(method, outcome_expected, found := "scope" if refused else answer.status_code):
                wrong.append(f"{method} with the token {name}: {found}, not {outcome_expected}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.one_database
@pytest.mark.endurance
def test_a_form_that_changed_something_answers_with_a_redirect(world: World) -> None:
    """D7.5: otherwise loading the page again sends the form again."""
    wrong = []
    for line in (line for line in table.TABLE if line.post and not line.json and not is_api(line)):
        with connection.execute_wrapper(written := Written()):
            answer = ask(world.client(table.LEAD), "POST", world.address(line), line.data)
        # Tries to guess a password are counted whatever the answer. A file is no page.
        rows = [sql for sql in written.statements if "signinattempt" not in sql]
        if answer.status_code == 200 and rows and "Content-Disposition" not in answer:
            wrong.append(f"{line.name} answers with a page after {rows[0][:80]}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.one_database
def test_a_token_opens_no_page(world: World) -> None:
    """D4.2: a page sees a visitor; there, only sessions count."""
    wrong = []
    for line in (line for line in table.TABLE if not is_api(line)):
        for method, rule in rules_of(line):
            found = outcome(world.programs["here"], method, world.address(line), line)
            if not agrees(method, rule[table.VISITOR], found):
                wrong.append(f"{method} {line.name}: {found}, not {rule[table.VISITOR]}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.endurance
@pytest.mark.postgres
def test_every_page_opens_on_postgresql_as_on_sqlite(world: World) -> None:
    """On SQLite the table is gone through above, with every person."""
    wrong = {}
    for line in (line for line in table.TABLE if line.get):
        found = outcome(world.client(table.LEAD), "GET", world.address(line), line)
        if not agrees("GET", line.get[table.LEAD], found):
            wrong[line.name] = found
    assert wrong == {}


class Written:
    """The statements that change rows, as they go to the database. Without one, no table has another count of rows."""

    def __init__(self) -> None:
        self.statements: list[str] = []

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        # What was downloaded or refused is written down, whoever looks: that is the log's purpose.
        if sql.lstrip(" (").upper().startswith(WRITING) and "common_auditentry" not in sql:
            self.statements.append(sql)
        return execute(sql, params, many, context)


def rules_of(line: table.Line) -> list[tuple[str, table.Rule]]:
    """The rule of each method that is asked; GET and POST always are."""
    unknown: table.Rule = dict.fromkeys(table.PEOPLE, 405)
    rules = [("GET", line.get or unknown), ("POST", line.post or unknown)]
    return [*rules, *((method, rule) for method, rule in (("PUT", line.put), ("PATCH", line.patch)) if rule)]


def ask(client: Client, method: str, address: str, data: Mapping[str, Any] | None = None, json: bool = False) -> Any:
    """The answer; what it wrote is taken back."""
    send = getattr(client, method.lower())
    with transaction.atomic():
        kind = {"content_type": "application/json"} if json or method in ("PUT", "PATCH") else {}
        answer = send(address, dict(data or {}), **kind) if method != "GET" else send(address)
        if hasattr(answer, "streaming_content"):
            b"".join(answer.streaming_content)
        transaction.set_rollback(True)
    return answer


def outcome(client: Client, method: str, address: str, line: table.Line) -> str | int:
    """Where a request ended: the sign-in, or a status."""
    answer = ask(client, method, address, line.data, line.json)
    to_sign_in = answer.status_code == 302 and answer.url.startswith(reverse("accounts:sign-in"))
    return table.SIGN_IN if to_sign_in else int(answer.status_code)


def agrees(method: str, expected: str | int, found: str | int) -> bool:
    """Whether this is what the table says. What knows no such method may ask who it is first."""
    if expected == table.DONE:
        return found in LET_IN[method]
    return found == expected or (expected == 405 and found in (table.SIGN_IN, 401))
