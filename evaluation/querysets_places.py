"""Where a crop lies, as a condition of the database."""

from __future__ import annotations

import re

from django.db.models import F, FloatField, Q
from django.db.models.functions import Cast
from django.db.models.lookups import GreaterThanOrEqual, LessThan

from evaluation.metrics.heatmap import COLUMNS, ROWS


def crop_cell(value: str) -> Q:
    """With the centre of the scoring crop in this cell of the heat map, "COLUMN-ROW"; see ``metrics.heatmap``."""
    found = re.fullmatch(r"(\d{1,3})-(\d{1,3})", value)
    if found is None:
        return Q(pk__in=[])
    sides = (("x", "width", int(found[1]), COLUMNS), ("y", "height", int(found[2]), ROWS))
    inside = Q(score__in_population=True, score__crop_x1__isnull=False)
    for axis, side, place, cells in sides:
        centre = (F(f"score__crop_{axis}1") + F(f"score__crop_{axis}2")) * float(cells)
        size = Cast(F(f"sample__{side}"), FloatField())
        if place:
            inside &= Q(GreaterThanOrEqual(centre, size * (2.0 * place)))
        if place < cells - 1:
            inside &= Q(LessThan(centre, size * (2.0 * (place + 1))))
    return inside
