"""Mini-o3: ``traj.jsonl`` in a folder per sample, and the generation dumps of verl that its forks write.

- A call is ``<grounding>{"bbox_2d": [...], "source": "original_image" | "observation_i"}</grounding>``, in forks also
  several in a turn, with ``img_idx``, as a Python literal, or in Qwen's XML form.
- ``source`` is looked up among the crops that succeeded: after a failed call the number in a file's name is another.
- Boxes are fractions of the source. ``executed_bbox`` is what was cut: whole pixels, none beyond the last.
- The file is only appended to. A new header starts the sample again: the last attempt counts, the others are noted.
- The answer is in ``<answer>`` tags (forks: after ``Final answer:``). A last turn that still calls ran out of
  rounds: no answer, and no error.
- A dump has one flat text per row; its score is the verdict. It joins by an id, else by the question in ``input``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from annotation.importers import fields
from annotation.importers.decoding import RowDecoder
from annotation.importers.documents import Document, DocumentStream, each_named
from annotation.importers.fields import Number4, Report
from annotation.importers.reading import RawRow, RowStream
from annotation.importers.storable import storable
from evaluation.importers.dialogue import answer_in, literal, text_of
from evaluation.importers.interface import BoxSpace, Detection, Read, ReadOptions, SampleIndex
from evaluation.importers.joining import Clues, find_sample
from evaluation.importers.rows import Record, read_documents, read_rows
from evaluation.importers.zooming import (
    ImageFrames,
    box_in,
    floored,
    from_pixels,
    in_pixels,
    note_unless_box,
    on_picture,
    size_of,
)
from evaluation.schema import Coordinates, Issue, Step, Trajectory

MODEL = "Mini-o3"
TOOL = "crop"
MAX_CALLS = 50
_CALL = re.compile(r"<grounding>(.*?)(?:</grounding>|\Z)", re.DOTALL)
_XML = re.compile(r"<tool_call>\s*<function=([\w.-]+)>(.*?)</function>", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=(\w+)>(.*?)</parameter>", re.DOTALL)
_FINAL = re.compile(r"final answer\s*:\s*(.+)", re.IGNORECASE | re.DOTALL)
_OBSERVATION = re.compile(r"observation_(\d+)")
_AFTER = re.compile(
    r"(?:<\|im_end\|>\s*)?(?:<\|im_start\|>)?(?:user|tool)\n(.*?)(?:<\|im_start\|>)?assistant\n", re.DOTALL
)
_ERROR = re.compile(r"error (?:occurs|information)|invalid", re.IGNORECASE)
_DUMP_KEYS = frozenset({"input", "output", "score"})
_IDS = ("sample_id", "doc_id", "id", "question_id", "uid")


@dataclass(frozen=True, slots=True)
class Said:
    """One turn: its text and the error that came back, "" for none."""

    text: str
    error: str = ""


def detect(head: bytes, name: str) -> Detection:
    """``traj.jsonl`` with its header, or a dump with ``gts`` and ``output``."""
    if name == "traj.jsonl" and b'"doc_id"' in head:
        return Detection("mini-o3", 0.95, ("The file is called traj.jsonl and begins with a doc_id.",))
    if b'"output"' in head and b'"gts"' in head and b'"step"' in head:
        return Detection("mini-o3", 0.8, ("Its rows have output, gts and step: a generation dump of verl.",))
    return Detection("mini-o3", 0.0)


def read(path: Path, options: ReadOptions, samples: SampleIndex) -> Read:
    """Yield all trajectories of ``path``. Raises ``ImportProblem`` if there are none."""
    empty = f"{path.name} contains neither traj.jsonl nor rows of a generation dump."
    if path.is_file() and path.name != "traj.jsonl" and path.suffix.lower() == ".jsonl":

        def of_row(row: dict[str, Any], _: str, report: Report) -> Record:
            return _dumped(row, options, samples, report)

        return read_rows(RowStream(path, (), options.start), of_row, empty)

    def of_document(document: Document, report: Report) -> Iterator[Record | Issue]:
        return _attempts(document, options, samples, report)

    stream = DocumentStream(path, options.start, group=each_named("traj.jsonl"), wanted="folders with traj.jsonl")
    return read_documents(stream, of_document, empty)


def _attempts(
    document: Document, options: ReadOptions, samples: SampleIndex, report: Report
) -> Iterator[Record | Issue]:
    decoder = RowDecoder()
    header: dict[str, Any] = {}
    turns: list[Said] = []
    attempts = 0
    for number, line in enumerate(document.main.splitlines(), 1):
        row, issues = decoder.decode(RawRow("", document.name, number, line, 0)) if line.strip() else (None, [])
        yield from issues
        if row is None:
            continue
        if "doc_id" in row:
            header, turns, attempts = row, [], attempts + 1
        elif "error_info" in row and turns:
            turns[-1] = replace(turns[-1], error=fields.text(row["error_info"], "error_info", report))
        elif "text_output" in row:
            turns.append(Said(fields.text(row["text_output"], "text_output", report)))
    if not header and not turns:
        done = "The file was rejected because it has no header and no turn of a model. Copy it again."
        report.refuse("no-dialogue", "", "", done)
    if attempts > 1:
        done = "The file contains several attempts. The last one counts."
        report.noted("repeated-attempts", "doc_id", attempts, done)
    yield _trajectory(_sample(header, document.folder, samples, report), turns, options, samples, report)


def _sample(header: Mapping[str, Any], folder: str, samples: SampleIndex, report: Report) -> str:
    prompt = header.get("initial_prompt")
    users = [m for m in prompt if isinstance(m, dict) and m.get("role") == "user"] if isinstance(prompt, list) else []
    question = text_of(users[0].get("content")) if users else ""
    ids = [str(header.get("doc_id") or ""), folder, folder.rpartition("_")[0]]
    report.stands_for("sample", "doc_id" if header.get("doc_id") else "folder")
    clues = Clues([name for name in ids if name], question=question.replace("<image>", "").strip())
    return find_sample(clues, samples, report)


def _dumped(row: Mapping[str, Any], options: ReadOptions, samples: SampleIndex, report: Report) -> Trajectory:
    given = [str(row[key]) for key in _IDS if isinstance(row.get(key), str | int)]
    asked = fields.text(row.get("input"), "input", report)
    report.stands_for("sample", next((key for key in _IDS if isinstance(row.get(key), str | int)), "input"))
    report.stands_for("question", "input")
    sample = find_sample(Clues(given, question=_question(asked)), samples, report)
    text = fields.text(row.get("output"), "output", report)
    found = _trajectory(sample, list(_flat(text)), options, samples, report)
    verdict = row.get("score")
    return replace(
        found,
        judge_correct=bool(verdict) if verdict in (0, 1) else None,
        extra={**fields.extra(row, _DUMP_KEYS), **({} if verdict in (0, 1, None) else {"score": verdict})},
    )


def _question(prompt: str) -> str:
    """Return the user's message in a prompt that was decoded to one text."""
    user = re.split(r"(?:\A|\s)user\s", prompt, maxsplit=1)[-1]
    return re.split(r"\s?assistant\s*\Z", user)[0].replace("<image>", "").strip()


