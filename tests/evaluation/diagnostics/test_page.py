"""Diagnostics of plans and tools: each number opens exactly what it counts, and equals what is computed apart."""

from __future__ import annotations

import csv
import io
import json
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from lxml import etree

from evaluation.common.plan_errors import OCCLUDED
from evaluation.diagnostics.present.page import letters_of
from evaluation.diagnostics.read.analysis import CURVES, PAIRS
from evaluation.diagnostics.read.tables import TABLES
from evaluation.metrics.published import FOLDER
from evaluation.metrics.rank_correlation import spearman
from evaluation.models import Metric, Run, Scoring, Tag, Tagging, Trajectory
from evaluation.store.trajectory_list import TrajectoryList
from tests.conftest import signed_in
from tests.evaluation.crawl import counted_links, miscounted
from tests.evaluation.diagnostics_data import PLANNERS, make_diagnostics
from tests.worlds import made_once
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
QUERIES = 18
"""For session, person and roles; runs, store, tags, metrics and samples; tabs; and how fresh the scores are."""


@made_once
def bench(lea: User) -> Any:
    return make_diagnostics(lea)


def page(client, slug="bench", **terms):
    return client.get(f"{reverse('evaluation:diagnostics', args=[slug])}?{urlencode(terms, doseq=True)}")


def table(client, name):
    return json.loads(b"".join(page(client, table=name, format="json")))


def run_of(model: str, setting: str = "plan") -> Run:
    return Run.objects.get(model__name=model, setting=setting)


def listed(benchmark, lea, **terms):
    return TrajectoryList(benchmark, list(Run.objects.of(benchmark)), terms, lea).pks


@pytest.mark.endurance
def test_every_count_opens_exactly_that_many(lea, bench):
    client = signed_in(lea)
    whole = page(client)
    assert whole.status_code == 200
    assert len(counted_links(whole)) > 120
    assert miscounted(client, whole) == {}
    one = page(client, run=run_of("Careless").pk)
    assert counted_links(one)
    assert miscounted(client, one) == {}


def test_means_open_the_queries_they_are_of_and_points_the_trajectories_of_both_rates(lea, bench):
    client = signed_in(lea)
    whole = page(client)
    shown = whole.context["shown"]
    for line in shown.plans:
        assert line.recognized.n == line.metrics["recognition_f1"].n
        assert line.selected.n == line.metrics["selection_f1"].n > line.recognized.n > 0
        assert line.recognized.href
        assert line.selected.href
    assert all(row.count.n == sum(cell.count.n for cell in row.cells) for row in shown.heat.rows)
    assert all(point.cases.href for scatter in shown.scatters for point in scatter.points)
    assert miscounted(client, whole) == {}


@pytest.mark.parametrize(
    "centers", [[(50, 10), (61, 10), (72, 10)], [(250, 60)] * 3, [(100, 60), (100, 68), (108, 60), (108, 68)]]
)
def test_letters_of_points_cover_no_point_and_no_other_letter(centers):
    placed = letters_of(centers)
    boxes = [(x + dx, y + dy) for (x, y), (dx, dy) in zip(centers, placed, strict=True)]
    for at, (left, bottom) in enumerate(boxes):
        assert bottom >= 9
        assert not [x for x, y in centers if left - 4 < x < left + 12 and bottom - 13 < y < bottom + 4]
        for x, y in boxes[:at]:
            assert abs(x - left) >= 8 or abs(y - bottom) >= 9


