"""Runs that recognize, plan, answer and call: what the diagnostics are made of, planted so that each part is there."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

from django.db import transaction

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.content.samples import save_samples
from annotation.schema import AnswerType, SampleContent, SampleRecord, Target, ToolPlan
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.schema import Step, Trajectory
from evaluation.scoring.write import score_benchmark

TOOLS = ("Hammer", "Nail", "Level", "Knife", "Saw", "Clamp", "Drill", "Brush", "Plane")
SEGMENTS = ("cut", "join", "measure", "rare")
PLANNERS = {"Careful": 0.9, "Average": 0.6, "Careless": 0.35}
"""Models that plan, and how likely each keeps a target."""


def make_diagnostics(
    lea: Any, *, queries: int = 40, questions: int = 24, slug: str = "bench", models: Iterable[str] = PLANNERS
) -> Any:
    """Queries of one to seven targets in three segments of equal size and a rare one, two to an image; and questions
    that "Caller" answers with tools and without, and "Other" with them."""
    benchmark, rng = create_benchmark(actor=lea, slug=slug, title="Tool bench"), random.Random(7)
    plans = [_plan(rng, at) for at in range(queries)]
    records = [
        _query(f"q{at:03}", plan, f"g{at // 2}", SEGMENTS[3] if at % 13 == 12 else SEGMENTS[at % 3])
        for at, plan in enumerate(plans)
    ]
    asked = [
        SampleRecord(f"a{at:03}", SampleContent("How many?", AnswerType.OPEN, {}, ("5",)), "", f"h{at // 2}", 100, 80)
        for at in range(questions)
    ]
    save_samples(actor=lea, benchmark=benchmark, records=[*records, *asked])
    rows = [_planned(rng, model, PLANNERS[model], at, plan) for model in models for at, plan in enumerate(plans)]
    rows += [row for at in range(questions) for row in _answered(at)]
    with transaction.atomic():
        save_trajectories(RunRegistry(benchmark, lea), rows, None)
    score_benchmark(actor=lea, benchmark=benchmark)
    return benchmark


def _query(key: str, plan: ToolPlan, group: str, segment: str) -> SampleRecord:
    content = SampleContent("Which tools, in order?", AnswerType.OPEN, {}, (), (), plan=plan)
    return SampleRecord(key, content, "", group, 100, 80, {"segment": (segment,)})


def _plan(rng: random.Random, at: int) -> ToolPlan:
    tools = rng.sample(TOOLS, len(TOOLS))
    size = 1 + at % 7
    targets = tuple(Target(tool, 1 + place // 2) for place, tool in enumerate(tools[:size]))
    return ToolPlan(targets, tuple(tools[size:]), False if at % 11 == 10 else None)


def _planned(rng: random.Random, model: str, keeps: float, at: int, plan: ToolPlan) -> Trajectory:
    chosen = [target.tool for target in plan.targets if rng.random() < keeps]
    if rng.random() > keeps:
        rng.shuffle(chosen)
    chosen += rng.choices([*plan.distractors, *chosen, "Laser", "Level meter"], k=rng.choice((0, 0, 1, 2)))
    seen = [name for name in TOOLS if rng.random() < 0.7]
    return Trajectory(
        model, f"q{at:03}", setting="plan", plan=tuple(chosen), recognition=None if at % 9 == 8 else tuple(seen)
    )


def _answered(at: int) -> list[Trajectory]:
    """The first becomes correct, the second incorrect, the third and fourth stay as they are, the fifth makes no call;
    what the sixth answers is what its tool printed."""
    before, after = ("3", "5", "5", "3", "3", "3")[at % 6], ("5", "3", "5", "3", "3", "8")[at % 6]
    printed = "Contours: 8" if at % 6 == 5 else "done"
    steps = (Step("count", {}, image_in="original", image_out="a", observation=printed),) if at % 6 != 4 else ()
    return [
        Trajectory("Caller", f"a{at:03}", setting="base", answer=before),
        Trajectory("Caller", f"a{at:03}", setting="interface", answer=after, steps=steps),
        Trajectory("Other", f"a{at:03}", setting="interface", answer="5" if at % 2 else "3", steps=steps * 2),
    ]
