"""Logs of Inspect AI: ``.eval`` (a zip, packed with deflate or Zstandard, samples whole or in chunks) and ``.json``.

- A sample joins by its id, else by its question and choices. ``epoch`` counts rollouts from 1.
- Calls are under ``tool_calls`` and are matched with replies by id; a reply with an ``error`` failed.
- Boxes are pixels, unless ``coordinates`` has another space. Attachments are not resolved.
- The first score is the verdict: C and 1 are correct, I and 0 incorrect. Any other score is kept without a verdict.
- A sample with an ``error`` is an error; one that reached a ``limit`` is not, and has a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from annotation.importers import fields
from annotation.importers.documents import Document, DocumentStream
from annotation.importers.fields import Report
from annotation.importers.inspect_files import WANTED, group, whole_sample
from annotation.importers.reading import RowStream
from annotation.importers.sources import HEAD_BYTES, Limits, open_members
from evaluation.importers.interface import BoxSpace, Detection, ImportProblem, Read, ReadOptions, SampleIndex
from evaluation.importers.joining import Clues, find_sample
from evaluation.importers.messages import talk_of
from evaluation.importers.rows import Record, read_documents, read_rows
from evaluation.importers.tool_steps import step_of
from evaluation.importers.zooming import ImageFrames
from evaluation.schema import Issue, Trajectory, Usage

_MODEL = re.compile(rb'"model"\s*:\s*"([^"\\\x00-\x1f]{1,200})"')
_VERDICTS = {"C": True, "I": False, "1": True, "0": False, "1.0": True, "0.0": False, "True": True, "False": False}
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def detect(head: bytes, name: str) -> Detection:
    """The keys of a log, or of one of its samples."""
    if b'"eval"' in head and b'"version"' in head and b'"status"' in head:
        return Detection("inspect", 0.95, ("It has the keys version, status and eval of a log of Inspect AI.",))
    if b'"epoch"' in head and b'"target"' in head and (b'"messages"' in head or b'"input"' in head):
        return Detection("inspect", 0.8, ("It contains samples with epoch and target, as in a log of Inspect AI.",))
    return Detection("inspect", 0.0)


def read(path: Path, options: ReadOptions, samples: SampleIndex) -> Read:
    """Yield all trajectories of ``path``. Raises ``ImportProblem`` if there are none."""
    model = options.model or _model_of(path)

    def of_row(row: Any, _: str, report: Report) -> Record:
        return trajectory_from(row, model, options, samples, report)

    def of_document(document: Document, report: Report) -> Iterator[Record | Issue]:
        sample, issues = whole_sample(document)
        yield from issues
        if isinstance(sample, dict):
            yield trajectory_from(sample, model, options, samples, report)

    empty = f"{path.name} contains no samples. The run of this log may not have started."
    if path.suffix.lower() == ".json":
        return read_rows(RowStream(path, ("samples",), options.start), of_row, empty)
    stream = DocumentStream(path, options.start, group=group, wanted=WANTED)
    return read_documents(stream, of_document, empty)


def _model_of(path: Path) -> str:
    """The model named first in the header."""
    wanted = "header.json of a log"
    try:
        named = open_members(path, lambda names: [n for n in names if n == "header.json"], wanted, Limits())
    except ImportProblem:  # a log without a header still has samples
        return "unnamed"
    with named[0].open() as file:
        match = _MODEL.search(file.read(HEAD_BYTES))
    return match[1].decode("utf-8", "replace") if match else "unnamed"


def _rollout(epoch: object, report: Report) -> int:
    """Epochs count from 1, rollouts from 0."""
    if epoch is None or (isinstance(epoch, int) and not isinstance(epoch, bool) and 0 <= epoch < 2**31):
        return max(0, (epoch or 1) - 1)
    report.repaired("not-an-epoch", "epoch", epoch, "epoch is not 1, 2, 3 …. The sample was read as epoch 1.")
    return 0


def trajectory_from(
    row: Mapping[str, Any], model: str, options: ReadOptions, samples: SampleIndex, report: Report
) -> Trajectory:
    """One sample of a log. Raises ``RowRefused`` when it fits no sample of the benchmark, or several."""
    talk = talk_of(fields.items(row.get("messages"), "messages", report))
    sample = find_sample(_clues(row, talk.prompt, talk.prompt_pictures, report), samples, report)
    pictures, space = ImageFrames(samples.size_of(sample)), options.coordinates or BoxSpace()
    verdict, kept = _verdict(row.get("scores"))
    output = fields.mapping(row.get("output"), "output", report)
    error = row.get("error")
    message = error.get("message") if isinstance(error, dict) else error
    limit = row.get("limit")
    return Trajectory(
        model=model,
        sample_id=sample,
        setting=options.setting,
        rollout=_rollout(row.get("epoch"), report),
        steps=tuple(step_of(exchange, pictures, space, report) for exchange in talk.exchanges),
        answer=None if message else _completion(output, talk.final) or None,
        judge_correct=None if message else verdict,
        error=str(message or "")[:2000],
        usage=_usage(row.get("model_usage"), row.get("total_time")),
        extra={
            **kept,
            **({"limit": limit} if limit else {}),
            **fields.mapping(row.get("metadata"), "metadata", report),
        },
        file=report.file,
        line=report.line,
    )


def _completion(output: Mapping[str, Any], final: str) -> str:
    completion = output.get("completion")
    return completion.strip() if isinstance(completion, str) and completion.strip() else final


def _clues(row: Mapping[str, Any], prompt: str, pictures: Sequence[str], report: Report) -> Clues:
    given = fields.text(row.get("id"), "id", report) if isinstance(row.get("id"), str | int) else ""
    choices = [str(choice) for choice in fields.items(row.get("choices"), "choices", report)]
    report.stands_for("sample", "id")
    report.stands_for("image", "input")
    report.stands_for("question", "input")
    image = next((name for name in pictures if name and "://" not in name), "")
    return Clues([given, given.rpartition("/")[2]], image, prompt, dict(zip(_LETTERS, choices, strict=False)))


def _verdict(scores: object) -> tuple[bool | None, dict[str, Any]]:
    """The first score as a verdict, and all scores unchanged."""
    if not isinstance(scores, dict) or not scores:
        return None, {}
    first = next(iter(scores.values()))
    value = first.get("value") if isinstance(first, dict) else first
    return _VERDICTS.get(str(value)), {"scores": scores}


def _usage(models: object, seconds: object) -> Usage:
    """Tokens of all models together."""
    counts = [item for item in models.values() if isinstance(item, dict)] if isinstance(models, dict) else []
    tokens = {name: _sum(counts, name) for name in ("input_tokens", "output_tokens")}
    return Usage(**tokens, seconds=float(seconds) if fields.is_number(seconds) else None)  # type: ignore[arg-type]


def _sum(counts: Sequence[Mapping[str, Any]], name: str) -> int | None:
    found = [value for item in counts if isinstance(value := item.get(name), int) and not isinstance(value, bool)]
    return sum(found) if found else None
