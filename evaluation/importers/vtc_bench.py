"""Runs of VTC-Bench's interface track: ``results_*.jsonl`` with ``response_list_ID.json`` files.

- Ids were renumbered between the two editions of the benchmark: a row joins by its question and options, and by its id
  only if that sample has the same question.
- Steps are the calls of the sample's response list. A call names its input by path: the benchmark's image, or one that
  an earlier reply saved; any other path is an unknown image.
- ``opencv_crop`` and ``opencv_zoom_in`` give a box as x, y, width and height in pixels of their input. The size of the
  result is read from the reply's INFO.
- Calls have the tool profile ``vtc``, which replays need; it is stored with each trajectory.
- ``agent_answer`` is the answer; a row without one has none. ``status`` other than success is an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from annotation.importers import fields
from annotation.importers.decoding import RowDecoder
from annotation.importers.fields import Report
from annotation.importers.prompts import question_and_options_in
from annotation.importers.reading import RawRow, RowStream
from annotation.importers.sources import Limits, Member, open_members
from annotation.schema import ORIGINAL
from evaluation.importers.dialogue import literal
from evaluation.importers.failed_replies import says_failure
from evaluation.importers.interface import Detection, ImportProblem, Read, ReadOptions, SampleIndex
from evaluation.importers.joining import Clues, find_sample
from evaluation.importers.matching import SampleKey, base_name
from evaluation.importers.messages import Exchange, talk_of
from evaluation.importers.rows import Record, read_rows
from evaluation.importers.zooming import box_in, note_unless_box
from evaluation.schema import Coordinates, Step, Trajectory

MODEL = "unnamed"
_SAVED = re.compile(r"Edited Image Path:\s*(\S+)")
_INFO = re.compile(r"INFO:\s*(\{.*)", re.DOTALL)
_SIZES = ("cropped_size", "output_size", "new_size", "zoomed_size", "resized_size", "result_size", "size")
_LISTED = re.compile(r"response_list_(.+)\.json\Z")
_READ = frozenset({"status", "question", "options", "agent_answer", "conversation", "item_id", "full_response"})


def detect(head: bytes, name: str) -> Detection:
    """Rows with ``agent_answer`` and ``item_id``, or a response list."""
    if b'"agent_answer"' in head and b'"item_id"' in head:
        return Detection("vtc-bench", 0.95, ("Its rows have item_id and agent_answer.",))
    if _LISTED.search(name) and b'"response_list"' in head:
        return Detection(
            "vtc-bench", 0.8, ("This is a response list. It is read with the results_*.jsonl next to it.",)
        )
    return Detection("vtc-bench", 0.0)


def read(path: Path, options: ReadOptions, samples: SampleIndex) -> Read:
    """Yield all trajectories of ``path``. Raises ``ImportProblem`` if there are none."""
    lists = _response_lists(path)

    def convert(row: Mapping[str, Any], _: str, report: Report) -> Record:
        return _trajectory(row, lists, options, samples, report)

    stream = RowStream(path, (), options.start, pick=_results, wanted="results_*.jsonl")
    empty = f"{path.name} contains no results_*.jsonl with rows. Choose the folder RESULTS/MODEL/ with all its files."
    return read_rows(stream, convert, empty)


def _results(names: Sequence[str]) -> Sequence[str]:
    return [name for name in names if re.fullmatch(r"results_.*\.jsonl", PurePosixPath(name).name)]


def _response_lists(path: Path) -> dict[str, Member]:
    """The response lists next to the results, by the id of their sample."""
    if path.is_file() and path.suffix.lower() != ".zip":
        return {}

    def pick(names: Sequence[str]) -> Sequence[str]:
        return [name for name in names if _LISTED.search(name)]

    try:
        members = open_members(path, pick, "response_list_*.json", Limits())
    except ImportProblem:  # results without lists have no steps; other errors are reported on reading
        return {}
    return {match[1]: member for member in members if (match := _LISTED.search(member.name))}


def _trajectory(
    row: Mapping[str, Any], lists: Mapping[str, Member], options: ReadOptions, samples: SampleIndex, report: Report
) -> Trajectory:
    item = fields.name(row.get("item_id"), "item_id", report)
    sample = _sample(row, item, samples, report)
    exchanges, final = _exchanges(lists.get(item), report)
    if item not in lists:
        report.noted(
            "no-response-list", "item_id", item, f"response_list_{item}.json is missing, so the steps are unknown."
        )
    paths = {base_name(str(row.get("image_path") or "")): ORIGINAL}
    steps = tuple(_step(exchange, number, paths, report) for number, exchange in enumerate(exchanges, 1))
    failed = row.get("status") not in ("success", None)
    answer = row.get("agent_answer")
    return Trajectory(
        model=options.model or MODEL,
        sample_id=sample,
        setting=options.setting or "interface",
        steps=steps,
        answer=None if failed or answer is None else fields.text(answer, "agent_answer", report),
        error=f"status: {row.get('status')}" if failed else "",
        extra={**fields.extra(row, _READ), **({"final_text": final} if final else {}), "profile": "vtc"},
        file=report.file,
        line=report.line,
    )


def _sample(row: Mapping[str, Any], item: str, samples: SampleIndex, report: Report) -> str:
    question, listed = question_and_options_in(fields.text(row.get("question"), "question", report))
    given = row.get("options")
    options = {k: str(v) for k, v in given.items() if v} if isinstance(given, dict) else dict(listed)
    found: Sequence[SampleKey] = samples.by_question(question, options)
    if item in samples and (not found or any(sample.id == item for sample in found)):
        if found:
            return item
        done = "The row was rejected because the sample of this ID has another question (IDs were renumbered)."
        report.refuse("renumbered-sample", "item_id", item, done)
    return find_sample(Clues(question=question, options=options), samples, report)


def _exchanges(member: Member | None, report: Report) -> tuple[list[Exchange], str]:
    """Return the calls of a response list, and the last text."""
    if member is None:
        return [], ""
    with member.open() as file:
        content = file.read(Limits().row_bytes)
    value, issues = RowDecoder().decode_any(RawRow("", member.name, 1, content, len(content)))
    report.issues += issues
    messages = value.get("response_list") if isinstance(value, dict) else None
    while isinstance(messages, list) and messages and isinstance(messages[0], list):
        messages = messages[0]
    talk = talk_of(messages if isinstance(messages, list) else [])
    return talk.exchanges, talk.final


def _step(exchange: Exchange, number: int, paths: dict[str, str], report: Report) -> Step:
    arguments = exchange.arguments or {}
    given = arguments.get("param", arguments)
    given = literal(given) if isinstance(given, str) else given
    written = box_in(given) if exchange.name.endswith(("crop", "zoom_in")) else None
    reply = exchange.reply or ""
    saved = _SAVED.search(reply)
    ok = exchange.arguments is not None and bool(reply) and not says_failure(reply)
    made = f"step_{number}" if ok and saved else None
    source = paths.get(base_name(str(arguments.get("image") or "")))
    if made and saved:
        paths[base_name(saved[1])] = made
    box = fields.four_numbers(written)
    if box and ok:
        report.stands_for("arguments.param", "arguments.param", given)
        note_unless_box(box, "arguments.param", report)
    return Step(
        tool=exchange.name[: fields.MAX_NAME] or "unnamed",
        arguments={**{k: v for k, v in arguments.items() if k not in ("image", "param")}, **_named(given)},
        bbox=box,
        bbox_raw=written if box is None else None,
        coords=Coordinates.PIXEL,
        image_in=source,
        image_out=made,
        out_size=_size(reply) if made else None,
        ok=ok,
        text=exchange.text,
        observation=reply,
    )


def _named(given: object) -> dict[str, Any]:
    return given if isinstance(given, dict) else {}


def _size(reply: str) -> tuple[float, float] | None:
    """The size of the returned image, if the reply's INFO contains it."""
    match = _INFO.search(reply)
    info = literal(match[1]) if match else None
    for name in _SIZES:
        pair = info.get(name) if isinstance(info, dict) else None
        if isinstance(pair, list) and len(pair) == 2 and all(fields.is_number(side) and side > 0 for side in pair):
            return float(pair[0]), float(pair[1])
    return None
