"""Runs on matched pairs of a real and a generated image."""

from __future__ import annotations

import pytest

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.content.samples import save_samples
from annotation.models import Benchmark
from annotation.schema import SampleContent, SampleRecord, Target, ToolPlan
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.compare.read.sides import compare_sides, matched_pairs
from evaluation.models import Run
from evaluation.schema import Trajectory
from evaluation.scoring.write import score_benchmark
from evaluation.store.results import successes_of
from tests.conftest import signed_in
from tests.evaluation.board_data import PICTURES
from tests.factories import facet_of
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
PAGE, API = "/benchmarks/kitchen/compare/pairs/", "/api/v1/benchmarks/kitchen/compare/pairs/"


def paired(board: Benchmark) -> None:
    """Each picture of ``board_data`` has a real question (Chart) and a generated one; one more is alone."""
    for place in range(PICTURES):
        for half, origin in (("Chart", "real"), ("Math & more", "generated")):
            sample = board.samples.get(key=f"{half}-{place}")
            facet_of(sample, name="pair", value=f"plan-{place}")
            facet_of(sample, name="origin", value=origin)
    alone = board.samples.get(key="mug")
    facet_of(alone, name="pair", value="plan-mug")
    facet_of(alone, name="origin", value="real")


def test_the_difference_is_between_the_two_images_of_the_same_plans(unscored_board: Benchmark, lea: User) -> None:
    paired(unscored_board)
    score_benchmark(actor=lea, benchmark=unscored_board)
    pairs = matched_pairs(unscored_board)
    assert (len(pairs), pairs.incomplete) == (6, 1)
    runs = list(Run.objects.of(unscored_board).filter(model__name__in=["Model C", "Model D"]).order_by("model__name"))
    c, d = compare_sides(pairs, runs)
    # Model C answers all six real ones and three generated ones; Model D misses three generated ones altogether.
    assert (c.effect.table.before, c.effect.table.after, c.dropped) == (1.0, 0.5, 0)
    assert (c.effect.table.lost, c.effect.table.gained, c.effect.p_value, c.effect.p_cluster) == (3, 0, 0.25, 0.25)
    assert (d.effect.table.n, d.dropped, d.effect.table.difference) == (3, 3, -1.0)
    assert [c.p_holm, d.p_holm] == [0.5, 0.5]
    assert c.effect.interval is not None
    assert c.effect.interval.low < -0.5 < c.effect.interval.high


def test_the_page_and_the_api_say_the_same(unscored_board: Benchmark, lea: User) -> None:
    paired(unscored_board)
    score_benchmark(actor=lea, benchmark=unscored_board)
    said = signed_in(lea).get(API).json()
    assert (said["pairs"], said["incomplete"]) == (6, 1)
    row = next(one for one in said["runs"] if one["difference"] == -0.5)
    assert (row["real_only"], row["generated_only"], row["real"], row["generated"]) == (3, 0, 1.0, 0.5)
    page = signed_in(lea).get(PAGE).content.decode()
    assert "−50.0" in page
    assert "1 pair is incomplete" in page
    listed = signed_in(lea).get(PAGE.replace("pairs/", f"?run={said['runs'][0]['run']}&run={said['runs'][1]['run']}"))
    assert PAGE in listed.content.decode()


def test_without_pairs_nothing_is_compared(board: Benchmark, lea: User) -> None:
    assert signed_in(lea).get(API).json() == {"pairs": 0, "incomplete": 0, "runs": []}
    assert "No sample is in a complete pair" in signed_in(lea).get(PAGE).content.decode()


def test_a_plan_succeeds_with_an_exact_match(lea: User) -> None:
    bench = create_benchmark(actor=lea, slug="kitchen", title="Kitchen")
    plan = ToolPlan((Target("saw", 1), Target("glue", 2)), ("whisk",))
    records = [SampleRecord(key, SampleContent("Fix the chair.", plan=plan)) for key in ("photo", "render")]
    save_samples(actor=lea, benchmark=bench, records=records)
    for sample, origin in zip(bench.samples.order_by("key"), ("real", "generated"), strict=True):
        facet_of(sample, name="pair", value="plan-1")
        facet_of(sample, name="origin", value=origin)
    tried = [Trajectory("M", "photo", plan=("saw", "glue")), Trajectory("M", "render", plan=("saw", "glue", "whisk"))]
    save_trajectories(RunRegistry(bench, lea), tried, None)
    score_benchmark(actor=lea, benchmark=bench)
    run = Run.objects.of(bench).get()
    assert sorted(successes_of(run).values(), key=str) == [False, True]
    [one] = compare_sides(matched_pairs(bench), [run])
    assert (one.effect.table.before, one.effect.table.after) == (1.0, 0.0)
