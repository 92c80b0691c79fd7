"""Texts of a portable file that contain the name or address of a person. A file with pseudonyms has them unchanged."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import models
from django.utils.translation import gettext

from annotation.content.people import address_of
from annotation.models import Annotation, Benchmark, CheckAnswer, Membership, Revision, Sample, Version
from annotation.portable.read.contents import WorkingState
from annotation.portable.read.tables import BENCHMARK_FIELDS, Table
from annotation.portable.read.version import FrozenVersion
from webapp.accounts.models import User
from webapp.common.errors import InvalidInput

MOST = 200
"""The maximum number of texts that a part of the search lists."""
PART = 25_000
"""The maximum number of rows that a part searches: less than a second of work."""
AROUND = 60
"""Characters of the text before and after the name."""
SHORTEST = 2
"""The minimum length of a part of a name, in letters."""
LONGEST_NUMBER = 12
_PSEUDONYM = re.compile(r"person-\d+")
_PART = re.compile(r"[^\W\d_]+")
_TEXT = (models.CharField, models.TextField, models.JSONField)
_TO_SAMPLE: Mapping[str, tuple[type[models.Model], str]] = {
    "sample": (Sample, "key"),
    "annotation": (Annotation, "sample__key"),
    "revision": (Revision, "annotation__sample__key"),
    "check_answer": (CheckAnswer, "check_of__sample__key"),
}
"""The fields of rows that lead to a sample, and the path from there to its id."""


@dataclass(frozen=True, slots=True)
class NamedText:
    """One text with a name. ``table`` and ``field``: where it is in the file; ``sample``: the id of its sample, ""
    without one."""

    table: str
    field: str
    sample: str
    before: str
    name: str
    after: str


@dataclass(slots=True)
class NamedTexts:
    """What one part of the search found, in the order of the file. ``rows``: how many were searched; ``next``: where
    the search goes on, "" at the end; ``table`` and ``tables``: the number of the last table, and of all."""

    listed: list[NamedText] = field(default_factory=list)
    rows: int = 0
    next: str = ""
    table: int = 0
    tables: int = 0


def texts_with_names(benchmark: Benchmark, version: Version | None = None, start: str = "") -> NamedTexts:
    """The texts with a name in the file of the working state or of one version, from ``start`` on. A part ends after
    ``PART`` rows or ``MOST`` texts, so that a request takes about a second for a benchmark of any size. Runs are not
    searched. Raises ``InvalidInput`` for a start that is none."""
    contents = FrozenVersion(version) if version else WorkingState(benchmark)
    first, skip = _place(contents, start)
    found = NamedTexts(tables=len(contents.tables))
    named = pattern_of(_people(benchmark, contents))
    if named is None:
        return found
    if not start:
        about = {name: getattr(benchmark, name) for name in BENCHMARK_FIELDS}
        _add(found, "benchmark", _matches(about, list(BENCHMARK_FIELDS), named), {})
    for found.table, table in enumerate(contents.tables[first:], start=first + 1):
        fields = [one.name for one in table.fields if isinstance(one, _TEXT) and not one.choices]
        if not fields:
            continue
        hits: list[Hit] = []
        before = skip if found.table == first + 1 else 0
        for number, row in enumerate(contents.values(table, skip=before), start=before + 1):
            found.rows += 1
            hits += _matches(row, fields, named)
            if found.rows >= PART or len(found.listed) + len(hits) >= MOST:
                found.next = f"{table.name}:{number}"
                break
        _add(found, table.name, hits, _sample_ids(table, [row for row, _, _ in hits]))
        if found.next:
            break
    return found


def all_texts_with_names(benchmark: Benchmark, version: Version | None = None) -> Iterator[NamedText]:
    """All parts of the search, one after the other."""
    part = texts_with_names(benchmark, version)
    yield from part.listed
    while part.next:
        part = texts_with_names(benchmark, version, part.next)
        yield from part.listed


def _place(contents: WorkingState, start: str) -> tuple[int, int]:
    """The number of a table, from 0, and how many of its rows were searched before."""
    name, _, rows = start.partition(":")
    place = next((at for at, table in enumerate(contents.tables) if table.name == name), None)
    if not start:
        return 0, 0
    if place is None or not (rows.isascii() and rows.isdigit() and len(rows) < LONGEST_NUMBER):
        raise InvalidInput(gettext("The search has no such place. Search from the beginning."), field="start")
    return place, int(rows)


def pattern_of(people: Iterable[tuple[str, str]]) -> re.Pattern[str] | None:
    """A pattern of the names and addresses, and of their parts, as full words; None without any.

    >>> pattern_of([("Ana Silva", "ana.s@example.org")]).search("Ask SILVA.").group()
    'SILVA'
    """
    words: set[str] = set()
    for name, address in people:
        local = address.partition("@")[0]
        if not _PSEUDONYM.fullmatch(name):
            words |= {name.strip(), *_PART.findall(name)}
        words |= {address, local, *_PART.findall(local)}
    kept = sorted((word for word in words if len(word) >= SHORTEST), key=lambda word: (-len(word), word))
    if not kept:
        return None
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, kept))})(?![^\W_])", re.IGNORECASE)


def _people(benchmark: Benchmark, contents: WorkingState) -> Iterator[tuple[str, str]]:
    """Name and address of the people in the file and of all members."""
    members = Membership.objects.filter(benchmark=benchmark).values("user")
    known = User.objects.filter(models.Q(pk__in=contents.people()) | models.Q(pk__in=members))
    for name, email in known.values_list("name", "email"):
        yield name, address_of(email)


Hit = tuple[Mapping[str, Any], str, tuple[str, str, str]]
"""A row, the field of the text, and the text around the name."""


def _matches(row: Mapping[str, Any], fields: Collection[str], named: re.Pattern[str]) -> Iterator[Hit]:
    for name in fields:
        for text in _texts(row[name]):
            if hit := named.search(text):
                yield row, name, _parts(text, hit)


def _parts(text: str, hit: re.Match[str]) -> tuple[str, str, str]:
    """The text before the name, the name, and the text after it."""
    start, end = hit.span()
    before = text[:start] if start <= AROUND else f"…{text[start - AROUND : start]}"
    after = text[end:] if len(text) - end <= AROUND else f"{text[end : end + AROUND]}…"
    return before, hit[0], after


def _texts(value: Any) -> Iterator[str]:
    """The texts in a value of JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _texts(key)
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def _add(found: NamedTexts, table: str, hits: Iterable[Hit], samples: Mapping[tuple[str, int], str]) -> None:
    for row, name, parts in hits:
        links = (samples.get((link, row[link])) for link in _TO_SAMPLE if row.get(link) is not None)
        sample = str(row["key"]) if table == "sample" else next(filter(None, links), "")
        found.listed.append(NamedText(table, name, sample, *parts))


def _sample_ids(table: Table, rows: Collection[Mapping[str, Any]]) -> dict[tuple[str, int], str]:
    """The id of the sample by field and row that it names, for rows that name one."""
    found: dict[tuple[str, int], str] = {}
    for link, (model, path) in _TO_SAMPLE.items():
        numbers = {row[link] for row in rows if row.get(link) is not None}
        if numbers:
            manager = Sample.everything if model is Sample else model._default_manager
            pairs = manager.filter(pk__in=numbers).values_list("pk", path)
            found |= {(link, pk): key for pk, key in pairs}
    return found
