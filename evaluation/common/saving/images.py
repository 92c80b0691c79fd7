"""Which image of its sample a trajectory was recorded on."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from datetime import datetime
from typing import TypeVar

from annotation.models import ImageReplacement
from evaluation.schema import Trajectory

Key = TypeVar("Key", bound=tuple[int, int, int, str])


def image_numbers(records: Mapping[Key, Trajectory], at: datetime | None) -> dict[Key, int | None]:
    """Return the number of images of its sample that had been replaced when each of these was recorded, None for none.

    It is known by ``recorded_at``, else by ``at``, when the file arrived; None: now. One query.
    """
    times: dict[int, list[datetime]] = {}
    rows = ImageReplacement.objects.filter(sample__in={key[1] for key in records}).order_by("replaced_at", "pk")
    for sample, replaced in rows.values_list("sample", "replaced_at"):
        times.setdefault(sample, []).append(replaced)
    numbers: dict[Key, int | None] = dict.fromkeys(records)
    if not times:
        return numbers
    for key, record in records.items():
        known, moment = times.get(key[1], []), record.recorded_at or at
        numbers[key] = (bisect_right(known, moment) if moment else len(known)) or None
    return numbers
