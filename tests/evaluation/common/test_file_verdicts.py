"""The verdicts of an imported file beside ours: on the board, on the page of a run, in lists and in exports."""

from __future__ import annotations

import pytest

from evaluation.common.exports import sample_rows
from evaluation.leaderboard.read.board import load_leaderboard
from evaluation.models import Judgement, Metric, Run, Trajectory
from evaluation.scoring.settings import change_settings
from evaluation.scoring.write import score_benchmark
from tests.conftest import signed_in
from tests.evaluation.run_pages import make_benchmark
from tests.evaluation.scores import scores_by_sample

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
KINDS = {"seen": 4, "seen-wrong": 3, "unread": 2, "unanswered": 1}


@pytest.fixture
def street(lea):
    """The file calls the first of the right ones wrong, the other right ones right, and the unread ones right."""
    benchmark = make_benchmark(lea, KINDS, pictures=False, scored=False)
    plain = Trajectory.objects.filter(condition="none", rollout=0)
    plain.filter(sample__key__in=["seen-01", "seen-02", "seen-03", "unread-00"]).update(judge_correct=True)
    plain.filter(sample__key__in=["seen-00", "seen-wrong-00"]).update(judge_correct=False)
    plain.filter(sample__key="unread-00").update(extra={"extracted_answer": "A"})
    score_benchmark(actor=lea, benchmark=benchmark)
    return benchmark


def by_sample(field):
    return {key: getattr(one, field) for key, one in scores_by_sample(condition="none", rollout=0).items()}


def test_the_page_of_a_run_opens_each_cell_and_those_that_differ(street, lea):
    client, run = signed_in(lea), Run.objects.get()
    card = client.get(f"/benchmarks/street/runs/{run.pk}/").context["file"]
    assert [cell.n for cell in card.cells] == [3, 0, 1, 1]
    assert (card.judged.n, card.right.n, card.differing.n, card.left_open.n) == (6, 4, 1, 1)
    for count in (*card.cells, card.judged, card.right, card.differing, card.left_open):
        answer = client.get(count.href)
        assert answer.context["total"] == count.n, count.href
        for row in answer.context["rows"]:
            assert [fact.label for fact in row.facts] == [
                "our reading",
                "file’s reading",
                "our verdict",
                "file’s verdict",
            ]
    assert (card.agree, card.kappa) == ("80.0", "0.55")


@pytest.mark.endurance
def test_rows_show_both_readings_and_both_verdicts(street, lea):
    client, run = signed_in(lea), Run.objects.get()
    Trajectory.objects.filter(sample__key="seen-00", condition="none").update(extra={"extraction": 7})
    score_benchmark(actor=lea, benchmark=street)
    card = client.get(f"/benchmarks/street/runs/{run.pk}/").context["file"]

    def shown(href):
        rows = client.get(href).context["rows"]
        return {row.trajectory.sample.key: [fact.value for fact in row.facts] for row in rows}

    assert shown(card.differing.href) == {"seen-00": ["A", "7", "correct", "incorrect"]}
    assert shown(card.left_open.href) == {"unread-00": ["n/a", "A", "n/a", "correct"]}
    assert shown(card.cells[3].href)["seen-wrong-00"][1] == "n/a"
    both = "file_reading:any or file_reading:A or reading:C"
    assert client.get(f"/benchmarks/street/trajectories/?q={both}").context["total"] == 2
    for terms, n in (("reading:A", 4), ("file_reading:A", 1), ("reading:none", 3)):
        assert client.get(f"/benchmarks/street/trajectories/?q={terms}").context["total"] == n, terms


def test_the_page_of_a_trajectory_says_what_the_file_read_and_whether_it_agrees(street, lea):
    client = signed_in(lea)

    def said(key):
        row = Trajectory.objects.get(sample__key=key, condition="none", rollout=0)
        return client.get(f"/benchmarks/street/trajectories/{row.pk}/").context["answer"].in_file

    assert said("unread-00") == (
        "In the file: read as “A”, not comparable with our rules; judged correct, undecided by our rules."
    )
    for key, extracted in (("seen-00", "(a)"), ("seen-wrong-00", "A")):
        Trajectory.objects.filter(sample__key=key).update(extra={"file_reading": extracted})
    assert said("seen-00") == "In the file: read as “(a)”, the same as here; judged incorrect, correct by our rules."
    assert said("seen-wrong-00") == "In the file: read as “A”, different from here; judged incorrect, as by our rules."
    assert said("seen-wrong-01") == ""


def test_what_a_table_of_results_extracted_is_in_the_export(street):
    """The name under which a table is imported, beside those that other formats keep."""
    Trajectory.objects.filter(sample__key="seen-00").update(extra={"file_reading": "B"})
    rows = {row["sample"]: row["file_reading"] for row in sample_rows(street)}
    assert (rows["seen-00"], rows["unread-00"], rows["seen-01"]) == ("B", "A", None)


def test_the_board_has_a_column_where_a_file_has_verdicts(street, lea):
    client = signed_in(lea)
    [row] = load_leaderboard(street).rows()
    assert (row.metrics["accuracy_in_file"].value, row.metrics["accuracy_in_file"].n) == (4 / 6, 6)
    address = "/benchmarks/street/leaderboard/"

    def sorts():
        return (
            "sort=accuracy_in_file"
            in client.get(f"{address}?preset=paper").content.decode().replace("&amp;", "&").split("<table")[1]
        )

    assert sorts()
    Trajectory.objects.update(judge_correct=None)
    score_benchmark(actor=lea, benchmark=street)
    assert not sorts()


def test_exports_say_what_decided_each_answer(street, lea):
    run = Run.objects.get()
    for key in ("unread-01", "seen-wrong-00"):
        sample = street.samples.get(key=key)
        Judgement.objects.create(run=run, sample=sample, kind="answer", judge="J", verdict="yes")
    score_benchmark(actor=lea, benchmark=street)
    rows = {row["sample"]: row for row in sample_rows(street)}
    expected = {
        "seen-wrong-00": "file", "unread-00": "file", "unread-01": "judge", "unanswered-00": "blank",
        "seen-wrong-01": "reading",
    }  # fmt: skip
    assert {key: rows[key]["verdict_by"] for key in expected} == expected
    assert (rows["unread-00"]["file_verdict"], rows["unread-00"]["reading_correct"]) == (True, None)
    assert (rows["unread-00"]["file_reading"], rows["seen-wrong-00"]["file_reading"]) == ("A", None)
    assert by_sample("correct")["unread-01"] is True
    assert by_sample("unread")["unread-01"] is False
    detail = Metric.objects.get(metric="accuracy_in_file", slice_by="").detail["agreement"]
    assert (detail["both_right"], detail["open"]) == (3, 1)


def test_reading_counts_where_the_setting_says_so(street, lea):
    assert by_sample("correct")["seen-00"] is False
    change_settings(actor=lea, benchmark=street, values={"verdict_source": "reading"})
    score_benchmark(actor=lea, benchmark=street)
    correct = by_sample("correct")
    assert (correct["seen-00"], correct["unread-00"]) == (True, None)
    assert by_sample("file_verdict")["seen-00"] is False
