"""Benchmarks from result files: rows that contain a question, its correct answer and the output of a model.

Each format has the name of the format of runs. These samples record the source of their gold (``gold_source``). They
have no boxes, because those of the file are the model's, and they remain to be reviewed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from annotation.importers import fields
from annotation.importers.any_table import open_table
from annotation.importers.converting import ToNative, converted, read_rows, read_table
from annotation.importers.detection import TABLE
from annotation.importers.documents import Document, DocumentStream
from annotation.importers.fields import Report
from annotation.importers.inspect_files import WANTED, group, whole_sample
from annotation.importers.interface import Detection, ImportProblem, Read, ReadOptions
from annotation.importers.mapping import BOX_FIELDS
from annotation.importers.parquet_rows import without_bytes
from annotation.importers.prompts import question_before_options
from annotation.importers.question_rows import letter_of
from annotation.importers.reading import RowStream
from annotation.importers.record_stream import RecordStream
from annotation.importers.sample_columns import LETTERS, RESULTS, SAMPLE_FIELDS
from annotation.importers.storable import storable
from annotation.schema import SampleRecord
from annotation.workflow import SampleState

SURENESS = 0.45
"""The confidence for these files. They are first of all runs; a person can choose to read them as samples."""
GOLD_SOURCE = "gold_source"
_OF_MODELS = RESULTS | {name for field in ("boxes", *BOX_FIELDS) for name in SAMPLE_FIELDS.fields[field].names}
"""Names of columns with the output of a model, including its boxes."""
SEAL_LISTS = ("direct_attributes", "relative_position")


def of_results(record: SampleRecord, source: str) -> SampleRecord:
    """Return a sample from a result file: with its source, without boxes and the model's output, to be reviewed."""
    content = replace(record.content, gold_boxes=())
    said = {key: value for key, value in record.extra.items() if key.rsplit(".", 1)[-1].casefold() not in _OF_MODELS}
    extra = {**said, GOLD_SOURCE: source}
    return replace(record, content=content, extra=extra, state=SampleState.IN_REVIEW)


@dataclass(frozen=True)
class ResultFormat:
    """A format of runs whose rows contain samples. ``words``: the texts that the first bytes must contain.
    ``read_rows``: reads its rows through ``to_native``.
    """

    name: str
    title: str
    words: tuple[bytes, ...]
    to_native: ToNative
    rows: Callable[[Path, ReadOptions, ToNative], Read]

    def detect(self, head: bytes, name: str) -> Detection:
        """Detect result files of this format that also contain questions and gold."""
        if not all(word in head for word in self.words):
            return Detection(self.name, 0.0)
        said = "It contains answers of a model, the questions and the gold answers. Both can be imported."
        return Detection(self.name, SURENESS, (said,))

    def read(self, path: Path, options: ReadOptions) -> Read:
        """Yield all samples of ``path``. Raises ``ImportProblem`` if there are none."""
        return self.rows(path, options, self.to_native)


def _empty(path: Path) -> str:
    return f"{path.name} contains no rows with a question."


def _lines(path: Path, options: ReadOptions, to_native: ToNative) -> Read:
    return read_rows(RowStream(path, (), options.start, wanted="one JSONL file"), to_native, _empty(path))


def _records(path: Path, options: ReadOptions, to_native: ToNative) -> Read:
    return read_rows(RecordStream(path, options.start), to_native, _empty(path))


def _lists_of_seal(path: Path, options: ReadOptions, to_native: ToNative) -> Read:
    return read_rows(RowStream(path, SEAL_LISTS, options.start), to_native, _empty(path))


def _table(path: Path, options: ReadOptions, to_native: ToNative) -> Read:
    stream = open_table(path, options.start)
    if isinstance(stream, RowStream):
        return read_rows(stream, to_native, _empty(path))

    def of_cells(values: Mapping[str, Any], report: Report) -> dict[str, Any]:
        return to_native(without_bytes(dict(values)), report)

    return read_table(stream, of_cells, _empty(path), resumed=bool(options.start.member))


def _logs(path: Path, options: ReadOptions, to_native: ToNative) -> Read:
    if path.suffix.lower() == ".json":
        stream = RowStream(path, ("samples",), options.start)
        return _first_epochs(read_rows(stream, to_native, _empty(path)))
    return _first_epochs(_documents(path, options, to_native))


def _documents(path: Path, options: ReadOptions, to_native: ToNative) -> Read:
    stream, given = DocumentStream(path, options.start, group=group, wanted=WANTED), 0
    for document in stream:
        if not isinstance(document, Document):
            yield document
            continue
        sample, issues = whole_sample(document)
        yield from issues
        if isinstance(sample, dict):
            given += 1
            yield from converted(sample, to_native, Report(document.name, None))
        yield stream.progress()
    if not given and not stream.resumed:
        raise ImportProblem(_empty(path))


def _first_epochs(items: Read) -> Read:
    """Yield each sample once, although a log repeats it for every epoch."""
    for item in items:
        if isinstance(item, SampleRecord):
            if item.extra.get("epoch") not in (None, 1):
                continue
            item = replace(item, extra={key: value for key, value in item.extra.items() if key != "epoch"})
        yield item


def _plain(id: object, question: str, options: Mapping[str, str], answer: object) -> dict[str, Any]:
    return {
        "id": id,
        "question": question,
        "answer_type": "mc" if options else "open",
        "options": dict(options),
        "answer": letter_of(answer, options),
    }


