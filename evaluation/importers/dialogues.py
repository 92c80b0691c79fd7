"""Files of dialogues that are lists of messages: one to a line, or one or several in a JSON document."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from annotation.importers import fields
from annotation.importers.decoding import RowDecoder
from annotation.importers.documents import Document, DocumentStream, each_ending
from annotation.importers.embedded import kind_in_base64
from annotation.importers.fields import Report, RowRefused
from annotation.importers.forms import BEGINNING, Form, layout_of
from annotation.importers.reading import RawRow, RowStream
from annotation.importers.record_stream import FILE, RecordStream, columns_of_place
from evaluation.importers.dialogue import question_and_options
from evaluation.importers.interface import BoxSpace, Read, ReadOptions, SampleIndex
from evaluation.importers.joining import Clues, find_sample
from evaluation.importers.mapping import RUN_FIELDS
from evaluation.importers.matching import base_name
from evaluation.importers.messages import Exchange, Talk, plain_messages, talk_of
from evaluation.importers.rows import Record, read_documents, read_rows
from evaluation.importers.tool_steps import step_of
from evaluation.importers.zooming import ImageFrames
from evaluation.schema import Issue, Step, Trajectory

_LISTS = ("messages", "conversation", "conversations", "dialogue")
_INSIDE = ("response", "body", "result", "request", "params", "data")
"""Objects of a record that may contain its messages, as in batches of requests, nested up to this depth:"""
_DEPTH = 3
_IDS = tuple(name for name in RUN_FIELDS.fields["sample"].names if name not in (FILE, "folder", "folder_2"))
_READ_KEYS = frozenset({"model", *_IDS})


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One dialogue: its messages, and what else its record holds (``answer``, ids and so on)."""

    messages: list[Any]
    values: dict[str, Any] = field(default_factory=dict)


NO_TURNS = (
    "no list of messages with turns of a model. Use a JSON list of messages, or JSONL with one dialogue per line."
)
ConvertDialogue = Callable[[Dialogue, Report], Trajectory]
MakeStep = Callable[[Exchange, ImageFrames, Report], Step]
"""A call, the images there are so far (to which it may add one) and a report in; a step out."""


def read_dialogues(path: Path, options: ReadOptions, convert: ConvertDialogue, empty: str) -> Read:
    """All dialogues of a JSONL file (in constant memory), a JSON file, or a folder or zip of JSON files."""

    def of_row(value: Any, _: str, report: Report) -> Record:
        return convert(dialogue_of(value, report), report)

    if path.is_file() and path.suffix.lower() in {".jsonl", ".ndjson"}:
        return read_rows(RowStream(path, (), options.start), of_row, empty, objects=False)
    if path.is_file() and path.suffix.lower() == ".json" and _holds_records(path):
        return read_rows(RecordStream(path, options.start), of_row, empty, objects=False)
    decoder = RowDecoder()

    def of_document(document: Document, report: Report) -> Iterator[Record | Issue]:
        value, issues = decoder.decode_any(RawRow("", document.name, 1, document.main, len(document.main)))
        yield from issues
        found = _apart(value)
        for number, one in enumerate(found, 1):
            part = Report(report.file, None, row=str(number) if len(found) > 1 else "")
            try:
                yield replace(convert(dialogue_of(one, part), part), row=part.row)
            except RowRefused as refused:
                yield refused.issue
            yield from part.issues

    group = each_ending(".json")
    stream = DocumentStream(path, options.start, group=group, wanted="JSON files with lists of messages")
    return read_documents(stream, of_document, empty)


def read_chats(path: Path, options: ReadOptions, samples: SampleIndex, *, model: str) -> Read:
    """The same for dialogues whose tools nothing more is known of than their arguments and their replies."""

    def step(exchange: Exchange, pictures: ImageFrames, report: Report) -> Step:
        return step_of(exchange, pictures, options.coordinates or BoxSpace(), report)

    def convert(dialogue: Dialogue, report: Report) -> Trajectory:
        return trajectory_of(dialogue, options, samples, report, model=model, step=step)

    return read_dialogues(path, options, convert, f"{path.name} contains {NO_TURNS}")


def _holds_records(path: Path) -> bool:
    """Whether a JSON file is a table of dialogues: a list of objects, lists under keys, or records by id."""
    with path.open("rb") as file:
        layout = layout_of(file.read(BEGINNING))
    if layout.form is Form.LIST:
        return bool(layout.fields) and not {"role", "from"} & set(layout.fields)
    return layout.form in (Form.LISTS, Form.KEYED)


