"""DeepEyes on V* and HR-Bench: ``result_*.jsonl`` of its evaluation scripts, judged (``_acc``) or not.

Conversion:
- One step per turn: only the first tagged call of a turn was executed. Further calls of the turn are no attempts; they
  stay in the turn's text (``extra.raw_turn``) and are noted. A call that only echoes the prompt's example is dropped.
- A call that is cut off or no JSON is a failed step with the text as ``bbox_raw``. A call without any response failed.
- Calls after the answer are flagged ``post_answer``, a call in the turn that then answers ``unused``.
- ``text`` is the text before the call. A turn with text after its call (degenerate tails, further calls, the answer) is
  kept completely in ``extra.raw_turn``, the last turn without a call in ``extra.final_text``.
- ``status: error`` makes the trajectory an error without answer and verdict; ``acc`` then stays in ``extra``.
- Boxes are pixels of the file. HR-Bench cut the crop from the file with numbers meant for the resized image: there
  ``bbox`` is the request brought to the file, ``executed_bbox`` the numbers as written. ``coordinates`` given as
  ``pixel`` takes the numbers as pixels of the file, as ``WxH`` as pixels of a model input of that size.
- Rows are joined by image name and question (V*), or by question and options (HR-Bench, which has neither id nor
  image). A row that matches no sample or several is rejected.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from annotation.importers import fields
from annotation.importers.fields import Number4, Report
from annotation.importers.reading import RowStream
from annotation.schema import ORIGINAL
from evaluation.importers.dialogue import Call, Turn, answer_in, calls_of, question_and_options, turns_of
from evaluation.importers.interface import BoxSpace, Detection, Read, ReadOptions, SampleIndex
from evaluation.importers.matching import SampleKey, normalised, not_joined
from evaluation.importers.rows import read_rows
from evaluation.importers.smart_resize import smart_resize
from evaluation.importers.unchanged_rows import UnchangedRowDetector
from evaluation.importers.zooming import note_unless_box
from evaluation.schema import Coordinates, Step, StepFlag, Trajectory

TOOL = "image_zoom_in_tool"
_READ_KEYS = frozenset({"image", "question", "pred_output", "pred_ans", "status", "acc"})
_FILE = re.compile(
    r"result_(?:direct_attributes|relative_position|hr_?bench_?[48]k|[48]k)_(.+?)(?:_acc)?$", re.IGNORECASE
)
_ECHO = '"the apple on the desk"'


def detect(head: bytes, name: str) -> Detection:
    """Rows of DeepEyes have ``pred_output`` and ``pred_ans``."""
    reasons = []
    if b'"pred_output"' in head and b'"pred_ans"' in head:
        reasons.append("Its rows have the keys pred_output and pred_ans.")
        reasons.append(
            "They name an image, as for V*." if b'"image":' in head[:200] else "They name no image: HR-Bench."
        )
    if name.startswith("result_") and reasons:
        reasons.append("The file is called result_...")
    return Detection("deepeyes", (0.0, 0.0, 0.9, 1.0)[len(reasons)], tuple(reasons))


def pick(names: Sequence[str]) -> Sequence[str]:
    """The JSONL files of a folder. Of a file and its judged twin ``_acc``, only the twin."""
    files = [name for name in names if name.endswith(".jsonl")]
    return [name for name in files if name.removesuffix(".jsonl") + "_acc.jsonl" not in files]


def read(path: Path, options: ReadOptions, samples: SampleIndex, known: UnchangedRowDetector | None = None) -> Read:
    """All trajectories of ``path``. Raises ``ImportProblem`` when there is no row at all."""

    def convert(data: dict[str, Any], key: str, report: Report) -> Trajectory:
        return trajectory_from(data, options, samples, report)

    stream = RowStream(path, (), options.start, pick=pick, wanted="JSONL files result_*.jsonl")
    empty = f"{path.name} contains no rows. It needs result_*.jsonl as written by DeepEyes."
    return read_rows(stream, convert, empty, known)


def trajectory_from(data: Mapping[str, Any], options: ReadOptions, samples: SampleIndex, report: Report) -> Trajectory:
    """One row; issues go to ``report``. Raises ``RowRefused`` when it fits no sample, or not one alone."""
    messages = data.get("pred_output")
    if not isinstance(messages, list):
        done = "The row was rejected because it has no list pred_output with the messages. Add it."
        report.refuse("no-dialogue", "pred_output", messages, done)
    sample = _sample_of(data, messages, samples, report)
    predicted = fields.text(data.get("pred_ans"), "pred_ans", report).strip()
    failed = data.get("status") != "success"
    turns = turns_of(messages)
    if failed and predicted and not any(predicted.strip("'\"") in turn.text for turn in turns):
        turns.append(Turn(predicted, calls=tuple(calls_of(predicted))))
    extra = {**fields.extra(_renamed(data), _READ_KEYS), **_text_kept(turns, report)}
    answer = _answer(predicted, turns, failed, extra, report)
    if failed and predicted:
        extra["pred_ans"] = predicted
    frame = _Frame(options.coordinates, samples.size_of(sample), "image" not in data)
    return Trajectory(
        model=options.model or _model_of(report.file),
        sample_id=sample,
        setting=options.setting,
        steps=tuple(_steps(turns, frame, report)),
        answer=answer,
        judge_correct=_verdict(data.get("acc"), failed, extra, report),
        error=f"status: {fields.text(data.get('status'), 'status', report) or 'missing'}" if failed else "",
        extra=extra,
        file=report.file,
        line=report.line,
        row_digest=report.row_digest,
    )


def _renamed(data: Mapping[str, Any]) -> dict[str, Any]:
    """``answer`` of a row is the gold answer, not the model's."""
    return {"gold_answer" if key == "answer" else key: value for key, value in data.items()}