def test_missing_targets_are_omitted_or_not_recognized_and_tags_tell_apart(lea, rui, bench):
    client = signed_in(lea)
    before = {row["model"]: row for row in table(client, "errors")}
    assert set(before) == set(PLANNERS)
    for row in before.values():
        assert row["missing"] == row["omitted"] + row["unrecognized"]
        assert row["functional_omission"] == pytest.approx(row["omitted"] / row["missing"])
        assert row["extra"] == row["in_scene"] + row["repeated"] + row["hallucinated"]
        assert row["spurious_repeat"] == pytest.approx(row["repeated"] / row["extra"])
        assert row["occluded"] == 0
    assert before["Careless"]["missing"] > before["Careful"]["missing"]
    run = run_of("Careless")
    tagged = listed(bench, lea, run=str(run.pk), unrecognized="2+")[:2]
    tag = Tag.objects.create(benchmark=bench, name=OCCLUDED)
    Tagging.objects.bulk_create([Tagging(tag=tag, trajectory_id=pk, by=lea) for pk in tagged])
    after = {row["model"]: row for row in table(client, "errors")}["Careless"]
    assert 4 <= after["occluded"] < after["unrecognized"]
    shown = page(client)
    assert miscounted(client, shown) == {}
    assert len(tagged) in [line.plans()["occluded"].n for line in shown.context["shown"].plans]


def test_complete_plans_are_held_against_their_shuffled_order(lea, bench):
    for row in table(signed_in(lea), "errors"):
        run = str(run_of(row["model"]).pk)
        complete = listed(bench, lea, run=run, planned="yes", missing="0")
        out = listed(bench, lea, run=run, outcome="out_of_order")
        assert row["complete_out_of_order_n"] == row["chance_out_of_order_n"] == len(complete)
        assert row["complete_out_of_order"] == pytest.approx(len(out) / len(complete))
        assert 0 <= row["chance_out_of_order"] < 1


def test_f1_of_both_tasks_is_compared_on_queries_with_both(lea, bench):
    for row in table(signed_in(lea), "tasks"):
        both = listed(bench, lea, run=str(row["run"]), f1_difference="any")
        assert row["f1_difference_n"] == len(both) < row["selection_f1_n"]
        assert row["f1_difference_ci_low"] < row["f1_difference"] < row["f1_difference_ci_high"]
        assert 0 < row["p_value"] <= 1


def test_rates_by_number_of_targets_have_gaps_where_undefined(lea, bench):
    rows = {(r["model"], r["targets"], r["metric"]): r for r in table(signed_in(lea), "curves")}
    assert len(rows) == len(PLANNERS) * 6 * len(CURVES)
    for model in PLANNERS:
        assert rows[model, "1", "success_rate_at_2"]["value"] is None
        assert rows[model, "2", "success_rate_at_3"]["value"] is None
        run = str(run_of(model).pk)
        done = listed(bench, lea, run=run, targets="6+", prefix="3+")
        row = rows[model, "6+", "success_rate_at_3"]
        assert row["value"] == pytest.approx(len(done) / row["value_n"])
    panel = next(p for p in page(signed_in(lea)).context["shown"].curves if p.metric == "success_rate_at_3")
    assert {len(line.dots) for line in panel.lines} == {4}


def test_segments_are_sorted_and_need_ten_plans(lea, bench):
    client = signed_in(lea)
    found = page(client).context["found"]
    names = [name for name, _ in found.heat.rows]
    assert sorted(names) == ["cut", "join", "measure"]
    assert found.heat.small == 1
    assert list(found.heat.means) == sorted(found.heat.means, reverse=True)
    assert found.heat.runs[0].model.name == "Careful"
    rates = {
        run.pk: [
            Metric.objects.get(
                scoring=run.scoring, metric="task_completable_rate", slice_by="segment", slice=name
            ).value
            for name in names
        ]
        for run in found.heat.runs
    }
    pairs = [
        spearman(rates[a.pk], rates[b.pk]).rho for at, a in enumerate(found.heat.runs) for b in found.heat.runs[:at]
    ]
    if None not in pairs:
        assert found.heat.agreement.mean_rho == pytest.approx(sum(pairs) / len(pairs))
        assert found.heat.agreement.w == pytest.approx((2 * found.heat.agreement.mean_rho + 1) / 3)
    assert page(client, by="nothing").status_code == 404


