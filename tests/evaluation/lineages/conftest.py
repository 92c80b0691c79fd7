"""A training of five checkpoints: accuracy rises from the third on, and grounding does not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.content.samples import save_samples
from annotation.models import Benchmark
from annotation.schema import Box
from evaluation.common.lineage.write import Place
from evaluation.common.saving.batches import RunRegistry, save_others, save_trajectories
from evaluation.models import Lineage
from evaluation.schema import Rollout as RolloutRecord
from evaluation.schema import RolloutGroup, Trajectory
from evaluation.scoring.write import score_benchmark
from tests.evaluation import records
from tests.evaluation.board_data import MISSED, SEEN
from tests.worlds import made_once
from webapp.accounts.models import User

SAMPLES = 24
KEYS = [f"s-{place:02}" for place in range(SAMPLES)]
RIGHT = {0: 8, 100: 8, 200: 9, 300: 21, 400: 22}
"""Step to the number of correct answers; twelve samples are grounded at each step."""
SETTING = "zoom"


def attempts(step: int, right: int) -> list[Trajectory]:
    """The first ``right`` are correct; every second one is grounded. The last sample of step 400 has no zoom call."""
    return [
        Trajectory(
            f"m-{step}", key, SETTING, answer="B" if place < right else "A",
            steps=() if (step, place) == (400, SAMPLES - 1) else (SEEN if place % 2 else MISSED,),
        )
        for place, key in enumerate(KEYS)
    ]  # fmt: skip


def make_training(lea: User) -> Benchmark:
    benchmark = create_benchmark(actor=lea, slug="kitchen", title="Kitchen")
    mug = next(sample for sample in records.samples() if sample.id == "mug")
    content = replace(mug.content, gold_boxes=(Box(100, 100, 200, 150),))
    samples = [
        replace(mug, id=key, content=content, image=f"{place}.jpg", image_group=f"picture {place}",
                facets={"scene": ("street" if place < 16 else "shop",)})
        for place, key in enumerate(KEYS)
    ]  # fmt: skip
    save_samples(actor=lea, benchmark=benchmark, records=samples)
    for step, right in RIGHT.items():
        save_trajectories(RunRegistry(benchmark, lea, place=Place("GRPO", step)), attempts(step, right), None)
    group = RolloutGroup(
        "g", (RolloutRecord(100, 1, 1, True), RolloutRecord(300, 1, 1, False)), extra={"model": "m-100"}
    )
    save_others(RunRegistry(benchmark, lea), [group], None)
    score_benchmark(actor=lea, benchmark=benchmark)
    return benchmark


@made_once
def kitchen(lea: User) -> Benchmark:
    return make_training(lea)


@pytest.fixture
def grpo(kitchen: Benchmark) -> Lineage:
    return Lineage.objects.select_related("benchmark").get(benchmark=kitchen)
