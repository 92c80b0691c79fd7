"""The page of a lineage: the numbers of the leaderboard, what separates, what flipped, and what it costs."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from annotation.models import Benchmark
from evaluation.common.board_metrics import BoardMetric
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.leaderboard.read.board import load_leaderboard
from evaluation.lineages.present.curves import separated_step
from evaluation.lineages.read import SCORED, load_series
from evaluation.models import Experiment, Lineage, Run
from evaluation.scoring.settings import change_settings
from evaluation.scoring.write import score_benchmark
from tests.conftest import signed_in
from tests.evaluation.crawl import wrong_links
from tests.evaluation.lineages.conftest import RIGHT, SETTING, attempts
from tests.evaluation.lists import Lists
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def page_of(client: Client, lineage: Lineage, **terms: Any) -> Any:
    return client.get(f"/benchmarks/{lineage.benchmark.slug}/lineages/{lineage.pk}/", terms)


def api_of(client: Client, lineage: Lineage, **terms: Any) -> Any:
    return client.get(f"/api/v1/benchmarks/{lineage.benchmark.slug}/lineages/{lineage.pk}/", terms)


def run_at(lineage: Lineage, step: int) -> Run:
    return Run.objects.get(lineage=lineage, step=step)


@pytest.mark.parametrize("query", ["", "scene:street"])
def test_every_number_is_that_of_the_leaderboard(grpo: Lineage, lea: User, query: str) -> None:
    series = load_series(grpo, query=query, person=lea)
    sliced = {"slice_by": "query", "slice": query} if query else {}
    rows = {row.run.pk: row for row in load_leaderboard(grpo.benchmark, person=lea, **sliced).rows()}
    assert [point.step for point in series.points] == list(RIGHT)
    for point in series.points:
        for metric in SCORED:
            shown, known = point.metrics.get(metric), rows[point.run.pk].metrics.get(metric)
            assert _without_detail(shown) == _without_detail(known), metric
    assert series.points[0].value("accuracy") == pytest.approx(8 / (16 if query else 24))


def _without_detail(metric: BoardMetric | None) -> Any:
    return metric and metric._replace(detail=None)


def test_the_page_names_the_first_step_at_which_grounding_separates(grpo: Lineage, lea: User) -> None:
    page = page_of(signed_in(lea), grpo)
    at = separated_step(page.context["series"])
    assert at is not None
    assert at.step == 300
    assert "step 300" in page.context["finding"]
    assert next(row.separated for row in page.context["rows"] if row.point.step == 200) is False


def test_every_count_of_flips_opens_as_many_trajectories_of_the_later_step(grpo: Lineage, lea: User) -> None:
    terms = {"from": run_at(grpo, 0).pk, "to": run_at(grpo, 400).pk}
    for query in ("", "scene:shop"):
        page = page_of(signed_in(lea), grpo, **terms, **({"q": query} if query else {}))
        flips = page.context["flips"]
        assert flips.correct.n == (14 if not query else 6)
        section = page.content.decode().partition('class="lineage__flips"')[2].partition("</section>")[0]
        links = re.findall(r'data-count="(\d+)" href="([^"]+)"', section)
        assert len(links) >= 6
        lists = Lists(lea)
        for count, address in links:
            where = urlsplit(address.replace("&amp;", "&")).query
            assert lists.count("kitchen", where) == int(count), address
            assert f"run={run_at(grpo, 400).pk}" in where
        assert sum(one.count.n for _, row in flips.quadrants for one in row) == flips.looked.n


def test_every_share_of_the_table_opens_as_many_trajectories_of_its_step(grpo: Lineage, lea: User) -> None:
    lists = Lists(lea)
    for query in ("", "scene:shop"):
        page = page_of(signed_in(lea), grpo, **({"q": query} if query else {}))
        shares = [cell.count for row in page.context["rows"] for cell in row.cells if cell.count]
        assert len(shares) == 7 * len(RIGHT)
        for count in shares:
            assert str(count.markup()) in page.content.decode()
            where = urlsplit(count.href).query
            assert lists.count("kitchen", where) == count.n, where


@pytest.mark.parametrize("query", ["", "scene:shop"])
def test_every_mean_of_the_table_opens_as_many_trajectories_as_its_n(grpo: Lineage, lea: User, query: str) -> None:
    client = signed_in(lea)
    page = page_of(client, grpo, **({"q": query} if query else {}))
    rows = page.context["rows"]
    means = [cell for row in rows for cell in row.cells if cell.n and not cell.count]
    assert len(means) >= 3 * len(RIGHT)
    assert all(cell.n.href for row in rows for cell in row.cells if cell.n)
    assert all(row.apart.n.href for row in rows[1:])
    assert wrong_links(client, page) == {}


def test_a_query_about_runs_compares_no_steps(grpo: Lineage, lea: User) -> None:
    page = page_of(signed_in(lea), grpo, q="correct")
    series = page.context["series"]
    assert (series.paired, series.separation, page.context["flips"]) == (False, None, None)
    assert "not compared" in page.context["finding"]
    assert series.points[0].value("accuracy") == 1, "as on the leaderboard"


def test_a_wrong_query_is_said_and_nothing_is_drawn(grpo: Lineage, lea: User) -> None:
    page = page_of(signed_in(lea), grpo, q="scene:harbor and")
    assert page.status_code == 400
    assert page.context["error"] is not None


def test_a_point_opens_its_run_and_two_open_compare(grpo: Lineage, lea: User) -> None:
    page = page_of(signed_in(lea), grpo)
    first, last = run_at(grpo, 0), run_at(grpo, 400)
    panel = page.context["panels"][0]
    assert next(hit.href for hit in panel.hits) == f"/benchmarks/kitchen/runs/{first.pk}/"
    compare = f"/benchmarks/kitchen/compare/?{urlencode([('run', first.pk), ('run', last.pk)])}"
    assert page.context["flips"].compare == compare
    assert signed_in(lea).get(compare).status_code == 200


def test_a_long_table_has_pages_and_the_curves_have_all_steps(
    grpo: Lineage, lea: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluation.lineages.views.ON_A_PAGE", 2)
    pages = [page_of(signed_in(lea), grpo, page=number) for number in (1, 2, 3)]
    assert [[row.point.step for row in page.context["rows"]] for page in pages] == [[0, 100], [200, 300], [400]]
    assert all(len(page.context["panels"][0].hits) == len(RIGHT) for page in pages)
    assert 'rel="next"' in pages[0].content.decode()
    assert 'rel="next"' not in pages[2].content.decode()


def test_page_api_file_and_command_have_the_same_numbers(grpo: Lineage, lea: User, capsys: Any) -> None:
    from django.core.management import call_command

    client = signed_in(lea)
    values = {(one["step"], one["metric"]): one["value"] for one in api_of(client, grpo).json()["values"]}
    answer = page_of(client, grpo, format="csv")
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == len(values)
    for row in rows:
        value = values[int(row["step"]), row["metric"]]
        assert row["value"] == ("" if value is None else str(value))
    shown = {point.step: point for point in page_of(client, grpo).context["series"].points}
    assert all(shown[step].value(name) == value for (step, name), value in values.items() if name in SCORED)
    call_command("lineage", "show", "kitchen", "GRPO")
    assert "Accuracy: 33.3" in capsys.readouterr().out


def test_the_api_says_where_it_separates_and_what_flipped(grpo: Lineage, lea: User) -> None:
    found = api_of(signed_in(lea), grpo).json()
    assert found["separated_at"] == 300
    assert [change["step"] for change in found["changes"]] == [100, 200, 300, 400]
    for change in found["changes"]:
        assert change["apart"] == pytest.approx(change["accuracy"] - change["grounding"])
    lists = Lists(lea)
    for name, one in found["flips"]["counts"].items():
        assert lists.count("kitchen", urlencode(one["terms"])) == one["n"], name


def test_rewards_are_those_of_groups_that_name_the_model(grpo: Lineage, lea: User) -> None:
    series = load_series(grpo, person=lea)
    by_step = {point.step: point for point in series.points}
    assert by_step[100].metrics["reward_final"].n == 2
    assert by_step[100].value("reward_final") == pytest.approx(2.5)
    assert "reward_final" not in by_step[0].metrics


@pytest.mark.parametrize("format", ["csv", "jsonl", "md", "tex", "svg", "png"])
def test_a_lineage_can_be_exported(grpo: Lineage, lea: User, format: str) -> None:
    answer = page_of(signed_in(lea), grpo, format=format, smooth=3)
    assert answer.status_code == 200
    assert len(b"".join(answer.streaming_content)) > 500


def test_asking_again_costs_almost_nothing_until_something_changes(grpo: Lineage, lea: User) -> None:
    client = signed_in(lea)
    headers = {"HX-Request": "true"}
    address = f"/benchmarks/kitchen/lineages/{grpo.pk}/"
    first = client.get(address, headers=headers)
    assert "<html" not in first.content.decode()
    again = client.get(address, headers={**headers, "If-None-Match": first["ETag"]})
    assert again.status_code == 304
    run = run_at(grpo, 100)
    Run.objects.filter(pk=run.pk).update(revision=run.revision + 1)
    assert client.get(address, headers={**headers, "If-None-Match": first["ETag"]}).status_code == 200


def test_rows_that_arrive_are_counted_and_measured_before_they_are_scored(
    grpo: Lineage, lea: User, kitchen: Benchmark
) -> None:
    run = run_at(grpo, 400)
    Experiment.objects.create(
        benchmark=kitchen, endpoint_name="e", model="m-400", setting=SETTING, recipe={}, recipe_digest="0" * 64,
        state="running",
    )  # fmt: skip
    run.scoring.delete()
    run.trajectories.filter(sample__key__gt="s-11").delete()
    Run.objects.filter(pk=run.pk).update(revision=run.revision + 1)
    series = load_series(grpo, person=lea)
    last = series.points[-1]
    assert (series.live, last.arriving, last.scoring) == (True, 12, None)
    assert last.value("accuracy") == 1
    assert last.metrics["accuracy"].n == 12
    assert len(series.separation.changes if series.separation else ()) == 3, "whole runs alone are compared"
    page = page_of(signed_in(lea), grpo)
    assert "data-live" in page.content.decode()
    assert not any(cell.count for cell in page.context["rows"][-1].cells), "lists show what is scored"


def test_runs_that_share_a_step_are_told_apart_by_setting(grpo: Lineage, lea: User, kitchen: Benchmark) -> None:
    from evaluation.common.lineage.write import Place, place_run
    from evaluation.models import Model

    other = Run.objects.create(
        benchmark=kitchen, model=Model.objects.get(name="m-100"), setting="base", number=99, created_by=lea
    )
    place_run(actor=lea, run=other, place=Place("GRPO", 100))
    series = load_series(grpo, person=lea)
    assert (list(series.settings), series.setting, len(series.points)) == (["base", SETTING], SETTING, 5)
    assert len(load_series(grpo, setting="base", person=lea).points) == 1
    assert page_of(signed_in(lea), grpo, setting="nothing").status_code == 404


PAGE_QUERIES = 24
"""With those of every page of a benchmark: session, person, rights, tabs, version, jobs."""
LINEAGE_QUERIES = 12
"""Runs, metrics, gold and settings, rewards, what is at work, and the samples: whatever the number of steps."""


def test_a_lineage_takes_at_most_twelve_queries_whatever_its_length(
    grpo: Lineage, lea: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    load_series(grpo, person=lea)
    with django_assert_max_num_queries(LINEAGE_QUERIES) as five:
        load_series(grpo, person=lea)
    for step in (0, 100, 200):
        Run.objects.filter(pk=run_at(grpo, step).pk).update(lineage=None, step=None)
    load_series(grpo, person=lea)
    with django_assert_max_num_queries(LINEAGE_QUERIES) as two:
        load_series(grpo, person=lea)
    assert len(five) == len(two)


def test_a_stranger_finds_no_lineage(grpo: Lineage, sam: User) -> None:
    assert page_of(signed_in(sam), grpo).status_code == 404


@pytest.mark.parametrize("address", ["/benchmarks/kitchen/lineages/", "/benchmarks/kitchen/lineages/{pk}/"])
def test_pages_of_lineages_take_as_many_queries_for_few_steps_as_for_many(
    grpo: Lineage, lea: User, django_assert_max_num_queries: DjangoAssertNumQueries, address: str
) -> None:
    client, path = signed_in(lea), address.format(pk=grpo.pk)
    client.get(path)
    with django_assert_max_num_queries(PAGE_QUERIES) as many:
        client.get(path)
    Run.objects.filter(lineage=grpo, step__lt=300).update(lineage=None, step=None)
    Lineage.objects.create(benchmark=grpo.benchmark, name="Another")
    client.get(path)
    with django_assert_max_num_queries(PAGE_QUERIES) as few:
        client.get(path)
    assert len(many) == len(few)


def test_effects_of_interventions_are_curves_of_their_own(grpo: Lineage, lea: User) -> None:
    """Noise in the crops costs nothing at the first step, and four answers at the last one."""
    assert "effects" not in [panel.name for panel in page_of(signed_in(lea), grpo).context["panels"]]
    # The crops of these trajectories returned no image.
    change_settings(actor=lea, benchmark=grpo.benchmark, values={"interv_population": "paired"})
    for step, lost in ((0, 0), (400, 4)):
        noisy = [replace(one, condition="visual") for one in attempts(step, RIGHT[step] - lost)]
        save_trajectories(RunRegistry(grpo.benchmark, lea), noisy, None)
    score_benchmark(actor=lea, benchmark=grpo.benchmark)
    page = page_of(signed_in(lea), grpo)
    by_step = {point.step: point for point in page.context["series"].points}
    assert by_step[0].value("ate_visual") == 0
    assert by_step[400].value("ate_visual") == pytest.approx(-4 / 24)
    assert by_step[200].value("ate_visual") is None
    panel = next(panel for panel in page.context["panels"] if panel.name == "effects")
    assert (panel.unit, [line.metric for line in panel.lines]) == ("pp", ["ate_visual"])
    assert len(panel.lines[0].marks) == 2
    rows = api_of(signed_in(lea), grpo).json()
    assert "ate_visual" in str(rows)


def test_effects_of_the_lab_are_those_of_its_page(grpo: Lineage, lea: User) -> None:
    """Over all draws: at step 400 the first draw loses four answers, the second one eight."""
    change_settings(actor=lea, benchmark=grpo.benchmark, values={"interv_population": "paired"})
    for step, lost in ((0, (0, 0)), (400, (4, 8))):
        for arm, less in (("sham", (0, 0)), ("noise-100", lost)):
            for seed, fewer in enumerate(less):
                drawn = [
                    replace(one, condition=f"{arm}@prefix", rollout=seed) for one in attempts(step, RIGHT[step] - fewer)
                ]
                save_trajectories(RunRegistry(grpo.benchmark, lea), drawn, None)
    score_benchmark(actor=lea, benchmark=grpo.benchmark)
    client = signed_in(lea)
    page = page_of(client, grpo)
    by_step = {point.step: point for point in page.context["series"].points}
    lab = client.get(f"/benchmarks/kitchen/runs/{by_step[400].run.pk}/lab/").context["page"]
    [line] = [line for group in lab.groups for line in group.lines]
    shown = by_step[400].metrics["noise-100@prefix"]
    assert shown.value == line.effect.delta == pytest.approx(-6 / 24)
    assert (shown.n, shown.ci_low, shown.ci_high) == (line.effect.n, line.effect.low, line.effect.high)
    assert by_step[0].value("noise-100@prefix") == 0
    assert all(point.value("ate_visual") is None for point in by_step.values()), "of the first draws alone"
    panels = {panel.name: panel for panel in page.context["panels"]}
    assert "effects" not in panels
    assert [(one.metric, len(one.marks)) for one in panels["arms-prefix"].lines] == [("noise-100@prefix", 2)]
    values = {(row["step"], row["metric"]): row["value"] for row in api_of(client, grpo).json()["values"]}
    assert values[400, "noise-100@prefix"] == shown.value
    [effect] = [cell for row in page.context["rows"] for cell in row.cells if cell.n and "noise" in cell.n.href][-1:]
    assert effect.n.n == shown.n
    assert wrong_links(client, page) == {}
    assert wrong_links(client, page_of(client, grpo, q="facet.scene:street")) == {}
    half = load_series(grpo, query="facet.scene:street", person=lea)
    assert half.points[-1].metrics["noise-100@prefix"].n == 16
    for format in ("csv", "tex", "svg"):
        exported = b"".join(page_of(client, grpo, format=format).streaming_content)
        assert b"oise" in exported
