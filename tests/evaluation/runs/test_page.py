"""The page of a run: every count leads to exactly that many, and every kind of run has a sensible page."""

from __future__ import annotations

import json
import re

import pytest
from django.urls import reverse

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.models import Sample
from evaluation.common import crops as read_crops
from evaluation.metrics.significance import holm
from evaluation.models import Metric, Trajectory
from evaluation.runs.present.charts import LEFT, RIGHT, STRIP
from evaluation.scoring.settings import change_settings
from evaluation.scoring.write import score_benchmark
from evaluation.store.files import rows_changed
from tests.conftest import signed_in
from tests.evaluation.crawl import counted_links, miscounted, total, wrong_links
from tests.evaluation.run_pages import KINDS, make_benchmark, only_run
from webapp.common.formatting import MINUS

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def page(client, benchmark, **terms):
    return client.get(reverse("evaluation:run", args=[benchmark.slug, only_run(benchmark).pk]), terms)


def hidden(response):
    return {row.label: row.count.n for row in response.context["hidden"]}


@pytest.mark.both_databases
@pytest.mark.endurance
@pytest.mark.endurance
def test_every_count_leads_to_exactly_that_many(lea, street):
    client = signed_in(lea)
    response = page(client, street)
    assert len(counted_links(response)) > 38
    assert wrong_links(client, response) == {}


@pytest.mark.parametrize("facet", ["segment", "targets"])
def test_counts_of_a_slice_are_those_of_its_lists(lea, facet, street):
    client = signed_in(lea)
    response = page(client, street, slice_by=facet)
    assert response.context["slice_by"] == facet
    assert any("counted=yes" in href for href in counted_links(response))
    assert miscounted(client, response) == {}


@pytest.mark.endurance
def test_the_page_can_be_about_one_slice(lea, street):
    client = signed_in(lea)
    whole, part = page(client, street), page(client, street, slice_by="category", slice="Color")
    assert part.context["counts"]["all"] < whole.context["counts"]["all"]
    assert sum(part.context["threshold_data"]["counts"][50]) == part.context["population"].n
    assert part.context["heat"]["trajectories"] < whole.context["heat"]["trajectories"]
    assert sum(region.count.n for region in part.context["regions"]) == part.context["population"].n
    assert all("facet.category=Color" in href for href in counted_links(part) if "&crop_cell" in href)
    assert miscounted(client, part) == {}
    unknown = page(client, street, slice_by="category", slice="None such")
    assert unknown.status_code == 404
    assert "has no scores on category = None such" in unknown.content.decode()
    assert "It is by category" in page(client, street, slice_by="nonsense").content.decode()


def test_regions_part_the_population_and_sizes_the_run(lea, street):
    context = page(signed_in(lea), street).context
    found = {region.name: (region.count.n, region.right.n) for region in context["regions"]}
    assert found == {
        "tight": (13, 7), "wide": (0, 0), "inside": (0, 0), "partial": (3, 3), "full image": (0, 0), "miss": (12, 6),
    }  # fmt: skip
    assert sum(bar.count.n for bar in context["sizes"].bars) == context["counts"]["scored"]


@pytest.mark.endurance
def test_a_slice_has_intervals_at_every_threshold(lea, street):
    client = signed_in(lea)
    whole = page(client, street).context["threshold_data"]
    everything = page(client, street, slice_by="segment", slice="top").context["threshold_data"]
    part = page(client, street, slice_by="category", slice="Color").context["threshold_data"]
    assert everything["counts"] == whole["counts"]
    assert whole["intervals"] == everything["intervals"]
    assert len(part["intervals"]) == len(part["counts"]) == 101
    assert part["intervals"] != everything["intervals"]


def test_runs_are_ranked_at_every_threshold(lea):
    client, benchmark = signed_in(lea), make_benchmark(lea, {"seen": 3, "partly": 2}, models=("Model C", "Model D"))
    Trajectory.objects.filter(run__model__name="Model D", sample__key="seen-00").update(answer="B")
    score_benchmark(actor=lea, benchmark=benchmark)
    second = benchmark.runs.get(model__name="Model D")
    ranking = client.get(reverse("evaluation:run", args=["street", second.pk])).context["ranking"]
    assert (ranking.of, ranking.own[50], ranking.own[100]) == (2, 2, 1)
    assert [line.name for line in ranking.lines] == ["Model C", "Model D"]


