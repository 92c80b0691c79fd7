"""Samples for the tests of pages, by the dozen."""

from __future__ import annotations

import hashlib
from typing import Any

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.content.samples import save_samples
from annotation.models import Benchmark, Image, Sample
from annotation.schema import AnswerType, Box, SampleContent, SampleRecord, ToolCall
from webapp.accounts.models import User

COLOURS = ("red", "green", "blue")


def make_benchmark(actor: User | None, slug: str = "kitchen", count: int = 0, **fields: Any) -> Benchmark:
    """A benchmark with ``count`` samples on their own pictures; each third one is open, each fourth has a chain."""
    benchmark = create_benchmark(actor=actor, slug=slug, **{"title": slug.title(), **fields})
    fill(actor, benchmark, 0, count)
    return benchmark


def fill(actor: User | None, benchmark: Benchmark, start: int, stop: int) -> None:
    save_samples(actor=actor, benchmark=benchmark, records=[record(number) for number in range(start, stop)])
    for sample in benchmark.samples.filter(image__isnull=True):
        sha256 = hashlib.sha256(f"{benchmark.slug} {sample.key}".encode()).hexdigest()
        image = Image.objects.create(
            sha256=sha256, width=1000, height=800, format="JPEG", bytes=1, state=Image.State.READY
        )
        Sample.objects.filter(pk=sample.pk).update(image=image)


def record(number: int) -> SampleRecord:
    side = 10 * (1 + number % 10)
    chosen = number % 3 != 0
    content = SampleContent(
        question=f"Which colour is mug {number}?",
        answer_type=AnswerType.MULTIPLE_CHOICE if chosen else AnswerType.OPEN,
        options={"A": "black", "B": "white"} if chosen else {},
        answers=("B",) if chosen else ("white",),
        gold_boxes=(Box(100, 100, 100 + side, 100 + side), Box(110, 110, 120 + side, 120 + side)),
        reference_toolchain=tuple(ToolCall("Crop", image_out=str(n)) for n in range(2 + number % 2))
        if number % 4 == 0
        else (),
    )
    facets: dict[str, tuple[Any, ...]] = {"colour": (COLOURS[number % 3],), "night": (number % 2 == 0,)}
    return SampleRecord(f"mug-{number:03}", content, None, None, 1000, 800, facets)
