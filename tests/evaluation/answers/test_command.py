"""``manage.py answers``: the report of each run, the groups that are to be decided, and a file of decisions."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Benchmark
from evaluation.answers.read.groups import read_groups
from evaluation.answers.write import decide_answers
from evaluation.common.extraction.read import read_extraction, read_slices_extraction
from evaluation.leaderboard.read.board import load_leaderboard
from evaluation.models import Metric, Run, Trajectory
from evaluation.scoring.write import score_benchmark
from tests.evaluation.answers_data import REFUSAL, make_kitchen, said
from tests.evaluation.scores import with_scores
from tests.worlds import made_once
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@made_once
def kitchen(lea: User) -> Benchmark:
    return make_kitchen(lea)


def printed(capsysbinary: Any, *words: Any, **options: Any) -> str:
    call_command(*words, **options)
    return str(capsysbinary.readouterr().out.decode())


def test_the_report_says_what_was_read_and_what_was_not(kitchen: Benchmark, capsysbinary: Any) -> None:
    words = printed(capsysbinary, "answers", "kitchen")
    assert "Answers: 2 of 9 read" in words
    assert "7 unread (77.8%, above the alarm of 2.0%)" in words
    assert REFUSAL in words
    assert "/benchmarks/kitchen/answers/" in words
    [one] = json.loads(printed(capsysbinary, "answers", "kitchen", format="json"))
    assert (one["report"]["unread"], one["report"]["undecided"], one["stale"]) == (7, 1, False)
    [row] = csv.DictReader(printed(capsysbinary, "answers", "kitchen", format="csv").splitlines())
    assert (row["model"], row["unread"], row["answers"]) == ("Model A", "7", "9")
    assert "7 unread" in printed(capsysbinary, "score", "kitchen")


@pytest.mark.both_databases
def test_a_file_of_groups_is_filled_in_and_decides_them(kitchen: Benchmark, capsysbinary: Any, tmp_path: Path) -> None:
    rows = list(csv.DictReader(printed(capsysbinary, "answers", "kitchen", "--unread", format="csv").splitlines()))
    assert [(row["answers"], row["decision"]) for row in rows] == [("6", ""), ("1", ""), ("1", "")]
    path = tmp_path / "decided.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows([rows[0] | {"decision": "B"}, rows[1], rows[2]])
    assert "Decided 6 answers in 1 group" in printed(capsysbinary, "answers", "kitchen", decide=path)
    call_command("score", "kitchen")
    refused = [one.score for one in with_scores(Trajectory.objects.filter(answer=REFUSAL))]
    assert [(one.letter, one.correct) for one in refused] == [("B", True)] * 6
    [report] = read_extraction(kitchen)
    assert report.report is not None
    assert (report.report["decided"], report.report["unread"]) == (6, 1)
    with pytest.raises(CommandError, match="decided or scored in the meantime"):
        call_command("answers", "kitchen", decide=path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("group,text\n1,x\n", "no column decision"),
        ("group,decision\n1,\n", "contains no decisions"),
        ("", "no column"),
        ("group,decision\n1.2E+15,B\n", "line 2: '1.2E\\+15' is not a group"),
    ],
)
def test_a_file_that_decides_nothing_says_so(kitchen: Benchmark, tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "decided.csv"
    path.write_text(content)
    with pytest.raises(CommandError, match=words):
        call_command("answers", "kitchen", decide=path)
    with pytest.raises(CommandError, match="has no run 0"):
        call_command("answers", "kitchen", run=0)


def test_a_hundred_equal_refusals_leave_everything_open_and_one_decision_settles_them(lea: User) -> None:
    """Acceptance 5."""
    kitchen = make_kitchen(lea, 100)
    said(lea, kitchen, {f"s{i}": REFUSAL for i in range(100)}, "Refuser")
    refuser = Run.objects.get(model__name="Refuser")
    open_range = Metric.objects.filter(scoring__run=refuser, slice_by="", metric__in=["accuracy_low", "accuracy_high"])
    assert sorted(open_range.values_list("value", flat=True)) == [0.0, 1.0]
    board = {row.run.pk: row for row in load_leaderboard(kitchen).rows()}
    assert board[refuser.pk].provisional
    [group] = read_groups(kitchen, lea, run=refuser.pk).groups
    assert group.n == 100
    decide_answers(actor=lea, benchmark=kitchen, said={group.key: "0"}, run=refuser.pk)
    score_benchmark(actor=lea, benchmark=kitchen)
    assert Metric.objects.get(scoring__run=refuser, metric="accuracy", slice_by="").value == 0
    assert not any(one.score.unread for one in with_scores(Trajectory.objects.filter(run=refuser)))


def test_reports_are_made_of_slices_too(kitchen: Benchmark) -> None:
    found = read_slices_extraction(kitchen, "place")[Run.objects.get().pk]
    assert {place: (one["answers"], one["unread"]) for place, one in found.items()} == {
        "window": (1, 1), "door": (7, 6)
    }  # fmt: skip