def _apart(value: Any) -> list[Any]:
    """The dialogues of a document: itself, or the items of a list that is not a list of messages."""
    if value is None:
        return []
    if isinstance(value, list) and not all(isinstance(item, dict) and {"role", "from"} & set(item) for item in value):
        return value
    return [value]


def dialogue_of(value: Any, report: Report) -> Dialogue:
    """A list of messages, or an object that holds one. Raises ``RowRefused``."""
    if isinstance(value, list):
        return Dialogue(plain_messages(value))
    if isinstance(value, dict) and (found := _talk_in(value)):
        return Dialogue(plain_messages(found.messages), found.values)
    done = "The row was rejected because it has no list of messages. Write it as a list, or under messages."
    report.refuse("no-dialogue", "messages", value, done)


def _talk_in(value: dict[str, Any], depth: int = _DEPTH) -> Dialogue | None:
    """The messages of a record: under a key for them, as input and output of OpenAI's Responses, as the message of a
    completion, or so in an object of the record."""
    for key in _LISTS:
        if isinstance(value.get(key), list):
            return Dialogue(value[key], _without(value, key))
    answered = value.get("output")
    if isinstance(answered, list) and answered and all(isinstance(item, dict) and "type" in item for item in answered):
        asked = value.get("input")
        before = asked if isinstance(asked, list) else [{"role": "user", "content": asked}]
        return Dialogue([*before, *answered], _without(value, "input", "output"))
    choices = value.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else value
    if isinstance(first, dict) and isinstance(message := first.get("message"), dict) and "role" in message:
        return Dialogue([message], _without(value, "choices", "message"))
    if value.get("role") == "assistant":
        return Dialogue([value], _without(value, "role", "content"))
    for key in _INSIDE if depth else ():
        if isinstance(inner := value.get(key), dict) and (found := _talk_in(inner, depth - 1)):
            return Dialogue(found.messages, found.values | _without(value, key))
    return None


def _without(value: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {name: item for name, item in value.items() if name not in keys}


def trajectory_of(
    dialogue: Dialogue, options: ReadOptions, samples: SampleIndex, report: Report, *, model: str, step: MakeStep
) -> Trajectory:
    """The dialogue as a trajectory of its sample. ``model``: the name if the file has none.

    Its answer is the text after the last call. Raises ``RowRefused`` if it matches no sample, or several.
    """
    talk = talk_of(dialogue.messages)
    if not (talk.prompt or talk.final or talk.exchanges):
        done = "The dialogue was rejected because no message has the role user or assistant. Add the roles."
        report.refuse("no-dialogue", "messages", dialogue.messages, done)
    sample = find_sample(_clues(dialogue, talk, report), samples, report)
    pictures = ImageFrames(samples.size_of(sample))
    return Trajectory(
        model=options.model or fields.label(dialogue.values.get("model"), "model", report, default=model),
        sample_id=sample,
        setting=options.setting,
        steps=tuple(step(exchange, pictures, report) for exchange in talk.exchanges),
        answer=talk.final or None,
        error="" if talk.final or talk.exchanges else "The dialogue contains no turn of the model.",
        extra=fields.extra(dialogue.values, _READ_KEYS),
        file=report.file,
        line=report.line,
    )


def _clues(dialogue: Dialogue, talk: Talk, report: Report) -> Clues:
    get = dialogue.values.get
    given = [get(key) for key in _IDS if key in dialogue.values]
    ids = [str(value) for value in given if isinstance(value, str | int) and not isinstance(value, bool)]
    report.stands_for("sample", next((key for key in _IDS if key in dialogue.values), "file name"))
    report.stands_for("question", "messages")
    question, options = question_and_options(dialogue.messages)
    image = next((name for name in (*talk.prompt_pictures, *_pictures_of(dialogue.values)) if name), "")
    return Clues([*ids, *_places(report.file)], image, question or talk.prompt, options)


def _pictures_of(values: Mapping[str, Any]) -> list[str]:
    """The images that a record names outside its messages."""
    given = next((values[key] for key in ("image", "images", "image_path") if values.get(key)), None)
    names = [name for name in (given if isinstance(given, list) else [given]) if isinstance(name, str)]
    return [base_name(name) for name in names if not name.startswith("data:") and not kind_in_base64(name)]


@lru_cache(maxsize=16)
def _places(file: str) -> tuple[str, ...]:
    """The names that lead to a file, its own first."""
    return tuple(columns_of_place(file).values())
