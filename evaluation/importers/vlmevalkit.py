"""Prediction files of VLMEvalKit (xlsx, TSV, JSON), judged or not, and DeepEyesV2's, which hold whole transcripts.

- A row joins by ``index`` or ``id``, else by question and options. ``prediction`` is the answer, ``hit`` the verdict; a
  verdict whose log reports a random option is ignored.
- A prediction that only reports a missing answer makes the row an error, not an incorrect answer.
- ``raw_response`` (DeepEyesV2) is the text of a Python list of messages, parsed as literals. The code in it ran on
  ``image_1``, a copy of the image resized to multiples of 28: boxes are converted back to the image.
- A prediction with ``<box>`` tags and no transcript (TreeBench, TreeVGR) has crops in its reasoning: boxes in pixels of
  the image sent to the model, whose size is not in the file. Its answer is in tags.
- Other columns (``log``, ``thinking``, columns of the benchmark) are kept.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotation.importers import fields
from annotation.importers.box_cells import tagged_boxes
from annotation.importers.fields import Number4, Report
from annotation.schema import ORIGINAL
from evaluation.importers.box_steps import box_steps
from evaluation.importers.code_track import Program
from evaluation.importers.code_turns import CodeTurn, steps_of
from evaluation.importers.code_values import Raster
from evaluation.importers.dialogue import answer_in, text_of
from evaluation.importers.interface import BoxSpace, Detection, Read, ReadOptions, SampleIndex
from evaluation.importers.joining import Clues, find_sample
from evaluation.importers.matching import base_name
from evaluation.importers.smart_resize import smart_resize
from evaluation.importers.table_rows import read_table
from evaluation.importers.zooming import ImageFrame, on_picture
from evaluation.schema import Coordinates, Step, Trajectory

MODEL = "unnamed"
CODE_MODEL = "DeepEyesV2"
TOLD = "box"
"""The name of a step that is a box in the reasoning and no call."""
MAX_TRANSCRIPT = 2_000_000
_LETTERS = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_FILE = re.compile(r"^(?P<model>.+?)_(?:VStar\w*|HRBench\w*|VTC\w*|TreeBench\w*|[A-Z][A-Za-z]*Bench\w*)")
_NO_ANSWER = ("failed to obtain answer via api", "failed to obtain answer")
_DRAWN = re.compile(r"random", re.IGNORECASE)
_READ = frozenset({"index", "id", "question", "prediction", "hit", "raw_response", "image_path_list", *_LETTERS})


def detect(head: bytes, name: str) -> Detection:
    """A heading or keys with ``prediction`` together with ``index`` and ``question``."""
    first = head[:4096]
    named = all(word in first for word in (b"index", b"question", b"prediction"))
    if not named or b'"pred_output"' in first:
        return Detection("vlmevalkit", 0.0)
    reasons = ["It has the columns index, question and prediction."]
    if b"raw_response" in first:
        reasons.append("Its rows hold raw_response: whole transcripts, as DeepEyesV2 adds them.")
    return Detection("vlmevalkit", 0.85, tuple(reasons))


def read(path: Path, options: ReadOptions, samples: SampleIndex) -> Read:
    """Yield all trajectories of ``path``. Raises ``ImportProblem`` if there are none."""

    def convert(row: dict[str, Any], report: Report) -> Trajectory:
        return trajectory_from(row, options, samples, report)

    empty = f"{path.name} contains no rows with a prediction. It needs VLMEvalKit's xlsx, TSV or JSON list."
    return read_table(path, options.start, convert, empty)


def trajectory_from(row: Mapping[str, Any], options: ReadOptions, samples: SampleIndex, report: Report) -> Trajectory:
    """One row. Raises ``RowRefused`` when it has no prediction, or fits no sample or several."""
    if "prediction" not in row:
        report.refuse(
            "missing-field", "prediction", list(row)[:12], "The row was rejected because it has no prediction. Add it."
        )
    sample = find_sample(_clues(row, report), samples, report)
    predicted = fields.text(row.get("prediction"), "prediction", report).strip()
    failed = predicted.casefold().rstrip(".").startswith(_NO_ANSWER)
    turns = _turns(row.get("raw_response"), report)
    told = [] if turns else tagged_boxes(predicted.partition("</think>")[0])
    size = samples.size_of(sample)
    steps = _told(told, options.coordinates, size, report) if told else _steps(turns, size, options.coordinates, report)
    return Trajectory(
        model=options.model or _model_of(report.file, bool(turns)),
        sample_id=sample,
        setting=options.setting,
        steps=tuple(steps),
        answer=None if failed else (answer_in(predicted) if told else None) or _answer(predicted, turns) or None,
        judge_correct=None if failed else _verdict(row, report),
        error=predicted if failed else "",
        extra={key: value for key, value in row.items() if key not in _READ and value not in ("", None)},
        file=report.file,
        line=report.line,
    )


def _clues(row: Mapping[str, Any], report: Report) -> Clues:
    ids = [str(row[key]) for key in ("id", "index") if row.get(key) not in ("", None)]
    report.stands_for("sample", "id" if row.get("id") not in ("", None) else "index")
    report.stands_for("image", "image_path_list")
    options = {letter: str(row[letter]) for letter in _LETTERS if row.get(letter) not in ("", None)}
    paths = re.findall(r"['\"]([^'\"]+)['\"]", str(row.get("image_path_list") or ""))
    question = fields.text(row.get("question"), "question", report)
    return Clues(ids, base_name(paths[0]) if paths else "", question, options)


def _model_of(file: str, transcripts: bool) -> str:
    match = _FILE.match(base_name(file))
    return match["model"][: fields.MAX_NAME] if match else CODE_MODEL if transcripts else MODEL


def _verdict(row: Mapping[str, Any], report: Report) -> bool | None:
    hit = row.get("hit")
    hit = {"0": 0, "1": 1, "0.0": 0, "1.0": 1, "": None}.get(hit, hit) if isinstance(hit, str) else hit
    if hit is not None and _DRAWN.search(str(row.get("log") or "")):
        done = "The log says that an option was drawn at random; the verdict is not used."
        report.noted("random-verdict", "hit", hit, done)
        return None
    return fields.truth(hit, "hit", report)


def _turns(raw: object, report: Report) -> list[CodeTurn]:
    """The assistant's turns of a transcript that was written with ``str()``; none when there is no transcript."""
    if not isinstance(raw, str) or not raw.strip():
        return []
    try:
        messages = ast.literal_eval(raw[:MAX_TRANSCRIPT].strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        done = "The transcript is not a list of messages (cut off by Excel?). Only the answer was kept."
        report.noted("transcript-unreadable", "raw_response", raw[-80:], done)
        return []
    turns: list[CodeTurn] = []
    for message in messages if isinstance(messages, list) else ():
        role = message.get("role") if isinstance(message, dict) else None
        if role == "assistant":
            turns.append(CodeTurn(text_of(message.get("content"))))
        elif role in {"user", "tool"} and turns:
            turns[-1] = CodeTurn(turns[-1].text, text_of(message.get("content")))
    return turns


def _answer(predicted: str, turns: Sequence[CodeTurn]) -> str:
    """Return the prediction; if it is empty, the transcript's own last answer."""
    return predicted or ((answer_in(turns[-1].text) or "") if turns else "")


def _told(boxes: Sequence[Number4], space: BoxSpace | None, size: tuple[int, int] | None, report: Report) -> list[Step]:
    if space is None:
        done = (
            "These are pixels of the image sent to the model, read as pixels of the original. Choose its size, "
            "such as 1024x768, as coordinates."
        )
        report.noted("size-as-sent-unknown", "prediction", boxes[0], done)
    return box_steps(boxes, TOLD, space or BoxSpace(), size, "prediction", report)


def _steps(
    turns: Sequence[CodeTurn], size: tuple[int, int] | None, space: BoxSpace | None, report: Report
) -> list[Step]:
    seen = space.size if space else smart_resize(*size) if size else None
    steps = steps_of(turns, Program(Raster(ORIGINAL, seen or size)), report)
    if seen is None or seen == size:
        return steps
    frame, picture = BoxSpace(Coordinates.PIXEL, seen), ImageFrame(ORIGINAL, size)
    return [_brought_back(step, frame, picture) for step in steps]


def _brought_back(step: Step, frame: BoxSpace, picture: ImageFrame) -> Step:
    """A step on the resized copy, with its box on the image itself."""
    if step.image_in != ORIGINAL or step.bbox is None:
        return step
    bbox, coords = on_picture(step.bbox, frame, picture)
    executed = on_picture(step.executed_bbox, frame, picture)[0] if step.executed_bbox else None
    return replace(step, bbox=bbox, executed_bbox=executed, coords=coords)
