"""What a query lists: the engine and a plain reading of the rows agree."""

from __future__ import annotations

import hashlib
import itertools
import re

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from annotation.content.changes import content_changed
from annotation.models import Gold
from evaluation.metrics.failures import FAILURES
from evaluation.models import (
    FailureLabel,
    Judgement,
    Note,
    Run,
    ScoreFile,
    Step,
    Tag,
    Tagging,
    Trajectory,
    WordFile,
)
from evaluation.query.fields import FIELDS, described
from evaluation.query.parser import parse
from evaluation.query.syntax import fields_in
from evaluation.scoring.write import score_benchmark
from evaluation.store.files import object_name, paths_of, rows_changed
from evaluation.store.trajectory_list import Place, TrajectoryList
from evaluation.store.words.index import index_run_text
from tests.evaluation.lists import pks_in, write_long_list
from tests.evaluation.plain_query import Plain
from tests.evaluation.run_pages import make_benchmark, repeat
from tests.evaluation.scores import all_scores, change_scores, forget_scores
from tests.properties import fewer
from tests.worlds import made_once
from webapp.common import objects
from webapp.common.errors import InvalidInput

pytestmark = pytest.mark.django_db


@made_once
def street(lea, sam):
    """Two runs, some answers changed; tags of everybody, of Lea and of Sam; a note; a corrected failure; one run that
    has a file of its words, and one that is not scored and has none."""
    benchmark = make_benchmark(lea, models=["Model C", "Model D"], pictures=False)
    repeat(benchmark, lea)
    first, second = Run.objects.of(benchmark)
    ours = list(Trajectory.objects.filter(run=first, condition="none").order_by("pk"))
    change_scores(ours[:6], verdict="'no'", quadrant="'G+A-'")
    for place, (name, owner) in enumerate([("glare", None), ("mine", lea), ("theirs", sam)]):
        tag = Tag.objects.create(benchmark=benchmark, name=name, owner=owner)
        Tagging.objects.bulk_create(Tagging(tag=tag, trajectory=row) for row in ours[place : place + 5])
    Note.objects.create(trajectory=ours[3], text="Same mistake as before.")
    FailureLabel.objects.create(benchmark=benchmark, trajectory=ours[12], failure=FAILURES.index("wrong_tool"))
    Step.objects.filter(position=0).update(text="I zoom_in on the top-left RED sign.", observation="Größe: 3.5 red")
    Step.objects.filter(position=1).update(text="Sign, zooming; \u8d64\u3044\u5370", observation="")
    forget_scores(second)
    rows_changed([first.pk, second.pk])
    index_run_text(first)
    assert WordFile.objects.filter(run=first, revision=F("run__revision")).exists()
    return benchmark


def check_agreement(benchmark, person, plain, query):
    runs = list(Run.objects.of(benchmark))
    wanted = plain.list(parse(query))
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


@pytest.fixture(params=["in memory", "from files", "from a list file"])
def source(request, street, monkeypatch):
    """Where rows are read from. The list file has the rows of one run and is behind the other."""
    monkeypatch.setattr("evaluation.store.snapshot.HELD_FROM", 1 if request.param == "in memory" else None)
    if request.param == "from a list file":
        first, _ = Run.objects.of(street)
        [path] = paths_of([first])
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        objects.put(object_name(digest), path)
        ScoreFile.objects.filter(run=first).update(digest=digest, revision=first.revision)
        write_long_list(street, monkeypatch)


@pytest.mark.endurance
def test_every_kind_of_query_means_the_same_everywhere(source, street, lea):
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


@pytest.mark.endurance
def test_whatever_is_put_together_means_the_same_everywhere(source, street, lea):
    plain = Plain(street, lea)

    @fewer(suppress_health_check=list(HealthCheck), database=None)
    @given(TREES)
    def holds(query):
        check_agreement(street, lea, plain, query)

    holds()


@pytest.mark.endurance
def test_kept_columns_say_what_the_rows_say(lea, street_of_two):
    """Scored runs are read from columns, without a look at the table of trajectories but for the rows of a page."""
    runs, plain = list(Run.objects.of(street_of_two)), Plain(street_of_two, lea)
    for query in ("correct", "grounded wrong", "ioa > 0.3", 'run:"Model C" correct and run:"Model D" wrong'):
        assert set(TrajectoryList(street_of_two, runs, {"q": query}, lea).pks.tolist()) == plain.list(parse(query))


