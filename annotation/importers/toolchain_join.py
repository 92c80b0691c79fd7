"""Gives samples the reference toolchains of another file by what they ask, never by how they are numbered."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from annotation.schema import Issue, SampleRecord, Severity, shortened

_SPACE = re.compile(r"\s+")
_QUOTES = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'"})
Key = tuple[str, tuple[tuple[str, str], ...]]


def content_key(sample: SampleRecord) -> Key:
    """Question and options for comparison: NFKC, casefold, straight quotes, runs of space as one."""
    options = ((letter, _normalised(text)) for letter, text in sample.content.options.items() if text.strip())
    return _normalised(sample.content.question), tuple(sorted(options))


def _normalised(text: str) -> str:
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text).translate(_QUOTES).casefold()).strip()


def join_toolchains(
    base_rows: Iterable[SampleRecord], toolchain_rows: Iterable[SampleRecord | Issue]
) -> Iterator[SampleRecord | Issue]:
    """The samples of ``base_rows``, each with the toolchain of the row of ``toolchain_rows`` that has its content.

    Both are held in memory. Among several rows of the same content the one with the same id is taken; another only
    when it is the only one left. Issues: rows renumbered, without a twin, of several twins, with another gold answer.
    """
    base = list(base_rows)
    chains: dict[Key, list[SampleRecord]] = defaultdict(list)
    for row in toolchain_rows:
        if isinstance(row, Issue):
            yield row
        else:
            chains[content_key(row)].append(row)
    keys = [content_key(sample) for sample in base]
    twins = [_take(chains[key], sample.id) for key, sample in zip(keys, base, strict=True)]
    for sample, key, same in zip(base, keys, twins, strict=True):
        left = chains[key]
        twin = same or (left.pop() if len(left) == 1 else None)
        yield from _remarks(sample, twin, bool(left))
        yield _with_chain(sample, twin) if twin else sample
    for rows in chains.values():
        for row in rows:
            done = "No sample has this row's question and options; its toolchain was not used."
            yield _noted("toolchain-unmatched", row, "question", row.content.question, done)


def _take(rows: list[SampleRecord], sample_id: str) -> SampleRecord | None:
    """Removes and returns the row with this id."""
    index = next((i for i, row in enumerate(rows) if row.id == sample_id), None)
    return None if index is None else rows.pop(index)


def _with_chain(sample: SampleRecord, twin: SampleRecord) -> SampleRecord:
    return replace(sample, content=replace(sample.content, reference_toolchain=twin.content.reference_toolchain))


def _remarks(sample: SampleRecord, twin: SampleRecord | None, several: bool) -> Iterator[Issue]:
    if twin is None:
        rule, what = ("toolchain-ambiguous", "several rows") if several else ("no-toolchain", "no row")
        done = f"The toolchain file has {what} with this question and options; the sample got no toolchain."
        yield _noted(rule, sample, "question", sample.content.question, done)
        return
    if twin.id != sample.id:
        done = f"The toolchain file calls this sample {shortened(twin.id, 60)}; joined by its content."
        yield _noted("renumbered", sample, "id", sample.id, done)
    if twin.content.answers != sample.content.answers:
        theirs = ", ".join(twin.content.answers)
        done = f"The toolchain file gives another answer ({shortened(theirs, 80)}); the sample's own was kept."
        yield _noted("gold-differs", sample, "answer", ", ".join(sample.content.answers), done)


def _noted(rule: str, row: SampleRecord, field: str, found: str, done: str) -> Issue:
    return Issue(Severity.NOTED, rule, row.file, row.line, field, shortened(found), done, row.row)
