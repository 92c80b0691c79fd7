"""The effect of drafts on submissions: the measures of both arms, each with an interval clustered by image."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import F

from annotation.agreement import box_agreement
from annotation.content.drawn_on import boxes_in_pixels_of
from annotation.content.image_history import Drawn, size_of, sizes_drawn_on
from annotation.content.records import shape_from_row
from annotation.content.rescaling import Size
from annotation.drafting import Arm, Field
from annotation.models import Benchmark, Gold, ImageReplacement, Proposal, ProposalUse, Revision
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
    rows[GOLD] = _with_gold(benchmark, {row[0]: (row[2] == Arm.WITHHELD, row[6] or 0) for row in found})
    contrasts = {name: _contrast(given) for name, given in rows.items() if given}
    return Anchoring(contrasts, decisions, Proposal.objects.on(benchmark).by_field())


def _with_gold(benchmark: Benchmark, arms: Mapping[int, tuple[bool, int]]) -> list[Row]:
    """IoU of submitted boxes with accepted gold that another person decided: adjudicated, or corrected in review. Both
    are compared in pixels of one image, and not at all on images of different shape.
    """
    own = Revision.objects.filter(annotation__in=arms, author=F("annotation__author"), submitted_at__isnull=False)
    submitted = {one.annotation_id: one for one in own.order_by("number").prefetch_related("gold_boxes", "gold_shapes")}
    samples = Gold.objects.filter(sample__annotations__in=arms).select_related("revision", "sample")
    parts = ("revision__gold_boxes", "revision__gold_shapes")
    golds = list(samples.prefetch_related(*parts))
    gold = {one.sample_id: one.revision for one in golds}
    sample_of = dict(
        Revision.objects.filter(pk__in=[one.pk for one in submitted.values()]).values_list(
            "annotation", "annotation__sample"
        )
    )
    pairs = {
        annotation: (submitted[annotation], gold[sample])
        for annotation, sample in sample_of.items()
        if sample in gold and gold[sample].author_id != submitted[annotation].author_id
    }
    sizes = _sizes(benchmark, golds, pairs.values())
    rows = []
    for annotation, (mine, theirs) in pairs.items():
        known = boxes_in_pixels_of(_boxes(theirs), sizes[theirs.pk], sizes[mine.pk])
        both = box_agreement(_boxes(mine), known) if known is not None else None
        if both is not None:
            rows.append((both.iou, *arms[annotation]))
    return rows


def _sizes(
    benchmark: Benchmark, golds: Iterable[Gold], pairs: Iterable[tuple[Revision, Revision]]
) -> dict[int, Size | None]:
    """Return the size of the image that each revision was drawn on."""
    samples = {one.revision_id: one.sample for one in golds}
    drawn = [
        Drawn(one.pk, samples[theirs.pk].pk, one.submitted_at, size_of(samples[theirs.pk]))
        for mine, theirs in pairs
        for one in (mine, theirs)
    ]
    return sizes_drawn_on(ImageReplacement.objects.filter(sample__benchmark=benchmark), drawn)


def _boxes(revision: Any) -> list[Box]:
    return list(map(shape_from_row, revision.evidence))


def _contrast(rows: Iterable[Row]) -> Contrast:
    values, withheld, image = zip(*rows, strict=True)
    return contrast(np.array(values, dtype=np.float64), np.array(withheld, dtype=bool), np.array(image, dtype=np.int64))
