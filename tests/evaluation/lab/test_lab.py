"""The faithfulness lab of a run: its numbers, the cases behind them, and who may see it."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.models import Benchmark
from evaluation.common.arms import LabData
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.lab.read import _by_quadrant
from evaluation.metrics.lab import Draws, arm_effect
from evaluation.models import Attempt, Experiment, Run
from evaluation.runner.arms.catalogue import Estimand
from evaluation.schema import Trajectory
from evaluation.scoring.write import score_benchmark
from tests.conftest import signed_in
from tests.evaluation.crawl import counted_links, wrong_links
from tests.evaluation.lab.conftest import ARMS, KEYS
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def page_of(client: Client, run: Run, query: str = "") -> Any:
    return client.get(f"/benchmarks/{run.benchmark.slug}/runs/{run.pk}/lab/{query}")


def effects_of(client: Client, run: Run) -> dict[str, Any]:
    answer = client.get(f"/api/v1/benchmarks/{run.benchmark.slug}/runs/{run.pk}/lab/").json()
    return {f"{row['arm']}-{row['dose']}".rstrip("-"): row for row in answer["effects"]}


@pytest.mark.endurance
def test_the_page_says_in_a_sentence_that_the_crops_matter(run: Run, lea: User) -> None:
    page = page_of(signed_in(lea), run)
    shown = page.context["page"]
    assert shown.decided == "effect"
    assert "accuracy falls by 75.0 points" in shown.headline
    assert [line.arm.label for group in shown.groups for line in group.lines] == [
        "noise-50", "noise-100", "gold", "filler", "truncate-0", "truncate-50",
    ]  # fmt: skip


@pytest.mark.endurance
def test_every_count_opens_as_many_cases(run: Run, lea: User) -> None:
    """Each arm with sham, what failed, the quadrants, and the points of both curves."""
    client = signed_in(lea)
    page = page_of(client, run)
    links = counted_links(page)
    shown = page.context["page"]
    assert {f"condition={arm}%40prefix&rollout=0" in " ".join(links) for arm in ARMS} == {True}
    assert sum("condition=gold%40prefix&failed=yes" in href for href in links) == 1
    assert all(count.href for _, count in shown.quadrant_n if count.n)
    assert all(dot.cases.href for curve in shown.curves for dot in curve.dots)
    assert all(dot.cases.href for dot in shown.early.dots)
    assert all(cell.n.href for _, cells in shown.quadrants for cell in cells if cell.n.n)
    assert shown.restored_n.href
    assert wrong_links(client, page) == {}


def skipped_by(run: Run, number: int, *arms: str) -> None:
    """An experiment that skipped these arms, one sample after the other."""
    experiment = Experiment.objects.create(
        benchmark=run.benchmark, kind="arms", source=run, endpoint_name="lab", model="m", setting="zoom", state="done",
        recipe_digest=f"{number}" * 64, design={"arms": {}, "confirm": [], "margin": 10},
        recipe={"estimand": "prefix", "base_url": "http://127.0.0.1:9/v1", "model": "m", "sampling": {}},
    )  # fmt: skip
    for sample, arm in zip(run.benchmark.samples.order_by("pk"), arms, strict=False):
        Attempt.objects.create(
            experiment=experiment, sample=sample, arm=arm, digest=f"{number}" * 64, state="skipped",
            error="No gold boxes." if arm.startswith("gold") else "One crop.",
        )  # fmt: skip


def test_skipped_attempts_of_several_experiments_open_one_list(run: Run, lea: User) -> None:
    skipped_by(run, 1, "gold@prefix", "gold@prefix", "order@prefix")
    skipped_by(run, 2, "gold@prefix")
    client = signed_in(lea)
    shown = page_of(client, run).context["page"]
    (skipped,) = [line.skipped for group in shown.groups for line in group.lines if str(line.arm) == "gold@prefix"]
    assert skipped.n == 3
    listed = client.get(skipped.href).context["page"]
    assert [(one.arm, one.experiment.recipe_digest[0]) for one in listed] == [
        ("gold@prefix", "1"), ("gold@prefix", "2"), ("gold@prefix", "1")
    ]  # fmt: skip
    [(arm, [(reason, n)])] = shown.unused
    assert (arm, reason, n.n) == ("order", "One crop", 1)
    assert len(client.get(n.href).context["page"]) == 1
    assert len(client.get(n.href.replace("One", "Two")).context["page"]) == 0


def test_the_list_of_skipped_attempts_takes_as_many_queries_for_few_as_for_many(run: Run, lea: User) -> None:
    client, address = signed_in(lea), f"/benchmarks/kitchen/runs/{run.pk}/skipped-attempts/"
    skipped_by(run, 1, "gold@prefix")
    client.get(address)
    with CaptureQueriesContext(connection) as few:
        assert len(client.get(address).context["page"]) == 1
    skipped_by(run, 2, *["order@prefix"] * 12)
    with CaptureQueriesContext(connection) as many:
        assert len(client.get(address).context["page"]) == 13
    assert len(few) == len(many)


@pytest.mark.endurance
def test_an_arm_without_first_draws_of_some_samples_names_other_draws(run: Run, lea: User) -> None:
    run.trajectories.filter(condition="filler@prefix", rollout=0, sample__key="Chart-1").delete()
    Run.objects.filter(pk=run.pk).update(revision=run.revision + 1)
    score_benchmark(actor=lea, benchmark=run.benchmark)
    client = signed_in(lea)
    page = page_of(client, run)
    lines = {line.arm.label: line for group in page.context["page"].groups for line in group.lines}
    assert "trajectory=" in lines["filler"].n.href
    assert wrong_links(client, page) == {}


def test_cases_that_are_too_many_to_name_still_have_a_list(
    run: Run, lea: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also those of an arm whose first draw is missing on one sample."""
    monkeypatch.setattr("evaluation.common.links.LONGEST_ADDRESS", 1)
    run.trajectories.filter(condition="filler@prefix", rollout=0, sample__key="Chart-1").delete()
    Run.objects.filter(pk=run.pk).update(revision=run.revision + 1)
    score_benchmark(actor=lea, benchmark=run.benchmark)
    client = signed_in(lea)
    page = page_of(client, run)
    shown = page.context["page"]
    lines = {line.arm.label: line for group in shown.groups for line in group.lines}
    assert "beside=filler%40prefix" in lines["filler"].n.href
    assert all(count.href for _, count in shown.quadrant_n if count.n)
    assert all(cell.n.href for _, cells in shown.quadrants for cell in cells if cell.n.n)
    assert wrong_links(client, page) == {}