@pytest.mark.parametrize(
    "settings",
    [{"no_crop": "fail"}, {"ioa_threshold": "0.3"}, {"undecided_answer": "exclude"}, {"multi_crop": "union"}],
)
@pytest.mark.endurance
def test_counts_lead_to_as_many_under_other_settings(lea, settings, street):
    client = signed_in(lea)
    change_settings(actor=lea, benchmark=street, values=settings)
    score_benchmark(actor=lea, benchmark=street)
    assert miscounted(client, page(client, street)) == {}


def test_the_cells_open_their_quadrant(lea, street):
    client = signed_in(lea)
    cells = page(client, street).context["cells"]
    assert [(cell.name, cell.count) for cell in cells] == [("G+A+", 7), ("G+A-", 6), ("G-A+", 9), ("G-A-", 6)]
    assert [total(client, cell.href) for cell in cells] == [cell.count for cell in cells]
    assert all(cell.low <= cell.share <= cell.high for cell in cells)


def test_the_difference_by_grounding_is_that_of_the_cells(lea, street):
    """7 of 13 right when grounded, 9 of 15 when not: 28 pictures, in words as scored and at another threshold."""
    context = page(signed_in(lea), street).context
    found = context["difference"]
    assert (found.points, found.odds) == (f"{MINUS}6.2 pp", "0.78")
    assert re.fullmatch(r"95% bootstrap interval clustered by image: \S+ to \+\S+ pp", found.spread)
    assert found.drawn == "2,000 draws of 28 image clusters, seed 20260101"
    words = context["threshold_data"]["differences"]
    assert words[50] == [found.points, found.odds, found.left_open]
    assert words[39][:2] == ["+12.5 pp", "1.67"]
    assert words[100] == ["n/a: no crop is grounded", "n/a", ""]


def test_the_difference_of_few_pictures_says_that_they_are_few(lea):
    content = page(signed_in(lea), make_benchmark(lea, {"seen": 3, "missed": 2, "missed-wrong": 1})).content.decode()
    assert "no interval: fewer than 20 image clusters (6)" in content
    assert "(0.5 added to each cell, because one is 0)" in content
    assert "No interval: at least 20 image clusters are needed, there are 3." in content


def test_few_pictures_of_scores_of_before_are_not_numbered(lea):
    benchmark = make_benchmark(lea, {"seen": 3, "missed": 2})
    for row in only_run(benchmark).scoring.metrics.filter(metric="accuracy_when_grounded"):
        del row.detail["clusters"]
        row.save()
    content = page(signed_in(lea), benchmark).content.decode()
    assert "No interval: at least 20 image clusters are needed." in content


@pytest.mark.parametrize("threshold", [0, 0.16, 0.39, 0.4, 0.5, 1])
@pytest.mark.endurance
def test_the_moved_threshold_has_counts_whose_lists_are_as_long(lea, threshold, street):
    """The links are those of static/js/models/threshold.js."""
    client = signed_in(lea)
    data = page(client, street).context["threshold_data"]
    terms = [(side, right) for side in ("ioa_above", "ioa_upto") for right in ("yes", "no")]
    lists = [f"{data['list']}&population=yes&{side}={threshold:.2f}&right={right}" for side, right in terms]
    assert [total(client, href) for href in lists] == data["counts"][round(100 * threshold)]


def test_the_threshold_data_stands_in_the_page_as_json(lea, street):
    response = page(signed_in(lea), street)
    found = re.search(r'<script id="threshold-data" type="application/json">(.*?)</script>', response.content.decode())
    assert found
    assert json.loads(found[1]) == response.context["threshold_data"]


def test_what_an_effect_rests_on_is_a_link_to_those_pairs(lea, street):
    client = signed_in(lea)
    effects = page(client, street).context["effects"]
    assert [(e.label, e.n.n, total(client, e.n.href)) for e in effects.rows] == [
        ("Noise crops", 12, 12), ("Placebo crops", 12, 12)
    ]  # fmt: skip
    assert (effects.beyond_n.n, total(client, effects.beyond_n.href)) == (12, 12)


def test_judged_samples_and_those_without_a_verdict_are_lists(lea):
    client, benchmark = signed_in(lea), make_benchmark(lea, {"seen": 5, "blind": 1})
    said = {"seen-00": "Yes.", "seen-01": "No", "seen-02": " ", "blind-00": "Yes"}
    for key, verdict in said.items():
        for kind, answer in (("reliability", "A"), ("sufficiency", "A" if key == "seen-02" else None)):
            sample = Sample.objects.get(key=key)
            only_run(benchmark).judgements.create(sample=sample, kind=kind, verdict=verdict, answer=answer)
    score_benchmark(actor=lea, benchmark=benchmark)
    response = page(client, benchmark)
    judged = {one.label: (one.n.n, one.missing.n) for one in response.context["judged"]}
    assert judged == {"Reliability": (2, 3), "Sufficiency": (3, 2)}
    assert {f"judged={kind}" for kind in ("reliability", "sufficiency")} <= {
        href.partition("&")[2] for href in counted_links(response)
    }
    assert miscounted(client, response) == {}


