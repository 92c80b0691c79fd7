"""The loops that readers share, over rows and over whole files: decode, convert, report, count, tell the progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from annotation.importers.decoding import RowDecoder
from annotation.importers.documents import Document, DocumentStream
from annotation.importers.fields import Report, RowRefused
from annotation.importers.reading import RawRow, RowStream
from evaluation.importers.interface import PROGRESS_EVERY, ImportProblem, Read, RunSummary, Settings
from evaluation.schema import Intervention, Issue, Judgement, RolloutGroup, Trajectory

Record = Trajectory | Intervention | Judgement | RolloutGroup | Settings
Convert = Callable[[Any, str, Report], Record]
"""A row, the key of its list and a report in; a record out, or ``RowRefused``."""
ConvertDocument = Callable[[Document, Report], Iterator[Record | Issue]]
"""The files of a record and a report in; records and issues out, or ``RowRefused``, which ends this document."""


def read_rows(stream: RowStream, convert: Convert, empty: str, *, objects: bool = True) -> Read:
    """Everything of ``stream``. Raises ``ImportProblem`` saying ``empty`` when a file read whole has no row at all.

    Rows are JSON objects, with ``objects`` False any JSON value but ``null``.
    """
    decoder = RowDecoder()
    trajectories = failed = 0
    for row in stream:
        if not isinstance(row, RawRow):
            yield row
            continue
        data, issues = decoder.decode(row) if objects else decoder.decode_any(row)
        yield from issues
        if data is not None:
            report = Report(row.file, row.line)
            try:
                record = convert(data, row.key, report)
            except RowRefused as refused:
                yield from report.issues
                yield refused.issue
            else:
                yield from report.issues
                yield record
                if isinstance(record, Trajectory):
                    trajectories += 1
                    failed += bool(record.error)
        if stream.given % PROGRESS_EVERY == 0:
            yield stream.progress()
    yield stream.progress()
    if stream.resumed:
        return
    yield RunSummary(trajectories, failed)
    if not stream.given:
        raise ImportProblem(empty)


def read_documents(stream: DocumentStream, convert: ConvertDocument, empty: str) -> Read:
    """As ``read_rows``, for records that are files of their own; a progress comes after each."""
    trajectories = failed = 0
    for document in stream:
        if not isinstance(document, Document):
            yield document
            continue
        report = Report(document.name, None)
        try:
            for record in convert(document, report):
                yield record
                if isinstance(record, Trajectory):
                    trajectories += 1
                    failed += bool(record.error)
        except RowRefused as refused:
            yield refused.issue
        yield from report.issues
        yield stream.progress()
    if stream.resumed:
        return
    yield RunSummary(trajectories, failed)
    if not trajectories:
        raise ImportProblem(empty)
