"""Boxes that came with a sample as a model's predictions, as boxes that its annotator may adopt."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.utils.translation import gettext

from annotation.content.suggestions import Suggestion, suggested_by
from annotation.importers.fields import four_numbers, is_number
from annotation.importers.label_studio_predictions import PREDICTIONS
from annotation.models import Sample
from annotation.schema import Box


@suggested_by
def suggest_predictions(sample: Sample) -> list[Suggestion]:
    """Suggestions from predictions, sorted by score. Several boxes of a model are numbered; others are ignored."""
    given = sample.extra.get(PREDICTIONS)
    found = [one for one in given if isinstance(one, dict) and _box(one)] if isinstance(given, list) else []
    seen: Counter[str] = Counter()
    suggestions = []
    for one in sorted(found, key=lambda each: -_score(each)):
        source, box = str(one.get("source") or gettext("a model")), _box(one)
        seen[source] += 1
        named = source if seen[source] == 1 else f"{source} ({seen[source]})"
        score = gettext("score %(score)s") % {"score": f"{one['score']:.2f}"} if is_number(one.get("score")) else ""
        if box is not None:
            suggestions.append(Suggestion(box, named, ", ".join(filter(None, [str(one.get("label") or ""), score]))))
    return suggestions


def _box(one: dict[str, Any]) -> Box | None:
    numbers = four_numbers(one.get("box"))
    try:
        return Box(*numbers) if numbers else None
    except ValueError:
        return None


def _score(one: dict[str, Any]) -> float:
    return float(one["score"]) if is_number(one.get("score")) else float("-inf")