@cache
def _model_of(file: str) -> str:
    match = _FILE.search(PurePosixPath(file).stem)
    return match[1][: fields.MAX_NAME] if match else "DeepEyes"


def _sample_of(data: Mapping[str, Any], messages: Sequence[Any], samples: SampleIndex, report: Report) -> str:
    image, question = data.get("image"), fields.text(data.get("question"), "question", report)
    found: Sequence[SampleKey]
    if isinstance(image, str):
        field, wanted = "image", image
        found = [s for s in samples.by_image(image) if normalised(s.question) == normalised(question)]
        what = "No sample has this image with this question:"
    else:
        asked, choices = question_and_options(messages)
        field, wanted = "question", question or asked
        found = samples.by_question(question or asked, choices)
        what = "No sample has this question with these options:"
    if not found and (accepted := samples.accepted(wanted)):
        return accepted
    if not found:
        report.refuse("unknown-sample", field, wanted, not_joined(what, wanted, samples))
    if len(found) > 1:
        ids = ", ".join(sample.id for sample in found[:5])
        done = f"The row was rejected because it matches several samples ({ids})."
        report.refuse("ambiguous-sample", field, wanted, done)
    return found[0].id


def _text_kept(turns: Sequence[Turn], report: Report) -> dict[str, Any]:
    """Content outside of steps: the last turn if it made no call, and the number of its repetitions."""
    if not turns or turns[-1].calls:
        return {}
    kept: dict[str, Any] = {"final_text": turns[-1].text}
    same = next((n for n, turn in enumerate(reversed(turns)) if turn.text != turns[-1].text), len(turns))
    if same > 1:
        kept["repeated_turns"] = same
        report.noted("repeated-turns", "pred_output", same, f"The model gave the same turn {same} times; kept once.")
    return kept


def _answer(predicted: str, turns: Sequence[Turn], failed: bool, extra: dict[str, Any], report: Report) -> str | None:
    """``pred_ans``, unless it is the whole last turn for want of an answer in it."""
    if (tagged := answer_in(predicted)) is not None:
        return tagged
    if failed or not predicted:
        return None
    last = turns[-1].text.strip() if turns else ""
    if predicted == last and (predicted.startswith("<think>") or turns[-1].calls):
        report.noted("no-answer", "pred_ans", predicted, "The status is success, but no turn contains an answer.")
        extra["pred_ans"] = predicted
        return None
    return predicted


