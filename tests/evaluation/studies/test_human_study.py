"""Human studies: what is drawn, who is assigned what, what is kept, and what becomes of it."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from annotation.benchmarks.write.benchmark import add_member, set_public
from annotation.models import (
    Annotation,
    Benchmark,
    CheckAnswer,
    GoldCheck,
    ImportRecord,
    Review,
    Revision,
    Sample,
)
from annotation.quality.write.checks import add_checks
from annotation.workflow import Role
from evaluation.compare.read.runs import compare_runs
from evaluation.imports.write.undo import ask_undo
from evaluation.leaderboard.read.board import load_leaderboard
from evaluation.models import Comparison, Experiment, HumanAnswer, Metric, Run, Standing, Trajectory
from evaluation.scoring.write import score_benchmark
from evaluation.studies.read.answers import answer_lines
from evaluation.studies.read.draw import groups_of
from evaluation.studies.read.results import result_of
from evaluation.studies.read.task import mine_of
from evaluation.studies.write.answers import answer, finish, next_to_answer, read_zooms, skip
from evaluation.studies.write.states import close, pause, resume, save_run
from tests.annotation.work_data import another_size
from tests.conftest import signed_in
from tests.evaluation.studies.study_data import ELSEWHERE, answer_all, make_study_benchmark, open_study, said
from tests.factories import make_user
from tests.worlds import made_once
from webapp.accounts.anonymize import anonymize_person
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry
from webapp.jobs.runner import run_waiting

pytestmark = pytest.mark.django_db


@made_once
def street(lea: User, ana: User, rui: User) -> Benchmark:
    return make_study_benchmark(lea, {ana: Role.ANNOTATOR, rui: Role.REVIEWER})


def test_a_study_draws_a_stratified_sample_of_what_can_be_asked(lea: User, street: Benchmark) -> None:
    study = open_study(lea, street)
    assert [(one["groups"], one["size"], one["drawn"]) for one in study.design["strata"]] == [
        (["Chart & more"], 8, 4), (["Color"], 8, 4),
    ]  # fmt: skip
    for row in study.study_samples.select_related("sample"):
        assert row.sample.facets.get(name="category").value == ("Chart & more", "Color")[row.stratum]
    again = open_study(lea, street, name="study 2")
    assert set(again.study_samples.values_list("sample")) == set(study.study_samples.values_list("sample"))
    other = open_study(lea, street, name="study 3", seed="")
    assert len(other.design["seed"]) == 32


def test_what_is_no_study_is_refused(lea: User, ana: User, street: Benchmark) -> None:
    for wrong, field in (
        ({"n": 1}, "n"), ({"n": 17}, "n"), ({"facets": ("size",)}, "facets"), ({"people": 0}, "people"),
        ({"roles": ("lead",)}, "roles"), ({"roles": ()}, "roles"), ({"name": " "}, "name"),
    ):  # fmt: skip
        with pytest.raises(InvalidInput) as refused:
            open_study(lea, street, **wrong)
        assert refused.value.field == field
    open_study(lea, street)
    with pytest.raises(Conflict, match="Choose another name"):
        open_study(lea, street)
    with pytest.raises(NotAllowed):
        open_study(ana, street, name="mine")


def test_a_benchmark_with_an_open_study_is_not_public(lea: User, street: Benchmark) -> None:
    study = open_study(lea, street)
    with pytest.raises(Conflict, match="public"):
        set_public(actor=lea, benchmark=street, public=True)
    close(actor=lea, study=study)
    set_public(actor=lea, benchmark=street, public=True)
    with pytest.raises(Conflict, match="public"):
        open_study(lea, street, name="study 2")


def test_who_is_not_invited_gets_no_sample(lea: User, ana: User, rui: User, sam: User, street: Benchmark) -> None:
    study = open_study(lea, street, roles=("reviewer",))
    for user in (ana, lea, sam):
        with pytest.raises(NotAllowed):
            next_to_answer(actor=user, study=study)
    assert next_to_answer(actor=rui, study=study) is not None


def test_a_lead_takes_no_part_whatever_other_roles_they_have(lea: User, street: Benchmark) -> None:
    add_member(actor=lea, benchmark=street, user=lea, role=Role.ANNOTATOR)
    with pytest.raises(NotAllowed):
        next_to_answer(actor=lea, study=open_study(lea, street))


def test_answers_are_kept_with_what_was_looked_at(lea: User, ana: User, street: Benchmark) -> None:
    study = open_study(lea, street)
    done = answer_all(ana, study)
    assert (len(done), mine_of(ana, study).finished) == (8, True)
    kept = HumanAnswer.objects.filter(person=ana)
    assert set(kept.values_list("familiarity", "seconds", "unsure")) == {(4, 12.5, False)}
    planned = [one for one in kept if one.sample.key.startswith("planned")]
    others = [one for one in kept if one not in planned]
    assert {(one.answer, str(one.plan), str(one.recognition)) for one in planned} == {
        (None, "['hammer', 'nail']", "['hammer', 'nail']")
    }
    assert {(one.answer, one.plan) for one in others} == {("A", None)}
    assert others[0].steps == [{"box": [380, 280, 520, 420], "seconds": 1.5}]
    assert next_to_answer(actor=ana, study=study) is None


def test_one_person_answers_a_sample_once_and_so_many_people_as_were_chosen(
    lea: User, ana: User, rui: User, street: Benchmark
) -> None:
    mira = make_user("Mira Sato")
    add_member(actor=lea, benchmark=street, user=mira, role=Role.RESEARCHER)
    study = open_study(lea, street)
    assert [len(answer_all(user, study)) for user in (ana, rui, mira)] == [8, 8, 0]
    given = HumanAnswer.objects.given().values_list("sample", "person")
    assert len(set(given)) == len(given) == 16


def test_samples_with_the_fewest_answers_come_first(lea: User, ana: User, rui: User, street: Benchmark) -> None:
    study = open_study(lea, street)
    first = {one.sample_id for one in answer_all(ana, study, most=5)}
    assert not first & {one.sample_id for one in answer_all(rui, study, most=3)}


def test_the_same_answer_sent_twice_is_kept_once(lea: User, ana: User, street: Benchmark) -> None:
    study = open_study(lea, street)
    item = next_to_answer(actor=ana, study=study)
    assert item is not None
    assert next_to_answer(actor=ana, study=study) == item
    answer(actor=ana, item=item, said=said(item, "A"))
    stale = HumanAnswer.objects.get(pk=item.pk)
    stale.done_at = None
    answer(actor=ana, item=stale, said=said(item, "B"))
    kept = HumanAnswer.objects.get(pk=item.pk)
    assert (kept.answer in ("A", None), HumanAnswer.objects.given().count()) == (True, 1)
    assert AuditEntry.objects.filter(action="study.answer").count() == 1


def test_a_sample_that_was_left_goes_to_another_person(lea: User, ana: User, rui: User, street: Benchmark) -> None:
    study = open_study(lea, street, n=2, people=1, facets=())
    item = next_to_answer(actor=ana, study=study)
    assert item is not None
    other = next_to_answer(actor=rui, study=study)
    assert other is not None
    assert other.sample_id != item.sample_id
    answer(actor=rui, item=other, said=said(other))
    assert next_to_answer(actor=rui, study=study) is None
    assert not mine_of(rui, study).finished
    HumanAnswer.objects.filter(pk=item.pk).update(expires_at=timezone.now() - timedelta(minutes=1))
    taken = next_to_answer(actor=rui, study=study)
    assert taken is not None
    assert taken.sample_id == item.sample_id
    with pytest.raises(Conflict, match="no longer assigned"):
        answer(actor=ana, item=item, said=said(item))


def test_who_comes_late_still_answers_if_nobody_took_the_sample(lea: User, ana: User, street: Benchmark) -> None:
    study = open_study(lea, street)
    item = next_to_answer(actor=ana, study=study)
    assert item is not None
    HumanAnswer.objects.update(expires_at=timezone.now() - timedelta(hours=1))
    answer(actor=ana, item=item, said=said(item))
    assert HumanAnswer.objects.given().count() == 1


def test_what_is_skipped_does_not_come_again_but_goes_to_others(
    lea: User, ana: User, rui: User, street: Benchmark
) -> None:
    study = open_study(lea, street, n=2, people=1, facets=())
    item = next_to_answer(actor=ana, study=study)
    assert item is not None
    item.experiment = study
    skip(actor=ana, item=item)
    assert item.sample_id not in [one.sample_id for one in answer_all(ana, study)]
    assert mine_of(ana, study).finished
    assert [one.sample_id for one in answer_all(rui, study)] == [item.sample_id]


def test_nobody_gets_a_sample_that_they_worked_on(lea: User, ana: User, rui: User, street: Benchmark) -> None:
    study = open_study(lea, street)
    first, second = (one.sample for one in study.study_samples.select_related("sample")[:2])
    gold = first.gold.revision
    Annotation.objects.create(sample=first, author=ana)
    Review.objects.create(revision=gold, reviewer=rui, decision="accept")
    Revision.objects.create(annotation=second.annotations.get(), number=7, author=rui, answer_type="open", digest="0")
    assert {one.sample_id for one in answer_all(ana, study)} == set(
        study.study_samples.exclude(sample=first).values_list("sample", flat=True)
    )
    assert len(answer_all(rui, study)) == 6


def test_a_study_and_gold_checks_never_show_a_person_the_same_sample(
    lea: User, ana: User, rui: User, street: Benchmark
) -> None:
    """Only samples with gold are drawn: in the queue, a sample of a study could be nothing but a check."""
    Sample.objects.filter(benchmark=street).update(state="accepted")
    known = Sample.objects.filter(benchmark=street).order_by("key").first()
    add_checks(actor=lea, benchmark=street, keys=[known.key])
    assert known.pk not in {pk for found in groups_of(street, []).values() for pk in found}
    study = open_study(lea, street)
    mine = answer_all(ana, study, most=1)[0].sample
    other = study.study_samples.exclude(sample=mine).first().sample
    add_checks(actor=lea, benchmark=street, keys=[mine.key, other.key])
    assert set(GoldCheck.objects.for_person(ana).values_list("sample", flat=True)) == {known.pk, other.pk}
    CheckAnswer.objects.create(check_of=other.gold_check, user=rui, place=1000)
    assert other.pk not in {one.sample_id for one in answer_all(rui, study)}


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"familiarity": ""}, "familiarity"),
        ({"familiarity": "6"}, "familiarity"),
        ({"seconds": "nan"}, "seconds"),
        ({"seconds": "-1"}, "seconds"),
        ({"zooms": "no"}, "zooms"),
        ({"zooms": "{}"}, "zooms"),
        ({"zooms": '[{"box": [0, 0, 1001, 10], "seconds": 1}]'}, "zooms"),
        ({"zooms": '[{"box": [5, 5, 5, 10], "seconds": 1}]'}, "zooms"),
        ({"zooms": '[{"box": [0, 0, 10.5, 10], "seconds": 1}]'}, "zooms"),
        ({"zooms": '[{"box": [0, 0, true, 10], "seconds": 1}]'}, "zooms"),
        ({"zooms": '[{"box": [0, 0, 10, 10], "seconds": 0.6}]'}, "zooms"),
        ({"zooms": '[{"box": [0, 0, 10, 10]}]'}, "zooms"),
        ({"zooms": json.dumps([{"box": [0, 0, 10, 10], "seconds": 1}] * 101)}, "zooms"),
        ({"answer": "C", "plan": "", "recognition": ""}, None),
        ({"answer": " ", "plan": ", ,", "recognition": "\n"}, None),
        ({"answer": "", "plan": "\n".join("abc" for _ in range(51))}, None),
    ],
)
def test_what_is_no_answer_is_refused(lea: User, ana: User, street: Benchmark, wrong: Any, field: str | None) -> None:
    study = open_study(lea, street)
    item = next_to_answer(actor=ana, study=study)
    assert item is not None
    item.experiment = study
    with pytest.raises(InvalidInput) as refused:
        answer(actor=ana, item=item, said=said(item) | wrong)
    assert refused.value.field == field or field is None
    assert not HumanAnswer.objects.given().exists()


def test_zooms_may_reach_the_edges() -> None:
    assert read_zooms('[{"box": [0, 0, 1000, 800], "seconds": 0.7}]', 1000, 800)
    assert read_zooms("", 1000, 800) == []


def test_who_cannot_tell_says_so(lea: User, ana: User, street: Benchmark) -> None:
    study = open_study(lea, street)
    done = answer_all(
        ana, study, lambda item: said(item) | {"answer": "", "plan": "", "recognition": "", "cannot": True}
    )
    kept = HumanAnswer.objects.filter(pk__in=[one.pk for one in done])
    assert {one.unsure for one in kept} == {True}
    assert {one.answer if one.plan is None else str(one.plan) for one in kept} <= {"", "[]"}


def test_a_paused_study_assigns_nothing_and_takes_what_is_held(lea: User, ana: User, street: Benchmark) -> None:
    study = open_study(lea, street)
    item = next_to_answer(actor=ana, study=study)
    assert item is not None
    pause(actor=lea, study=study)
    with pytest.raises(Conflict, match="not open"):
        next_to_answer(actor=ana, study=study)
    answer(actor=ana, item=item, said=said(item))
    resume(actor=lea, study=study)
    assert next_to_answer(actor=ana, study=study) is not None
    with pytest.raises(NotAllowed):
        pause(actor=ana, study=study)


def closed(lea: User, study: Experiment) -> Run:
    close(actor=lea, study=study)
    run_waiting()
    return Run.objects.get(model__name="People")


def halves(item: HumanAnswer) -> dict[str, Any]:
    """Right on a sample of an even number, and looking at the gold on those of the kind "seen"."""
    kind, number = item.sample.key.rsplit("-", 1)
    letter = "A" if int(number) % 2 == 0 else "B"
    return said(item, letter, 5 if int(number) % 2 == 0 else 3, said(item)["zooms"] if kind == "seen" else ELSEWHERE)


@pytest.mark.endurance
def test_answers_become_one_run_when_the_study_closes(lea: User, ana: User, rui: User, street: Benchmark) -> None:
    study = open_study(lea, street)
    answer_all(ana, study, halves)
    answer_all(rui, study, most=3)
    assert not Run.objects.filter(model__name="People").exists()
    run = closed(lea, study)
    record = ImportRecord.objects.get(file_name=f"human study {study.pk}")
    rows = Trajectory.objects.filter(run=run)
    assert (rows.filter(rollout=0).count(), rows.filter(rollout=1).count()) == (8, 3)
    assert set(rows.values_list("source", flat=True)) == {record.pk}
    step = rows.filter(rollout=0, answer__isnull=False, sample__key__startswith="seen").first().steps.get()
    assert ((step.x1, step.y1, step.x2, step.y2), step.tool, step.ok) == ((380, 280, 520, 420), "zoom", True)
    assert "ana" not in json.dumps(list(rows.values("extra")))
    assert study.participants.filter(finished_at=None).count() == 0
    ask_undo(actor=lea, record=record)
    run_waiting()
    assert not Run.objects.filter(model__name="People").exists()
    study.refresh_from_db()
    save_run(actor=lea, study=study)
    assert Trajectory.objects.filter(run__model__name="People").count() == 11
    with pytest.raises(Conflict, match="already"):
        save_run(actor=lea, study=Experiment.objects.get(pk=study.pk))


@pytest.mark.endurance
def test_the_metrics_of_people_are_weighed_by_stratum(lea: User, ana: User, rui: User, street: Benchmark) -> None:
    """Ana is right on even numbers, which are all of one category; Rui always is."""
    study = open_study(lea, street, n=8)
    answer_all(ana, study, halves)
    answer_all(rui, study)
    run = closed(lea, study)
    found = {one.metric: one for one in Metric.objects.filter(scoring__run=run, slice_by="")}
    answered = dict(study.study_samples.values_list("sample", "stratum"))
    plain = [pk for pk in answered if not Trajectory.objects.filter(run=run, sample=pk).exclude(plan=None).exists()]
    means = {pk: 1.0 if answered[pk] == 0 else 0.5 for pk in plain}
    by_stratum = [[means[pk] for pk in plain if answered[pk] == h] for h in (0, 1)]
    top, bottom = sum(0.5 * sum(one) / 4 for one in by_stratum), sum(0.5 * len(one) / 4 for one in by_stratum)
    assert found["accuracy"].value == pytest.approx(top / bottom)
    assert (found["accuracy"].n, found["accuracy"].detail["people"]) == (len(plain), 2)
    assert found["accuracy"].ci_method == "stratified-wilson"
    assert found["valid_grounded_reasoning"].value is not None
    assert found["exact_match"].value == 1
    assert (found["selection_f1"].value, found["recognition_f1"].value) == (1, pytest.approx(0.8))
    counts = found["tool_call_rate"].detail
    assert (counts["samples"], counts["missing"], counts["trajectories"]) == (8, 0, 16)
    familiar = Metric.objects.get(scoring__run=run, metric="accuracy", slice_by="familiarity", slice="5")
    # Only Ana said 5, of the samples that she has right.
    assert (familiar.value, familiar.detail["people"]) == (1.0, 1)
    board = load_leaderboard(street)
    assert (board.people[0].missing, board.people[0].stale) == (0, False)


@pytest.mark.endurance
def test_answers_on_an_image_that_was_replaced_are_counted_as_on_the_page_of_the_run(
    lea: User, ana: User, rui: User, street: Benchmark
) -> None:
    study = open_study(lea, street)
    answer_all(ana, study, halves)
    answer_all(rui, study)
    run = closed(lea, study)
    sample = run.trajectories.filter(steps__isnull=False).first().sample
    another_size(sample, (sample.width, sample.height), lea, old=(90, 90))
    score_benchmark(actor=lea, benchmark=street)
    client, terms = signed_in(lea), {"run": run.pk, "no_grounding": "image_replaced"}
    assert client.get(f"/benchmarks/street/runs/{run.pk}/").context["counts"]["image_replaced"] == 1
    assert client.get("/benchmarks/street/trajectories/", terms).context["total"] == 1
    assert load_leaderboard(street).people[0].image_replaced == 1


@pytest.mark.endurance
def test_people_are_a_row_of_their_own_and_never_ranked(lea: User, ana: User, rui: User, street: Benchmark) -> None:
    study = open_study(lea, street)
    answer_all(ana, study, halves)
    answer_all(rui, study)
    run = closed(lea, study)
    board = load_leaderboard(street)
    assert [(row.run, row.familiarity) for row in board.people] == [(run, ""), (run, "4+"), (run, "5")]
    assert run not in [row.run for row in (*board.ranked, *board.baselines)]
    assert board.reference is not None
    assert board.reference.run != run
    assert not Standing.objects.filter(scoring__run=run).exists()
    assert not Comparison.objects.filter(a__run=run).exists()
    out = StringIO()
    call_command("leaderboard", "street", stdout=out)
    [line] = [one for one in out.getvalue().splitlines() if one.startswith("People, study 1: ")]
    for part in ("n = ", "k = 2 people", "95% interval", "stratified-wilson"):
        assert part in line
    call_command("leaderboard", "street", "--by", "category", stdout=StringIO())


def test_the_difference_to_a_model_is_paired_on_the_samples_of_the_study(
    lea: User, ana: User, street: Benchmark
) -> None:
    """The model is right on all that it was asked without a plan, so people differ by what they have wrong."""
    study = open_study(lea, street)
    answer_all(ana, study, halves)
    run = closed(lea, study)
    result = result_of(study)
    assert result is not None
    [one] = result.differences
    accuracy = Metric.objects.get(scoring__run=run, metric="accuracy", slice_by="")
    assert one.n == accuracy.n
    assert one.difference == pytest.approx(accuracy.value - 1)
    assert one.low is not None
    score_benchmark(actor=lea, benchmark=street)
    assert result_of(study).differences[0].difference == one.difference


def test_comparing_people_with_a_model_uses_the_samples_that_both_answered(
    lea: User, ana: User, street: Benchmark
) -> None:
    study = open_study(lea, street)
    answer_all(ana, study)
    run = closed(lea, study)
    runs = list(Run.objects.of(street))
    asked = Trajectory.objects.filter(run=run, answer__isnull=False).count()
    assert compare_runs(street, runs).pairs[0].n == asked
    assert run in runs


@pytest.mark.endurance
def test_a_person_who_is_anonymized_leaves_the_numbers_as_they_are(lea: User, ana: User, street: Benchmark) -> None:
    study = open_study(lea, street)
    answer_all(ana, study, halves)
    run = closed(lea, study)
    before = list(Metric.objects.filter(scoring__run=run).order_by("pk").values_list("metric", "slice", "value", "n"))
    lines = list(answer_lines(study))
    anonymize_person(actor=None, user=ana)
    score_benchmark(actor=lea, benchmark=street)
    run = Run.objects.get(pk=run.pk)
    after = list(Metric.objects.filter(scoring__run=run).order_by("pk").values_list("metric", "slice", "value", "n"))
    assert (after, list(answer_lines(study))) == (before, lines)
    assert study.participants.get().person.name.startswith("Former")
    assert b"ana" not in b"".join(lines).lower()


def test_a_study_that_nobody_answered_closes_without_a_run(lea: User, street: Benchmark) -> None:
    study = open_study(lea, street)
    close(actor=lea, study=study)
    assert not Run.objects.filter(model__name="People").exists()
    with pytest.raises(Conflict):
        close(actor=lea, study=study)


def test_who_finishes_gets_nothing_more(lea: User, ana: User, rui: User, street: Benchmark) -> None:
    study = open_study(lea, street, n=2, people=1, facets=())
    item = next_to_answer(actor=ana, study=study)
    finish(actor=ana, study=study)
    assert next_to_answer(actor=ana, study=study) is None
    assert item is not None
    with pytest.raises(Conflict):
        answer(actor=ana, item=item, said=said(item))
    assert len(answer_all(rui, study)) == 2


def test_the_command_creates_shows_closes_and_exports(lea: User, ana: User, street: Benchmark, tmp_path: Any) -> None:
    def run(*args: Any) -> str:
        out = StringIO()
        call_command("study", *args, stdout=out)
        return out.getvalue()

    plan = run("create", "--benchmark", "street", "--samples", "8", "--facet", "category", "--dry-run")
    assert "4 of      8  Color" in plan
    assert not Experiment.objects.filter(kind="human").exists()
    run("create", "--benchmark", "street", "--samples", "8", "--people", "1", "--role", "annotator")
    study = Experiment.objects.get(kind="human")
    answer_all(ana, study, most=3)
    assert "3 answers" in run("list")
    assert "person 1: 3 answers, 0 skipped, not finished" in run("show", study.pk)
    assert json.loads(run("show", study.pk, "--json"))["study"]["people"] == 1
    run("export", study.pk, "--output", tmp_path / "a.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert [row["person"] for row in rows] == [1, 1, 1]
    assert "Closed" in run("close", study.pk)
    assert "experiment" not in run("list")
    out = StringIO()
    call_command("experiment", "list", stdout=out)
    assert out.getvalue() == ""