def _flat(text: str) -> Iterator[Said]:
    """The turns of a text in which the role markers are bare words."""
    at = 0
    for match in _AFTER.finditer(text):
        reply = match[1]
        yield Said(text[at : match.start()], reply.strip() if _ERROR.search(reply) else "")
        at = match.end()
    if text[at:].strip():
        yield Said(text[at:])


def _trajectory(
    sample: str, turns: Sequence[Said], options: ReadOptions, samples: SampleIndex, report: Report
) -> Trajectory:
    pictures = ImageFrames(samples.size_of(sample))
    space = options.coordinates or BoxSpace(Coordinates.NORM1)
    steps: list[Step] = []
    for number, turn in enumerate(turns):
        followed = number + 1 < len(turns) or bool(turn.error)
        steps += _steps(turn, followed, pictures, space, report)
    last = turns[-1].text if turns else ""
    calls_on = bool(last) and not last[_end_of_calls(last) :].strip()
    return Trajectory(
        model=options.model or MODEL,
        sample_id=sample,
        setting=options.setting,
        steps=tuple(steps),
        answer=None if calls_on else _answer(last),
        error="" if turns else "The file contains no turn of the model.",
        file=report.file,
        line=report.line,
    )


def _answer(text: str) -> str | None:
    """Between answer tags, else behind ``Final answer:``, else the text behind the thinking."""
    if (tagged := answer_in(text)) is not None:
        return tagged
    if match := _FINAL.search(text):
        return match[1].strip()
    return text.rpartition("</think>")[2].strip() or None


