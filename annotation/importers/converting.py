"""The loops that readers of benchmarks share: each row, table row or file brought to the keys of the native format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from annotation.importers.any_table import Cells, report_of
from annotation.importers.decoding import RowDecoder
from annotation.importers.documents import Document, DocumentStream
from annotation.importers.fields import Report, RowRefused
from annotation.importers.interface import PROGRESS_EVERY, ImportProblem, Read
from annotation.importers.parquet_rows import ParquetRow
from annotation.importers.reading import RawRow, RowStream
from annotation.importers.samples import sample_from
from annotation.schema import Issue, SampleRecord

ToNative = Callable[[Mapping[str, Any], Report], dict[str, Any]]
"""The values of a row and a report in; the row with native keys out, or ``RowRefused``."""


def converted(values: Mapping[str, Any], to_native: ToNative, report: Report) -> Iterator[SampleRecord | Issue]:
    """The sample of one row and what was found on the way."""
    return made_of_row(lambda: sample_from(to_native(values, report), report), report)


def made_of_row(make: Callable[[], SampleRecord], report: Report) -> Iterator[SampleRecord | Issue]:
    """Yield the issues of a row, then the result of ``make``, or the issue with which it rejected the row."""
    try:
        sample = make()
    except RowRefused as refused:
        yield from report.issues
        yield refused.issue
        return
    yield from report.issues
    yield sample


def read_rows(stream: RowStream, to_native: ToNative, empty: str) -> Read:
    """Everything of ``stream``. Raises ``ImportProblem`` saying ``empty`` when a file read whole has no row."""

    def of_row(data: dict[str, Any], row: RawRow) -> Read:
        return converted(data, to_native, Report(row.file, row.line, row=row.row))

    return read_each(stream, of_row, empty)


def read_each(stream: RowStream, of_row: Callable[[dict[str, Any], RawRow], Read], empty: str) -> Read:
    """The same where a row may be something else than a sample: what ``of_row`` makes of it."""
    decoder = RowDecoder()
    for row in stream:
        if not isinstance(row, RawRow):
            yield row
            continue
        data, issues = decoder.decode(row)
        yield from issues
        if data is not None:
            yield from of_row(data, row)
        if stream.given % PROGRESS_EVERY == 0:
            yield stream.progress()
    yield stream.progress()
    if not stream.given and not stream.resumed:
        raise ImportProblem(empty)


def read_table(stream: Cells, to_native: ToNative, empty: str, *, resumed: bool) -> Read:
    """The same for a table of cells: text, a workbook, or Parquet."""
    given = 0
    for row in stream:
        if isinstance(row, Issue):
            yield row
            continue
        values: Mapping[str, Any] = row.values if isinstance(row, ParquetRow) else row.cells
        yield from converted(values, to_native, report_of(row))
        given += 1
        if given % PROGRESS_EVERY == 0:
            yield stream.progress()
    yield stream.progress()
    if not given and not resumed:
        raise ImportProblem(empty)


def read_documents(stream: DocumentStream, to_native: ToNative, empty: str) -> Read:
    """Do the same for samples in separate files; ``to_native`` receives the file's name under ""."""
    decoder = RowDecoder()
    given = 0
    for document in stream:
        if not isinstance(document, Document):
            yield document
            continue
        data, issues = decoder.decode(RawRow("", document.name, 1, document.main, len(document.main)))
        yield from issues
        if data is not None:
            given += 1
            yield from converted({**data, "": document.name}, to_native, Report(document.name, None))
        yield stream.progress()
    if not given and not stream.resumed:
        raise ImportProblem(empty)
