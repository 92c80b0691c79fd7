"""What a query lists: the database, the columns and a plain filter over the rows agree."""

from __future__ import annotations

import itertools
import math
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.models import Gold
from evaluation.actions.keep_words import keep_words
from evaluation.actions.list_asking import run_names
from evaluation.actions.list_columns import forget_columns
from evaluation.actions.list_order import Place
from evaluation.actions.read_list import TrajectoryList
from evaluation.actions.score_run import score_benchmark
from evaluation.metrics.columns import Outcome, Quadrant
from evaluation.metrics.failures import FAILURES
from evaluation.metrics.reading import CLASSES, RULES, WHERES
from evaluation.models import (
    FailureLabel,
    Judgement,
    ListValue,
    Note,
    Run,
    Score,
    Step,
    Tag,
    Tagging,
    Trajectory,
    WordPart,
)
from evaluation.query.fields import READING_REASONS
from evaluation.query.numbers import bounds
from evaluation.query.parser import parse
from evaluation.query.syntax import And, Elsewhere, Not, Or, Text, fields_in
from tests.evaluation.run_pages import make_benchmark, repeat
from tests.worlds import made_once
from webapp.common.errors import InvalidInput

pytestmark = pytest.mark.django_db

FLAGS = {
    "undecided": "undecided", "unread": "unread", "unanswered": "missing_answer", "population": "in_population",
    "grounded": "grounded", "zoomed": "invoked", "evidence": "visual_evidence", "right": "correct",
}  # fmt: skip
NUMBERS = {
    "ioa": "ioa", "ioa_gt": "coverage", "ioa_pred": "concentration", "iou": "iou", "calls": "calls",
    "tools": "unique_tools", "chain": "effective_calls", "missing": "plan_missing", "kendall_tau": "kendall_tau",
}  # fmt: skip
WORD = re.compile(r"[^\W_]+")
ANSWERED = ("yes", "no", "undecided")
CODES = {
    "quadrant": ("quadrant", Quadrant.NAMES), "outcome": ("plan_outcome", Outcome.NAMES),
    "reading_where": ("reading_where", WHERES), "reading_rule": ("reading_rule", RULES),
    "reading_class": ("reading_class", CLASSES), "unread_reason": ("unread_reason", READING_REASONS),
}  # fmt: skip


def spaced(text):
    return f" {' '.join(re.findall(WORD, text.casefold()))} "


def verdict(score):
    """Where nothing says what is right there is none."""
    return "undecided" if score.undecided else {True: "yes", False: "no", None: "none"}[score.correct]


