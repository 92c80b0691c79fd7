"""A small benchmark with everything a leaderboard must show: a run without faults, one with gaps, one that failed."""

from __future__ import annotations

from dataclasses import replace

from django.db import transaction

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.content.samples import save_samples
from annotation.models import Benchmark
from annotation.schema import Box, SampleRecord
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.models import Model
from evaluation.schema import Trajectory
from evaluation.scoring.settings import change_settings
from evaluation.scoring.write import score_benchmark
from tests.evaluation import records
from webapp.accounts.models import User

PICTURES = 6
SEEN, MISSED = records.zoom(90, 90, 220, 170), records.zoom(600, 600, 700, 700)


def many_samples() -> list[SampleRecord]:
    """Two questions on each picture, in two categories, beside the four of ``records``."""
    mug = next(sample for sample in records.samples() if sample.id == "mug")
    content = replace(mug.content, gold_boxes=(Box(100, 100, 200, 150),))
    more = [
        replace(
            mug,
            id=f"{half}-{place}",
            content=content,
            image=f"{place}.jpg",
            image_group=f"picture {place}",
            facets={"category": (half,)},
        )
        for place in range(PICTURES)
        for half in ("Chart", "Math & more")
    ]
    return [*records.samples(), *more]


def tries(model: str, right: int, seen: int, *, left_out: int = 0, setting: str = "base") -> list[Trajectory]:
    """What a model did on the twelve: the first ``seen`` in its crop, the first ``right`` answered rightly, the last
    ``left_out`` not at all. One answer says nothing that can be read."""
    keys = [f"{half}-{place}" for half in ("Chart", "Math & more") for place in range(PICTURES)]
    answers = ["B" if place < right else "none of these" if place == 11 else "A" for place in range(12)]
    return [
        Trajectory(model, key, setting, steps=(SEEN if place < seen else MISSED,), answer=answers[place])
        for place, key in enumerate(keys)
    ][: 12 - left_out]


def make_board(lead: User, *, public: bool = False, score: bool = True, more: int = 0) -> Benchmark:
    """Lead's benchmark with models A and B of ``records``, C, D with gaps, a baseline, a failed run and ``more``. One
    unread answer of twelve makes none of them provisional."""
    benchmark = create_benchmark(actor=lead, slug="kitchen", title="Kitchen", public=public)
    change_settings(actor=lead, benchmark=benchmark, values={"unread_alarm": 0.5})
    save_samples(actor=lead, benchmark=benchmark, records=many_samples())
    down = [replace(t, model="Endpoint down", error="timeout", answer=None, steps=()) for t in tries("", 0, 0)]
    runs = [
        *records.trajectories(),
        *tries("Model C", 9, 10),
        *tries("Model D", 4, 7, left_out=3, setting="code"),
        *tries("Whole picture", 5, 0),
        *down,
        *(t for number in range(more) for t in tries(f"Model {number:03d}", number % 12, (number * 5) % 12)),
    ]
    with transaction.atomic():
        save_trajectories(RunRegistry(benchmark, lead), runs, None)
    Model.objects.filter(name="Whole picture").update(baseline=True)
    if score:
        score_benchmark(actor=lead, benchmark=benchmark)
    return benchmark
