"""The samples of frozen versions that were withdrawn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from annotation.models import Benchmark, Sample, Version, VersionEntry


def withdrawn_by_version(benchmark: Benchmark, versions: Iterable[Version]) -> dict[int, list[Sample]]:
    """The withdrawn samples of each of these versions, by id. One query."""
    entries = VersionEntry.objects.filter(version__in=list(versions), sample__removed_from=benchmark)
    entries = entries.exclude(sample__withdrawn="").order_by("sample__key", "version")
    found: dict[int, list[Sample]] = defaultdict(list)
    for entry in entries.select_related("sample"):
        found[entry.version_id].append(entry.sample)
    return dict(found)
