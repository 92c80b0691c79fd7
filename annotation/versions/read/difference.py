"""The differences between two states of a benchmark: frozen versions, or its current gold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.content.chains.read import further_by_sample
from annotation.models import Benchmark, Gold, Version, VersionEntry
from annotation.project_file import Kind
from annotation.versions.read.images import images_at


@dataclass(frozen=True, slots=True)
class SampleChange:
    """One sample with different gold; the revisions are numbers of rows, None without gold. The images are hashes, ""
    if no image of the sample was ever replaced.
    """

    kind: Kind
    key: str
    sample: int
    before: int | None
    after: int | None
    chains_before: Sequence[Mapping[str, Any]] = ()
    chains_after: Sequence[Mapping[str, Any]] = ()
    image_before: str = ""
    image_after: str = ""


@dataclass(frozen=True)
class Difference:
    """All differences, sorted by kind and key, and the number of samples that are equal in both."""

    changes: list[SampleChange]
    same: int

    def count(self, kind: Kind) -> int:
        return sum(change.kind is kind for change in self.changes)

    def reversed(self) -> Difference:
        """Return the difference in the opposite direction."""
        turned = {Kind.ADDED: Kind.REMOVED, Kind.REMOVED: Kind.ADDED, Kind.CHANGED: Kind.CHANGED}
        back = [
            replace(
                c, kind=turned[c.kind], before=c.after, after=c.before, chains_before=c.chains_after,
                chains_after=c.chains_before, image_before=c.image_after, image_after=c.image_before,
            )
            for c in self.changes
        ]  # fmt: skip
        return Difference(sorted(back, key=_place), self.same)


@dataclass(frozen=True, slots=True)
class _Held:
    key: str
    revision: int
    digest: str
    chains: Sequence[Mapping[str, Any]] | None = ()
    image: str = ""

    def same_as(self, other: _Held) -> bool:
        """Return whether gold, image and accepted toolchains are equal. Toolchains that a version did not store equal
        any others.
        """
        unknown = self.chains is None or other.chains is None
        same = (self.digest, self.image) == (other.digest, other.image)
        return same and (unknown or _said(self.chains) == _said(other.chains))


def difference(benchmark: Benchmark, older: Version | None, newer: Version | None) -> Difference:
    """Compare ``older`` (None: empty) with ``newer`` (None: the current gold). Four or five queries.

    Samples are equal if the content of their gold is (revisions with equal digests), and the other accepted reference
    toolchains are.
    """
    before = _held(benchmark, older) if older else {}
    after = _held(benchmark, newer)
    changes = [
        SampleChange(
            _kind(before.get(sample), after.get(sample)),
            (after.get(sample) or before[sample]).key,
            sample,
            before[sample].revision if sample in before else None,
            after[sample].revision if sample in after else None,
            before.get(sample, _NOTHING).chains or (),
            after.get(sample, _NOTHING).chains or (),
            before.get(sample, _NOTHING).image,
            after.get(sample, _NOTHING).image,
        )
        for sample in before.keys() | after.keys()
        if not before.get(sample, _NOTHING).same_as(after.get(sample, _NOTHING))
    ]
    return Difference(sorted(changes, key=_place), same=len(before.keys() | after.keys()) - len(changes))


_NOTHING = _Held("", 0, "")


def _place(change: SampleChange) -> tuple[int, str]:
    return list(Kind).index(change.kind), change.key


def _kind(before: _Held | None, after: _Held | None) -> Kind:
    if before is None:
        return Kind.ADDED
    return Kind.REMOVED if after is None else Kind.CHANGED


def _held(benchmark: Benchmark, version: Version | None) -> dict[int, _Held]:
    """Return the gold of each sample, by the number of the sample's row, with its other accepted toolchains."""
    fields = ("sample", "sample__key", "revision", "revision__digest")
    images = images_at(benchmark, version.frozen_at if version else None)
    if version is not None:
        entries = VersionEntry.objects.filter(version=version).values_list(*fields, "accepted_chains")
        return {row[0]: _Held(*row[1:], image=images.get(row[0], "")) for row in entries.iterator()}  # type: ignore[misc]
    further = further_by_sample(benchmark)
    rows = Gold.objects.filter(sample__benchmark=benchmark).values_list(*fields)
    return {
        sample: _Held(key, revision, digest, further.get(sample, []), images.get(sample, ""))
        for sample, key, revision, digest in rows.iterator()
    }


def _said(chains: Sequence[Mapping[str, Any]] | None) -> list[tuple[Any, Any]]:
    return [(chain["digest"], chain["note"]) for chain in chains or ()]
