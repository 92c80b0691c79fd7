"""Samples of a benchmark as records again: for exports, for agents and for checks. One pass, constant memory."""

from __future__ import annotations

from collections.abc import Iterator

from annotation.models import Benchmark, FacetValue, Revision, Sample
from annotation.schema import AnswerType, Box, SampleContent, SampleRecord, Target, ToolCall, ToolPlan

BATCH = 1000


def sample_records(benchmark: Benchmark) -> Iterator[SampleRecord]:
    """Every sample with its gold, in order of id. A sample without gold comes with an empty content."""
    samples = Sample.objects.filter(benchmark=benchmark).with_gold().order_by("key")
    for sample in samples.iterator(chunk_size=BATCH):
        yield record_of(sample)


def record_of(sample: Sample) -> SampleRecord:
    """One sample, loaded ``with_gold``, as a record."""
    gold = getattr(sample, "gold", None)
    return SampleRecord(
        id=sample.key,
        content=content_of(gold.revision) if gold else SampleContent(),
        image=sample.image_name or None,
        image_group=sample.image_group or None,
        width=sample.width,
        height=sample.height,
        facets=_facets(list(sample.facets.all())),
        extra=sample.extra | _box_names(gold.revision) if gold else sample.extra,
    )


def _box_names(revision: Revision) -> dict[str, list[str]]:
    """The labels that people gave the gold boxes and the sources they adopted them from, each a list beside the boxes;
    no key without any."""
    boxes = list(revision.gold_boxes.all())
    found = {"box_labels": [box.label for box in boxes], "box_sources": [box.source for box in boxes]}
    return {key: names for key, names in found.items() if any(names)}


def content_of(revision: Revision) -> SampleContent:
    """A revision, loaded ``with_content``, as a record."""
    tools = list(revision.plan_tools.all())
    return SampleContent(
        question=revision.question,
        answer_type=AnswerType(revision.answer_type),
        options=revision.options,
        answers=tuple(revision.answers),
        gold_boxes=tuple(Box(b.x1, b.y1, b.x2, b.y2) for b in revision.gold_boxes.all()),
        reference_toolchain=tuple(
            ToolCall(
                c.tool, c.arguments, tuple(c.image_in) if isinstance(c.image_in, list) else c.image_in, c.image_out
            )
            for c in revision.reference_calls.all()
        ),
        plan=ToolPlan(
            targets=tuple(Target(t.tool, t.step) for t in tools if t.step is not None),
            distractors=tuple(t.tool for t in tools if t.step is None),
            ordered=revision.ordered,
        ),
    )


def _facets(rows: list[FacetValue]) -> dict[str, tuple[object, ...]]:
    facets: dict[str, list[object]] = {}
    for row in sorted(rows, key=lambda r: (r.name, r.position)):
        facets.setdefault(row.name, []).append(row.original())
    return {name: tuple(values) for name, values in facets.items()}
