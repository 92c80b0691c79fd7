"""Shapes from a click as the page of drafts and the studio show them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.drafting import Decision
from annotation.models import ClickedShape


@dataclass(frozen=True)
class ClickRow:
    """The number of proposed shapes, and the decisions on them."""

    proposed: int
    accepted: int
    dismissed: int
    left: int


def click_row(found: Counter[str]) -> ClickRow:
    counts = (found[one.value] for one in (Decision.ACCEPTED, Decision.DISMISSED, Decision.LEFT))
    return ClickRow(sum(found.values()), *counts)


def shape_json(made: ClickedShape, shape: Mapping[str, Any]) -> dict[str, Any]:
    """A proposed shape for the script of the studio."""
    return {
        "id": made.pk,
        "box": shape["box"],
        "points": shape.get("points"),
        "label": shape["label"],
        "score": shape["score"],
        "source": made.source,
    }
