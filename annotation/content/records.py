"""Samples of a benchmark as records again: for exports, for agents and for checks. One pass, constant memory."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from django.db.models import Model

from annotation.content.box_names import written_names
from annotation.content.chains.read import chain_of
from annotation.models import (
    AcceptedChain,
    Benchmark,
    FacetValue,
    Gold,
    GoldBox,
    GoldShape,
    PlanTool,
    ReferenceCall,
    Revision,
    Sample,
)
from annotation.models.sample import TAKEN_DOWN
from annotation.schema import AnswerType, Box, SampleContent, SampleRecord, Target, ToolCall, ToolPlan, outline_of
from annotation.workflow import ExportStates, SampleState

BATCH = 250
"""Samples read at once: so few that an export begins at once."""

_SAMPLE = ("pk", "key", "state", "image_name", "image_problem", "image_group", "width", "height", "extra")
_FACET = ("sample_id", "name", "position", "value", "kind")
_REVISION = ("pk", "question", "answer_type", "options", "answers", "ordered", "unanswerable")
_BOX = ("revision_id", "position", "x1", "y1", "x2", "y2", "label", "source")
_SHAPE = ("revision_id", "position", "kind", "points", "label", "source")
_CALL = ("revision_id", "tool", "arguments", "image_in", "image_out", "source")
_CHAIN = ("sample_id", "calls", "note")
_TOOL = ("revision_id", "tool", "step", "likeness", "either")

Row = Any
"""A model's instance, or a named tuple of the same fields: to read many, tuples take a fifth of the time."""


def sample_records(benchmark: Benchmark, states: ExportStates = ExportStates.ALL) -> Iterator[SampleRecord]:
    """The samples of these states with their gold, in order of id. A sample without gold comes with an empty
    content."""
    samples = benchmark.samples.in_export(states).order_by("key").values_list(*_SAMPLE, named=True)
    following = samples.iterator(chunk_size=BATCH)
    while batch := list(islice(following, BATCH)):
        yield from _records(batch)


def _records(samples: Sequence[Row]) -> Iterator[SampleRecord]:
    """Eight queries for any number of samples."""
    numbers = [sample.pk for sample in samples]
    gold = dict(Gold.objects.filter(sample__in=numbers).values_list("sample", "revision"))
    used = list(gold.values())
    revisions = {row.pk: row for row in Revision.objects.filter(pk__in=used).values_list(*_REVISION, named=True)}
    facets = _grouped(FacetValue, _FACET, numbers)
    parts_in = ((GoldBox, _BOX), (GoldShape, _SHAPE), (ReferenceCall, _CALL), (PlanTool, _TOOL))
    boxes, shapes, calls, tools = (_grouped(table, fields, used) for table, fields in parts_in)
    further = _grouped(AcceptedChain, _CHAIN, numbers)
    for sample in samples:
        number = gold.get(sample.pk, 0)
        own, chains = facets.get(sample.pk, []), further.get(sample.pk, [])
        parts = _in_order(boxes.get(number, []), shapes.get(number, [])), calls.get(number, []), tools.get(number, [])
        yield _record(sample, own, revisions.get(number), *parts, chains)


def _grouped(table: type[Model], fields: tuple[str, ...], owners: Sequence[int]) -> dict[int, list[Row]]:
    """Rows by their owner, the first of the fields, in the order of the model."""
    found: dict[int, list[Row]] = {}
    for row in table._default_manager.filter(**{f"{fields[0]}__in": owners}).values_list(*fields, named=True):
        found.setdefault(row[0], []).append(row)
    return found


def _in_order(boxes: list[Row], shapes: list[Row]) -> list[Row]:
    return sorted([*boxes, *shapes], key=lambda row: row.position) if shapes else boxes


def record_of(sample: Sample) -> SampleRecord:
    """One sample, loaded ``with_gold``, as a record without its accepted toolchains."""
    gold = getattr(sample, "gold", None)
    revision = gold.revision if gold else None
    return _record(sample, list(sample.facets.all()), revision, *(parts_of(revision) if revision else ([], [], [])))


def _record(
    sample: Row,
    facets: list[Row],
    revision: Row | None,
    boxes: list[Row],
    calls: list[Row],
    tools: list[Row],
    further: Sequence[Row] = (),
) -> SampleRecord:
    content = content_from_rows(revision, boxes, calls, tools) if revision else SampleContent()
    return SampleRecord(
        id=sample.key,
        content=content,
        image=sample.image_name or None,
        image_group=sample.image_group or None,
        width=sample.width,
        height=sample.height,
        facets=_facets(facets),
        extra=sample.extra | _removed(sample) | written_names((box.label, box.source) for box in boxes),
        accepted_chains=tuple(chain_of(row.calls, row.note) for row in further) or None,
        state=_state(sample.state, content, gold=revision is not None),
    )


def _removed(sample: Row) -> dict[str, str]:
    """The reason why its image was taken down, under a key of its own."""
    removed = sample.image_problem.startswith(TAKEN_DOWN)
    return {"image_removed": sample.image_problem.removeprefix(TAKEN_DOWN)} if removed else {}


def _state(stands: str, content: SampleContent, *, gold: bool) -> SampleState | None:
    """The state that a file gives a sample; None: it follows from the content."""
    if stands == SampleState.DISCARDED:
        return SampleState.DISCARDED
    return SampleState.ACCEPTED if gold and content == SampleContent() else None


def content_from_rows(revision: Row, boxes: list[Row], calls: list[Row], tools: list[Row]) -> SampleContent:
    """The content of a revision with its parts, each in its order."""
    return SampleContent(
        question=revision.question,
        answer_type=AnswerType(revision.answer_type),
        options=revision.options,
        answers=tuple(revision.answers),
        gold_boxes=tuple(map(shape_from_row, boxes)),
        reference_toolchain=tuple(
            ToolCall(
                c.tool,
                c.arguments,
                tuple(c.image_in) if isinstance(c.image_in, list) else c.image_in,
                c.image_out,
                c.source or "",
            )
            for c in calls
        ),
        plan=ToolPlan(
            targets=tuple(Target(t.tool, t.step, t.either) for t in tools if t.step is not None),
            distractors=tuple(t.tool for t in tools if t.step is None),
            ordered=revision.ordered,
            likeness=tuple(t.likeness for t in tools if t.step is None),
        ),
        unanswerable=revision.unanswerable,
    )


def shape_from_row(row: Row) -> Box:
    """A row of ``GoldBox`` or ``GoldShape`` as a record."""
    kind = getattr(row, "kind", None)
    return Box(row.x1, row.y1, row.x2, row.y2) if kind is None else outline_of(kind, row.points)


def parts_of(revision: Revision) -> tuple[list[Row], list[Row], list[Row]]:
    return list(revision.evidence), list(revision.reference_calls.all()), list(revision.plan_tools.all())


def _facets(rows: list[Row]) -> dict[str, tuple[object, ...]]:
    """Values by facet, in their order, as the file gave them (``FacetValue.original``)."""
    facets: dict[str, list[object]] = {}
    written = [row for row in rows if row.kind != FacetValue.Kind.BANK]
    for row in sorted(written, key=lambda r: (r.name, r.position)):
        value = json.loads(row.value) if row.kind == FacetValue.Kind.JSON else row.value
        facets.setdefault(row.name, []).append(value)
    return {name: tuple(values) for name, values in facets.items()}