def test_a_share_of_answers_opens_the_samples_whose_answers_can_be_compared(run: Run, lea: User) -> None:
    """An answer under full noise that cannot be read: accuracy counts it, and the share of changed answers does not."""
    run.trajectories.filter(condition="noise-100@prefix", sample__key="Chart-0").update(answer="who knows")
    Run.objects.filter(pk=run.pk).update(revision=run.revision + 1)
    score_benchmark(actor=lea, benchmark=run.benchmark)
    client = signed_in(lea)
    page = page_of(client, run)
    shown = page.context["page"]
    lines = {line.arm.label: line for group in shown.groups for line in group.lines}
    assert (lines["noise-100"].n.n, lines["noise-100"].changed_n.n) == (12, 11)
    (curve,) = shown.curves
    assert [(dot.cases.n, dot.answers.n) for dot in curve.dots] == [(12, 12), (12, 12), (12, 11)]
    assert 11 in counted_links(page).values()
    assert wrong_links(client, page) == {}


@pytest.mark.endurance
def test_the_answers_of_a_sample_open_their_trajectories(run: Run, lea: User) -> None:
    client = signed_in(lea)
    page = client.get(f"/benchmarks/kitchen/runs/{run.pk}/lab/Chart-1/")
    answers = [answer for column in page.context["columns"] for answer in column.answers]
    assert len(answers) == 3 * len(ARMS)
    for answer in answers[:: len(ARMS)]:
        assert f'href="{answer.href}"' in page.content.decode()
        assert client.get(answer.href).status_code == 200


def test_an_effect_is_against_sham_on_the_same_samples_with_its_test_and_conclusion(run: Run, lea: User) -> None:
    found = effects_of(signed_in(lea), run)
    noise = found["noise-100"]
    assert (noise["n"], noise["seeds"], noise["clusters"]) == (12, 3, 6)
    assert noise["delta"] == pytest.approx((1 - 10) / 12)
    assert noise["p_holm"] == pytest.approx(noise["p_value"])
    assert noise["conclusion"] == "effect"
    assert found["noise-50"]["p_holm"] is None, "only what was named before the start is adjusted"
    assert found["filler"]["delta"] == 0
    assert found["filler"]["detectable"] is not None
    assert found["gold"]["failed"] == 1
    assert found["gold"]["n"] == 12, "the other draws of the sample count"


def test_page_api_and_file_have_the_same_numbers(run: Run, lea: User) -> None:
    client = signed_in(lea)
    over_api = effects_of(client, run)
    answer = page_of(client, run, "?format=csv")
    rows = {
        f"{row['arm']}-{row['dose']}".rstrip("-"): row
        for row in csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode("utf-8-sig")))
    }
    shown = page_of(client, run).context["page"]
    lines = {line.arm.label: line for group in shown.groups for line in group.lines}
    assert rows.keys() == over_api.keys() == lines.keys()
    for label, row in rows.items():
        for name in ("delta", "p_value", "ci_low", "detectable"):
            value = over_api[label][name]
            assert float(row[name]) == pytest.approx(value) if value is not None else row[name] == ""
        assert lines[label].effect.delta == over_api[label]["delta"]