def _calls(text: str) -> Iterator[tuple[int, int, str, Any]]:
    """Yield the position of each call, the name of its tool, and its arguments (None = unreadable)."""
    for match in list(_CALL.finditer(text))[:MAX_CALLS]:
        value = storable(literal(match[1].strip()))
        yield match.start(), match.end(), TOOL, value if isinstance(value, dict) else None
    for match in list(_XML.finditer(text))[:MAX_CALLS]:
        given = {
            name: storable(literal(value.strip())) or value.strip() for name, value in _PARAMETER.findall(match[2])
        }
        yield match.start(), match.end(), match[1], given


def _end_of_calls(text: str) -> int:
    return max((end for _, end, _, _ in _calls(text)), default=0)


def _steps(turn: Said, followed: bool, pictures: ImageFrames, space: BoxSpace, report: Report) -> Iterator[Step]:
    at = 0
    for start, end, tool, arguments in _calls(turn.text):
        given = arguments or {}
        written = box_in(given) if arguments is not None else turn.text[start:end]
        asked = fields.four_numbers(written)
        source = pictures.at(_source(given))
        if asked is None:
            done = "The call has no box of four numbers. It is kept as written and never scored."
            report.noted("call-unreadable", "grounding", turn.text[start:end], done)
        bbox, coords = on_picture(asked, space, source) if asked else (None, space.kind)
        cut = None
        if bbox and source and source.size:
            cut = floored(in_pixels(bbox, coords, source.size), source.size)
        if asked and not turn.error:
            note_unless_box(asked, "grounding.bbox_2d", report, cut)
        ok = followed and not turn.error and asked is not None and source is not None
        made = pictures.add(size_of(cut) if cut else None) if ok else None
        yield Step(
            tool=tool,
            arguments=given,
            bbox=bbox,
            bbox_raw=written if asked is None else None,
            coords=coords,
            image_in=source.id if source else None,
            image_out=made.id if made else None,
            ok=ok,
            text=turn.text[at:start].strip(),
            observation=turn.error,
            executed_bbox=_executed(bbox, cut, coords, source.size if source else None),
        )
        at = end


def _executed(
    bbox: Number4 | None, cut: Number4 | None, coords: Coordinates, size: tuple[float, float] | None
) -> Number4 | None:
    if bbox is None or cut is None or size is None or cut == in_pixels(bbox, coords, size):
        return None
    return from_pixels(cut, coords, size)


def _source(arguments: Mapping[str, Any]) -> object:
    """The number of the image: 0 the original, then the crops that succeeded. Nothing named = the original."""
    if "img_idx" in arguments:
        return arguments["img_idx"]
    source = arguments.get("source", "original_image")
    match = _OBSERVATION.fullmatch(source) if isinstance(source, str) else None
    if match:
        return int(match[1])
    return 0 if source in ("original_image", "original", None) else None
