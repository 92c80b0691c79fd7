"""The size of the image that something was drawn on, from the times at which images of samples were replaced."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from annotation.content.rescaling import Size
from annotation.models import ImageReplacement, Sample


@dataclass(frozen=True, slots=True)
class Drawn:
    """A drawing on the image that a sample had at time ``at``. ``key``: an identifier; ``now``: size of its image."""

    key: Any
    sample: int
    at: datetime | None
    now: Size | None


def sizes_drawn_on(replaced: QuerySet[ImageReplacement], drawn: Iterable[Drawn]) -> dict[Any, Size | None]:
    """Return the size of the image that each was drawn on, by key: of the first image that was replaced after that
    time, or of the image that the sample has. None: unknown. One query.
    """
    until: dict[int, list[tuple[datetime, Size]]] = {}
    rows = replaced.order_by("replaced_at", "pk")
    for sample, at, width, height in rows.values_list("sample", "replaced_at", "image__width", "image__height"):
        until.setdefault(sample, []).append((at, (width, height)))
    sizes: dict[Any, Size | None] = {}
    for one in drawn:
        earlier = (size for at, size in until.get(one.sample, ()) if one.at is not None and one.at < at)
        sizes[one.key] = next(earlier, one.now)
    return sizes


def size_of(sample: Sample) -> Size | None:
    return (sample.width, sample.height) if sample.width and sample.height else None
