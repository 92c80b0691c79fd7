"""Texts of a portable file that contain the name or address of a person. A file with pseudonyms has them unchanged."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from django.db import models

from annotation.content.people import address_of
from annotation.models import Annotation, Benchmark, CheckAnswer, Membership, Revision, Sample, Version
from annotation.portable.read.contents import WorkingState
from annotation.portable.read.tables import BENCHMARK_FIELDS, Table
from annotation.portable.read.version import FrozenVersion
from webapp.accounts.models import User

MOST = 200
"""The maximum number of texts that are listed."""
AROUND = 60
"""Characters of the text before and after the name."""
SHORTEST = 2
"""The minimum length of a part of a name, in letters."""
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
    """``count``: of all texts with a name; ``listed``: the first of them."""

    count: int = 0
    listed: list[NamedText] = field(default_factory=list)


def texts_with_names(benchmark: Benchmark, version: Version | None = None) -> NamedTexts:
    """The texts with a name in the file of the working state or of one version, in the order of the file. Runs are not
    searched."""
    contents = FrozenVersion(version) if version else WorkingState(benchmark)
    named = pattern_of(_people(benchmark, contents))
    found = NamedTexts()
    if named is None:
        return found
    about = {name: getattr(benchmark, name) for name in BENCHMARK_FIELDS}
    _add(found, "benchmark", _matches([about], list(BENCHMARK_FIELDS), named), {})
    for table in contents.tables:
        fields = [one.name for one in table.fields if isinstance(one, _TEXT) and not one.choices]
        if fields:
            hits = list(_matches(contents.values(table), fields, named))
            _add(found, table.name, hits, _sample_ids(table, [row for row, _, _ in hits[:MOST]]))
    return found


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


def _matches(rows: Iterable[Mapping[str, Any]], fields: Collection[str], named: re.Pattern[str]) -> Iterator[Hit]:
    for row in rows:
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
    hits = list(hits)
    found.count += len(hits)
    for row, name, parts in islice(hits, MOST - len(found.listed)):
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
