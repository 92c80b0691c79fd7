"""Shapes that came with a sample as a model's predictions, as shapes that its annotator may adopt."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.utils.translation import gettext

from annotation.content.suggestions import Suggestion, suggested_by
from annotation.importers.fields import four_numbers, is_number, two_numbers
from annotation.importers.label_studio_predictions import PREDICTIONS
from annotation.models import Sample
from annotation.schema import Box, Outline, OutlineKind


@suggested_by
def suggest_predictions(sample: Sample) -> list[Suggestion]:
    """Suggestions from predictions, sorted by score. Several boxes of a model are numbered; others are ignored."""
    given = sample.extra.get(PREDICTIONS)
    found = [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []
    polygons = any("points" in one for one in found) and sample.benchmark.task.evidence.has_polygons
    shapes = [(shape, one) for one in found if (shape := _shape(one, polygons))]
    seen: Counter[str] = Counter()
    suggestions = []
    for shape, one in sorted(shapes, key=lambda each: -_score(each[1])):
        source = str(one.get("source") or gettext("a model"))
        seen[source] += 1
        named = source if seen[source] == 1 else f"{source} ({seen[source]})"
        score = gettext("score %(score)s") % {"score": f"{one['score']:.2f}"} if is_number(one.get("score")) else ""
        suggestions.append(Suggestion(shape, named, ", ".join(filter(None, [str(one.get("label") or ""), score]))))
    return suggestions


def _shape(one: dict[str, Any], polygons: bool) -> Box | None:
    """The polygon of a prediction where the task allows polygons, else its box; None if it is neither."""
    numbers, points = four_numbers(one.get("box")), one.get("points")
    corners = list(map(two_numbers, points)) if polygons and isinstance(points, list) else []
    try:
        if corners and None not in corners:
            return Outline.of(OutlineKind.POLYGON, [point for point in corners if point])
        return Box(*numbers) if numbers else None
    except ValueError:
        return None


def _score(one: dict[str, Any]) -> float:
    return float(one["score"]) if is_number(one.get("score")) else float("-inf")
