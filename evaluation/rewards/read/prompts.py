"""The data of a sample for rewards: the size of its image and its gold boxes."""

from __future__ import annotations

from django.utils.translation import gettext

from annotation.models import Benchmark, GoldBox, GoldShape, Sample
from annotation.schema import OutlineKind
from evaluation.runner.rollouts import RolloutPrompt
from webapp.common.errors import Conflict, NotFound


def prompt_of(benchmark: Benchmark, key: str) -> RolloutPrompt:
    """The prompt that asks about a sample. Raises ``NotFound``, or ``Conflict`` without a known image size. Three
    queries. A polygon counts as the box around it, and a point not at all."""
    row = Sample.objects.filter(benchmark=benchmark, key=key).values_list("width", "height", "gold__revision").first()
    if row is None:
        raise NotFound(gettext("Sample not found."), field="sample")
    width, height, revision = row
    if not width or not height:
        raise Conflict(gettext("The size of the image of this sample is unknown. Add the image."), field="sample")
    polygons = GoldShape.objects.filter(revision=revision, kind=OutlineKind.POLYGON.value)
    shapes: list[GoldBox | GoldShape] = [*GoldBox.objects.filter(revision=revision), *polygons] if revision else []
    gold = [(one.x1, one.y1, one.x2, one.y2) for one in sorted(shapes, key=lambda one: one.position)]
    return RolloutPrompt((int(width), int(height)), tuple(gold))
