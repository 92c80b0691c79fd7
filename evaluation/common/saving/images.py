"""Which image of its sample a trajectory was recorded on."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from annotation.models import ImageReplacement, Sample
from evaluation.schema import Trajectory

Key = TypeVar("Key", bound=tuple[int, int, int, str])


@dataclass
class History:
    """The images that a sample had, in their order: when each was replaced, and the SHA-256 of all, the present one
    last."""

    until: list[datetime] = field(default_factory=list)
    digests: list[str] = field(default_factory=list)

    def number_of(self, record: Trajectory, at: datetime | None) -> int:
        """How many of them had been replaced when this was recorded: as its row states, else by ``recorded_at``, else
        by ``at``, when the file arrived; None: now. An image that the sample had twice is the later one.
        """
        stated = record.image_sha256
        same = [number for number, digest in enumerate(self.digests) if stated and digest == stated]
        moment = record.recorded_at or at
        return same[-1] if same else bisect_right(self.until, moment) if moment else len(self.until)


def image_histories(samples: Collection[int]) -> dict[int, History]:
    """Return the history of each of these samples whose image was ever replaced. One query, two if there are any."""
    found: dict[int, History] = {}
    rows = ImageReplacement.objects.filter(sample__in=samples).order_by("replaced_at", "pk")
    for sample, until, digest in rows.values_list("sample", "replaced_at", "image__sha256"):
        history = found.setdefault(sample, History())
        history.until.append(until)
        history.digests.append(digest)
    present = Sample.objects.filter(pk__in=found).values_list("pk", "image__sha256") if found else ()
    for sample, digest in present:
        found[sample].digests.append(digest or "")
    return found


def image_numbers(
    records: Mapping[Key, Trajectory], histories: Mapping[int, History], at: datetime | None
) -> dict[Key, int | None]:
    """Return the number of images of its sample that had been replaced when each of these was recorded, None for none.
    ``histories``: of ``image_histories``; ``at``: as of ``History.number_of``."""
    numbers: dict[Key, int | None] = dict.fromkeys(records)
    for key, record in records.items():
        if history := histories.get(key[1]):
            numbers[key] = history.number_of(record, at) or None
    return numbers


def assumed_present(
    records: Iterable[tuple[int, Trajectory]], histories: Mapping[int, History], at: datetime | None
) -> list[Trajectory]:
    """Return those of a file, each with its sample, that arrived after the image of the sample was replaced, and that
    state no image: they count as recorded on the present one. ``at`` None: they are of no file."""
    return [
        record
        for sample, record in records
        if at is not None
        and not (record.image_size or record.image_sha256 or record.recorded_at)
        and (history := histories.get(sample)) is not None
        and history.number_of(record, at) == len(history.until)
    ]
