"""Shapes from a click: who may ask a model for them, and what people did with the proposed ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from annotation.agreement import box_agreement
from annotation.content.records import shape_from_row
from annotation.drafting import Arm, Decision, arm_of, drafted_shape
from annotation.models import ClickedShape, Drafting, Image, Sample
from annotation.schema import Box, Outline, OutlineKind
from annotation.task_schema import Shape
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput

MOST_CLICKS = 1000
"""Decisions in one submission."""
LIKE = 0.5
"""IoU from which a gold polygon is one that was accepted from a click, also if it was changed afterwards."""


def clicks_for(user: User, sample: Sample, drafting: Drafting | None) -> Drafting | None:
    """What answers the clicks of this person on the image of a sample; None without such a model, and in the control
    arm. ``drafting``: as of ``drafting_shown``."""
    if drafting is None or drafting.click is None:
        return None
    withheld = arm_of(drafting.seed, user.pk, sample.pk, drafting.control_share) is Arm.WITHHELD
    return None if withheld else drafting


def drafting_shown(sample: Sample) -> Drafting | None:
    """The display of drafts on the benchmark of a sample; None where annotators see none. One query."""
    return Drafting.objects.filter(benchmark=sample.benchmark_id, shows=True).first()


def click_shapes(sample: Sample) -> frozenset[Shape]:
    """The shapes that a click can give on this sample: boxes and polygons that the task allows, none without an
    image."""
    ready = sample.image is not None and sample.image.state == Image.State.READY
    return frozenset(sample.benchmark.task.evidence.shapes) & {Shape.BOX, Shape.POLYGON} if ready else frozenset()


@transaction.atomic
def keep_clicked(
    *, actor: User, sample: Sample, drafting: Drafting, point: tuple[float, float], shape: Mapping[str, Any],
    source: str, digest: str,
) -> ClickedShape:  # fmt: skip
    """Keep the shape that a model proposed for a click."""
    made = ClickedShape.objects.create(
        drafting=drafting, sample=sample, person=actor, x=point[0], y=point[1], shape=dict(shape), source=source[:200],
        digest=digest,
    )  # fmt: skip
    audit.record(
        actor=actor, action="shape.propose", subject=made, benchmark=sample.benchmark.slug, data={"source": made.source}
    )
    return made


def click_decisions(data: object) -> dict[int, str]:
    """Decisions on proposed shapes by their number, as pages send them. Raises ``InvalidInput``."""
    decisions = list(Decision)
    if (
        not isinstance(data, dict)
        or len(data) > MOST_CLICKS
        or any(not str(key).isdecimal() or len(str(key)) > 18 or value not in decisions for key, value in data.items())
    ):
        wanted = gettext("clicks must be an object from the number of a shape to one of: %(decisions)s.")
        raise InvalidInput(wanted % {"decisions": ", ".join(decisions)}, field="clicks")
    return {int(key): value for key, value in data.items()}


def record_clicks(actor: User, sample: Sample, decisions: Mapping[int, str]) -> None:
    """Note what a person who submits did with the shapes from their own clicks. Call inside a transaction."""
    own = ClickedShape.objects.filter(sample=sample, person=actor)
    for decision in Decision:
        numbers = [pk for pk, one in decisions.items() if one == decision]
        if numbers:
            own.filter(pk__in=numbers).update(decision=decision.value)


def unrecorded_sources(sample: Sample) -> frozenset[int]:
    """The positions of gold polygons that were accepted from a click, and whose source is not recorded.

    Earlier releases kept no source of an accepted polygon. Such a polygon has none, and is like a shape that a person
    accepted on this sample. One query, none without such polygons in the gold, which is loaded.
    """
    gold = getattr(sample, "gold", None)
    shapes = [(shape_from_row(one), one.source) for one in gold.revision.evidence] if gold else []
    if not any(_is_open(*one) for one in shapes):
        return frozenset()
    accepted = ClickedShape.objects.filter(sample=sample, decision=Decision.ACCEPTED.value).order_by("pk")
    found: set[int] = set()
    for shape in accepted.values_list("shape", flat=True):
        if "points" not in shape:
            continue
        proposed = drafted_shape(shape)
        likeness = [_likeness(proposed, one) for one, _ in shapes]
        best = max(range(len(shapes)), key=likeness.__getitem__)
        if likeness[best] >= LIKE and _is_open(*shapes[best]):
            found.add(best)
    return frozenset(found)


def _is_open(shape: Box, source: str) -> bool:
    return not source and isinstance(shape, Outline) and shape.kind is OutlineKind.POLYGON


def _likeness(one: Box, other: Box) -> float:
    agreement = box_agreement([one], [other])
    return agreement.iou if agreement else 0.0
