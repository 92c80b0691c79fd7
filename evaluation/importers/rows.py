"""The loop that all readers of JSON rows share: decode, convert, report, count, tell the progress."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from annotation.importers.decoding import RowDecoder
from annotation.importers.fields import Report, RowRefused
from annotation.importers.reading import RawRow, RowStream
from evaluation.importers.interface import PROGRESS_EVERY, ImportProblem, Read, RunSummary, Settings
from evaluation.schema import Intervention, Judgement, RolloutGroup, Trajectory

Record = Trajectory | Intervention | Judgement | RolloutGroup | Settings
Convert = Callable[[dict[str, Any], str, Report], Record]
"""A row, the key of its list and a report in; a record out, or ``RowRefused``."""


def read_rows(stream: RowStream, convert: Convert, empty: str) -> Read:
    """Everything of ``stream``. Raises ``ImportProblem`` saying ``empty`` when a file read whole has no row at all."""
    decoder = RowDecoder()
    trajectories = failed = 0
    for row in stream:
        if not isinstance(row, RawRow):
            yield row
            continue
        data, issues = decoder.decode(row)
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
