"""Logs of agents that think, act and observe (ReAct, LLaVA-Plus): ``response_list`` and ``tool_list`` of a record.

- ``response_list`` has a turn each: an object of thoughts, actions and value, or a text that contains one in JSON or
  Python notation. Keys match in any case, with any signs ("thoughts🤔"). Thoughts are the reasoning; ``value`` is the
  result of the tool, and the last text if there was no call.
- Calls are the actions of a turn, else its part of ``tool_list``: ``API_name`` and ``API_params``, or a name and its
  arguments. An ``image`` named by its number (``img_2``; the original is 1) is the input of a box; calls of tools that
  crop or draw, such as Crop, return the next one. A call without a result counts as made.
- The answer is in the closing call (Terminate, Finish, final_answer …), which is not a step; else it is the last text.
  A column with the correct answer is never used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from annotation.importers import fields
from annotation.importers.fields import Report
from annotation.importers.record_stream import RecordStream
from annotation.importers.storable import storable
from evaluation.importers.dialogue import literal
from evaluation.importers.failed_replies import says_failure
from evaluation.importers.interface import BoxSpace, Detection, Read, ReadOptions, SampleIndex
from evaluation.importers.joining import Clues, find_sample
from evaluation.importers.mapping import RUN_FIELDS
from evaluation.importers.matching import base_name
from evaluation.importers.messages import MAX_EXCHANGES, Exchange
from evaluation.importers.rows import Record, read_rows
from evaluation.importers.tool_steps import step_of
from evaluation.importers.zooming import ImageFrames
from evaluation.schema import Step, Trajectory

NAME = "react"
MODEL = "unnamed"
_TURNS = ("response_list", "responses", "steps_list")
_CALLS = ("tool_list", "tool_calls_list", "api_list")
_NAMES = frozenset({"apiname", "name", "tool", "toolname", "action", "function"})
_ARGUMENTS = frozenset({"apiparams", "params", "parameters", "arguments", "args", "input", "actioninput", "toolargs"})
_THOUGHTS = frozenset({"thoughts", "thought", "reasoning", "think"})
_ACTIONS = frozenset({"actions", "action", "toolcalls"})
_VALUES = frozenset({"value", "observation", "observations", "result", "output", "response"})
_CLOSING = frozenset({"terminate", "finish", "finalanswer", "answer", "submit", "finalize", "done", "complete"})
_SAID = ("ans", "answer", "finalanswer", "response", "result", "value", "text", "output")
_NUMBERED = re.compile(r"(?:img|image|picture|crop|observation)[_ ]?(\d{1,4})", re.IGNORECASE)
_DRAWS = re.compile(r"crop|zoom|cut|draw|line|mask|segment|highlight|rotate|flip|resize|enhance", re.IGNORECASE)
"""Tools that bring an image."""
_QUESTIONS = ("question", "query", "prompt", "text")
_VERDICTS = ("judge_correct", "is_correct", "correct", "hit", "acc")
_READ = frozenset({*_TURNS, *_CALLS, *_QUESTIONS, "model", "model_name", "model_id", *_VERDICTS})


def detect(head: bytes, name: str) -> Detection:
    """Records with ``response_list`` and ``tool_list``, or with calls of ``API_name``."""
    known = head.lower()
    found = b'"response_list"' in known and (b'"tool_list"' in known or b"api_name" in known)
    reasons = ("Its records have response_list and tool_list, as logs of ReAct agents do.",) if found else ()
    return Detection(NAME, 0.9 if found else 0.0, reasons)


def read(path: Path, options: ReadOptions, samples: SampleIndex) -> Read:
    """Yield all trajectories of ``path``. Raises ``ImportProblem`` if there are none."""

    def convert(row: Mapping[str, Any], _: str, report: Report) -> Record:
        return _trajectory(row, options, samples, report)

    stream = RecordStream(path, options.start, wanted="a JSON or JSONL file with response_list")
    return read_rows(stream, convert, f"{path.name} contains no logs. It needs response_list and tool_list.")


@dataclass(frozen=True, slots=True)
class _Turn:
    thoughts: str
    calls: tuple[Exchange, ...]
    value: str
    """The text or result; "" if there is none."""


def _trajectory(row: Mapping[str, Any], options: ReadOptions, samples: SampleIndex, report: Report) -> Trajectory:
    turns = list(_turns(row, report))
    if not turns:
        done = "The record was rejected because it has no turn of the model and no call. Add them as response_list."
        report.refuse("no-dialogue", "response_list", row.get("response_list"), done)
    sample = find_sample(clues_of(row, report), samples, report)
    pictures, space = ImageFrames(samples.size_of(sample)), options.coordinates or BoxSpace()
    steps: list[Step] = []
    answer = ""
    for turn in turns:
        closing = next((call for call in turn.calls if _plain(call.name) in _CLOSING), None)
        made = [call for call in turn.calls if call is not closing]
        steps += [_step(call, pictures, space, report) for call in made]
        answer = (_said_by(closing) if closing else "") or ("" if turn.calls else turn.value or turn.thoughts) or answer
    model = next((row[name] for name in ("model", "model_name", "model_id") if row.get(name)), None)
    verdict = next((row[name] for name in _VERDICTS if row.get(name) is not None), None)
    return Trajectory(
        model=options.model or fields.label(model, "model", report, default=MODEL),
        sample_id=sample,
        setting=options.setting,
        steps=tuple(steps),
        answer=answer or None,
        judge_correct=fields.truth(verdict, "judge_correct", report),
        extra=fields.extra(row, _READ),
        file=report.file,
        line=report.line,
    )


def _step(call: Exchange, pictures: ImageFrames, space: BoxSpace, report: Report) -> Step:
    failed = bool(call.reply) and says_failure(call.reply)
    if not failed and _DRAWS.search(call.name):
        call.pictures = ("",)
    step = step_of(call, pictures, space, report, number=_picture_of(call))
    # Nothing returned is nothing recorded here, as such logs keep no image.
    return replace(step, ok=True) if not step.ok and not call.reply and call.arguments is not None else step


def clues_of(row: Mapping[str, Any], report: Report) -> Clues:
    """Id, question, options and image of a record."""
    names = [
        column for field in ("sample",) for column in RUN_FIELDS.fields[field].names if row.get(column) is not None
    ]
    ids = [str(row[name]) for name in names if isinstance(row[name], str | int) and not isinstance(row[name], bool)]
    report.stands_for("sample", names[0] if names else "id")
    asked = next((row[name] for name in _QUESTIONS if isinstance(row.get(name), str)), "")
    given = row.get("options", row.get("choices"))
    options = dict(zip(map(chr, range(65, 91)), map(str, given), strict=False)) if isinstance(given, list) else given
    image = next((row[name] for name in ("image", "image_path", "images") if row.get(name)), "")
    image = image[0] if isinstance(image, list) and image else image
    choices = {str(key): str(value) for key, value in options.items()} if isinstance(options, dict) else {}
    return Clues(ids, base_name(image) if isinstance(image, str) else "", asked, choices)


def _turns(row: Mapping[str, Any], report: Report) -> Iterator[_Turn]:
    said = next((row[name] for name in _TURNS if row.get(name) is not None), None)
    called = next((row[name] for name in _CALLS if row.get(name) is not None), None)
    texts, lists = _listed(said, report, "response_list"), _listed(called, report, "tool_list")
    for number, given in enumerate(islice(texts, MAX_EXCHANGES)):
        value = _value(given)
        named = {_plain(key): item for key, item in value.items()} if isinstance(value, dict) else {}
        thoughts, actions, returned = (_first(named, keys) for keys in (_THOUGHTS, _ACTIONS, _VALUES))
        if not named and isinstance(given, str):
            thoughts = given
        calls = _calls(actions, report) or (_calls(lists[number], report) if number < len(lists) else [])
        reply = _text(returned)
        for place, call in enumerate(calls):
            call.text = _text(thoughts) if place == 0 else ""
            call.reply = reply if place == len(calls) - 1 and returned is not None else None
            call.reply = "" if call.reply is None else call.reply
        yield _Turn(_text(thoughts), tuple(calls), reply)
    for given in lists[len(texts) : MAX_EXCHANGES]:
        calls = _calls(given, report)
        for call in calls:
            call.reply = ""
        if calls:
            yield _Turn("", tuple(calls), "")


def _listed(value: object, report: Report, field: str) -> Sequence[Any]:
    """A list, or a text that holds one."""
    found = _value(value)
    if found is None or found == "":
        return []
    if isinstance(found, list):
        return found
    if not isinstance(found, dict):
        report.noted("not-a-list", field, value, f"{field} is not a list. It was read as one item.")
    return [found]


def _value(value: object) -> Any:
    """The value of a text that begins with a bracket, as JSON or a Python literal; any other text unchanged."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{", "("):
        found = storable(literal(value.strip()))
        return value if found is None else found
    return value