class Plain:
    """Every trajectory of a benchmark as objects, and a query asked of each, slowly."""

    def __init__(self, benchmark, person):
        rows = Trajectory.objects.of(benchmark).select_related("run__model", "sample__gold__revision", "score")
        self.rows = list(
            rows.prefetch_related("steps", "sample__facets", "sample__gold__revision__gold_boxes", "notes")
        )
        self.names = run_names(list(Run.objects.of(benchmark)))
        self.said = dict(FailureLabel.objects.filter(current=True).values_list("trajectory_id", "failure"))
        self.tags = set(Tagging.objects.filter(tag__owner__in=[person]).values_list("trajectory_id", "tag__name"))
        self.tags |= set(Tagging.objects.filter(tag__owner=None).values_list("trajectory_id", "tag__name"))
        plain = sorted((row for row in self.rows if row.condition == "none"), key=lambda row: row.rollout)
        self.evaluated = {row.pk for row in {(r.run_id, r.sample_id): r for r in reversed(plain)}.values()}

    def list(self, node):
        named = fields_in(node)
        about = [
            row
            for row in self.rows
            if named & {"condition", "flip"}
            or (row.condition == "none" if "rollout" in named else row.pk in self.evaluated)
        ]
        return {row.pk for row in about if self.meets(row, node)}

    def meets(self, row, node):
        if isinstance(node, And | Or):
            return (all if isinstance(node, And) else any)(self.meets(row, part) for part in node.parts)
        if isinstance(node, Not):
            return not self.meets(row, node.part)
        if isinstance(node, Elsewhere):
            there = self.list(node.part)
            return any(other.sample_id == row.sample_id for other in self.rows if other.pk in there)
        if isinstance(node, Text):
            return any(self.says(row, name, node.value) for name in ("question", "answer", "transcript"))
        return self.compares(row, node)

    def says(self, row, name, phrase):
        said = [text for step in row.steps.all() for text in (step.text, step.observation)]
        texts = {
            "question": [row.sample.gold.revision.question],
            "answer": [row.answer or ""],
            "note": [note.text for note in row.notes.all()],
        }.get(name, said)
        # One space before and behind each word: a phrase is then a part of the text.
        wanted = spaced(phrase).rstrip(" " if phrase.endswith("*") else "\n")
        return any(wanted in spaced(text) for text in texts)

    def compares(self, row, term):
        name, value, score = term.field, term.value, getattr(row, "score", None)
        if name in ("question", "answer", "transcript", "note"):
            return self.says(row, name, value)
        if name in FLAGS:
            found = None if score is None else bool(getattr(score, FLAGS[name]))
            if name == "right" and score is not None and verdict(score) == "none":
                return False
            return found is (value == "yes")
        if name in NUMBERS or name in ("area", "rollout", "boxes"):
            own = {"area": row.sample.evidence_share, "rollout": row.rollout}
            number = own[name] if name in own else len(row.sample.gold.revision.gold_boxes.all())
            number = getattr(score, NUMBERS[name], None) if name in NUMBERS else number
            wanted = bounds(term)
            return (number is None) is not wanted.defined and (
                number is None or (wanted.low < number < wanted.high) or wanted.low == -math.inf == -wanted.high
            )
        if name in CODES:
            path, names = CODES[name]
            code = getattr(score, path, None)
            return code is not None and (code == -1 if value == "none" else code == names.index(value))
        facets = {(one.name, one.value) for one in row.sample.facets.all()}
        return {
            "run": lambda: row.run_id in self.names.get(value, ()),
            "condition": lambda: row.condition == value,
            "failed": lambda: bool(row.error) is (value == "yes"),
            "scored": lambda: (score is not None) is (value == "yes"),
            "correct": lambda: score is not None and verdict(score) in ([value] if value != "any" else ANSWERED),
            "wrong": lambda: (score is not None and verdict(score) in ("no", "undecided")) is (value == "yes"),
            "counted": lambda: (score is not None and verdict(score) in ANSWERED) is (value == "yes"),
            "failure": lambda: FAILURES[self.said.get(row.pk, getattr(score, "failure", -1))] == value,
            "tool": lambda: value in {step.tool for step in row.steps.all()},
            "tag": lambda: (row.pk, value) in self.tags if value != "none" else row.pk not in dict(self.tags),
            "repeats": lambda: self.repeats(row) in ([value] if value != "any" else ("always", "some", "never")),
            "category": lambda: ("category", value) in facets,
            "sample": lambda: row.sample.key.startswith(value[:-1]) if value.endswith("*") else row.sample.key == value,
        }[name]()

    def repeats(self, row):
        """How the rollouts of the same run on the same sample turned out that count in accuracy."""
        there = (r for r in self.rows if (r.run_id, r.sample_id, r.condition) == (row.run_id, row.sample_id, "none"))
        found = [verdict(r.score) for r in there if getattr(r, "score", None) and verdict(r.score) in ANSWERED]
        if len(found) < 2:
            return "none"
        return {len(found): "always", 0: "never"}.get(found.count("yes"), "some")


