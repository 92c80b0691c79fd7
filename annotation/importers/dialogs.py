"""Benchmarks of tool agents as dialogs by id, in GTA's format: tools, files, dialogs and the answer.

``{"0": {"tools": [..], "files": [{"path": ..}], "dialogs": [..], "gt_answer": {"whitelist": [[..]]}}, ...}``

- The first turn of the user is the question; the first image in ``files`` is the image.
- The calls of the dialog, in their order and with their arguments, are the reference toolchain. Calls without a
  successful reply are also kept.
- ``gt_answer`` is a text, a list of accepted texts, or an object whose ``whitelist`` is a list of such lists: with one
  list, any of its texts is accepted; with several, the answer must name one of each, and the accepted texts are their
  combinations in order. Texts of a ``blacklist`` are kept as an extra field of the sample.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from annotation.importers import fields
from annotation.importers.converting import read_rows
from annotation.importers.fields import Report
from annotation.importers.interface import Detection, Read, ReadOptions
from annotation.importers.record_stream import KEY, RecordStream
from annotation.importers.storable import storable

NAME = "dialogs"
MOST_COMBINED = 50
"""The maximum number of combinations of accepted texts that are kept."""
MOST_CALLS = 200
_READ = frozenset({KEY, "dialogs", "files", "gt_answer", "id", "tools", "image"})
_PICTURES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff", ".gif", ".bmp"})


def detect(head: bytes, name: str) -> Detection:
    """Records with ``dialogs`` and ``gt_answer``."""
    found = b'"dialogs"' in head and (b'"gt_answer"' in head or (b'"tools"' in head and b'"files"' in head))
    return Detection(NAME, 0.9 if found else 0.0, ("Its records have dialogs, files and gt_answer.",) if found else ())


def read(path: Path, options: ReadOptions) -> Read:
    """Yield all samples of ``path``. Raises ``ImportProblem`` if there are none."""
    stream = RecordStream(path, options.start, wanted="a JSON file of dialogs by ID")
    return read_rows(stream, native_from, f"{path.name} contains no dialogs. It needs dialogs and gt_answer.")


def native_from(row: Mapping[str, Any], report: Report) -> dict[str, Any]:
    """Convert one dialog to native keys. Raises ``RowRefused`` if the row has none."""
    dialogs = row.get("dialogs")
    report.stands_for("question", "dialogs")
    report.stands_for("reference_toolchain", "dialogs")
    report.stands_for("answer", "gt_answer")
    if not isinstance(dialogs, list) or not dialogs:
        done = "The record was rejected because it has no list of turns. Add them under dialogs."
        report.refuse("no-dialogue", "dialogs", dialogs, done)
    turns = [turn for turn in dialogs if isinstance(turn, dict)]
    accepted, refused = answers_in(row.get("gt_answer"), report)
    native: dict[str, Any] = {
        **fields.extra(row, _READ),
        "id": row.get("id") if row.get(KEY) is None else row[KEY],
        "question": next((_text(turn.get("content")) for turn in turns if turn.get("role") == "user"), ""),
        "answer_type": "open",
        "answer": accepted,
        "reference_toolchain": list(itertools.islice(_calls(turns), MOST_CALLS)),
    }
    if refused:
        native["answers not accepted"] = refused
    if names := [_name(tool) for tool in _listed(row.get("tools")) if _name(tool)]:
        native["tools offered"] = names
    if image := _picture(row.get("files"), report):
        native["image"] = image
    return native


def _text(content: object) -> str:
    if isinstance(content, dict):
        content = content.get("content", content.get("text"))
    if isinstance(content, list):
        parts = [item.get("text") for item in content if isinstance(item, dict)]
        return "\n".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _calls(turns: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for turn in turns:
        calls = turn.get("tool_calls") if turn.get("role") == "assistant" else None
        for call in calls if isinstance(calls, list) else ():
            inner = call.get("function") if isinstance(call, dict) else None
            if isinstance(inner, dict) and isinstance(name := inner.get("name"), str) and name.strip():
                yield {"tool": name[: fields.MAX_NAME], "arguments": _arguments(inner.get("arguments"))}


def _arguments(value: object) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = storable(json.loads(value))
        except (ValueError, RecursionError):
            return {"text": value}
    return value if isinstance(value, dict) else {}


def _name(tool: object) -> str:
    name = tool.get("name") if isinstance(tool, dict) else tool
    return name[: fields.MAX_NAME] if isinstance(name, str) else ""


def _picture(files: object, report: Report) -> str | None:
    """Return the first image of the dialog. Further images are reported."""
    named = (
        [item.get("path") if isinstance(item, dict) else item for item in files if item]
        if isinstance(files, list)
        else []
    )
    names = [n for n in named if isinstance(n, str) and PurePosixPath(n).suffix.lower() in _PICTURES]
    if len(names) > 1:
        report.noted("several-pictures", "files", len(names), "A sample has one image. The first one was used.")
    return names[0] if names else None


def answers_in(value: object, report: Report) -> tuple[list[str], list[str]]:
    """Return the accepted texts and the forbidden texts."""
    if not isinstance(value, dict):
        return _texts(value), []
    groups = value.get("whitelist")
    refused = [text for group in _listed(value.get("blacklist")) for text in _texts(group)]
    lists = [found for group in _listed(groups) if (found := _texts(group))]
    if len(lists) < 2:
        return (lists[0] if lists else []), refused
    combined = itertools.islice(itertools.product(*lists), MOST_COMBINED)
    done = "The answer must name one entry of each list. All combinations, separated by commas, are accepted."
    report.noted("several-answers", "answer", len(lists), done)
    return [", ".join(parts) for parts in combined], refused


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _texts(value: object) -> list[str]:
    found = [item for item in _listed(value) if isinstance(item, str | int | float) and not isinstance(item, bool)]
    return [text for item in found if (text := str(item).strip())]
