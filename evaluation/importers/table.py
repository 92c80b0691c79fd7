"""Tables of any columns (CSV, TSV, xlsx, Parquet, JSONL, a JSON list), read by a mapping of columns to fields.

- The mapping is chosen by the person importing; without one, the names of the columns decide, and the
  reasons of the detection show the result. A column in an object in a row is named with a dot (``usage.cost``).
- A row joins by its sample's id, else by question (with the options in columns ``A``, ``B`` …) or image.
- Boxes are crops of the original image, in their order in the row, in the chosen space (pixels of the image
  without a choice). Other values are kept as written and noted.
- Images in a table are skipped: they belong to the samples.
- Columns without a mapping are kept with the trajectory.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import takewhile
from math import isfinite
from pathlib import Path
from typing import Any

from annotation.importers import fields
from annotation.importers.any_table import NO_ROWS, columns_of
from annotation.importers.box_cells import boxes_in
from annotation.importers.fields import Number4, Report
from annotation.importers.interface import ImportProblem
from annotation.importers.mapping import BOX_FIELDS
from annotation.importers.sample_columns import LETTERS, SAMPLE_FIELDS
from annotation.importers.storable import storable
from annotation.importers.table_heading import flat, heading
from annotation.schema import ORIGINAL
from evaluation.importers.box_steps import box_steps
from evaluation.importers.cells import NOTHING, is_empty, number_in, rollout_in, truth_in
from evaluation.importers.interface import BoxSpace, ColumnMapping, Detection, Read, ReadOptions, SampleIndex
from evaluation.importers.joining import Clues, find_sample
from evaluation.importers.mapping import RUN_FIELDS
from evaluation.importers.matching import base_name
from evaluation.importers.table_rows import read_table
from evaluation.schema import FILE_READINGS, Condition, Step, Trajectory, Usage

NAME = "table"
TOOL = "crop"
MODEL = "unnamed"
AMOUNTS = ("input_tokens", "output_tokens", "seconds", "usd")
_NO_USAGE = Usage()
FILE_READING = FILE_READINGS[0]
"""The extra field with the answer as the file itself extracted it."""


def detect(head: bytes, name: str) -> Detection:
    """Any table. It is proposed if its column names are clear and no other format fits better."""
    columns = heading(head, name)
    if len(columns) < 2:
        return Detection(NAME, 0.0)
    mapping = RUN_FIELDS.guessed(columns)
    reasons = [f"It is a table of {len(columns)} columns."]
    reasons += [f"{RUN_FIELDS.fields[name].title} is {column}." for name, column in mapping.columns.items()]
    if problem := RUN_FIELDS.problem(mapping):
        told = f"By their names: {problem[0].lower()}{problem[1:]}"
        if SAMPLE_FIELDS.guessed(columns).columns.keys() >= {"question", "answer"}:
            told = "Its columns are those of samples. Import it as samples (import_benchmark)."
        return Detection(NAME, 0.2, (reasons[0], told))
    if not {"answer", "correct", "error"} & mapping.columns.keys():
        reasons.append("No column contains answers of a model. The boxes may be the evidence.")
        return Detection(NAME, 0.3, tuple(reasons))
    return Detection(NAME, 0.5, tuple(reasons))


def read(path: Path, options: ReadOptions, samples: SampleIndex) -> Read:
    """Yield all trajectories of ``path``. Raises ``ImportProblem`` if there are none, or if the mapping is
    incomplete.
    """
    mapping = options.mapping or RUN_FIELDS.guessed([column.name for column in columns_of(path)])
    if problem := RUN_FIELDS.problem(mapping):
        raise ImportProblem(problem)

    def convert(row: dict[str, Any], report: Report) -> Trajectory:
        return trajectory_from(flat(row), mapping, options, samples, report)

    return read_table(path, options.start, convert, f"{path.name} contains no rows. {NO_ROWS}", mapping.list)


def trajectory_from(
    row: Mapping[str, Any], mapping: ColumnMapping, options: ReadOptions, samples: SampleIndex, report: Report
) -> Trajectory:
    """Convert one flat row. Raises ``RowRefused`` if it matches no sample or several, or if a number is invalid."""
    cell = {name: row.get(column) for name, column in mapping.columns.items()}
    for name, column in mapping.columns.items():
        report.stands_for(name, column)
    sample = find_sample(_clues(cell, row), samples, report)
    error = _text(cell.get("error"), "error", report)
    return Trajectory(
        model=fields.name(fields.word_in(cell.get("model")), "model", report, default=options.model or MODEL),
        sample_id=sample,
        setting=fields.label(fields.word_in(cell.get("setting")), "setting", report, default=options.setting),
        rollout=rollout_in(cell.get("rollout"), report),
        condition=fields.label(fields.word_in(cell.get("condition")), "condition", report, default=Condition.NONE),
        steps=tuple(_steps(cell, mapping, options.coordinates or BoxSpace(), samples.size_of(sample), report)),
        answer=None if error else _text(cell.get("answer"), "answer", report) or None,
        judge_correct=None if error else truth_in(cell.get("correct"), "correct", report),
        error=error,
        usage=_usage(cell, report),
        extra=_extra(row, mapping, cell),
        file=report.file,
        line=report.line,
    )


def _extra(row: Mapping[str, Any], mapping: ColumnMapping, cell: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that are read as nothing, and the answer as the file read it."""
    kept = {key: value for key, value in row.items() if key not in mapping.used and value not in ("", None)}
    read = cell.get(FILE_READING)
    return kept if read in ("", None) else {**kept, FILE_READING: read if isinstance(read, str) else str(read)}


