"""What undecided answers leave open of repeated rollouts, of accuracy when grounded and of interventions is one number
wherever these stand; of a provisional run it stands in place of the point."""

from __future__ import annotations

import csv
import re
from io import StringIO

import pytest
from django.core.management import call_command

from evaluation.leaderboard.read.board import load_leaderboard
from evaluation.metrics.selection import AMONG, QUADRANTS
from evaluation.metrics.undecided import difference_range
from evaluation.models import Metric, Run, Scoring, Trajectory
from evaluation.scoring.settings import change_settings
from evaluation.scoring.write import score_benchmark
from evaluation.trajectories.write.slices import save_slice
from tests.conftest import signed_in
from tests.evaluation.run_pages import make_benchmark, repeat
from tests.worlds import made_once

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
COLUMNS = "accuracy_when_grounded,accuracy_when_ungrounded,ate_visual,visual_beyond_placebo"
BOARD = f"/benchmarks/street/leaderboard/?columns={COLUMNS}"
GROUNDED, LOW, HIGH = "53.8 (53.8–61.5)", 7 / 13, 8 / 13
"""Of 13 grounded ones seven are right and one is undecided; of 15 ungrounded ones nine are right."""
DIFFERENCE, SPREAD = "−6.2 pp", "−6.2 to +1.5 pp, could change its sign"
EFFECT, ENDS = "−8.3 (−8.3 to 0.0)", (-1 / 12, 0.0)
"""Of 12 pairs seven are right without noise; with noise six are right and one is undecided."""


@made_once
def benchmark(lea):
    benchmark = make_benchmark(lea)
    Trajectory.objects.filter(condition="visual", sample__key="seen-00").update(answer="neither")
    repeat(benchmark, lea)
    return benchmark


@pytest.fixture
def client(lea, benchmark):
    return signed_in(lea)


@pytest.fixture
def run(benchmark):
    return Run.objects.get(benchmark=benchmark)


def make_provisional(lea, benchmark, **settings) -> None:
    change_settings(actor=lea, benchmark=benchmark, values={"unread_alarm": 0.0, **settings})
    score_benchmark(actor=lea, benchmark=benchmark)
    assert Scoring.objects.get().provisional


def words_of(answer) -> str:
    """The page without its markup."""
    return " ".join(re.sub(r"<[^>]+>", "", answer.content.decode()).split())


def text_of(answer) -> str:
    whole = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return whole.decode().replace("\\", "").replace("--", "–")


@pytest.mark.endurance
def test_accuracy_when_grounded_has_one_range_everywhere(lea, client, benchmark, run):
    save_slice(actor=lea, benchmark=benchmark, name="all", query="scored:yes")
    run_page = f"/benchmarks/street/runs/{run.pk}/"
    for address in (run_page, BOARD, f"{BOARD}&q=scored:yes", f"{BOARD}&by=saved+slice&slice=all"):
        assert GROUNDED in words_of(client.get(address)), address
    for format in ("md", "tex"):
        assert GROUNDED in text_of(client.get(f"{BOARD}&format={format}")), format
    lines = csv.DictReader(text_of(client.get(f"{BOARD}&format=csv")).splitlines())
    [row] = [line for line in lines if line["run"]]
    ends = [float(row[f"accuracy_when_grounded_{end}"]) for end in ("low", "high")]
    assert ends == pytest.approx([LOW, HIGH])
    [said] = client.get("/api/v1/benchmarks/street/leaderboard/").json()["ranked"]
    assert [said["metrics"]["accuracy_when_grounded"][end] for end in ("low", "high")] == pytest.approx([LOW, HIGH])
    stored = Metric.objects.get(metric="accuracy_when_grounded", slice_by="")
    assert (stored.detail["low"], stored.detail["high"]) == pytest.approx((LOW, HIGH))
    metrics = client.get(f"/api/v1/benchmarks/street/runs/{run.pk}/metrics/").json()["results"]
    [whole] = [one for one in metrics if (one["metric"], one["slice_by"]) == ("accuracy_when_grounded", "")]
    assert whole["detail"]["high"] == pytest.approx(HIGH)


def test_the_difference_by_grounding_has_one_range_everywhere(client, run):
    charts = client.get(f"/api/v1/benchmarks/street/runs/{run.pk}/charts/").json()
    found = charts["grounded_difference"]
    assert (found["low"], found["high"]) == pytest.approx((7 / 13 - 0.6, 8 / 13 - 0.6))
    kept = dict(Metric.objects.filter(metric__in=AMONG, slice_by="").values_list("metric", "detail"))
    grounded, ungrounded = ((kept[name]["low"], kept[name]["high"]) for name in AMONG)
    assert (found["low"], found["high"]) == pytest.approx(difference_range(ungrounded, grounded))
    page = client.get(f"/benchmarks/street/runs/{run.pk}/")
    assert f"{DIFFERENCE} ({SPREAD})" in words_of(page)
    # At the scored threshold the slider says the same.
    scored = page.context["threshold_data"]["differences"][50]
    assert scored == [page.context["difference"].points, page.context["difference"].odds, SPREAD]
    assert charts["thresholds_open"][50] == [1, 0]


