"""PhysTool-Bench: tools recognized (task I), tools planned (task II), and judged results.

- ``all_tools_identified_MODEL.json`` has lists, ``task_ii_results_MODEL.json`` texts with commas in order of use. In a
  folder or zip the two files of one model make one trajectory per sample. A single file gives its list, and the other
  list that is already stored stays.
- A result file (``evaluations``) gives the plan with the judge's map of it.
- Names stay as written, repeats and order kept; a final period is removed.
- Rows join by ``id``, else by ``original_id`` and ``slot``, or ``original_id`` alone. A request that failed has no row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from annotation.importers import fields
from annotation.importers.decoding import RowDecoder
from annotation.importers.documents import Document, DocumentStream
from annotation.importers.fields import Report, RowRefused
from annotation.importers.reading import RawRow
from evaluation.importers.interface import Detection, Read, ReadOptions, SampleIndex
from evaluation.importers.joining import Clues, find_sample
from evaluation.importers.rows import Record, read_documents
from evaluation.schema import Issue, Trajectory

MODEL = "unnamed"
_FILE = re.compile(r"(?:all_tools_identified|task_ii_results|task_i_results)_(.+)\.json\Z")
_READ = frozenset({"id", "original_id", "slot", "identified_tools", "model_used", "matched_details", "image_path"})


def detect(head: bytes, name: str) -> Detection:
    """Rows with ``identified_tools``."""
    reasons = []
    if b'"identified_tools"' in head:
        reasons.append("Its rows have identified_tools.")
        if _FILE.search(name):
            reasons.append("The file is named as the scripts name it.")
    return Detection("phystool", (0.0, 0.9, 1.0)[len(reasons)], tuple(reasons))


def read(path: Path, options: ReadOptions, samples: SampleIndex) -> Read:
    """Yield all trajectories of ``path``. Raises ``ImportProblem`` if there are none."""

    def convert(document: Document, report: Report) -> Iterator[Record | Issue]:
        return _model_files(document, options, samples)

    stream = DocumentStream(path, options.start, group=_group, wanted="JSON files with identified_tools")
    empty = f"{path.name} contains no rows with identified_tools. Choose the folder results/ that the scripts write."
    return read_documents(stream, convert, empty)


def _group(names: Sequence[str]) -> Sequence[Sequence[str]]:
    """The files of one model together."""
    groups: dict[str, list[str]] = {}
    for name in names:
        if PurePosixPath(name).suffix.lower() == ".json":
            match = _FILE.search(PurePosixPath(name).name)
            groups.setdefault(match[1] if match else name, []).append(name)
    return list(groups.values())


def _model_files(document: Document, options: ReadOptions, samples: SampleIndex) -> Iterator[Record | Issue]:
    found: dict[tuple[str, str], Trajectory] = {}
    for name, content in document.parts.items():
        value, issues = RowDecoder().decode_any(RawRow("", name, 1, content, len(content)))
        yield from issues
        for number, row in enumerate(_rows(value), 1):
            report = Report(name, None, row=str(number))
            try:
                _take(row, options, samples, report, found)
            except RowRefused as refused:
                yield refused.issue
            yield from report.issues
    yield from (replace(one, half=one.plan is None or one.recognition is None) for one in found.values())


def _rows(value: object) -> list[Any]:
    if isinstance(value, dict):
        value = value.get("evaluations")
    return value if isinstance(value, list) else []


def _take(
    row: Any,
    options: ReadOptions,
    samples: SampleIndex,
    report: Report,
    found: dict[tuple[str, str], Trajectory],
) -> None:
    """Add the content of a row to the trajectory of its model and sample."""
    if not isinstance(row, dict) or "identified_tools" not in row:
        report.refuse(
            "missing-field", "identified_tools", row, "The row was rejected because it has no identified_tools. Add it."
        )
    match = _FILE.search(report.file)
    named = match[1] if match else ""
    model = options.model or fields.label(row.get("model_used"), "model_used", report, default=named or MODEL)
    report.stands_for("sample", "id")
    sample = find_sample(Clues(_ids(row)), samples, report)
    tools = fields.names(row["identified_tools"], "identified_tools", report)
    record = found.get((model, sample)) or Trajectory(
        model=model, sample_id=sample, setting=options.setting, file=report.file, row=report.row
    )
    judged = "matched_details" in row
    if isinstance(row["identified_tools"], str) or judged:
        details = fields.mapping(row.get("matched_details"), "matched_details", report)
        kept = {name: target for name, target in details.items() if target is None or isinstance(target, str)}
        record = replace(record, plan=tools, plan_map=kept)
    else:
        record = replace(record, recognition=tools)
    found[model, sample] = replace(record, extra={**record.extra, **fields.extra(row, _READ)})


def _ids(row: Mapping[str, Any]) -> list[str]:
    given = [row.get("id"), row.get("original_id")]
    named = [str(value) for value in given if isinstance(value, str | int) and not isinstance(value, bool)]
    if len(named) == 2 and isinstance(row.get("slot"), int):
        named += [f"{named[1]}_{row['slot']}", f"{named[1]}_slot_{row['slot']}"]
    return named