def test_a_missing_sample_counted_as_wrong_is_in_no_list(lea):
    client, benchmark = signed_in(lea), make_benchmark(lea, {"seen": 2, "absent": 1})
    change_settings(actor=lea, benchmark=benchmark, values={"missing_sample": "wrong"})
    score_benchmark(actor=lea, benchmark=benchmark)
    response = page(client, benchmark)
    right, counted = response.context["numbers"][0].counts
    assert (right.n, counted.n, counted.href) == (2, 3, "")
    assert {row.counted.href for row in response.context["slices"]} == {""}


def test_flips_are_links_where_their_trajectories_are_recorded(lea, street):
    client = signed_in(lea)
    noise = next(e for e in page(client, street).context["effects"].rows if e.label == "Noise crops")
    assert (noise.lost.n, noise.gained.n, noise.row.n) == (5, 4, 12)
    assert (total(client, noise.lost.href), total(client, noise.gained.href)) == (5, 4)


def test_the_conditions_are_adjusted_for_each_other_and_say_how_many_answers_turned(lea, street):
    client = signed_in(lea)
    answer = page(client, street)
    rows = answer.context["effects"].rows
    assert [one.p_holm for one in rows] == holm([one.p_cluster for one in rows])
    assert rows[0].turned == pytest.approx(9 / 12)
    kept = client.get(f"/api/v1/benchmarks/{street.slug}/runs/{only_run(street).pk}/metrics/", {"by": ""}).json()
    said = {row["metric"]: row["detail"] for row in kept["results"]}
    for one in rows:
        detail = said[one.row.metric]
        assert (detail["turned"], detail["p_holm"]) == (pytest.approx(one.turned), one.p_holm)
        assert (detail["turned_low"], detail["turned_high"]) == one.turned_ends
        assert (detail["changed"], detail["changed_n"]) == (one.changed, one.row.n)
    assert rows[0].changed == rows[0].turned  # of two letters the other one is the only other answer
    assert "Holm-adjusted over 2 conditions" in answer.content.decode()
    for metric in Metric.objects.filter(metric="ate_visual", slice_by=""):
        metric.detail = {name: value for name, value in metric.detail.items() if not name.startswith("turned")}
        metric.save()
    noise = page(client, street).context["effects"].rows[0]
    assert (noise.turned, noise.turned_ends) == (pytest.approx(9 / 12), None)


def test_flips_without_their_trajectories_are_plain_numbers(lea, street):
    client = signed_in(lea)
    Trajectory.objects.filter(condition="visual", sample__key="seen-00").delete()
    rows_changed([only_run(street).pk])
    noise = next(e for e in page(client, street).context["effects"].rows if e.label == "Noise crops")
    assert (noise.lost.n, noise.lost.href) == (5, "")
    assert noise.gained.href


def test_what_is_never_hidden_is_counted(lea, street):
    response = page(signed_in(lea), street)
    assert hidden(response) == {
        "Missing": 2, "Failed": 3, "Unanswered": 5, "Unread": 1, "Undecided": 2, "Unusable crops": 2,
    }  # fmt: skip


def test_trajectories_newer_than_the_scores_are_said(lea, street):
    client = signed_in(lea)
    run, sample = only_run(street), Sample.objects.get(key="absent-00")
    Trajectory.objects.create(run=run, sample=sample, digest="")
    rows_changed([run.pk])
    response = page(client, street)
    assert hidden(response)["Not scored"] == 1
    assert hidden(response)["Missing"] == 1


def test_a_run_that_is_not_scored_says_so(lea):
    response = page(signed_in(lea), make_benchmark(lea, scored=False))
    assert "Not scored" in response.content.decode()
    assert list(counted_links(response).values()) == [sum(KINDS.values()) - KINDS["absent"]]


@pytest.mark.endurance
def test_a_run_of_errors_has_failed_and_is_not_zero_percent(lea):
    client, benchmark = signed_in(lea), make_benchmark(lea, {"failed": 3})
    response = page(client, benchmark)
    assert "This run failed" in response.content.decode()
    assert response.context["numbers"] == []
    assert {total(client, href) for href, n in counted_links(response).items() if n} == {3}


