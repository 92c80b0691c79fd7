"""The native format: the ``bank``, ``samples`` and ``settings`` of one JSON file, a folder or a zip of JSONL files.

Runs in the same file (``trajectories`` and so on) are skipped here; the importers of runs read them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.importers.converting import converted, read_each
from annotation.importers.fields import Report
from annotation.importers.interface import Detection, Read, ReadOptions, Settings
from annotation.importers.reading import RawRow, RowStream, begins_json
from annotation.schema import Issue, Severity, shortened
from annotation.tool_bank.table import BadTable, row_from

KEYS = ("bank", "samples", "settings")
_SECTION = re.compile(
    rb'\s*\{\s*"(bank|interventions|judgements|rollout_groups|samples|settings|trajectories)"\s*:\s*[\[{]'
)
"""Matches the beginning of a native file with all sections; its samples may follow much later."""

_LOG = re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:')
"""Matches the beginning of a log of Inspect AI, which also has a list of samples: the results of a model on them."""


def detect(head: bytes, name: str) -> Detection:
    """Detect a native benchmark: it names ``"samples"``; or its rows have ``id`` and a key that only samples have; or
    it begins like a native file with all sections, and the samples come later.
    """
    reasons = []
    named = name.startswith("samples.") and begins_json(head)
    if named:
        reasons.append("The file is called samples.")
    if _LOG.match(head.removeprefix(b"\xef\xbb\xbf")):
        return Detection("native", 0.0)
    if re.search(rb'"samples"\s*:\s*\[', head):
        reasons.append('It contains a list "samples".')
    own = [k for k in ("gold_boxes", "reference_toolchain", "answer_type", "image_group") if f'"{k}"'.encode() in head]
    if b'"id"' in head and own:
        reasons.append(f"Its rows have the keys id and {own[0]}.")
    if not reasons and (begun := _SECTION.match(head.removeprefix(b"\xef\xbb\xbf"))):
        reasons.append(f'It begins with the native section "{begun[1].decode()}".')
    # The content counts more than a name: boxes under keys of another format would be skipped.
    sure = 0.6 if named and len(reasons) == 1 else (0.0, 0.7, 0.9, 1.0)[len(reasons)]
    return Detection("native", sure, tuple(reasons))


def read(path: Path, options: ReadOptions) -> Read:
    """Yield samples, settings and issues of ``path``. Raises ``ImportProblem`` if there are no rows."""
    empty = f"{path.name} contains no samples. It needs a list named samples, or a file samples.jsonl."
    return read_each(RowStream(path, KEYS, options.start), _converted, empty)


def _converted(data: dict[str, Any], row: RawRow) -> Read:
    if row.key == "settings":
        yield Settings(data, row.file, row.line)
        return
    if row.key == "bank":
        yield from _tool(data, row)
        return
    yield from converted(data, lambda values, _: dict(values), Report(row.file, row.line, row=row.row))


def _tool(data: Mapping[str, Any], row: RawRow) -> Read:
    try:
        yield row_from(data, row.line)
    except BadTable as bad:
        for problem in bad.problems:
            yield Issue(
                Severity.REFUSED, "bad-tool", row.file, row.line, "bank", shortened(dict(data)), problem, row.row
            )