def _calls(value: object, report: Report) -> list[Exchange]:
    found = _value(value)
    items = found if isinstance(found, list) else [] if found in (None, "", {}) else [found]
    return [call for item in items[:MAX_EXCHANGES] for call in [_call(_value(item), report)] if call]


def _call(value: object, report: Report) -> Exchange | None:
    if not isinstance(value, dict):
        if isinstance(value, str) and value.strip():
            done = "This call has no name. It is kept as written and counts as failed."
            report.noted("call-unreadable", "tool_list", value, done)
            return Exchange("", value, None)
        return None
    named = {_plain(key): item for key, item in value.items()}
    name = _first(named, _NAMES)
    if isinstance(name, dict):  # {"function": {"name": .., "arguments": ..}}
        return _call(name, report)
    arguments = _value(_first(named, _ARGUMENTS))
    given = arguments if isinstance(arguments, dict) else {} if arguments in (None, "") else None
    raw = arguments if isinstance(arguments, str) else ""
    return Exchange(str(name or ""), raw, given) if name or given else None


def _first(named: Mapping[str, Any], keys: frozenset[str]) -> Any:
    return next((item for key, item in named.items() if key in keys), None)


def _plain(name: object) -> str:
    """A name in small letters without signs: "API_name" and "apiName" are one."""
    return re.sub(r"[^a-z]", "", str(name).casefold())


def _text(value: object) -> str:
    if isinstance(value, dict):
        return _text(value.get("text", value.get("content", "")))
    if isinstance(value, list):
        return "\n".join(text for item in value[:100] if (text := _text(item)))
    return "" if value is None else str(value).strip()


def _said_by(call: Exchange) -> str:
    """The answer in a closing call."""
    named = {_plain(key): item for key, item in (call.arguments or {}).items()}
    told = next((named[key] for key in _SAID if named.get(key) not in (None, "")), None)
    if told is None and len(named) == 1:
        told = next(iter(named.values()))
    return _text(told) or (call.raw.strip() if call.arguments is None else "")


def _picture_of(call: Exchange) -> int | None:
    """The number of the image that a call names in its text, the original being 0; None if it names none."""
    named = (call.arguments or {}).get("image")
    match = _NUMBERED.fullmatch(named.strip()) if isinstance(named, str) else None
    return max(0, int(match[1]) - 1) if match else None
