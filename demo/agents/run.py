"""Runs every scripted agent over the demo: trajectories under each condition, and judgements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from annotation.imaging.decoding import decode
from annotation.schema import SampleRecord
from demo.agents import AGENTS
from demo.agents.judge import judge
from demo.agents.sample import agent_sample
from demo.agents.views import whole_view
from demo.scenes.benchmark import demo_benchmark
from evaluation.schema import Condition, Judgement, Trajectory


def run_demo(folder: Path, samples: Sequence[SampleRecord], seed: int = 7) -> Iterator[Trajectory | Judgement]:
    """What every agent does on ``samples``, whose images lie in ``folder``; each image is decoded once.

    ``seed`` is the one the images were drawn with. Only the oracle is given the gold boxes. Raises ``KeyError`` on a
    sample that is not of the demo.
    """
    benchmark = demo_benchmark(seed)
    for image, group in groupby(sorted(samples, key=lambda s: (s.image or "", s.id)), key=lambda s: s.image or ""):
        picture = decode(folder / image)
        whole = whole_view(picture)
        for record in group:
            sample = agent_sample(record, benchmark)
            for agent in AGENTS.values():
                given = sample if agent.name == "oracle zoom" else sample.without_gold()
                for condition in agent.conditions:
                    run = agent.run(picture, given, condition, seed, whole)
                    yield run.trajectory
                    if condition == Condition.NONE:
                        yield from judge(run, given)
