"""What an update of a benchmark from a portable file would change, sample by sample, before it is done.

A file has no common starting point with the benchmark, but both have the history of their gold. If the benchmark knows
the gold of the file as an earlier revision, only the benchmark changed it since. If the file knows the gold of the
benchmark, only the file changed it. If neither knows that of the other, both changed it: a conflict.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from annotation.models import Annotation, Benchmark, Gold, Revision, Sample
from annotation.project_file import FIELDS, InvalidFileError, Line, Reader
from annotation.workflow import State

Identity = tuple[datetime, str]
"""Of a revision on every server: when it was made, and the digest of its content."""
OPEN_WORK = (State.DRAFT, State.SUBMITTED, State.IN_REVIEW, State.RETURNED)
AT_ONCE = 2000
REST = "evidence, toolchain or plan"
IMAGE = "image"


class Kind(StrEnum):
    """The kind of difference of a sample between a file and a benchmark."""

    ADDED = "added"
    FILE = "changed in the file"
    HERE = "changed here"
    CONFLICT = "conflict"
    BLOCKED = "other image"
    MISSING = "not in the file"


class Choice(StrEnum):
    """What becomes of a conflict. ``HERE``: nothing changes. ``FILE``: the gold of the file becomes the gold, and the
    gold from here stays a revision. ``BOTH``: the gold from here stays the gold, and the file's becomes a revision."""

    HERE = "here"
    FILE = "file"
    BOTH = "both"


@dataclass(slots=True)
class InFile:
    """A sample of the file: its row and number, and the numbers of its revisions by their identity."""

    number: int
    row: Mapping[str, Any]
    image: str
    revisions: dict[Identity, int] = field(default_factory=dict)
    gold: Identity | None = None
    content: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A sample that differs. ``fields``: what differs in its gold. ``open``: people work on it here, so that the gold
    of the file can't become the gold."""

    key: str
    kind: Kind
    fields: tuple[str, ...] = ()
    open: bool = False


@dataclass(frozen=True)
class Plan:
    """All samples that differ, sorted by kind and key, the samples of the file by key, and how many are equal."""

    entries: list[Entry]
    samples: dict[str, InFile]
    same: int

    def of(self, kind: Kind) -> list[Entry]:
        return [one for one in self.entries if one.kind is kind]

    def as_json(self, most: int) -> dict[str, Any]:
        """Counts of all kinds, and at most ``most`` samples of each kind. Conflicts are listed completely."""
        listed = [one for kind in Kind for one in self.of(kind)[: None if kind is Kind.CONFLICT else most]]
        samples = [
            {"key": one.key, "kind": one.kind.value, "fields": list(one.fields), "open": one.open} for one in listed
        ]
        return {"counts": {kind.value: len(self.of(kind)) for kind in Kind}, "same": self.same, "samples": samples}


def plan_update(benchmark: Benchmark, file: Reader) -> Plan:
    """Compare the gold of a benchmark with that of a file. Withdrawn samples of the file count as not in the file.
    Five queries."""
    samples = samples_in(file)
    known: dict[str, set[Identity]] = {}
    of_revision = ("annotation__sample__key", "created_at", "digest")
    revisions = Revision.objects.filter(annotation__sample__benchmark=benchmark, submitted_at__isnull=False)
    for key, *identity in revisions.order_by().values_list(*of_revision).iterator(chunk_size=AT_ONCE):
        known.setdefault(key, set()).add((identity[0], identity[1]))
    golds = {
        row.sample.key: row.revision
        for row in Gold.objects.filter(sample__benchmark=benchmark)
        .select_related("sample", "revision")
        .iterator(chunk_size=AT_ONCE)
    }
    undecided = Annotation.objects.filter(sample__benchmark=benchmark, state__in=OPEN_WORK)
    working = set(undecided.values_list("sample__key", flat=True))
    here = dict(Sample.objects.filter(benchmark=benchmark).values_list("key", "image__sha256"))
    entries, same = [], 0
    for key, image in here.items():
        one = samples.get(key)
        if one is None:
            entries.append(Entry(key, Kind.MISSING))
            continue
        gold = golds.get(key)
        kind = _kind(one, gold, known.get(key, set()), working=key in working)
        if kind is None:
            same += 1
        elif kind in (Kind.FILE, Kind.CONFLICT) and one.image != (image or ""):
            entries.append(Entry(key, Kind.BLOCKED, (IMAGE,)))
        else:
            entries.append(Entry(key, kind, _fields(one, gold), key in working))
    entries += [Entry(key, Kind.ADDED) for key in samples.keys() - here.keys()]
    order = list(Kind)
    return Plan(sorted(entries, key=lambda entry: (order.index(entry.kind), entry.key)), samples, same)