def test_a_run_without_a_zoom_call_has_accuracy_and_no_quadrants(lea):
    response = page(signed_in(lea), make_benchmark(lea, {"blind": 3}))
    text = response.content.decode()
    assert "No crops to show" in text
    assert "Crop strategy" not in text
    assert [number.value for number in response.context["numbers"]][:6] == ["100.0", *["n/a"] * 5]
    assert [number.value for number in response.context["numbers"]][-1] == "3"


@pytest.mark.endurance
def test_a_run_of_plans_alone_has_its_outcomes(lea):
    client, benchmark = signed_in(lea), make_benchmark(lea, {"planned": 8})
    plans = page(client, benchmark).context["plans"]
    assert [(one.label, one.count.n) for one in plans.outcomes] == [
        ("exact", 2), ("extra only", 2), ("missing only", 2), ("substitute", 0), ("out of order", 2),
    ]  # fmt: skip
    assert [total(client, one.count.href) for one in plans.outcomes] == [2, 2, 2, 0, 2]
    assert "n/a" in page(client, benchmark).content.decode()


def test_many_points_are_sampled_evenly_and_the_page_says_so(lea, monkeypatch, street):
    monkeypatch.setattr(read_crops, "MOST_POINTS", 10)
    client = signed_in(lea)
    first, again = (page(client, street) for _ in range(2))
    chart = first.context["scatter"]
    assert (chart.shown, chart.total, len(chart.points)) == (10, 28, 10)
    assert "10 of 28 shown, a random sample with seed 7" in first.content.decode()
    assert chart.points == again.context["scatter"].points


@pytest.mark.endurance
def test_every_mark_opens_its_trajectory(lea):
    client, benchmark = signed_in(lea), make_benchmark(lea, {"seen": 2})
    for point in page(client, benchmark).context["scatter"].points:
        assert client.get(point.href).status_code == 200


def test_marks_lie_where_their_coverage_is_and_misses_in_a_strip_beside_the_axes(lea):
    """D1.4. D1.12: the axes are fractions, as the fields that a drag fills in."""
    client, benchmark = signed_in(lea), make_benchmark(lea, {"seen": 3, "missed": 4, "partly": 2})
    answer = page(client, benchmark)
    chart = answer.context["scatter"]
    places = sorted(float(point.path[1:].split()[0].split("h")[0]) for point in chart.points)
    assert chart.missed.n == sum(STRIP[0] <= x <= STRIP[1] for x in places) == 4
    middle = LEFT + 0.4 * (RIGHT - LEFT)
    assert places[4:] == pytest.approx([middle] * 2 + [RIGHT] * 3, abs=2.1)  # a cross begins two units to the left
    partly = next(point for point in chart.points if point.words.startswith("partly-00"))
    assert partly.words.endswith(": coverage 0.40, concentration 0.20")
    assert partly.words in answer.content.decode()


def test_text_of_the_data_stays_text(lea):
    benchmark = make_benchmark(lea, {"seen": 2}, models=["<b>Model</b>"])
    text = page(signed_in(lea), benchmark).content.decode()
    assert "&lt;b&gt;Model" in text
    assert "<b>Model" not in text


def test_a_stranger_finds_nothing(lea, sam, client):
    benchmark = make_benchmark(lea, {"seen": 1})
    assert page(signed_in(sam), benchmark).status_code == 404
    assert page(client, benchmark).status_code == 404


def test_a_run_of_another_benchmark_is_not_here(lea):
    benchmark = make_benchmark(lea, {"seen": 1})
    other = create_benchmark(actor=lea, slug="shelf", title="Shelf")
    assert signed_in(lea).get(reverse("evaluation:run", args=[other.slug, only_run(benchmark).pk])).status_code == 404


@pytest.mark.parametrize("many", [1, 20])
def test_the_number_of_queries_does_not_grow(lea, many, django_assert_num_queries):
    """Session, person, benchmark, roles, run, the change number of the benchmark, failures said by people, missing
    samples, roles for the buttons, how fresh the scores are, metrics; thresholds of all runs; rollout groups; metrics
    by calls, facets, the slices of one. The scatter and the table are as long as the run, in as many queries."""
    client = signed_in(lea)
    benchmark = make_benchmark(lea, {"seen": 3 * many, "missed": 2 * many, "missed-wrong": many})
    url = reverse("evaluation:run", args=[benchmark.slug, only_run(benchmark).pk])
    client.get(url)
    with django_assert_num_queries(16):
        client.get(url)
