"""LLaVA's question files: JSONL with ``question_id``, ``image`` and ``text``, alone or in a zip with answer files.

- ``text`` is the question, with its options line by line where it has any; ``category`` is a facet.
- Most question files hold no answer: one in ``answer``, ``ground_truth`` or ``label`` is taken.
- A file of answers has ``answer_id`` or ``model_id``; those are what a model did, and passed over here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from annotation.importers import fields
from annotation.importers.converting import read_rows
from annotation.importers.embedded import picture_in
from annotation.importers.fields import Report
from annotation.importers.forms import beginning_of
from annotation.importers.interface import Detection, ImportProblem, Read, ReadOptions
from annotation.importers.prompts import question_before_options
from annotation.importers.question_rows import letter_of
from annotation.importers.reading import RowStream
from annotation.importers.record_stream import data_files
from annotation.importers.sources import HEAD_BYTES, Limits, Member, open_members

NAME = "llava"
OF_ANSWERS = frozenset({"answer_id", "model_id"})
_ANSWERS = ("answer", "ground_truth", "label", "gt_answer")
_READ = frozenset({"question_id", "image", "text", "category", "options", *_ANSWERS})


def detect(head: bytes, name: str) -> Detection:
    """Rows with ``question_id``, ``image`` and ``text``, and nothing that a model said."""
    keys = keys_of(head)
    found = {"question_id", "image", "text"} <= keys and not keys & (OF_ANSWERS | {"prompt"})
    return Detection(NAME, 0.75 if found else 0.0, ("Its rows have question_id, image and text.",) if found else ())


def keys_of(head: bytes) -> frozenset[str]:
    """The keys of the first record that a file begins with; none where it is no list of objects."""
    text = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").lstrip()
    if text[:1] == "{":
        text = text.split("\n", 1)[0]
    value = beginning_of(text)
    row = value[0] if isinstance(value, list) and value else value
    return frozenset(row) if isinstance(row, dict) else frozenset()


def members_with(path: Path, *, answers: bool) -> Sequence[str]:
    """Return the files of answers in a folder or zip, or the files of questions."""
    if path.is_file() and not _is_archive(path):
        return ()
    members = open_members(path, data_files, "JSONL files of questions and answers", Limits(), deep=True)
    return [member.name for member in members if bool(OF_ANSWERS & _keys(member)) == answers]


def _is_archive(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"PK\x03\x04"


def _keys(member: Member) -> frozenset[str]:
    with member.open() as file:
        return keys_of(file.read(HEAD_BYTES))


def read(path: Path, options: ReadOptions) -> Read:
    """All samples of ``path``. Raises ``ImportProblem`` when there is none."""
    ours = members_with(path, answers=False)
    if (path.is_dir() or _is_archive(path)) and not ours:
        raise ImportProblem(f"{path.name} contains answers but no questions. Add the file of questions.")
    wanted = "a JSONL file of questions"
    stream = RowStream(path, (), options.start, pick=lambda names: list(ours), wanted=wanted, deep=True)
    return read_rows(stream, native_from, f"{path.name} contains no questions. It needs question_id and text.")


def native_from(row: Mapping[str, Any], report: Report) -> dict[str, Any]:
    """One question with native keys."""
    for ours, theirs in (("id", "question_id"), ("question", "text")):
        report.stands_for(ours, theirs)
    text = fields.text(row.get("text"), "question", report).replace("<image>\n", "").replace("<image>", "")
    question, choices = question_before_options(text)
    given = row.get("options")
    options = dict(zip(map(chr, range(65, 91)), given, strict=False)) if isinstance(given, list) else dict(choices)
    answer = next((row[name] for name in _ANSWERS if row.get(name) not in ("", None)), None)
    native: dict[str, Any] = {
        **fields.extra(row, _READ),
        "id": row.get("question_id"),
        "question": question,
        "answer_type": "mc" if options else "open",
        "options": options,
        "answer": letter_of(answer, options),
    }
    if image := picture_in(row.get("image"), "image", report):
        native["image"] = image
    if row.get("category") not in ("", None):
        native["category"] = row["category"]
    return native
