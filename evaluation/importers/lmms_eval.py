"""Sample files of lmms-eval: ``*_samples_TASK.jsonl``.

- A row joins by ``doc_id``, else by the question and options in ``input``. It holds no image and no steps.
- The answer is ``filtered_resps`` (``resps`` is left out there when it is the same), the verdict the first metric
  that is 0 or 1, alone or as ``score`` of an object. Files are appended to: of two rows of a sample the first counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.importers import fields
from annotation.importers.fields import Report
from annotation.importers.prompts import question_before_options
from annotation.importers.reading import RowStream
from evaluation.importers.interface import Detection, Read, ReadOptions, SampleIndex
from evaluation.importers.joining import Clues, find_sample
from evaluation.importers.rows import Record, read_rows
from evaluation.schema import Trajectory, Usage

_KNOWN = frozenset(
    {"doc_id", "doc_hash", "target", "filtered_resps", "resps", "token_counts", "input", "input_media", "doc"}
)
_FILE = re.compile(r"_samples_.+\.jsonl\Z")


def detect(head: bytes, name: str) -> Detection:
    """Rows with ``doc_id`` and ``filtered_resps``."""
    if b'"doc_id"' not in head or b'"filtered_resps"' not in head:
        return Detection("lmms-eval", 0.0)
    reasons = ["Its rows have doc_id and filtered_resps."]
    if _FILE.search(name):
        reasons.append("The file is called ..._samples_TASK.jsonl.")
    return Detection("lmms-eval", 0.9, tuple(reasons))


def read(path: Path, options: ReadOptions, samples: SampleIndex) -> Read:
    """Yield all trajectories of ``path``. Raises ``ImportProblem`` if there are none."""
    seen: set[str] = set()

    def convert(row: Mapping[str, Any], _: str, report: Report) -> Record:
        return _trajectory(row, options, samples, seen, report)

    stream = RowStream(path, (), options.start, wanted="one JSONL file ..._samples_TASK.jsonl")
    empty = f"{path.name} contains no rows of lmms-eval. Choose the *_samples_TASK.jsonl of a run with --log_samples."
    return read_rows(stream, convert, empty)


def _trajectory(
    row: Mapping[str, Any], options: ReadOptions, samples: SampleIndex, seen: set[str], report: Report
) -> Trajectory:
    name = fields.name(row.get("doc_id"), "doc_id", report)
    question, choices = question_before_options(fields.text(row.get("input"), "input", report))
    report.stands_for("sample", "doc_id")
    report.stands_for("question", "input")
    sample = find_sample(Clues([name], question=question, options=choices), samples, report)
    if sample in seen:
        done = "The row was rejected because an earlier row has the same sample. The file may have been appended to."
        report.refuse("repeated-row", "doc_id", name, done)
    seen.add(sample)
    metrics = {key: value for key, value in row.items() if key not in _KNOWN}
    return Trajectory(
        model=options.model or "unnamed",
        sample_id=sample,
        setting=options.setting,
        answer=_first_text(row.get("filtered_resps")) or _first_text(row.get("resps")),
        judge_correct=next((verdict for value in metrics.values() if (verdict := _verdict(value)) is not None), None),
        usage=_usage(row.get("token_counts")),
        extra=metrics,
        file=report.file,
        line=report.line,
    )


def _first_text(value: object) -> str | None:
    """The first text of lists within lists."""
    for _ in range(4):
        if not isinstance(value, list):
            break
        value = value[0] if value else None
    return value if isinstance(value, str) else None


def _verdict(value: object) -> bool | None:
    score = value.get("score") if isinstance(value, dict) else value
    return bool(score) if isinstance(score, int | float) and score in (0, 1) else None


def _usage(counts: object) -> Usage:
    first = counts[0] if isinstance(counts, list) and counts and isinstance(counts[0], dict) else {}
    taken, given = (first.get(name) for name in ("input_tokens", "output_tokens"))
    return Usage(taken if isinstance(taken, int) else None, given if isinstance(given, int) else None)