@made_once
def street(lea, sam):
    """Two runs, some answers changed; tags of everybody, of Lea and of Sam; a note; a corrected failure; one run that
    has an index of words, and one that is not scored and has none."""
    benchmark = make_benchmark(lea, models=["Model C", "Model D"], pictures=False)
    repeat(benchmark, lea)
    first, second = Run.objects.of(benchmark)
    ours = list(Trajectory.objects.filter(run=first, condition="none").order_by("pk"))
    Score.objects.filter(trajectory__in=[row.pk for row in ours[:6]]).update(correct=False, quadrant=1)
    for place, (name, owner) in enumerate([("glare", None), ("mine", lea), ("theirs", sam)]):
        tag = Tag.objects.create(benchmark=benchmark, name=name, owner=owner)
        Tagging.objects.bulk_create(Tagging(tag=tag, trajectory=row) for row in ours[place : place + 5])
    Note.objects.create(trajectory=ours[3], text="Same mistake as before.")
    FailureLabel.objects.create(benchmark=benchmark, trajectory=ours[12], failure=FAILURES.index("wrong_tool"))
    Step.objects.filter(position=0).update(text="I zoom_in on the top-left RED sign.", observation="Größe: 3.5 red")
    Step.objects.filter(position=1).update(text="Sign, zooming; \u8d64\u3044\u5370", observation="")
    WordPart.objects.all().delete()
    assert keep_words(first)
    second.scoring.delete()
    forget_columns([first.pk])
    return benchmark


def check_agreement(benchmark, person, plain, query):
    runs = list(Run.objects.of(benchmark))
    wanted = plain.list(parse(query))
    rows = Trajectory.objects.of(benchmark).listed({"q": query}, person)
    assert set(rows.values_list("pk", flat=True)) == wanted, query
    assert set(TrajectoryList(benchmark, runs, {"q": query}, person).pks.tolist()) == wanted, query
    return len(wanted)


QUERIES = {
    "": True, "correct": True, "wrong": True, "not wrong": True, "right:no": True, "scored:no": True,
    "correct:undecided": True, "correct:none": True, "correct:any": True, "correct:no": True, "counted": True,
    "counted:no": True, "not correct": True, 'run:"Model D"': True, "not ioa > 0.3": True,
    'run:"Model C" correct and run:"Model D"': True, 'run:"Model C" wrong and run:"Model C" grounded': True,
    'run:"Model D" and run:"Model C" wrong': True, 'run:"Model C" and not (run:"Model D")': True,
    "ioa_gt:none": True, "ioa > 0.3 and ioa <= 0.5": True, "calls:2..3": True, "quadrant:none": True,
    "reading_rule:letter": True, "reading_where:text": True, "reading_class:exact": True, "unread_reason:none": True,
    "reading_rule:aside": False, "unread_reason:several": False, "reading_where:none": True,
    "reading_class:inferred": False,
    "failure:wrong_tool": True, "tag:glare": True, "tag:mine": True, "tag:theirs": False, "tag:none": True,
    "note:mistake": True, "tool:crop": True, "boxes:1": True, "boxes:0": True, "boxes > 1": False, "calls:0": True,
    "repeats:always": True, "repeats:some": True, "repeats:never": True, "repeats:any": True, "repeats:none": True,
    "not repeats:some": True, "repeats:some rollout > 0": True, "repeats:any rollout:0..9 counted": True,
    "repeats:some condition:visual": True, 'run:"Model D" and run:"Model C" repeats:never': True,
    'run:"Model D" repeats:any': False,
    "area < 2%": True, "condition:visual": True, "rollout > 0": True, '"WHICH colour"': True, '"colour which"': False,
    '"nothing like it"': False, '"red sign"': True, '"sign zoom*"': True, '"sign zoom"': False, '"red i"': False,
    '"left red sign" or transcript:"zoom in on"': True, 'transcript:"GRÖSSE 3"': True, "transcript:roter": False,
    "question:col*": True, "question:sign": False, "answer:b": True, "note:same": True,
    "note:befor": False,
}  # fmt: skip


def test_every_kind_of_query_means_the_same_everywhere(street, lea):
    plain = Plain(street, lea)
    assert {query: check_agreement(street, lea, plain, query) > 0 for query in QUERIES} == QUERIES


SIMPLE = [query for query in QUERIES if query and " and " not in query and not query.startswith("not")]
TREES = st.recursive(
    st.sampled_from(SIMPLE),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(lambda parts: "({} {} {})".format(*parts)),
        inner.map("not ({})".format),
    ),
    max_leaves=5,
)


