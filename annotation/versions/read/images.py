"""The images that samples had at a time."""

from __future__ import annotations

from datetime import datetime

from annotation.models import Benchmark, ImageReplacement
from annotation.models.querysets.removed import with_removed


def images_at(benchmark: Benchmark, at: datetime | None) -> dict[int, str]:
    """The hash of the image that each sample whose image was ever replaced had at this time (None: has now). One
    query."""
    rows = ImageReplacement.objects.filter(with_removed("sample", benchmark)).order_by("sample", "replaced_at", "pk")
    found: dict[int, str] = {}
    settled: set[int] = set()
    for row in rows.values_list("sample", "replaced_at", "image__sha256", "sample__image__sha256"):
        sample, replaced_at, before, now = row
        if sample in settled:
            continue
        found[sample] = now or ""
        if at is not None and replaced_at > at:
            # The first image that was replaced later is the one of that time.
            found[sample] = before
            settled.add(sample)
    return found
