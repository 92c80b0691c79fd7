"""What undecided answers leave open of accuracy stands the same wherever accuracy stands; a run with too many unread
answers is provisional everywhere."""

from __future__ import annotations

import csv
import re
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from evaluation.leaderboard.read.board import load_leaderboard
from evaluation.leaderboard.read.macro import load_cross_benchmark_leaderboard
from evaluation.models import Comparison, Metric, Run, Scoring, Trajectory
from evaluation.scoring.settings import change_settings
from evaluation.scoring.write import score_benchmark
from tests.conftest import signed_in
from tests.evaluation.crawl import counted_links, wrong_links
from tests.evaluation.run_pages import make_benchmark

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
KINDS = {"seen": 5, "seen-wrong": 2, "undecided": 2, "unread": 1}
SHOWN, LOW, HIGH = "50.0 (50.0–80.0)", 0.5, 0.8


def make_street(lea, **settings):
    """Two runs of ten, five right, three undecided, one of these unread; then what the second has wrong is right."""
    benchmark = make_benchmark(lea, KINDS, models=["Model A", "Model B"], scored=False, pictures=False)
    Trajectory.objects.filter(run__model__name="Model B", sample__key__startswith="seen-wrong").update(answer="A")
    change_settings(actor=lea, benchmark=benchmark, values=settings)
    score_benchmark(actor=lea, benchmark=benchmark)
    return benchmark


