"""Thyme as VTC-Bench's saver writes it: a folder per sample with ``conversation_history.json``.

- The turns are those of the last request in ``api_calls.json`` and its response, without abandoned attempts. Without
  that file the flat list of code blocks in ``conversation_history.json`` is read, abandoned ones included (noted).
- Blocks of Python are read and never run. The sandbox sorted and clamped a box written out as four numbers and brought
  its sides to 64 px before it ran: that is ``executed_bbox``, what is written ``bbox``. Pixels of the image cropped.
- The answer is the last turn's, with or without ``<answer>`` tags.
- A folder joins by its ``sample_id``, its name (``sample_ID``), or the prompt's first image and question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from annotation.importers import fields
from annotation.importers.decoding import RowDecoder
from annotation.importers.documents import Document, DocumentStream, each_named
from annotation.importers.fields import Report
from annotation.importers.prompts import question_and_options_in
from annotation.importers.reading import RawRow
from annotation.schema import ORIGINAL
from evaluation.importers.code_track import Program
from evaluation.importers.code_turns import CodeTurn, blocks_of, steps_of
from evaluation.importers.code_values import Raster
from evaluation.importers.interface import Detection, Read, ReadOptions, SampleIndex
from evaluation.importers.joining import Clues, find_sample
from evaluation.importers.rows import Record, read_documents
from evaluation.importers.zooming import at_least
from evaluation.schema import Issue, Trajectory

MODEL = "Thyme"
HISTORY, REQUESTS, META = "conversation_history.json", "api_calls.json", "metadata.json"


def detect(head: bytes, name: str) -> Detection:
    """The name of its files, or an assistant with ``code_blocks``."""
    if name in {HISTORY, REQUESTS} or (b'"code_blocks"' in head and b'"role"' in head):
        return Detection("thyme", 0.95, (f"It is {HISTORY} with code blocks, as Thyme's saver writes it.",))
    return Detection("thyme", 0.0)


def read(path: Path, options: ReadOptions, samples: SampleIndex) -> Read:
    """Yield all trajectories of ``path``. Raises ``ImportProblem`` if there are none."""

    def convert(document: Document, report: Report) -> Iterator[Record | Issue]:
        return _folder(document, options, samples, report)

    stream = DocumentStream(
        path, options.start, group=each_named(HISTORY, REQUESTS, META), wanted=f"folders with {HISTORY}"
    )
    empty = f"{path.name} contains no folder with a readable {HISTORY}. Choose that folder, or a zip of it."
    return read_documents(stream, convert, empty)


def _folder(document: Document, options: ReadOptions, samples: SampleIndex, report: Report) -> Iterator[Record | Issue]:
    parts: dict[str, Any] = {}
    for name, content in document.parts.items():
        value, issues = RowDecoder().decode_any(RawRow("", document.beside(name), 1, content, len(content)))
        yield from issues
        if value is None and issues and name == document.name.rsplit("/", 1)[-1]:
            return
        parts[HISTORY if name == document.name.rsplit("/", 1)[-1] else name] = value
    history = [item for item in _list(parts.get(HISTORY)) if isinstance(item, dict)]
    if not any(item.get("role") == "assistant" for item in history) and not parts.get(REQUESTS):
        done = "The folder was rejected because it has no turn of a model. Copy it again."
        report.refuse("no-dialogue", "", parts.get(HISTORY), done)
    sample = find_sample(_clues(document, history, parts.get(META), report), samples, report)
    turns = _turns(_list(parts.get(REQUESTS)), history) or _flat_turns(history, report)
    program = Program(Raster(ORIGINAL, samples.size_of(sample)), rewrite=at_least)
    last = turns[-1].text if turns else ""
    ends_in_code = any(True for _ in blocks_of(last)) and "<answer>" not in last
    yield Trajectory(
        model=options.model or MODEL,
        sample_id=sample,
        setting=options.setting or "code",
        steps=tuple(steps_of(turns, program, report)),
        answer=None if ends_in_code or not last.strip() else last.strip(),
        error="" if turns else "The folder contains no turn of the model.",
        extra=fields.extra(parts[META], frozenset({"sample_id"})) if isinstance(parts.get(META), dict) else {},
        file=report.file,
        line=report.line,
    )


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _clues(document: Document, history: Sequence[Mapping[str, Any]], meta: object, report: Report) -> Clues:
    user = next((item for item in history if item.get("role") == "user"), {})
    images = [name for name in _list(user.get("images")) if isinstance(name, str)]
    prompt = user.get("content")
    question, options = question_and_options_in(prompt if isinstance(prompt, str) else "")
    named = meta.get("sample_id") if isinstance(meta, dict) else None
    folder = document.folder
    report.stands_for("sample", "sample_id" if named else "folder")
    report.stands_for("image", "images[0]")
    report.stands_for("question", "content")
    ids = [named, folder.removeprefix("sample_") if folder.startswith("sample_") else ""]
    return Clues([str(name) for name in ids if name], images[0] if images else "", question, options)


def _turns(requests: Sequence[Any], history: Sequence[Mapping[str, Any]]) -> list[CodeTurn]:
    """Return the model's turns that led to the last response, each with the returned text; the last turn of the history
    is added if it differs.
    """
    last = next((item for item in reversed(requests) if isinstance(item, dict) and item.get("response")), None)
    if last is None:
        return []
    turns: list[CodeTurn] = []
    for message in _list(last.get("messages")):
        if not isinstance(message, dict):
            continue
        text = _text(message.get("content"))
        if message.get("role") == "assistant":
            turns.append(CodeTurn(text))
        elif turns:
            turns[-1] = CodeTurn(turns[-1].text, text)
    response = last["response"] if isinstance(last["response"], str) else ""
    final = _final(history)
    if final and final.strip() != response.strip():
        return [*turns, CodeTurn(response, ""), CodeTurn(final)]
    return [*turns, CodeTurn(response)]


def _final(history: Sequence[Mapping[str, Any]]) -> str:
    said = (item.get("content") for item in reversed(history) if item.get("role") == "assistant")
    return next((text for text in said if isinstance(text, str)), "")


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    texts = (item.get("value", item.get("text")) for item in _list(content) if isinstance(item, dict))
    kinds = (item.get("type") for item in _list(content) if isinstance(item, dict))
    return "\n".join(text for text, kind in zip(texts, kinds, strict=True) if kind == "text" and isinstance(text, str))


def _flat_turns(history: Sequence[Mapping[str, Any]], report: Report) -> list[CodeTurn]:
    """One turn per code block, then the last text: the complete content of the history."""
    said = [item for item in history if item.get("role") == "assistant"]
    blocks = [code for item in said for code in _list(item.get("code_blocks")) if isinstance(code, str)]
    if blocks:
        done = "Without api_calls.json, abandoned attempts can't be identified. All blocks are kept. Add the file."
        report.noted("attempts-mixed", "code_blocks", len(blocks), done)
    final = _final(history)
    done_blocks = [CodeTurn(f"```python\n{code}\n```", "") for code in blocks]
    return [*done_blocks, CodeTurn(final)] if final else done_blocks