OWN = (
    "type:mc", "type:open", "targets:2", "targets > 0", "targets:none", "boxes:1", "priced", "priced:no", "id:seen-0*",
    "sample:nothing*", "trajectory:1,2,x",
    "trajectory:2-9,12,7-3,4-x", "tool:crop", "tool:any", "tool:none", 'tool:"[\\"crop\\", \\"Zoom In\\"]"',
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
"""Queries of single fields, with run numbers in place of {}."""
OF_SCORES = (
    "usd > 0", "usd:none", "seconds >= 0", "seconds:none", "input_tokens:any", "output_tokens:none", "reading:A",
    "reading:any", "reading:none", "file_reading:any", "file_reading:none", "reading_flag:any", "reading_flag:none",
    "verdict_by:reading", "verdict_by:none", "verdict_by:any", "file_verdict:any", "file_verdict:none",
    "reading_correct:yes", "reading_correct:no", "reading_correct:none", "file_differs:yes", "file_differs:none",
    "unusable", "unusable:no", "center_hit", "center_hit:no", "grounded:no", "union_coverage > 0.5",
    "union_coverage:none", "zoom > 1", "zoom:none", "region < 10%", "crops:1", "crops:2+", "edit_distance:any",
    "edit_distance:none", "kendall_tau:none", "tools:1", "chain > 0", "reference_calls:none", "extra:none",
    "omitted:any", "unrecognized:1+", "in_scene:none", "repeated:0", "hallucinated:0", "f1_difference < 0",
    "prefix:none", "missing:any", "chain_status:ok", "chain_status:any", "chain_status:none", "reference",
    "no_grounding:no_gold", "no_grounding:no_zoom", "no_grounding:image_replaced", "no_grounding:any",
    "no_grounding:none",
    "reference:no", "planned", "planned:no", "outcome:none", "outcome:any", "failure:any", "failure:none", "evidence",
    "evidence:no",
    "measured:accuracy", "measured:calls_mean", "not measured:mean_coverage", "measured:exact_match", "measured:any",
    "measured:f1_difference", "measured:none", "measured:nothing", "measured:accuracy condition:visual",
    "measured:accuracy rollout:0..9",
    "failed", "failed:no", "undecided", "undecided:no", "iou > 0.5", "ioa_pred:none", "zoomed:no", "population:no",
    "unanswered", "unread", "correct:none", "paired:none",
    "facet.category:any", "facet.category:none",
)  # fmt: skip


LONG = "crop " * 60 + "again"


@pytest.mark.parametrize("kept", ["all runs", "one run"])
@pytest.mark.endurance
def test_every_field_means_what_it_says_plainly(lea, kept, street_of_two):
    repeat(street_of_two, lea)
    runs = list(Run.objects.of(street_of_two))
    Step.objects.filter(trajectory__run=runs[0], pk__in=list(Step.objects.values_list("pk", flat=True)[::3])).update(
        tool="Zoom In"
    )
    Step.objects.filter(trajectory__run=runs[1], position=1).update(tool="zoom in", ok=False)
    Step.objects.filter(trajectory__run=runs[1], trajectory__sample__key="seen-01", position=0).update(tool=LONG)
    Step.objects.filter(trajectory__run=runs[0], trajectory__sample__key="seen-02").update(ok=False, flag="post_answer")
    Gold.objects.filter(sample__key="seen-03").delete()
    content_changed(street_of_two.pk)
    score_benchmark(actor=lea, benchmark=street_of_two)
    if kept == "one run":
        rows_changed([runs[0].pk])
    runs = list(Run.objects.of(street_of_two))
    judged = [("seen-00", "reliability", "Yes."), ("seen-01", "reliability", " "), ("seen-02", "sufficiency", None)]
    for key, kind, verdict in judged:
        sample = street_of_two.samples.get(key=key)
        Judgement.objects.create(run=runs[0], sample=sample, kind=kind, verdict=verdict, answer="A")
    Tagging.objects.create(
        tag=Tag.objects.create(benchmark=street_of_two, name="glare"), trajectory=runs[0].trajectories.first()
    )
    plain, found = Plain(street_of_two, None), 0
    for query in (*OWN, *OF_SCORES):
        found += check_agreement(street_of_two, None, plain, query.format(runs[0].pk, runs[1].pk, long=f'"{LONG}"')) > 0
    assert found > 60


def test_every_field_of_the_language_is_read_plainly():
    asked = {
        field for query in (*QUERIES, *OWN, *OF_SCORES) for field in fields_in(parse(query.format(1, 2, long="x")))
    }
    assert {field.name for field in described()} <= {FIELDS[name].name for name in asked if name in FIELDS}


@pytest.mark.parametrize("query", ["tool:crop", "tool_failed:any", "aligned:none", 'followed:">crop"', "crop_cell:3-5"])
def test_a_list_is_found_without_a_look_at_rows_of_the_database(lea, query, street_of_two):
    runs = list(Run.objects.of(street_of_two))
    with CaptureQueriesContext(connection) as asked:
        len(TrajectoryList(street_of_two, runs, {"q": query}).pks)
    assert not [one for one in asked if re.search("evaluation_(step|score|trajectory)\\b", one["sql"])]


def in_order(pks):
    return Trajectory.objects.filter(pk__in=pks).order_by("sample__key", "run_id", "rollout", "condition", "pk")


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
    wanted = Plain(street_of_two, lea).list(parse("grounded or correct"))
    assert seen == list(in_order(wanted).values_list("pk", flat=True))


@pytest.mark.parametrize(("sort", "path"), [("ioa", "ioa"), ("-ioa", "ioa"), ("-calls", "calls")])
def test_a_sorted_list_has_the_same_trajectories_and_what_has_no_number_last(lea, sort, path, street_of_two):
    found = TrajectoryList(street_of_two, list(Run.objects.of(street_of_two)), {"q": "not planned", "sort": sort}, lea)
    wanted = Plain(street_of_two, lea).list(parse("not planned"))
    scores = all_scores()
    own = [(pk, getattr(scores.get(pk), path, None)) for pk in in_order(wanted).values_list("pk", flat=True)]
    known, unknown = [row for row in own if row[1] is not None], [row for row in own if row[1] is None]
    ranked = sorted(known, key=lambda row: -row[1] if sort.startswith("-") else row[1]) + unknown
    assert unknown or path == "calls"
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
        pks_in(street, {"q": "correct )"})