def words_of(answer) -> str:
    """The page without its markup."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", answer.content.decode()))


def content(response) -> str:
    whole = b"".join(response.streaming_content) if response.streaming else response.content
    return whole.decode().replace("\\", "")


@pytest.mark.endurance
def test_the_range_is_one_number_on_every_page_and_in_every_file(lea):
    benchmark = make_street(lea)
    client, (a, b) = signed_in(lea), Run.objects.of(benchmark).order_by("pk")
    board, compare = "/benchmarks/street/leaderboard/", f"/benchmarks/street/compare/?run={a.pk}&run={b.pk}"
    for address in (board, "/", f"/benchmarks/street/runs/{a.pk}/", "/benchmarks/street/runs/", compare,
                    f"{board}?q=scored", f"{board}?by=category&slice=Color"):  # fmt: skip
        words = words_of(client.get(address)).replace("Color", "")
        assert SHOWN in words or "?by=" in address, address
    for format in ("md", "tex", "svg"):
        for address in (f"{board}?format={format}", f"{compare}&format={format}"):
            assert SHOWN in content(client.get(address)).replace("--", "–"), address
    [row] = [
        row
        for row in csv.DictReader(content(client.get(f"{board}?format=csv")).splitlines())
        if row["run"] == str(a.pk)
    ]
    assert (float(row["accuracy_low"]), float(row["accuracy_high"])) == (LOW, HIGH)
    assert row["provisional"] == "False"
    printed = StringIO()
    call_command("leaderboard", "street", stdout=printed)
    assert (
        sum(line.split()[3:9] == ["3", "1", "0", "50.0", "80.0", "50.0"] for line in printed.getvalue().splitlines())
        == 1
    )


def test_metrics_boards_and_the_api_say_the_same_range(lea):
    benchmark = make_street(lea)
    client, a = signed_in(lea), Run.objects.get(model__name="Model A")
    stored = dict(Metric.objects.filter(scoring__run=a, slice_by="").values_list("metric", "value"))
    details = dict(Metric.objects.filter(scoring__run=a, slice_by="").values_list("metric", "detail"))
    for name in ("accuracy", "pass_rate"):
        assert (stored[f"{name}_low"], stored[f"{name}_high"]) == (LOW, HIGH)
        assert (details[name]["low"], details[name]["high"]) == (LOW, HIGH)
    for board in (load_leaderboard(benchmark), load_leaderboard(benchmark, slice_by="query", slice="scored")):
        [row] = [row for row in board.rows() if row.run == a]
        for name in ("accuracy", "pass_rate", "valid_grounded_reasoning", "dual_failure"):
            detail = details[name]
            assert (row.metrics[name].low, row.metrics[name].high) == (detail["low"], detail["high"]), name
    answer = client.get("/api/v1/benchmarks/street/leaderboard/").json()
    [said] = [row for row in answer["ranked"] if row["run"] == a.pk]
    assert (said["metrics"]["accuracy"]["low"], said["metrics"]["accuracy"]["high"]) == (LOW, HIGH)
    assert said["provisional"] is False
    [mean] = [row for row in load_cross_benchmark_leaderboard(lea).rows if row.model == "Model A"]
    assert mean.range == (LOW, HIGH)


def test_a_comparison_says_whether_undecided_answers_could_turn_its_sign(lea):
    make_street(lea)
    a, b = Run.objects.order_by("pk")
    pair = Comparison.objects.get()
    assert (pair.difference, *pair.range) == pytest.approx((0.2, -0.1, 0.5))
    assert pair.could_turn
    client = signed_in(lea)
    address = f"/benchmarks/street/compare/?run={a.pk}&run={b.pk}"
    words = "−10.0 to +50.0 pp, could change its sign"
    assert words in words_of(client.get(address))
    assert "undecided answers could change its sign" in words_of(client.get("/benchmarks/street/leaderboard/"))
    assert words in content(client.get(f"{address}&format=md"))
    found = client.get(f"/api/v1/benchmarks/street/compare/?run={a.pk}&run={b.pk}").json()["pairs"][0]
    assert (found["difference_low"], found["difference_high"]) == pytest.approx((-0.1, 0.5))
    assert found["could_turn"] is True
    other = client.get(f"/api/v1/benchmarks/street/compare/?run={b.pk}&run={a.pk}").json()["pairs"][0]
    assert (other["difference_low"], other["difference_high"]) == pytest.approx((-0.5, 0.1))


@pytest.mark.endurance
def test_a_run_with_more_unread_answers_than_the_alarm_is_provisional(lea):
    """One of ten unread, two percent allowed: a range, the lower end, no rank and no chance of being best."""
    benchmark = make_street(lea, unread_alarm=0.02)
    Trajectory.objects.filter(run__model__name="Model B", sample__key="unread-00").update(answer="B")
    score_benchmark(actor=lea, benchmark=benchmark)
    a, b = Run.objects.order_by("pk")
    assert dict(Scoring.objects.values_list("run", "provisional")) == {a.pk: True, b.pk: False}
    board = load_leaderboard(benchmark, sorted_by="accuracy")
    assert [row.run for row in board.ranked] == [b, a]
    assert [row.standing is None for row in board.ranked] == [False, True]
    assert board.ranked[1].least("accuracy") == LOW
    client = signed_in(lea)
    page = words_of(client.get("/benchmarks/street/leaderboard/"))
    assert "provisional" in page
    assert SHOWN not in page
    assert "50.0–80.0" in page
    assert "provisional" in content(client.get("/benchmarks/street/leaderboard/?format=md"))
    answer = client.get("/api/v1/benchmarks/street/leaderboard/").json()
    [said] = [row for row in answer["ranked"] if row["run"] == a.pk]
    assert (said["provisional"], said["standing"]) == (True, None)
    printed = StringIO()
    call_command("leaderboard", "street", stdout=printed)
    [line] = [line for line in printed.getvalue().splitlines() if line.startswith("Model A")]
    assert "50–80" in line.split()
    assert line.endswith("provisional")
    assert [row.model for row in load_cross_benchmark_leaderboard(lea).lacking] == ["Model A"]
    assert "provisional" in words_of(client.get(reverse("evaluation:run", args=["street", a.pk])))
    change_settings(actor=lea, benchmark=benchmark, values={"unread_alarm": 0.2})
    score_benchmark(actor=lea, benchmark=benchmark)
    assert not Scoring.objects.filter(provisional=True).exists()


def test_a_hundred_equal_refusals_leave_everything_open(lea):
    benchmark = make_benchmark(lea, {"seen": 20}, pictures=False, scored=False)
    change_settings(actor=lea, benchmark=benchmark, values={"unread_alarm": 0.02})
    Trajectory.objects.update(answer="I cannot tell.")
    score_benchmark(actor=lea, benchmark=benchmark)
    [row] = load_leaderboard(benchmark).ranked
    assert (row.metrics["accuracy"].low, row.metrics["accuracy"].high, row.provisional) == (0.0, 1.0, True)
    assert "0.0–100.0" in words_of(signed_in(lea).get("/benchmarks/street/leaderboard/"))


@pytest.mark.endurance
def test_the_board_sorts_by_the_share_of_unread_answers_and_lists_them(lea):
    """One of ten is unread in A, and none in B, where a person's letter stands in its place."""
    benchmark = make_street(lea)
    Trajectory.objects.filter(run__model__name="Model B", sample__key="unread-00").update(answer="B")
    score_benchmark(actor=lea, benchmark=benchmark)
    a, b = Run.objects.order_by("pk")
    client, board = signed_in(lea), "/benchmarks/street/leaderboard/?sort=unread_rate"
    answer = client.get(board)
    assert [row.run for row in answer.context["board"].ranked] == [b, a]
    assert 'href="/glossary/#unread_rate"' in answer.content.decode()
    words = words_of(answer)
    assert "10.0 (1 of 10)" in words
    assert "0.0 (0 of 10)" in words
    unread = [href for href in counted_links(answer) if "unread=yes" in href]
    assert unread
    others = [client.get(f"{board}{terms}") for terms in ("&by=category&slice=Color", "&q=scored")]
    assert wrong_links(client, answer, *others) == {}
    for format in ("md", "tex"):
        text = content(client.get(f"{board}&format={format}"))
        assert "Unread" in text
        assert "10.0 (1 of 10)" in text
    lines = csv.DictReader(content(client.get(f"{board}&format=csv")).splitlines())
    rows = {row["run"]: row for row in lines if row["run"]}
    assert {run: (float(row["unread_rate"]), row["unread"]) for run, row in rows.items()} == {
        str(a.pk): (0.1, "1"), str(b.pk): (0.0, "0")
    }  # fmt: skip
    said = client.get("/api/v1/benchmarks/street/leaderboard/?sort=unread_rate").json()["ranked"]
    assert [(row["run"], row["metrics"]["unread_rate"]["value"]) for row in said] == [(b.pk, 0.0), (a.pk, 0.1)]
    assert (said[1]["metrics"]["unread_rate"]["numerator"], said[1]["metrics"]["unread_rate"]["n"]) == (1, 10)