def samples_in(file: Reader) -> dict[str, InFile]:
    """The samples of a file by key with their submitted revisions and their gold, without withdrawn ones. Raises
    ``InvalidFileError`` for a row that names no row, or has no valid key or identity."""
    images, stored = [], file.images
    for line in file.lines("image"):
        images.append(line.text("sha256"))
        if "removed" not in line.row and images[-1] not in stored:
            raise missing_image(line)
    found: list[InFile] = []
    by_key: dict[str, InFile] = {}
    for line in file.lines("sample"):
        at, key = line.reference_or_none("image", len(images)), line.text("key")
        found.append(InFile(line.number, line.row, "" if at is None else images[at - 1]))
        if not line.row.get("deleted_at"):
            if key in by_key:
                raise line.error("key", f"is that of the sample in line {by_key[key].number}")
            by_key[key] = found[-1]
    of_annotation = [found[line.reference("sample", len(found)) - 1] for line in file.lines("annotation")]
    revisions = file.tables.get("revision", 0)
    golds = {line.reference("revision", revisions) for line in file.lines("gold")}
    for line in file.lines("revision"):
        one = of_annotation[line.reference("annotation", len(of_annotation)) - 1]
        if line.row.get("submitted_at") is None:
            continue
        identity = (line.moment("created_at"), line.text("digest"))
        one.revisions[identity] = line.number
        if line.number in golds:
            one.gold, one.content = identity, {name: line.row.get(name) for name in FIELDS}
    return by_key


def missing_image(line: Line) -> InvalidFileError:
    return line.error("sha256", f"names an image that the file does not have: {line.text('sha256')[:64]}")


def _kind(one: InFile, gold: Revision | None, known: set[Identity], *, working: bool) -> Kind | None:
    """How the gold of a sample differs; None: it does not."""
    here = (gold.created_at, gold.digest) if gold else None
    if one.gold == here or (gold is not None and one.gold is not None and _equal(one, gold)):
        return None
    if one.gold is None:
        return Kind.HERE
    if here is None:
        # The file's gold was the gold here too, until the sample was reopened.
        return Kind.HERE if one.gold in known else Kind.CONFLICT if working else Kind.FILE
    if one.gold in known:
        # Each knows the gold of the other: the one with more history is newer.
        if here not in one.revisions or one.revisions.keys() < known:
            return Kind.HERE
        return Kind.CONFLICT if working or not one.revisions.keys() > known else Kind.FILE
    return Kind.CONFLICT if working or here not in one.revisions else Kind.FILE


def _equal(one: InFile, gold: Revision) -> bool:
    return one.gold is not None and one.gold[1] == gold.digest and (one.content or {}).get("facets") == gold.facets


def _fields(one: InFile, gold: Revision | None) -> tuple[str, ...]:
    if gold is None or one.content is None:
        return ()
    found = tuple(name for name in FIELDS if one.content[name] != getattr(gold, name))
    only_facets = one.gold is not None and one.gold[1] == gold.digest
    return found if found or only_facets else (REST,)
