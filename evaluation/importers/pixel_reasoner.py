"""Pixel-Reasoner: a folder per question with ``conv.json``, or ``sample.eval_iter*.jsonl``.

- ``conv.json`` is ``[conversation, prompt, pictures]``, its folder the question's id (``bench-12``). The JSONL has one
  row per question with the whole text and its verdict; rows repeated to fill a batch are counted once.
- The last call of a turn is taken, and only when the turn ends with its tag. ``target_image`` counts from 1: the
  original, then every crop that succeeded.
- Boxes are fractions of the target image. ``executed_bbox`` is what was cut: 0.1 of the image more on every side. A
  box with a number of 1 or more was taken as pixels before that.
- ``out_size`` is what the reply says was shown. A reply with ``Execution error`` is a failed call. The JSONL holds no
  replies: there every call that was followed by more text counts as done.
- Rows join by their id, else by the prompt's image and question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotation.importers import fields
from annotation.importers.decoding import RowDecoder
from annotation.importers.documents import Document, DocumentStream, each_named
from annotation.importers.fields import Number4, Report
from annotation.importers.reading import RawRow, RowStream
from evaluation.importers.dialogue import Call, calls_of, text_of
from evaluation.importers.interface import Detection, Read, ReadOptions, SampleIndex
from evaluation.importers.joining import Clues, find_sample
from evaluation.importers.messages import pictures_in
from evaluation.importers.rows import Record, read_documents, read_rows
from evaluation.importers.zooming import ImageFrame, ImageFrames, box_in, from_pixels, note_unless_box, padded
from evaluation.schema import Coordinates, Issue, Step, Trajectory

MODEL = "Pixel-Reasoner"
TOOL = "crop_image_normalized"
_ENDING = 10
"""A call counts if its tag closes within this number of characters from the end of the turn."""
_SHOWN = re.compile(r"Image Size:\s*(\d+)\s*x\s*(\d+)")
_ERROR = "execution error"
_LISTS = re.compile(rb"\s*\[\s*\[\s*\{")
_TURN = re.compile(r"(?<=</tool_call>)")
_READ_KEYS = frozenset({"qids", "solutions", "questions", "round0_correctness"})


def detect(head: bytes, name: str) -> Detection:
    """``conv.json``, or rows with ``solutions`` and ``round0_correctness``."""
    if b'"round0_correctness"' in head and b'"qids"' in head:
        return Detection("pixel-reasoner", 0.95, ("Its rows have qids and round0_correctness.",))
    if name == "conv.json" or (_LISTS.match(head) and b"<tool_call>" in head and b"bbox_2d" in head):
        return Detection("pixel-reasoner", 0.9, ("It is a conversation of Pixel-Reasoner: conv.json.",))
    return Detection("pixel-reasoner", 0.0)


def read(path: Path, options: ReadOptions, samples: SampleIndex) -> Read:
    """Yield all trajectories of ``path``. Raises ``ImportProblem`` if there are none."""
    empty = f"{path.name} contains no readable records. It needs conv.json, or rows of sample.eval_iter*.jsonl."
    if path.is_file() and path.suffix.lower() == ".jsonl":
        seen: set[str] = set()

        def of_row(row: dict[str, Any], _: str, report: Report) -> Record:
            return _row(row, options, samples, seen, report)

        return read_rows(RowStream(path, (), options.start), of_row, empty)

    def of_document(document: Document, report: Report) -> Iterator[Record | Issue]:
        return _conversation(document, options, samples, report)

    stream = DocumentStream(path, options.start, group=each_named("conv.json"), wanted="folders with conv.json")
    return read_documents(stream, of_document, empty)


def _conversation(
    document: Document, options: ReadOptions, samples: SampleIndex, report: Report
) -> Iterator[Record | Issue]:
    row = RawRow("", document.name, 1, document.main, len(document.main))
    value, issues = RowDecoder().decode_any(row)
    yield from issues
    if value is None and issues:
        return
    messages = value[0] if isinstance(value, list) and value and isinstance(value[0], list) else None
    if messages is None or not any(isinstance(message, dict) for message in messages):
        done = "conv.json was rejected because it does not begin with a list of messages. Copy it again."
        report.refuse("no-dialogue", "", value, done)
    prompt = next((m.get("content") for m in messages if isinstance(m, dict) and m.get("role") == "user"), None)
    image = next((name for name in pictures_in(prompt) if name), "")
    report.stands_for("sample", "folder")
    sample = find_sample(Clues(_ids(document.folder), image, text_of(prompt)), samples, report)
    turns = list(_turns(messages))
    yield _trajectory(sample, turns, options, samples, report)


def _turns(messages: Sequence[Any]) -> Iterator[tuple[str, str | None, bool]]:
    """Each turn of the model, the text that came back (None = none) and whether an image did."""
    known = [m for m in messages if isinstance(m, dict)]
    for number, message in enumerate(known):
        if message.get("role") == "assistant":
            after = known[number + 1] if number + 1 < len(known) else {}
            content = after.get("content")
            reply = text_of(content) if after.get("role") == "user" else None
            yield text_of(message.get("content")), reply, bool(pictures_in(content))


def _row(row: dict[str, Any], options: ReadOptions, samples: SampleIndex, seen: set[str], report: Report) -> Trajectory:
    name = fields.name(row.get("qids"), "qids", report)
    if name in seen:
        report.refuse("repeated-row", "qids", name, "The row was repeated to fill a batch; the first one counts.")
    seen.add(name)
    report.stands_for("sample", "qids")
    sample = find_sample(
        Clues(_ids(name), question=fields.text(row.get("questions"), "questions", report)), samples, report
    )
    text = fields.text(row.get("solutions"), "solutions", report)
    parts = [part for part in _TURN.split(text) if part.strip()]
    turns = [(part, "" if part.endswith("</tool_call>") and part is not parts[-1] else None, True) for part in parts]
    found = _trajectory(sample, turns, options, samples, report)
    verdict = fields.truth(row.get("round0_correctness"), "round0_correctness", report)
    return replace(found, judge_correct=verdict, extra=fields.extra(row, _READ_KEYS))


def _ids(name: str) -> list[str]:
    """The possible names of a sample: the whole id, and the part after the name of its benchmark."""
    return [name, name.partition("-")[2]] if "-" in name else [name]


def _trajectory(
    sample: str,
    turns: Sequence[tuple[str, str | None, bool]],
    options: ReadOptions,
    samples: SampleIndex,
    report: Report,
) -> Trajectory:
    pictures = ImageFrames(samples.size_of(sample))
    steps = []
    for text, reply, pictured in turns:
        calls = list(calls_of(text))
        if calls and len(text.rstrip()) - calls[-1].end <= _ENDING:
            steps.append(_step(text, calls[-1], reply, pictured, pictures, report))
    last = turns[-1][0].strip() if turns else ""
    return Trajectory(
        model=options.model or MODEL,
        sample_id=sample,
        setting=options.setting,
        steps=tuple(steps),
        answer=last if last and not last.endswith("</tool_call>") else None,
        error="" if turns else "The conversation contains no turn of the model.",
        file=report.file,
        line=report.line,
    )


def _step(text: str, call: Call, reply: str | None, pictured: bool, pictures: ImageFrames, report: Report) -> Step:
    arguments = call.arguments or {}
    written = box_in(arguments) if call.arguments is not None else call.raw
    asked = fields.four_numbers(written)
    target = arguments.get("target_image", 1)
    source = pictures.at(target - 1 if isinstance(target, int) else None)
    if asked is None:
        done = "The call has no box of four numbers. It is kept as written and never scored."
        report.noted("call-unreadable", "arguments", call.raw, done)
    executed = _executed(asked, source, report) if asked and source else None
    ok = reply is not None and pictured and _ERROR not in reply.lower() and asked is not None
    if asked and ok:
        note_unless_box(asked, "bbox_2d", report, executed)
    shown = _SHOWN.search(reply or "")
    made = pictures.add((int(shown[1]), int(shown[2])) if shown else None) if ok else None
    return Step(
        tool=call.name[: fields.MAX_NAME] or TOOL,
        arguments=arguments,
        bbox=asked,
        bbox_raw=written if asked is None else None,
        coords=Coordinates.NORM1,
        image_in=source.id if source else None,
        image_out=made.id if made else None,
        out_size=made.size if made else None,
        ok=ok,
        text=text[: call.start].strip(),
        observation=(reply or "").strip(),
        executed_bbox=executed,
        label=str(arguments.get("label") or ""),
    )


def _executed(asked: Number4, source: ImageFrame, report: Report) -> Number4 | None:
    """The executed crop in fractions of the image; None if unknown."""
    if all(edge < 1 for edge in asked):
        return padded(asked)
    done = (
        "A value of 1 or more made the tool read this box as pixels. The executed and the requested box are both kept."
    )
    report.noted("taken-as-pixels", "bbox_2d", asked, done)
    return padded(from_pixels(asked, Coordinates.NORM1, source.size)) if source.size else None