def test_calling_is_held_against_the_run_of_the_same_model_or_a_chosen_one(lea, bench):
    client = signed_in(lea)
    [row] = table(client, "calling")
    base, tools = run_of("Caller", "base"), run_of("Caller", "interface")
    assert (row["run"], row["without"], row["n"]) == (tools.pk, base.pk, 20)
    assert [row[name] for name in ("benefit", "harm", "needless", "futile")] == [4, 4, 4, 8]
    assert (row["net"], row["uncalled"], row["unmet"]) == (0, 4, 4)
    assert row["unmet_share_ci_low"] < 1 == row["unmet_share"]
    chosen = page(client, base=base.pk).context["found"]
    assert {str(pair.tools) for pair in chosen.calling} == {str(tools), str(run_of("Other", "interface"))}
    assert page(client, base=tools.pk).status_code == 404
    plans = page(client, run=run_of("Careful").pk)
    assert "This needs two scored runs" in plans.content.decode()


def test_points_and_correlations_are_those_of_the_metrics(lea, bench):
    client = signed_in(lea)
    points = table(client, "points")
    for row, (first, second) in zip(table(client, "correlations"), PAIRS, strict=True):
        both = [(p[first], p[second]) for p in points if p[first] is not None and p[second] is not None]
        assert row["n"] == len(both)
        assert row["rho"] == spearman([x for x, _ in both], [y for _, y in both]).rho


def test_an_answer_that_repeats_a_tool_is_a_failure_of_its_own(lea, bench):
    pks = listed(bench, lea, failure="tool_result_copied")
    found = Trajectory.objects.filter(pk__in=pks).values_list("run__model__name", "run__setting", "answer")
    assert set(found) == {("Caller", "interface", "8")}
    assert len(pks) == 4


@pytest.mark.endurance
def test_tables_and_figures_are_files(lea, bench):
    client = signed_in(lea)
    for name, export in TABLES.items():
        text = b"".join(page(client, table=name, format="csv")).decode()
        rows = list(csv.DictReader(io.StringIO(text)))
        assert rows, name
        assert tuple(rows[0]) == export.columns
        assert set(table(client, name)[0]) == set(export.columns), name
    for figure in ("curves", "segments", "scatters"):
        drawn = b"".join(page(client, figure=figure, format="svg"))
        assert etree.fromstring(drawn).tag.endswith("svg")
        assert b"scored" in drawn
        assert b"".join(page(client, figure=figure, format="png"))[:4] == b"\x89PNG"
    for wrong in ({"table": "x", "format": "csv"}, {"table": "errors", "format": "xls"},
                  {"figure": "x", "format": "svg"}, {"figure": "curves", "format": "pdf"}):  # fmt: skip
        assert page(client, **wrong).status_code == 400


def test_the_api_has_the_tables_of_the_page(lea, bench):
    client = signed_in(lea)
    found = client.get("/api/v1/benchmarks/bench/diagnostics/").json()
    assert set(found["tables"]) == set(TABLES)
    assert found["tables"]["calling"] == table(client, "calling")
    assert found["bases"] == [run_of("Caller", "base").pk]
    assert set(found["agreement"]) == {"models", "items", "mean_rho", "w"}
    for wrong in ("run=1&run=1", "run="):
        assert client.get(f"/api/v1/benchmarks/bench/diagnostics/?{wrong}").status_code == 400
    assert client.get("/api/v1/benchmarks/bench/diagnostics/?base=0").status_code == 404


