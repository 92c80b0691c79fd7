"""Runs whose calls stand beside references: chosen, confused, added, missed; and samples without a reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.content.samples import save_samples
from annotation.schema import AnswerType, SampleContent, SampleRecord, ToolCall
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.schema import Step, Trajectory
from evaluation.scoring.write import score_benchmark

REFERENCES = ("Crop/Binarize", "crop/canny/canny", "", "Edge Detect", "binarize/blur")
CALLS = (
    ("crop/threshold", "opencv_crop/blur/canny", "crop", "", "canny/a > b/binarize"),
    ("", "Crop/Crop", "blur/blur", "canny", "my tool"),
)
"""A line for each run, a chain for each kind of sample. The second call of a chain fails."""


def make_chains(
    lea: Any, times: int = 2, references: Sequence[str] = REFERENCES, runs: int = 2, slug: str = "chains"
) -> Any:
    """A scored benchmark: each kind of sample so many times, in two categories and overlapping segments."""
    benchmark = create_benchmark(actor=lea, slug=slug, title="Chains")
    keys = [(f"s{kind}-{number}", kind, number) for number in range(times) for kind in range(len(references))]
    samples = [_sample(key, references[kind], number) for key, kind, number in keys]
    save_samples(actor=lea, benchmark=benchmark, records=samples)
    for run, calls in enumerate(CALLS[:runs]):
        done = [
            Trajectory(f"Model {run}", key, steps=_steps(calls[kind]), answer="A" if (kind + number + run) % 3 else "B")
            for key, kind, number in keys
        ]
        with transaction.atomic():
            save_trajectories(RunRegistry(benchmark, lea), done, None)
    score_benchmark(actor=lea, benchmark=benchmark)
    return benchmark


def _names(chain: str) -> list[str]:
    return chain.split("/") if chain else []


def _sample(key: str, reference: str, number: int) -> SampleRecord:
    names = _names(reference)
    chain = tuple(
        ToolCall(name, {"k": place}, f"p{place}" if place else "original", f"p{place + 1}")
        for place, name in enumerate(names)
    )
    content = SampleContent("Which?", AnswerType.MULTIPLE_CHOICE, {"A": "1", "B": "2"}, ("A",), (), chain)
    facets = {"category": ("Chart & more" if number % 2 else "Color",), "segment": ("top", "left")[: 1 + number % 2]}
    return SampleRecord(key, content, "", None, 100, 80, facets)


def _steps(calls: str) -> tuple[Step, ...]:
    """Each reads what the last successful one made."""
    found, picture = [], "original"
    for place, name in enumerate(_names(calls)):
        made = None if place == 1 else f"m{place}"
        found.append(Step(name, {"k": place}, image_in=picture, image_out=made, ok=place != 1))
        picture = made or picture
    return tuple(found)