def _verdict(acc: object, failed: bool, extra: dict[str, Any], report: Report) -> bool | None:
    if failed and acc is not None:
        extra["acc"] = acc
        if acc == 1:
            report.noted(
                "verdict-on-error", "acc", acc, "The row failed but was judged correct. The verdict is not used."
            )
        return None
    return fields.truth(acc, "acc", report)


class _Frame:
    """The coordinates of a box: see the head of this module. ``size``: of the file, if known."""

    def __init__(self, space: BoxSpace | None, size: tuple[int, int] | None, resized: bool) -> None:
        self.kind = space.kind if space else Coordinates.PIXEL
        self.size = size
        self.size_missing = space is None and resized and size is None
        self.seen = space.size if space else smart_resize(*size) if resized and size else None

    def boxes(self, numbers: Number4) -> tuple[Number4, Number4 | None, Coordinates]:
        """Return the requested box, the executed box if it differs, and their space."""
        if self.seen is None or self.seen == self.size:
            return numbers, None, self.kind
        x, y = (1.0, 1.0) if self.size is None else self.size
        across, down = x / self.seen[0], y / self.seen[1]
        asked = (numbers[0] * across, numbers[1] * down, numbers[2] * across, numbers[3] * down)
        return (asked, None, Coordinates.NORM1) if self.size is None else (asked, numbers, Coordinates.PIXEL)


def _steps(turns: Sequence[Turn], frame: _Frame, report: Report) -> list[Step]:
    steps: list[Step] = []
    answered = False
    for index, turn in enumerate(turns):
        answer = turn.answer
        _note_calls(turn, f"turn {index + 1}", report)
        if turn.calls and not turn.calls[0].is_example:
            late = answered or (answer is not None and turn.calls[0].start >= answer[1])
            flag = StepFlag.POST_ANSWER if late else StepFlag.UNUSED if answer else StepFlag.NONE
            steps.append(_step(turn, flag, len(steps) + 1, frame, report))
        answered = answered or answer is not None
    return steps


def _note_calls(turn: Turn, field: str, report: Report) -> None:
    if len(turn.calls) > 1:
        done = "Only the first call of a turn was executed. The others stay in its text and don't count as calls."
        report.noted("calls-not-executed", field, len(turn.calls) - 1, done)
    if _ECHO in turn.text:
        report.noted("echoed-example", field, _ECHO, "A call that repeats the prompt's example was dropped.")


def _step(turn: Turn, flag: StepFlag, number: int, frame: _Frame, report: Report) -> Step:
    call = turn.calls[0]
    arguments = call.arguments or {}
    field = f"steps[{number - 1}]"
    written = arguments.get("bbox_2d", arguments.get("bbox")) if call.arguments is not None else call.raw
    ok = _succeeded(turn, call)
    numbers = fields.four_numbers(written)
    bbox, executed, coords = frame.boxes(numbers) if numbers else (None, None, Coordinates.PIXEL)
    if numbers is None:
        done = "The call has no box of four numbers (cut off, or not JSON). It is kept as written and never scored."
        report.noted("call-unreadable", field, call.raw, done)
    elif ok:
        note_unless_box(numbers, f"{field}.bbox_2d", report)
    if numbers is not None and frame.size_missing:
        done = "The image size is unknown, so the box was read as pixels of the file. Add sizes and import again."
        report.noted("size-unknown", field, written, done)
    whole = turn.text[call.end :].strip()
    return Step(
        tool=call.name[: fields.MAX_NAME] or TOOL,
        arguments=arguments,
        bbox=bbox,
        bbox_raw=written if numbers is None else None,
        coords=coords,
        image_in=ORIGINAL,
        image_out=f"crop_{number}" if ok and turn.picture else None,
        ok=ok,
        text=turn.text[: call.start].strip(),
        observation="" if turn.picture else (turn.response or "").strip(),
        executed_bbox=executed,
        label=str(arguments.get("label") or ""),
        flag=flag,
        extra={"raw_turn": turn.text} if whole else {},
    )


def _succeeded(turn: Turn, call: Call) -> bool:
    """Something came back for a readable call, and it is no error."""
    if turn.response is None or call.arguments is None:
        return False
    return turn.picture or not turn.response.lstrip().lower().startswith(("error", "<tool_response>\nerror"))