def test_the_command_prints_what_the_page_and_the_api_have(lea, bench, tmp_path):
    client, out = signed_in(lea), tmp_path / "out"

    def printed(**options):
        call_command("diagnostics", "bench", output=out, **options)
        return out.read_text()

    assert json.loads(printed(format="json")) == client.get("/api/v1/benchmarks/bench/diagnostics/").json()
    run = run_of("Careless").pk
    one = list(csv.DictReader(io.StringIO(printed(table="errors", format="csv", run=[run]))))
    assert [(row["run"], row["missing"]) for row in one] == [
        (str(row["run"]), str(row["missing"])) for row in table(client, "errors") if row["run"] == run
    ]
    text = printed()
    for export in TABLES.values():
        assert str(export.title) in text
    assert "Careless" in text
    assert "Careful" not in printed(run=[run])
    for wrong in ({"format": "csv"}, {"by": "nothing"}, {"base": run}, {"run": [10**9]}):
        with pytest.raises(CommandError):
            printed(**wrong)


def test_published_points_are_those_of_the_paper_and_in_no_correlation(lea, bench):
    client = signed_in(lea)
    paper = json.loads((FOLDER / "vtc_tool_invocation.json").read_text())["rows"]
    rows = table(client, "published")
    assert [(row["model"], row["pass_rate"], row["tool_call_rate"]) for row in rows] == [
        (one["Model"], pytest.approx(one["APR"] / 100), pytest.approx(one["TCR"] / 100)) for one in paper
    ]
    assert all("2603.15030" in row["source"] for row in rows)
    shown = page(client).context["shown"]
    assert {len(scatter.published) for scatter in shown.scatters} == {len(paper)}
    assert all(one.n <= len(Run.objects.of(bench)) for one in page(client).context["found"].correlations)


def test_tags_are_hidden_from_who_may_not_see_them(lea, sam, bench):
    tag = Tag.objects.create(benchmark=bench, name=OCCLUDED)
    lacking = listed(bench, lea, run=str(run_of("Careless").pk), unrecognized="1+")
    Tagging.objects.create(tag=tag, trajectory_id=lacking[0], by=lea)
    assert page(signed_in(sam)).status_code == 404
    bench.public = True
    bench.save()
    for client in (Client(), signed_in(sam)):
        shown = page(client)
        assert shown.status_code == 200
        assert all("occluded" not in line.counts.errors for line in shown.context["shown"].plans)
        assert {row["occluded"] for row in table(client, "errors")} == {None}
        assert miscounted(client, shown) == {}
    assert "occluded" in page(signed_in(lea)).context["shown"].plans[0].counts.errors


def test_the_number_of_queries_does_not_grow_with_runs_and_samples(lea, bench, django_assert_num_queries):
    client = signed_in(lea)
    make_diagnostics(lea, queries=12, questions=6, slug="small", models=("Careful",))
    for slug in ("small", "bench"):
        page(client, slug)
        with django_assert_num_queries(QUERIES):
            page(client, slug)


def test_empty_states_say_what_is_needed(lea):
    make_diagnostics(lea, queries=0, questions=2)
    client = signed_in(lea)
    text = page(client).content.decode()
    assert "No plans to diagnose." in text
    assert "Did calling tools help?" in text
    Scoring.objects.all().delete()
    assert "No scored runs" in page(client).content.decode()


def test_the_page_of_a_run_says_why_its_plans_fail(lea, bench):
    client, run = signed_in(lea), run_of("Average")
    row = next(row for row in table(client, "errors") if row["run"] == run.pk)
    whole = client.get(reverse("evaluation:run", args=["bench", run.pk]))
    facts = whole.context["plan_facts"]
    assert (facts.missing, facts.extra) == (row["missing"], row["extra"])
    assert [part.n for part in facts.lost] == [row["omitted"], row["unrecognized"], 0]
    assert facts.change.value == next(r for r in table(client, "tasks") if r["run"] == run.pk)["f1_difference"]
    assert miscounted(client, whole) == {}
    piece = client.get(reverse("evaluation:run", args=["bench", run.pk]), {"slice_by": "segment", "slice": "cut"})
    assert 0 < piece.context["plan_facts"].missing < facts.missing
    assert miscounted(client, piece) == {}
    assert (
        client.get(reverse("evaluation:run", args=["bench", run_of("Caller", "base").pk])).context["plan_facts"] is None
    )