def test_an_intervention_has_one_range_everywhere(client, benchmark, run):
    page = words_of(client.get(f"/benchmarks/street/runs/{run.pk}/"))
    assert "58.3 → 50.0 (50.0–58.3)" in page
    assert "(−8.3 to 0.0 pp)" in page
    for address in (BOARD, f"{BOARD}&q=scored:yes"):
        assert EFFECT in re.sub(r"\* ", " ", words_of(client.get(address))), address
    for format in ("md", "tex"):
        text = text_of(client.get(f"{BOARD}&format={format}")).replace("$-$", "−").replace("$", "")
        assert EFFECT in text, format
        assert "In parentheses, of a Δ accuracy" in text or "Delta" in text
    for board in (load_leaderboard(benchmark), load_leaderboard(benchmark, slice_by="query", slice="scored:yes")):
        [row] = board.ranked
        assert (row.metrics["ate_visual"].low, row.metrics["ate_visual"].high) == pytest.approx(ENDS)
    printed = StringIO()
    call_command("leaderboard", "street", stdout=printed)
    assert "-8.3 (-8.3 to +0.0)" in printed.getvalue()
    detail = Metric.objects.get(metric="ate_visual", slice_by="").detail
    assert [detail[name] for name in ("low", "high")] == pytest.approx(ENDS)
    assert (detail["accuracy_none_low"], detail["accuracy_none_high"]) == pytest.approx((7 / 12, 7 / 12))
    assert (detail["accuracy_intervened_low"], detail["accuracy_intervened_high"]) == pytest.approx((6 / 12, 7 / 12))
    detail = Metric.objects.get(metric="visual_beyond_placebo", slice_by="").detail
    assert detail["accuracy_placebo_low"] == detail["accuracy_placebo_high"] == 1.0


def test_repeated_rollouts_have_one_range_on_the_page_and_over_the_api(client, run):
    """Eight samples; of undecided-00 the first rollout is undecided and the second right."""
    found = client.get(f"/benchmarks/street/runs/{run.pk}/").context["repeats"].found
    assert found.ranges["value"] == pytest.approx((0.5, 0.5 + 0.5 / 8))
    assert found.ranges["first"] == (0.5, 0.625)
    assert [found.ranges[name] for name in ("always", "some", "never")] == [(2, 3), (3, 4), (2, 2)]
    page = words_of(client.get(f"/benchmarks/street/runs/{run.pk}/"))
    for words in (
        "50.0 (50.0–56.2)",
        "50.0 (50.0–62.5)",
        "2 (2–3) correct in every rollout",
        "4 (3–4) in some rollouts",
    ):
        assert words in page, words
    charts = client.get(f"/api/v1/benchmarks/street/runs/{run.pk}/charts/").json()
    assert {name: tuple(ends) for name, ends in charts["repeats"]["ranges"].items()} == {
        name: found.ranges[name] for name in ("value", "first", "always", "some", "never")
    }


def test_a_provisional_run_shows_no_point_that_undecided_answers_could_change(lea, client, benchmark, run):
    make_provisional(lea, benchmark)
    page = client.get(f"/benchmarks/street/runs/{run.pk}/")
    words = words_of(page)
    for point in (GROUNDED, DIFFERENCE + " (", "58.3 → 50.0 (", "50.0 (50.0–56.2)"):
        assert point not in words, point
    for spread in ("53.8–61.5", "58.3 → 50.0–58.3", "−8.3 to 0.0 pp", "50.0–56.2", "50.0–62.5", SPREAD):
        assert spread in words, spread
    details = dict(Metric.objects.filter(metric__in=QUADRANTS, slice_by="").values_list("metric", "detail"))
    assert [(cell.provisional, cell.range != "") for cell in page.context["cells"]] == [
        (details[name]["high"] > details[name]["low"],) * 2 for name in QUADRANTS
    ]
    board = words_of(client.get(BOARD))
    assert GROUNDED not in board
    assert "53.8–61.5" in board
    printed = StringIO()
    call_command("leaderboard", "street", stdout=printed)
    assert "-8 to +0" in printed.getvalue()


def test_without_an_ioa_of_undecided_answers_a_moved_line_has_no_point(lea, client, benchmark, run):
    make_provisional(lea, benchmark, undecided_answer="exclude")
    data = client.get(f"/benchmarks/street/runs/{run.pk}/").context["threshold_data"]
    assert (data["open"], data["provisional"]) == (None, True)
    assert data["differences"][50][0] == "n/a"


def test_scores_without_the_ranges_show_points_alone(client, run):
    """As they were made before the ranges were kept."""
    for metric in Metric.objects.filter(metric__in=(*AMONG, "ate_visual", "ate_placebo")):
        metric.detail = {name: value for name, value in metric.detail.items() if not name.endswith(("low", "high"))}
        metric.save()
    words = words_of(client.get(f"/benchmarks/street/runs/{run.pk}/"))
    assert "58.3 → 50.0 " in words
    assert GROUNDED not in words.split("Grounding by answer")[0]
