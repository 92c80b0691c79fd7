"""The loops that readers share, over rows and over whole files: recognize, decode, convert, report, count."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from annotation.importers.decoding import RowDecoder
from annotation.importers.documents import Document, DocumentStream
from annotation.importers.fields import Report, RowRefused
from annotation.importers.reading import RawRow, RowStream
from evaluation.importers.interface import (
    PROGRESS_EVERY,
    ImportProblem,
    Read,
    RunSummary,
    Settings,
    Unchanged,
    UnchangedRowDetector,
)
from evaluation.schema import Intervention, Issue, Judgement, RolloutGroup, Severity, Trajectory

Record = Trajectory | Intervention | Judgement | RolloutGroup | Settings
Convert = Callable[[Any, str, Report], Record]
"""A row, the key of its list and a report in; a record out, or ``RowRefused``."""
ConvertDocument = Callable[[Document, Report], Iterator[Record | Issue]]
"""The files of a record and a report in; records and issues out, or ``RowRefused``, which ends this document."""

NOT_JOINED = frozenset({"unknown-sample", "ambiguous-sample", "other-question", "number-alone"})
"""The rules of issues that say that a record was read and belongs to no one sample."""
CHUNK_BYTES = 32 << 20
"""Rows are read ahead in chunks. Beyond this number of bytes, a chunk has fewer than ``PROGRESS_EVERY`` rows."""


def read_rows(
    stream: RowStream, convert: Convert, empty: str, known: UnchangedRowDetector | None = None, *, objects: bool = True
) -> Read:
    """Everything of ``stream``. Raises ``ImportProblem`` saying ``empty`` when a file read whole has no row at all.

    Rows are JSON objects, with ``objects`` False any JSON value but ``null``.

    What is stored is asked for a chunk at a time, after the progress of the one before: a saver that has kept that
    chunk sees its own rows again.
    """
    converter = _Converter(convert, objects)
    for rows in _chunks(stream):
        digests = [known.digest(row) if known and isinstance(row, RawRow) else b"" for row in rows]
        stored = known.find([digest for digest in digests if digest]) if known else {}
        for row, digest in zip(rows, digests, strict=True):
            if not isinstance(row, RawRow):
                yield row
            elif found := stored.get(digest):
                converter.count(failed=found.failed)
                yield Unchanged(found, row.file, row.line, row.row)
            else:
                yield from converter.read(row, digest)
        yield stream.progress()
    if stream.resumed:
        return
    yield RunSummary(converter.trajectories, converter.failed)
    if not stream.given:
        raise ImportProblem(empty)


def read_documents(stream: DocumentStream, convert: ConvertDocument, empty: str) -> Read:
    """Read records in separate files, like ``read_rows``, and report progress after each. A record without a matching
    sample counts as a record: it has an issue, and the file isn't reported as empty.
    """
    trajectories = failed = 0
    strangers, refused_first = False, ""
    for document in stream:
        if not isinstance(document, Document):
            yield document
            continue
        report = Report(document.name, None)
        try:
            for record in convert(document, report):
                yield record
                if isinstance(record, Issue):
                    strangers |= record.rule in NOT_JOINED
                    refused_first = refused_first or _in_words(record)
                if isinstance(record, Trajectory):
                    trajectories += 1
                    failed += bool(record.error)
        except RowRefused as refused:
            strangers |= refused.issue.rule in NOT_JOINED
            refused_first = refused_first or _in_words(refused.issue)
            yield refused.issue
        yield from report.issues
        yield stream.progress()
    if stream.resumed:
        return
    yield RunSummary(trajectories, failed)
    if not trajectories and not strangers:
        raise ImportProblem(empty + refused_first)


def _in_words(issue: Issue) -> str:
    """Return the last part of the message for a file without a readable record: why its first record was rejected."""
    return f" {issue.file}: {issue.done}" if issue.severity == Severity.REFUSED else ""


def _chunks(stream: RowStream) -> Iterator[Sequence[RawRow | Issue]]:
    rows: list[RawRow | Issue] = []
    size = 0
    for row in stream:
        rows.append(row)
        size += len(row.text) if isinstance(row, RawRow) else 0
        if len(rows) >= PROGRESS_EVERY or size >= CHUNK_BYTES:
            yield rows
            rows, size = [], 0
    yield rows


class _Converter:
    """Decodes and converts rows one by one, and counts the trajectories."""

    def __init__(self, convert: Convert, objects: bool) -> None:
        decoder = RowDecoder()
        self._convert, self._decode = convert, decoder.decode if objects else decoder.decode_any
        self.trajectories = self.failed = 0

    def count(self, *, failed: bool) -> None:
        self.trajectories += 1
        self.failed += failed

    def read(self, row: RawRow, digest: bytes) -> Iterator[Record | Issue]:
        data, issues = self._decode(row)
        yield from issues
        if data is None:
            return
        report = Report(row.file, row.line, b"" if issues else digest, row.row)
        try:
            record = self._convert(data, row.key, report)
        except RowRefused as refused:
            yield from report.issues
            yield refused.issue
            return
        yield from report.issues
        yield record if not row.row or isinstance(record, Settings) else replace(record, row=row.row)
        if isinstance(record, Trajectory):
            self.count(failed=bool(record.error))
