"""The effect of drafts on submissions: the measures of both arms, each with an interval clustered by image."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import F

from annotation.agreement import box_agreement
from annotation.content.records import shape_from_row
from annotation.drafting import Arm, Field
from annotation.models import Benchmark, Gold, Proposal, ProposalUse, Revision
from annotation.schema import Box
from annotation.workflow import State
from evaluation.metrics.anchoring import Contrast, contrast

GOLD, SECONDS = "gold", "seconds"
_FIRST = (Field.BOXES, Field.QUESTION, Field.OPTIONS, Field.ANSWER, Field.TOOLCHAIN, Field.TARGETS, Field.DISTRACTORS)
MEASURES = (*(one.value for one in _FIRST), GOLD, SECONDS)
"""Likeness to the draft by field, IoU with gold, and visible seconds until the first submission."""
Row = tuple[float, bool, int]
"""A value, whether its arm is the control arm, and the image."""


@dataclass(frozen=True, slots=True)
class Anchoring:
    """Measures that have a value, in the order of ``MEASURES``; decisions by field in the arm that saw drafts; and
    drafts by field."""

    contrasts: Mapping[str, Contrast]
    decisions: Mapping[str, Mapping[str, int]]
    drafts: Mapping[str, int]


def anchoring_of(benchmark: Benchmark) -> Anchoring:
    """Of all submissions on drafted samples, without drafts with a planted error. A fixed number of queries."""
    uses = ProposalUse.objects.filter(proposal__drafting__benchmark=benchmark, proposal__planted_error__isnull=True)
    uses = uses.exclude(annotation__state=State.DRAFT)
    found = list(
        uses.values_list(
            "annotation", "proposal__field", "arm", "decision", "distance", "seconds", "annotation__sample__image"
        )
    )
    rows: dict[str, list[Row]] = {name: [] for name in MEASURES}
    decisions: dict[str, dict[str, int]] = {}
    seconds: dict[int, Row] = {}
    for annotation, name, arm, decision, distance, visible, image in found:
        withheld = arm == Arm.WITHHELD
        if distance is not None:
            rows[name].append((1 - distance, withheld, image or 0))
        if visible is not None:
            seconds[annotation] = (visible, withheld, image or 0)
        if decision:
            counts = decisions.setdefault(name, {})
            counts[decision] = counts.get(decision, 0) + 1
    rows[SECONDS] = list(seconds.values())
    rows[GOLD] = _with_gold({row[0]: (row[2] == Arm.WITHHELD, row[6] or 0) for row in found})
    contrasts = {name: _contrast(given) for name, given in rows.items() if given}
    return Anchoring(contrasts, decisions, Proposal.objects.on(benchmark).by_field())


def _with_gold(arms: Mapping[int, tuple[bool, int]]) -> list[Row]:
    """IoU of submitted boxes with accepted gold that another person decided: adjudicated, or corrected in review."""
    own = Revision.objects.filter(annotation__in=arms, author=F("annotation__author"), submitted_at__isnull=False)
    submitted = {one.annotation_id: one for one in own.order_by("number").prefetch_related("gold_boxes", "gold_shapes")}
    samples = Gold.objects.filter(sample__annotations__in=arms).select_related("revision")
    parts = ("revision__gold_boxes", "revision__gold_shapes")
    gold = {one.sample_id: one.revision for one in samples.prefetch_related(*parts)}
    sample_of = dict(
        Revision.objects.filter(pk__in=[one.pk for one in submitted.values()]).values_list(
            "annotation", "annotation__sample"
        )
    )
    rows = []
    for annotation, (withheld, image) in arms.items():
        mine, theirs = submitted.get(annotation), gold.get(sample_of.get(annotation, 0))
        if mine is None or theirs is None or theirs.author_id == mine.author_id:
            continue
        both = box_agreement(_boxes(mine), _boxes(theirs))
        if both is not None:
            rows.append((both.iou, withheld, image))
    return rows


def _boxes(revision: Any) -> list[Box]:
    return list(map(shape_from_row, revision.evidence))


def _contrast(rows: Iterable[Row]) -> Contrast:
    values, withheld, image = zip(*rows, strict=True)
    return contrast(np.array(values, dtype=np.float64), np.array(withheld, dtype=bool), np.array(image, dtype=np.int64))