def of_lmms_eval(row: Mapping[str, Any], report: Report) -> dict[str, Any]:
    """A row with ``doc_id``, ``input`` and ``target``."""
    for ours, theirs in (("id", "doc_id"), ("question", "input"), ("answer", "target")):
        report.stands_for(ours, theirs)
    question, options = question_before_options(fields.text(row.get("input"), "question", report))
    native = _plain(row.get("doc_id"), question, options, row.get("target"))
    told = [value.get("category") for value in row.values() if isinstance(value, dict)]
    return native | {"category": next((one for one in told if isinstance(one, str) and one), None)}


def of_vlmevalkit(row: Mapping[str, Any], report: Report) -> dict[str, Any]:
    """A row with ``index``, ``question``, ``answer`` and options ``A``, ``B`` …"""
    report.stands_for("id", "id" if row.get("id") not in ("", None) else "index")
    options = {letter: str(row[letter]) for letter in LETTERS if row.get(letter) not in ("", None)}
    given = row.get("id") if row.get("id") not in ("", None) else row.get("index")
    native = _plain(_whole(given), fields.text(row.get("question"), "question", report), options, row.get("answer"))
    image = row.get("image_path")
    if isinstance(image, str) and image and image[:1] != "[":
        native["image"] = PurePosixPath(image.replace("\\", "/")).name
    return native | {"category": row.get("category") or None}


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def of_inspect(row: Mapping[str, Any], report: Report) -> dict[str, Any]:
    """A sample of a log with ``id``, ``input``, ``choices`` and ``target``."""
    for ours, theirs in (("question", "input"), ("options", "choices"), ("answer", "target")):
        report.stands_for(ours, theirs)
    choices = fields.items(row.get("choices"), "options", report)
    options = {letter: str(choice) for letter, choice in zip(LETTERS, choices, strict=False)}
    native = _plain(row.get("id"), _asked(row.get("input")), options, row.get("target"))
    metadata = fields.mapping(row.get("metadata"), "metadata", report)
    return native | {"category": metadata.get("category"), "epoch": row.get("epoch")}


def _asked(given: object) -> str:
    """Return the first message of the user from a text or a list of messages."""
    if isinstance(given, str):
        return given
    messages = [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []
    parts: list[str] = []
    for message in messages:
        content = message.get("content") if message.get("role") == "user" else None
        items = content if isinstance(content, list) else [{"text": content}]
        parts += [item["text"] for item in items if isinstance(item, dict) and isinstance(item.get("text"), str)]
    return "\n".join(parts)


def of_seal(row: Mapping[str, Any], report: Report) -> dict[str, Any]:
    """A row of V*: the first option is the correct one."""
    texts = [str(text) for text in fields.items(row.get("options"), "options", report)]
    options = dict(zip(LETTERS, texts, strict=False))
    image = fields.text(row.get("image"), "image", report)
    stem = PurePosixPath(image.replace("\\", "/")).stem
    native = _plain(stem or None, fields.text(row.get("question"), "question", report), options, "A" if texts else None)
    return native | {"image": image or None, "category": report.row.partition(" of ")[2] or None}


def of_react(row: Mapping[str, Any], report: Report) -> dict[str, Any]:
    """Convert a record with ``response_list``: id, question, options, image and answer under any of their names."""
    named = SAMPLE_FIELDS.guessed([key for key in row if key not in ("response_list", "tool_list")]).columns
    cell = {name: row.get(column) for name, column in named.items()}
    for name, column in named.items():
        report.stands_for(name, column)
    given = cell.get("options")
    options = dict(zip(LETTERS, map(str, given), strict=False)) if isinstance(given, list) else {}
    options = {str(key): str(text) for key, text in given.items()} if isinstance(given, dict) else options
    native = _plain(cell.get("id"), fields.text(cell.get("question"), "question", report), options, cell.get("answer"))
    if native["id"] is None:
        native["id"] = f"{PurePosixPath(report.file).stem}:{report.row or report.line}"
    image = cell.get("image")
    if isinstance(image, str) and image:
        native["image"] = storable(image)
    return native | {"category": cell.get("category")}


FORMATS = (
    ResultFormat(
        "vlmevalkit", "VLMEvalKit: the questions of a file of predictions", (b"index", b"question", b"prediction"),
        of_vlmevalkit, _table,
    ),
    ResultFormat(
        "lmms-eval", "lmms-eval: the questions of *_samples_TASK.jsonl", (b'"doc_id"', b'"filtered_resps"'),
        of_lmms_eval, _lines,
    ),
    ResultFormat(
        "inspect", "Inspect AI: the samples of a log", (b'"target"', b'"input"', b'"epoch"'), of_inspect, _logs
    ),
    ResultFormat("seal", "SEAL on V*: the questions of its results", (b'"option_chosen"',), of_seal, _lists_of_seal),
    ResultFormat("react", "ReAct logs: the questions of their records", (b'"response_list"',), of_react, _records),
)  # fmt: skip
NAMES = frozenset(one.name for one in FORMATS)


def is_of_results(format: str, *, with_runs: bool) -> bool:
    """Return whether this format reads samples from a result file."""
    return format in NAMES or (with_runs and format == TABLE)
