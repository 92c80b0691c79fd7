"""Planted errors as the page and the API show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from evaluation.experiments.present.anchoring import FIELD_WORDS
from evaluation.experiments.read.planted import Planted


@dataclass(frozen=True)
class PlantedRow:
    """``any``: whether a draft has an error. ``open``: sample, field and its label."""

    any: bool
    planted: int
    withdrawn: int
    shown: int
    adopted: int
    rate: str
    interval: str
    open: tuple[tuple[str, str, str], ...]


def planted_row(found: Planted) -> PlantedRow:
    rate = f"{100 * found.adopted / found.shown:.1f}%" if found.shown else gettext("n/a")
    ends = found.interval
    interval = f"{100 * ends.low:.1f}% … {100 * ends.high:.1f}%" if ends else gettext("n/a")
    left = tuple((one.key, one.field, str(FIELD_WORDS.get(one.field, one.field))) for one in found.open)
    return PlantedRow(
        bool(found.planted), found.planted, found.withdrawn, found.shown, found.adopted, rate, interval, left
    )


def planted_json(found: Planted) -> dict[str, Any]:
    """The counts and the rate as data: null where undefined."""
    return {
        "planted": found.planted,
        "withdrawn": found.withdrawn,
        "shown": found.shown,
        "adopted": found.adopted,
        "rate": found.adopted / found.shown if found.shown else None,
        "low": found.interval.low if found.interval else None,
        "high": found.interval.high if found.interval else None,
        "open": [{"sample": one.key, "field": one.field} for one in found.open],
    }