def test_whatever_is_put_together_means_the_same_everywhere(street, lea):
    plain = Plain(street, lea)

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(TREES)
    def holds(query):
        check_agreement(street, lea, plain, query)

    holds()


def test_kept_columns_say_what_the_rows_say(lea, street_of_two):
    """Scored runs are read from columns, without a look at the table of trajectories but for the rows of a page."""
    runs, plain = list(Run.objects.of(street_of_two)), Plain(street_of_two, lea)
    for query in ("correct", "grounded wrong", "ioa > 0.3", 'run:"Model C" correct and run:"Model D" wrong'):
        assert set(TrajectoryList(street_of_two, runs, {"q": query}, lea).pks.tolist()) == plain.list(parse(query))


OWN = (
    "type:mc", "type:open", "targets:2", "targets > 0", "targets:none", "boxes:1", "priced", "priced:no", "id:seen-0*",
    "sample:nothing*", "trajectory:1,2,x", "tool:crop", "tool:any", "tool:none", 'tool:"[\\"crop\\", \\"Zoom In\\"]"',
    'tool:"zoom in" condition:visual', "tool:crop rollout:0..9", "tool_failed:any", "paired:yes", "flip:lost",
    "flip:gained", "beside:visual", "right_in:{}", "wrong_in:{}", "right_in:{},{}", "wrong_in:{},{}",
    "shared_with:{},{}", "cropped_in:{}", "cropped_in:{},{}", "population_in:{},{}", "grounded_in:{}",
    "grounded_in:{},{}", "ungrounded_in:{}", "ungrounded_in:{},{}", "right_in:x", "right_in:0", "aligned:\"crop>crop\"",
    "followed:\">crop\"", "reference_tool:resize", "crop_cell:10-9", "crop_cell:010-09", "crop_cell:99-9",
    "crop_cell:any", "aligned:any", "aligned:none", "aligned:crop", "followed:any", "followed:none",
    "followed:\"crop>\" rollout:0..9",     "followed:\"Zoom In>\" condition:visual",
    "reference_tool:any", "reference_tool:none", "reference_tool:\"RE size\"",
    "tool_failed:crop", "tool_failed:none", "tool_failed:\"[\\\"crop\\\", \\\"zoom in\\\"]\"",
    "tool_failed:any condition:visual", "tool:nothing", "tool:{long}", "tool_failed:{long}",
    "judged:reliability", "unjudged:reliability", "judged:sufficiency condition:visual", "tag:none", "failure_by:none",
    "repeats:always", "repeats:some", "repeats:never", "repeats:any", "repeats:none", "repeats:always rollout:0..9",
    "repeats:any condition:visual", "beside:nothing", "paired:evidence",
    "paired:evidence condition:placebo", "flip:lost wrong",
)  # fmt: skip
"""Queries that the table answers by itself, or asks the database once."""


LONG = "crop " * 60 + "again"


@pytest.mark.parametrize("kept", ["all runs", "one run", "columns alone"])
def test_what_the_table_knows_is_what_the_database_says(lea, kept, street_of_two):
    repeat(street_of_two, lea)
    runs = list(Run.objects.of(street_of_two))
    Step.objects.filter(trajectory__run=runs[0], pk__in=list(Step.objects.values_list("pk", flat=True)[::3])).update(
        tool="Zoom In"
    )
    Step.objects.filter(trajectory__run=runs[1], position=1).update(tool="zoom in", ok=False)
    Step.objects.filter(trajectory__run=runs[1], trajectory__sample__key="seen-01", position=0).update(tool=LONG)
    Step.objects.filter(trajectory__run=runs[0], trajectory__sample__key="seen-02").update(ok=False, flag="post_answer")
    Gold.objects.filter(sample__key="seen-03").delete()
    score_benchmark(actor=lea, benchmark=street_of_two)
    if kept == "one run":
        forget_columns([runs[0].pk])
    if kept == "columns alone":
        ListValue.objects.filter(scoring__run=runs[0]).delete()
    runs = list(Run.objects.of(street_of_two))
    judged = [("seen-00", "reliability", "Yes."), ("seen-01", "reliability", " "), ("seen-02", "sufficiency", None)]
    for key, kind, verdict in judged:
        sample = street_of_two.samples.get(key=key)
        Judgement.objects.create(run=runs[0], sample=sample, kind=kind, verdict=verdict, answer="A")
    Tagging.objects.create(
        tag=Tag.objects.create(benchmark=street_of_two, name="glare"), trajectory=runs[0].trajectories.first()
    )
    found = 0
    for query in OWN:
        query = query.format(runs[0].pk, runs[1].pk, long=f'"{LONG}"')
        rows = set(Trajectory.objects.of(street_of_two).listed({"q": query}).values_list("pk", flat=True))
        for _ in range(2):
            assert set(TrajectoryList(street_of_two, runs, {"q": query}).pks.tolist()) == rows, query
        found += bool(rows)
    assert found > 20