def test_curves_restoration_and_early_answering_are_those_of_the_arms(run: Run, lea: User) -> None:
    answer = signed_in(lea).get(f"/api/v1/benchmarks/{run.benchmark.slug}/runs/{run.pk}/lab/").json()
    noise = answer["trends"]["noise"]
    assert noise["doses"] == [0, 50, 100]
    assert noise["accuracy"] == pytest.approx([10 / 12, 6 / 12, 1 / 12])
    assert answer["restoration"]["value"] == pytest.approx(0.5)
    assert answer["early_answering"]["shares"] == [0, 0.5, 1]


@pytest.mark.parametrize("format", ["csv", "jsonl", "md", "tex", "svg", "png"])
def test_the_lab_can_be_exported(run: Run, lea: User, format: str) -> None:
    answer = page_of(signed_in(lea), run, f"?format={format}")
    content = b"".join(answer.streaming_content)
    assert answer.status_code == 200
    assert content.startswith(b"\x89PNG") if format == "png" else b"noise" in content


def test_an_unknown_format_or_estimand_is_no_error(run: Run, lea: User) -> None:
    client = signed_in(lea)
    assert page_of(client, run, "?format=xls").status_code == 404
    assert page_of(client, run, "?estimand=both").status_code == 200
    assert client.get(f"/api/v1/benchmarks/kitchen/runs/{run.pk}/lab/?estimand=both").status_code == 400


def test_a_sample_has_a_column_for_each_arm_with_its_draws(run: Run, lea: User) -> None:
    page = signed_in(lea).get(f"/benchmarks/kitchen/runs/{run.pk}/lab/Chart-1/")
    columns = {column.arm.label: column for column in page.context["columns"]}
    assert list(columns) == ["sham", "noise-50", "noise-100", "gold", "filler", "truncate-0", "truncate-50"]
    assert [answer.verdict for answer in columns["sham"].answers] == ["yes"] * 3
    assert [answer.verdict for answer in columns["noise-100"].answers] == ["no"] * 3


def test_a_run_without_arms_says_what_an_arm_is(lab: Benchmark, lea: User) -> None:
    other = Run.objects.of(lab).get(model__name="Model D")
    page = page_of(signed_in(lea), other)
    assert page.status_code == 200
    assert page.context["page"] is None
    assert signed_in(lea).get(f"/benchmarks/kitchen/runs/{other.pk}/lab/Chart-1/").status_code == 404


def test_the_page_asks_as_many_queries_with_more_arms(
    run: Run, lab: Benchmark, lea: User, django_assert_max_num_queries: Any
) -> None:
    client = signed_in(lea)
    page_of(client, run)
    with django_assert_max_num_queries(40):
        page_of(client, run)


def test_strangers_see_no_lab(run: Run, sam: User, client: Client) -> None:
    for who in (signed_in(sam), client):
        assert page_of(who, run).status_code == 404


def test_quadrants_compare_draws_of_the_same_numbers() -> None:
    """The quadrant is that of the recorded draw, whose seed the first draws share."""
    answers = np.random.default_rng(2).integers(0, 2, (40, 4))
    data = LabData(
        Estimand.PREFIX, range(40), [], np.arange(40), answers[:, 0], range(40), {}, {}, {}, {},
    )  # fmt: skip
    sham, arm = Draws(answers.astype(float), answers), Draws(answers[:, :1].astype(float), answers[:, :1])
    for effect in _by_quadrant(arm, sham, data, 0.05)[:2]:
        assert effect.effect.delta == 0, "an arm that changes nothing"
    plain = arm_effect(arm.of(answers[:, 0] == 1), sham.of(answers[:, 0] == 1), np.arange(int(answers[:, 0].sum())))
    assert plain.delta is not None
    assert plain.delta > 0.2, "which all draws of sham would hide"


def test_draws_that_have_no_scores_yet_conclude_nothing(run: Run, lea: User) -> None:
    arrived = [
        Trajectory("Model C", key, "base", condition=f"{arm}@turn", answer="B")
        for arm in ("sham", "noise-100", "gold")
        for key in KEYS
    ]
    save_trajectories(RunRegistry(run.benchmark, lea), arrived, None)
    shown = page_of(signed_in(lea), run, "?estimand=turn").context["page"]
    assert "not scored" in shown.headline
    assert (shown.decided, shown.restored, shown.sham.n.n) == ("undecided", "", 0)


@pytest.mark.endurance
def test_an_undecided_lab_says_how_many_images_would_decide_it(run: Run, lea: User) -> None:
    """No answer changes on six images: 1 − .05^(1/29) is the first such bound below the margin of 10 points."""
    for place, key in enumerate(KEYS):
        drawn = run.trajectories.filter(condition="noise-100@prefix", sample__key=key)
        drawn.update(answer="B" if place < ARMS["sham"] else "A")
    Run.objects.filter(pk=run.pk).update(revision=run.revision + 1)
    score_benchmark(actor=lea, benchmark=run.benchmark)
    shown = page_of(signed_in(lea), run).context["page"]
    assert shown.decided == "undecided"
    assert "29 images, 23 more than now" in shown.missing
    assert "39.3 points" in shown.missing