def _clues(cell: Mapping[str, Any], row: Mapping[str, Any]) -> Clues:
    told = {name: fields.word_in(cell.get(name)) for name in ("sample", "image", "question")}
    given = told["sample"]
    # Tables that passed through a spreadsheet or pandas have 7.0 for the id 7.
    ids = [given, *([given[:-2]] if re.fullmatch(r"\d+\.0", given) else [])] if given else []
    # "val/17" names a split or a folder before the id; a number has to be confirmed in any case.
    ids += [last for last in [base_name(given)] if last and last != given]
    lettered = [letter for letter in takewhile(row.__contains__, LETTERS) if row[letter] not in ("", None)]
    options = {letter: str(row[letter]) for letter in lettered} if told["question"] else {}
    return Clues(ids, base_name(told["image"]), told["question"], options)


def _text(value: object, field: str, report: Report) -> str:
    text = fields.text(value, field, report).strip()
    return "" if field == "error" and text.casefold() in NOTHING else text


def _usage(cell: Mapping[str, Any], report: Report) -> Usage:
    amounts: dict[str, Any] = {}
    for name in AMOUNTS:
        value = cell.get(name)
        if value is None or is_empty(value):
            continue
        number = number_in(value)
        whole = name.endswith("tokens")
        if number is None or number < 0 or (whole and (number != int(number) or number >= 2**53)):
            report.repaired("not-a-count", name, value, fields.NO_AMOUNT)
        else:
            amounts[name] = int(number) if whole else number
    return Usage(**amounts) if amounts else _NO_USAGE


def _steps(
    cell: Mapping[str, Any], mapping: ColumnMapping, space: BoxSpace, size: tuple[int, int] | None, report: Report
) -> list[Step]:
    boxes, rest = boxes_in(cell.get("boxes"))
    if four := _four(cell, report):
        boxes.append(four)
    steps = box_steps(map(mapping.boxes.corners, boxes), TOOL, space, size, "boxes", report)
    if not all(isfinite(side) for step in steps for side in step.bbox or ()):
        report.refuse(
            "box-too-large", "boxes", cell.get("boxes"), "A number of the box is too large. The row was rejected."
        )
    for other in rest:
        done = "This is not a box of four numbers. It is kept as written and never scored."
        report.noted("no-box", "boxes", other, done)
        steps.append(Step(tool=TOOL, bbox_raw=storable(other), coords=space.kind, image_in=ORIGINAL, ok=False))
    return steps


def _four(cell: Mapping[str, Any], report: Report) -> Number4 | None:
    """The box of four columns; None when all are empty. Some that are no numbers are noted, and there is no box."""
    if "box_1" not in cell:
        return None
    given = [cell.get(name) for name in BOX_FIELDS]
    if all(is_empty(value) for value in given):
        return None
    numbers = [number_in(value) for value in given]
    a, b, c, d = numbers
    if a is None or b is None or c is None or d is None:
        report.noted("no-box", "box_1", given, "These are not four numbers, so the row has no box.")
        return None
    return a, b, c, d
