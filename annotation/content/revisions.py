"""Writing a submitted revision with its parts, reading its content back, and making it the gold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.task import current_facets
from annotation.content.changes import content_changed
from annotation.content.json import BoxName, content_from_json, content_to_json
from annotation.content.planted import refuse_planted
from annotation.content.records import content_from_rows, parts_of
from annotation.content.samples import content_digest
from annotation.content.segments import place_segments
from annotation.content.tools import know_names
from annotation.content.transitions import removed
from annotation.evidence import FACET
from annotation.imaging.evidence import evidence_share
from annotation.models import (
    Annotation,
    FacetValue,
    Gold,
    GoldBox,
    GoldShape,
    PlanTool,
    ReferenceCall,
    Revision,
    Sample,
)
from annotation.schema import Outline, SampleContent
from annotation.tool_bank import key_of
from webapp.accounts.models import User
from webapp.common.bulk import as_json
from webapp.common.errors import Conflict


def add_revision(
    *,
    actor: User | None,
    annotation: Annotation,
    content: Mapping[str, Any],
    provenance: Mapping[str, Any] | None = None,
    submitted_at: datetime | None = None,
) -> Revision:
    """Add a submitted revision with this content (JSON, complete) and the next number. Call inside a transaction. An
    automatic consensus has no ``actor``; ``provenance``: the sources of the fields of an adjudicated revision.
    ``submitted_at``: now, unless its author submitted it earlier.
    """
    sample = annotation.sample
    given, names, facets = content_from_json(content, sample.width, sample.height)
    # A draft keeps its options while its author tries another answer type.
    parsed = replace(given, options=given.choices)
    numbers = Revision.objects.filter(annotation=annotation).order_by("-number").values_list("number", flat=True)
    last = numbers.first() or 0
    revision = Revision(
        annotation=annotation, number=last + 1, author=actor, question=parsed.question,
        answer_type=parsed.answer_type.value, options=dict(parsed.options), answers=list(parsed.answers),
        ordered=parsed.plan.ordered, digest=content_digest(parsed),
        facets={name: list(values) for name, values in facets.items()}, submitted_at=submitted_at or timezone.now(),
        provenance=dict(provenance) if provenance is not None else None, unanswerable=parsed.unanswerable,
    )  # fmt: skip
    revision.save(force_insert=True)
    _add_parts(revision, parsed, names, (sample.width, sample.height))
    know_names(actor, sample.benchmark, parsed.plan.names)
    return revision


def _add_parts(
    revision: Revision, content: SampleContent, names: Sequence[BoxName], size: tuple[int | None, int | None]
) -> None:
    evidence = list(enumerate(zip(content.gold_boxes, names, strict=True)))
    boxes = [
        GoldBox(
            revision=revision, position=i, x1=box.x1, y1=box.y1, x2=box.x2, y2=box.y2, label=name.label,
            source=name.source, image_width=size[0], image_height=size[1],
        )
        for i, (box, name) in evidence
        if not isinstance(box, Outline)
    ]  # fmt: skip
    shapes = [
        GoldShape(revision=revision, position=i, label=name.label, source=name.source, **box.written())
        for i, (box, name) in evidence
        if isinstance(box, Outline)
    ]
    calls = [
        ReferenceCall(
            revision=revision, position=i, tool=call.tool, arguments=dict(call.arguments),
            image_in=call.image_in, image_out=call.image_out, source=call.source or None,
        )
        for i, call in enumerate(content.reference_toolchain)
    ]  # fmt: skip
    GoldBox.objects.bulk_create(boxes)
    if shapes:
        GoldShape.objects.bulk_create(shapes)
    ReferenceCall.objects.bulk_create(calls)
    PlanTool.objects.bulk_create(
        PlanTool(
            revision=revision, position=i, tool=tool, key=key_of(tool), step=step, likeness=likeness, either=either
        )
        for i, (tool, step, likeness, either) in enumerate(content.plan.rows)
    )


def content_of(revision: Revision) -> SampleContent:
    """The content of a stored revision; its parts are best prefetched (``Revision.objects.with_content()``)."""
    return content_from_rows(revision, *parts_of(revision))


def revision_json(revision: Revision) -> dict[str, Any]:
    """A stored revision as content JSON; one that was imported has the facets of its sample."""
    names = [BoxName(box.label, box.source) for box in revision.evidence]
    return content_to_json(content_of(revision), names, facets_in(revision))


def facets_in(revision: Revision) -> dict[str, list[Any]]:
    """The facets of a stored revision; one that was imported has those of its sample."""
    return revision.facets if revision.facets is not None else facets_of(revision.annotation.sample)


def facets_of(sample: Sample) -> dict[str, list[Any]]:
    """The sample's facets as people wrote them, values in their order with their JSON type."""
    found: dict[str, list[Any]] = {}
    for value in sample.facets.all():
        if value.kind == FacetValue.Kind.BANK:
            continue
        found.setdefault(value.name, []).append(value.original())
    return found


def facets_as_gold(sample: Sample) -> dict[str, list[Any]]:
    """The facets of a sample with gold, with which work on it begins again. A lead may have changed them since its gold
    was submitted. A result about that gold is left out, except if the task has this facet."""
    kept = {one.name for one in sample.benchmark.task.facets}
    return {name: values for name, values in facets_of(sample).items() if name != FACET or name in kept}


def make_gold(revision: Revision) -> None:
    """This revision is the gold of its sample from now on, its facets the sample's. Call inside a transaction. Raises
    ``Conflict`` for one that says that the question cannot be answered."""
    sample = revision.annotation.sample
    if revision.unanswerable is not None:
        raise Conflict(
            gettext("The annotation of %(key)s says that the question can't be answered, so it can't become gold.")
            % {"key": sample.key},
            code="unanswerable",
        )
    refuse_planted(sample, content_of(revision))
    now = timezone.now()
    Gold.objects.update_or_create(sample=sample, defaults={"revision": revision, "accepted_at": now})
    share = evidence_share(content_of(revision).gold_boxes, sample.width, sample.height)
    if not Sample.objects.filter(pk=sample.pk).update(evidence_share=share, changed_at=now):
        raise removed(sample)
    sample.evidence_share = share
    if revision.facets is not None:
        FacetValue.objects.filter(sample=sample).delete()
        facets = current_facets(sample.benchmark, revision.facets)
        if not any(one.name == FACET for one in sample.benchmark.task.facets):
            # A result about the gold that this revision replaces.
            facets.pop(FACET, None)
        FacetValue.objects.bulk_create(facet_rows(sample, facets))
    place_segments(sample.benchmark, [sample.pk])
    content_changed(sample.benchmark.pk, sample.pk)


def facet_rows(sample: Sample, facets: Mapping[str, Sequence[Any]]) -> list[FacetValue]:
    """Facets as rows of a sample, not yet stored."""
    return [
        FacetValue(
            sample=sample, benchmark_id=sample.benchmark_id, name=name, position=position,
            value=value if isinstance(value, str) else as_json(value) or "",
            kind=FacetValue.Kind.TEXT if isinstance(value, str) else FacetValue.Kind.JSON,
        )
        for name, values in facets.items()
        for position, value in enumerate(values)
    ]  # fmt: skip
