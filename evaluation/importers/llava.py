"""LLaVA's answer files: JSONL with ``question_id``, ``prompt``, ``text``, ``answer_id`` and ``model_id``.

- ``text`` is the answer, ``prompt`` the question as sent; ``model_id`` names the model. There are no steps.
- Alone, or in a folder or zip with the file of questions, which is read as samples.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.importers import fields
from annotation.importers.fields import Report
from annotation.importers.llava import NAME, OF_ANSWERS, keys_of, members_with
from annotation.importers.prompts import question_before_options
from annotation.importers.reading import RowStream
from evaluation.importers.interface import Detection, Read, ReadOptions, SampleIndex
from evaluation.importers.joining import Clues, find_sample
from evaluation.importers.matching import base_name
from evaluation.importers.rows import Record, read_rows
from evaluation.schema import Trajectory

MODEL = "LLaVA"
_READ = frozenset({"question_id", "prompt", "text", "model_id", "image"})


def detect(head: bytes, name: str) -> Detection:
    """Rows with ``question_id``, ``text``, and ``answer_id`` or ``model_id``."""
    keys = keys_of(head)
    found = {"question_id", "text"} <= keys and keys & OF_ANSWERS
    reasons = ("Its rows have question_id, text, and answer_id or model_id.",) if found else ()
    return Detection(NAME, 0.85 if found else 0.0, reasons)


def read(path: Path, options: ReadOptions, samples: SampleIndex) -> Read:
    """Yield all trajectories of ``path``. Raises ``ImportProblem`` if there are none."""

    def convert(row: Mapping[str, Any], _: str, report: Report) -> Record:
        return _trajectory(row, options, samples, report)

    ours = members_with(path, answers=True)
    wanted = "a JSONL file of answers, with answer_id or model_id"
    stream = RowStream(path, (), options.start, pick=lambda names: list(ours), wanted=wanted, deep=True)
    return read_rows(stream, convert, f"{path.name} contains no answers. It needs question_id and answer_id.")


def _trajectory(row: Mapping[str, Any], options: ReadOptions, samples: SampleIndex, report: Report) -> Trajectory:
    for ours, theirs in (("sample", "question_id"), ("question", "prompt"), ("answer", "text")):
        report.stands_for(ours, theirs)
    given = fields.name(row.get("question_id"), "sample", report)
    asked = fields.text(row.get("prompt"), "question", report).replace("<image>\n", "").replace("<image>", "")
    question, choices = question_before_options(asked)
    image = row.get("image")
    clues = Clues([given], base_name(image) if isinstance(image, str) else "", question, choices)
    return Trajectory(
        model=options.model or fields.label(row.get("model_id"), "model", report, default=MODEL),
        sample_id=find_sample(clues, samples, report),
        setting=options.setting,
        answer=fields.text(row.get("text"), "answer", report).strip() or None,
        extra=fields.extra(row, _READ),
        file=report.file,
        line=report.line,
    )
