"""Imports JSON and JSONL in no known format by a mapping of fields to paths of keys.

- A row joins by its sample's id, else by question or image. Rows that cannot be read are reported as issues.
- Calls are the values at ``calls``, else each turn, else the row. A value without tool, arguments or box is not a call:
  its text belongs to the next call, its observation to the previous one.
- A path of a call begins in the call. If it has the same beginning as that of ``turns`` or ``calls``, it begins in the
  row and leads through the turn of the call.
- A field that calls do not have may be in a parallel list with one item for each call.
- With ``role``, replies belong to the calls before them, in their order; a prompt after a call is also its reply.
- Without ``answer``, the argument of a closing call is the answer, else the text after the last call.
- Texts are parsed first, as the mapping says; code is parsed and never run. Image data is not kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from annotation.importers import fields
from annotation.importers.fields import Report
from annotation.schema import shortened
from evaluation.importers.cells import is_no, rollout_in, truth_in
from evaluation.importers.interface import ImportProblem, Read, ReadOptions, SampleIndex, UnchangedRowDetector
from evaluation.importers.joining import Clues, find_sample
from evaluation.importers.mapped.calls import CallReader, Talk
from evaluation.importers.mapped.mapping import KeyMapping
from evaluation.importers.mapped.paths import EVERY, KEY, KeyPath, Place, Step
from evaluation.importers.mapped.pictures import SeenImages, is_image_data, texts_in, without_images
from evaluation.importers.mapped.rows import MappedRows, said_outside
from evaluation.importers.mapped.texts import taken_apart
from evaluation.importers.matching import base_name
from evaluation.importers.rows import read_rows
from evaluation.schema import Trajectory

NAME = "mapped"
MODEL = "unnamed"
UNMAPPED = "This file needs a mapping of its keys. Map them on the import page, or use --mapping."
MAX_EXTRA = 1000
"""Maximum number of characters of an unread value that is stored with a trajectory."""


def read(path: Path, options: ReadOptions, samples: SampleIndex, known: UnchangedRowDetector | None = None) -> Read:
    """Yield all trajectories of ``path``. Raises ``ImportProblem`` if there are none, or if the mapping is missing or
    incomplete.
    """
    mapping = options.keys
    if mapping is None:
        raise ImportProblem(UNMAPPED)
    if problem := mapping.problem():
        raise ImportProblem(problem)
    stream = MappedRows(path, mapping, options.start, glimpse=options.glimpse)
    reader = MappedReader(mapping, options, samples)
    empty = f"{path.name} contains no rows at {mapping.rows}. Choose the list, or the object by ID, with the rows."
    return read_rows(stream, reader.trajectory, empty, known, objects=False)


class MappedReader:
    """Turns rows into trajectories by one mapping."""

    def __init__(self, mapping: KeyMapping, options: ReadOptions, samples: SampleIndex) -> None:
        self._mapping, self._options, self._samples = mapping, options, samples
        self._calls = CallReader(mapping, options.coordinates or mapping.space)
        self._used = frozenset(
            path.steps[0]
            for path in (*(path for name, path in mapping.paths.items() if name != "rows"), *mapping.texts)
            if path.steps
        )

    def trajectory(self, value: Any, key: str, report: Report) -> Trajectory:
        """One row. Raises ``RowRefused`` when it fits no sample or several, or is nothing the mapping can read."""
        own, outside = said_outside(key)
        if not isinstance(value, dict) and not self._mapping.takes_whole_rows:
            done = "The row was rejected because it is not an object and has no keys."
            report.refuse("not-an-object", "", value, done)
        for name, path in self._mapping.paths.items():
            report.stands_for(name, str(path))
        row = Place(take_apart(value, self._mapping.texts, report), own)
        sample = find_sample(self._clues(row, report.file), self._samples, report)
        said = partial(self._word, row, outside)
        error = "" if self._calls.fails_calls else _failure(self._value("failed", row))
        talk = self._calls.talk(row, report) if self._calls.reads else Talk()
        images = SeenImages(self._mapping.images_from, partial(self._is_original, sample))
        return Trajectory(
            model=fields.name(said("model"), "model", report, default=self._options.model or MODEL),
            sample_id=sample,
            setting=fields.label(said("setting"), "setting", report, default=self._options.setting),
            rollout=rollout_in(self._value("rollout", row), report),
            steps=self._calls.steps(talk, self._samples.size_of(sample), images, report),
            answer=None if error else self._answer(row, talk),
            judge_correct=None if error else truth_in(self._value("verdict", row), "verdict", report),
            error=error,
            extra=self._unread(row.value),
            file=report.file,
            line=report.line,
            row_digest=report.row_digest,
        )

    def _value(self, name: str, row: Place) -> Any:
        path = self._mapping.paths.get(name)
        return path.first(row) if path else None

    def _word(self, row: Place, outside: Mapping[str, Any], name: str) -> str:
        """Return a name from the row, else from its context; in reverse order if its path leads to the rows."""
        path = self._mapping.paths.get(name)
        said = [fields.word_in(self._value(name, row)), fields.word_in(outside.get(name))]
        if path and path.shared(self._mapping.rows):
            said.reverse()
        return said[0] or said[1]

    def _clues(self, row: Place, file: str) -> Clues:
        given = fields.word_in(self._value("sample", row))
        # Logs that passed through a spreadsheet or pandas have 7.0 for the id 7; some name a file.
        ids = [given, given[:-2] if re.fullmatch(r"\d+\.0", given) else "", PurePosixPath(base_name(given)).stem]
        if self._mapping.paths.get("sample") == KeyPath((KEY,)) and not self._mapping.rows.steps:
            ids += reversed(PurePosixPath(file).parent.parts)
        image = fields.word_in(self._value("image", row))
        return Clues(
            list(dict.fromkeys(name for name in ids if name)),
            "" if is_image_data(image) else base_name(image),
            texts_in(self._value("question", row))[0].strip(),
        )

    def _answer(self, row: Place, talk: Talk) -> str | None:
        path = self._mapping.paths.get("answer")
        found = path.last(row) if path else talk.final
        if isinstance(found, bool):
            return str(found)
        return texts_in(found)[0].strip() or None

    def _is_original(self, sample: str, name: str) -> bool:
        own = base_name(name)
        return PurePosixPath(own).stem == sample or any(one.id == sample for one in self._samples.by_image(own))

    def _unread(self, value: Any) -> dict[str, Any]:
        """Words and numbers of a row that are read as nothing."""
        if not isinstance(value, dict):
            return {}
        return {
            name: item
            for name, item in value.items()
            if name not in self._used
            and item not in (None, "")
            and (isinstance(item, int | float) or (isinstance(item, str) and len(item) <= MAX_EXTRA))
        }


def take_apart(value: Any, texts: Mapping[KeyPath, str], report: Report | None = None) -> Any:
    """Parse the texts at these paths of ``value``, in place if it is an object or a list. A text that cannot be parsed
    stays, and is reported.
    """
    for path, how in texts.items():
        refused: list[str] = []
        value = _replaced(value, path.steps, how, refused)
        if refused and report is not None:
            done = f"The text is not {how}; it was read as text, so paths into it match nothing."
            report.noted("text-not-taken-apart", str(path), shortened(refused[0]), done)
    return value


def _replaced(value: Any, steps: Sequence[Step], how: str, refused: list[str]) -> Any:
    if not steps:
        if not isinstance(value, str) or not value.strip():
            return value
        parts = taken_apart(value, how)
        if parts is None:
            refused.append(value)
        return value if parts is None else parts
    if isinstance(value, list):
        for index in _indices(value, steps[0]):
            value[index] = _replaced(value[index], steps[1:], how, refused)
    elif isinstance(value, dict):
        for key in [steps[0]] if isinstance(steps[0], str) else list(value) if steps[0] is EVERY else ():
            if key in value:
                value[key] = _replaced(value[key], steps[1:], how, refused)
    return value


def _indices(items: Sequence[Any], step: Step) -> Iterable[int]:
    if step is EVERY:
        return range(len(items))
    return [step] if isinstance(step, int) and -len(items) <= step < len(items) else []


def _failure(value: Any) -> str:
    """Return why a row failed, "" if it did not."""
    if is_no(value):
        return ""
    if value is True or value == 1:
        return "The file marks it as failed."
    return shortened(texts_in(without_images(value))[0] or "The file marks it as failed.", 1000)