@pytest.mark.parametrize("query", ["tool:crop", "tool_failed:any", "aligned:none", 'followed:">crop"', "crop_cell:3-5"])
def test_what_is_kept_by_value_is_found_without_a_look_at_steps_or_scores(lea, query, street_of_two):
    runs = list(Run.objects.of(street_of_two))
    len(TrajectoryList(street_of_two, runs, {}).pks)
    with CaptureQueriesContext(connection) as asked:
        len(TrajectoryList(street_of_two, runs, {"q": query}).pks)
    assert sum("evaluation_listvalue" in one["sql"] for one in asked) == 1
    assert not [one for one in asked if re.search("evaluation_(step|score|trajectory)\\b", one["sql"])]


def test_pages_of_a_query_follow_each_other(lea, street_of_two):
    found = TrajectoryList(street_of_two, list(Run.objects.of(street_of_two)), {"q": "grounded or correct"}, lea)
    seen, after = [], ""
    for page in itertools.count():
        pks, before = found.page(after, 7)
        assert before == len(seen) == 7 * page
        seen += pks
        if len(pks) < 7:
            break
        after = str(pks[-1])
    rows = Trajectory.objects.of(street_of_two).listed({"q": "grounded or correct"}, lea).for_list()
    assert seen == list(rows.values_list("pk", flat=True))


@pytest.mark.parametrize(("sort", "path"), [("ioa", "score__ioa"), ("-ioa", "score__ioa"), ("-calls", "score__calls")])
def test_a_sorted_list_has_the_same_trajectories_and_what_has_no_number_last(lea, sort, path, street_of_two):
    found = TrajectoryList(street_of_two, list(Run.objects.of(street_of_two)), {"q": "not planned", "sort": sort}, lea)
    own = Trajectory.objects.of(street_of_two).listed({"q": "not planned"}, lea).for_list().values_list("pk", path)
    known, unknown = [row for row in own if row[1] is not None], [row for row in own if row[1] is None]
    ranked = sorted(known, key=lambda row: -row[1] if sort.startswith("-") else row[1]) + unknown
    assert unknown or path == "score__calls"
    seen: list[int] = []
    while len(seen) < len(ranked):
        pks, before = found.page(str(seen[-1]) if seen else "", 7)
        assert before == len(seen)
        seen += pks
    assert seen == found.pks.tolist() == [pk for pk, _ in ranked]
    place = found.place(seen[7], 7)
    assert place == Place(number=8, previous=seen[6], next=seen[8], page_after=seen[6])
    assert found.place(seen[0], 7) == Place(number=1, previous=0, next=seen[1], page_after=0)


@pytest.mark.parametrize("sort", ["sideways", "quadrant", "--ioa", "-"])
def test_a_list_is_not_sorted_by_what_is_no_number(street, sort):
    with pytest.raises(InvalidInput, match=r"cannot be sorted by .* It can be by ioa, "):
        TrajectoryList(street, list(Run.objects.of(street)), {"sort": sort})


def test_a_query_that_cannot_be_read_is_refused_with_its_column(street):
    with pytest.raises(InvalidInput, match=r"^Column 9: "):
        Trajectory.objects.of(street).listed({"q": "correct )"})
