"""Tables of samples with any columns (CSV, TSV, xlsx, Parquet, JSONL, a JSON list), read by a mapping.

- The mapping is chosen by the person importing, else suggested by the names of the columns. A column nested in an
  object of a row is named with a dot (``meta.id``).
- Options are in one cell (a list or object as JSON or Python writes it, or a text ``A. red`` line by line, or separated
  by ``|`` or ``;``) or in a column each. The answer is a letter, an option's text, or the accepted answers.
- Boxes are in pixels of the image, or as ``coordinates`` says: ``norm1``, ``norm1000``, or ``WxH``, pixels of the
  image size at which the boxes were drawn. The image's size comes from its columns, else from its file.
- Without a column for it, the id is the file's name and the line. Columns without a mapping are kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from annotation.importers import fields
from annotation.importers.any_table import NO_ROWS, columns_of, open_table
from annotation.importers.box_cells import boxes_in, value_in
from annotation.importers.column_mapping import ColumnMapping
from annotation.importers.converting import read_rows, read_table
from annotation.importers.embedded import picture_in
from annotation.importers.fields import Number4, Report
from annotation.importers.interface import Detection, ImportProblem, Read, ReadOptions
from annotation.importers.mapping import BOX_FIELDS
from annotation.importers.question_rows import letter_of
from annotation.importers.reading import RowStream
from annotation.importers.sample_columns import LETTERS, SAMPLE_FIELDS, of_results
from annotation.importers.table_heading import flat, heading
from annotation.schema import SAMPLE_KEYS

NAME = "table"
_OPTION = re.compile(r"\(?([A-Za-z])[.):]\s*(.+)")
_SIZE = re.compile(r"([1-9]\d{0,6})[x×]([1-9]\d{0,6})", re.IGNORECASE)
_PLAIN = ("category", "tier", "dimension", "image_group")
Unit = tuple[float, float]
"""The coordinates of the lower-right corner of an image in the numbers of a box."""


def detect(head: bytes, name: str) -> Detection:
    """Detect any table with a column for a question or an image, and no column with the output of a model."""
    columns = heading(head, name)
    if len(columns) < 2:
        return Detection(NAME, 0.0)
    reasons = [f"It is a table of {len(columns)} columns."]
    if told := next((column for column in columns if of_results(column)), ""):
        return Detection(
            NAME, 0.1, (*reasons, f"Its column {told} contains answers of a model. Import it as runs (import_runs).")
        )
    mapping = SAMPLE_FIELDS.guessed(columns)
    if problem := SAMPLE_FIELDS.problem(mapping):
        return Detection(NAME, 0.2, (*reasons, f"By their names: {problem[0].lower()}{problem[1:]}"))
    reasons += [f"{SAMPLE_FIELDS.fields[field].title} is {column}." for field, column in mapping.columns.items()]
    asks = "question" in mapping.columns
    # Certain enough to be read without asking: a question with its answer, or a table in which every column is mapped.
    if asks and ("answer" in mapping.columns or mapping.used >= set(columns)):
        return Detection(NAME, 0.5, tuple(reasons))
    return Detection(NAME, 0.4 if asks else 0.3, tuple(reasons))


def read(path: Path, options: ReadOptions) -> Read:
    """Yield all samples of ``path``. Raises ``ImportProblem`` if there are none, or if the mapping is incomplete."""
    mapping = options.mapping or SAMPLE_FIELDS.guessed([column.name for column in columns_of(path)])
    if problem := SAMPLE_FIELDS.problem(mapping):
        raise ImportProblem(problem)
    unit = unit_of(options.coordinates)
    folder = options.images or (path if path.is_dir() else path.parent)

    def to_native(values: Mapping[str, Any], report: Report) -> dict[str, Any]:
        return _native(flat(values), mapping, unit, folder, report)

    stream, empty = open_table(path, options.start, mapping.list), f"{path.name} contains no rows. {NO_ROWS}"
    if isinstance(stream, RowStream):
        yield from read_rows(stream, to_native, empty)
        return
    yield from read_table(stream, to_native, empty, resumed=bool(options.start.member))


def unit_of(coordinates: str) -> Unit | None:
    """Return the unit of ``pixel``, ``norm1``, ``norm1000`` or ``WxH``; None = pixels. Raises ``ImportProblem``."""
    if size := _SIZE.fullmatch(coordinates):
        return float(size[1]), float(size[2])
    known: dict[str, Unit | None] = {"": None, "pixel": None, "norm1": (1.0, 1.0), "norm1000": (1000.0, 1000.0)}
    if coordinates not in known:
        raise ImportProblem(
            f"Coordinates {coordinates[:50]!r} are not known. Use pixel, norm1, norm1000, or the size of the image "
            "in which the boxes were drawn, for example 1024x768."
        )
    return known[coordinates]


def _native(
    row: Mapping[str, Any], mapping: ColumnMapping, unit: Unit | None, folder: Path, report: Report
) -> dict[str, Any]:
    """Convert one flat row to native keys. Raises ``RowRefused`` if the size that its boxes refer to is unknown."""
    cell = {name: row.get(column) for name, column in mapping.columns.items()}
    options = _options(cell)
    image = picture_in(cell.get("image"), "image", report)
    size = _size(cell)
    for name, column in mapping.columns.items():
        report.stands_for({"boxes": "gold_boxes"}.get(name, name), column)
    boxes = _boxes(cell, mapping, report)
    if unit and boxes:
        size = size or _size_of_file(folder, image) or _no_size(cell, report)
        boxes = [_in_pixels(box, (size[0] / unit[0], size[1] / unit[1])) for box in boxes]
    native: dict[str, Any] = {
        "id": fields.word_in(cell.get("id")) or f"{PurePosixPath(report.file).stem}:{report.row or report.line}",
        "question": _said(cell.get("question")),
        "answer_type": "mc" if options else "open",
        "options": options,
        "answer": letter_of(_answers(cell.get("answer")), options),
        "gold_boxes": boxes,
        **{name: value for name in _PLAIN if (value := _said(cell.get(name))) is not None},
    }
    if image:
        native["image"] = image
    if size:
        native["width"], native["height"] = size
    free = len(SAMPLE_FIELDS.free)
    facets = {name[free:]: _facet(cell[name]) for name in cell if name.startswith(SAMPLE_FIELDS.free)}
    facets["split"] = _said(cell.get("split"))
    native["facets"] = {name: value for name, value in facets.items() if value not in (None, [])}
    return _rest(row, mapping) | native


def _rest(row: Mapping[str, Any], mapping: ColumnMapping) -> dict[str, Any]:
    """Return the columns without a mapping. A name that equals a native key is changed."""
    kept = {key: value for key, value in row.items() if key not in mapping.used and value not in ("", None)}
    return {
        f"column {key}" if key in SAMPLE_KEYS else key: value for key, value in kept.items() if not _has_bytes(value)
    }


def _has_bytes(value: object) -> bool:
    return isinstance(value, bytes) or (isinstance(value, dict) and isinstance(value.get("bytes"), bytes))


def _said(value: object) -> object:
    """Return the value of a cell; None if it is empty or NaN, which tables write for a missing number."""
    value = value.strip() if isinstance(value, str) else value
    empty = value == "" or (isinstance(value, float) and not fields.is_number(value))
    return None if empty else value


def _facet(value: object) -> object:
    """Return a facet's value, or its values if the cell is a list. Numbers and texts stay unchanged."""
    if isinstance(value, str) and value.strip()[:1] == "[" and isinstance(listed := value_in(value.strip()), list):
        value = listed
    if isinstance(value, list):
        return [item for item in value if _said(item) is not None]
    return _said(value)


def _number(value: object) -> float | None:
    try:
        number = float(value) if isinstance(value, str | int | float) else None
    except (ValueError, OverflowError):
        return None
    return number if fields.is_number(number) else None


def _size(cell: Mapping[str, Any]) -> tuple[int, int] | None:
    width, height = (_number(cell.get(side)) for side in ("width", "height"))
    if not width or not height or width < 1 or height < 1 or width != int(width) or height != int(height):
        return None
    return int(width), int(height)


def _size_of_file(folder: Path, image: str | None) -> tuple[int, int] | None:
    """Return the size of an image in the folder from its header; None if it does not exist or is not an image."""
    if not image or image.startswith("data:"):
        return None
    # Only boxes in fractions need pixels before the images are stored. Nothing else imports the image decoder.
    from annotation.imaging.decoding import inspect
    from annotation.imaging.problems import PictureProblem

    try:
        path = (folder / image).resolve()
        if not path.is_relative_to(folder.resolve()) or not path.is_file():
            return None
        found = inspect(path)
    except (OSError, ValueError, PictureProblem):
        return None
    return found.width, found.height


def _no_size(cell: Mapping[str, Any], report: Report) -> tuple[int, int]:
    done = (
        "The boxes are not in pixels and the image size is unknown; the row was rejected. Add the images, "
        "or columns with width and height."
    )
    report.refuse("size-unknown", "width", [cell.get("width"), cell.get("height")], done)


def _boxes(cell: Mapping[str, Any], mapping: ColumnMapping, report: Report) -> list[Any]:
    """Return boxes as corners in their unit. Invalid boxes stay unchanged and are reported when they are read."""
    boxes, rest = boxes_in(cell.get("boxes"))
    four = [cell.get(name) for name in BOX_FIELDS]
    if any(_said(value) is not None for value in four):
        numbers: Any = tuple(_number(value) for value in four)
        boxes, rest = (boxes, [*rest, four]) if None in numbers else ([*boxes, numbers], rest)
    corners: list[Number4] = [mapping.boxes.corners(box) for box in boxes]
    return [*map(list, corners), *rest]


def _in_pixels(box: Any, share: Unit) -> Any:
    numbers = fields.four_numbers(box)
    return [number * share[place % 2] for place, number in enumerate(numbers)] if numbers else box


def _options(cell: Mapping[str, Any]) -> dict[str, Any]:
    given = cell.get("options")
    if isinstance(given, str):
        given = _parted(given)
    if isinstance(given, list):
        return _lettered(given)
    if isinstance(given, dict) and given:
        return {str(letter): text for letter, text in given.items() if text is not None}
    columns = {letter: _said(cell.get(f"option_{letter.lower()}")) for letter in LETTERS}
    return {letter: str(text) for letter, text in columns.items() if text is not None}


def _parted(text: str) -> object:
    """Parse options in a text: a list or object as JSON or Python writes it, else one per line, or separated by ``|``
    or ``;``.
    """
    value = value_in(text.strip())
    if isinstance(value, list | dict):
        return value
    if isinstance(value, tuple):
        return list(value)
    sign = next((sign for sign in ("\n", "|", ";") if sign in text), "\n")
    return [part.strip() for part in text.split(sign) if part.strip()]


def _lettered(given: list[Any]) -> dict[str, Any]:
    """Return options by letter: with the written letters (``B. red``) if all have one, else in their order."""
    found = [_OPTION.fullmatch(item) if isinstance(item, str) else None for item in given]
    letters = [match[1].upper() for match in found if match]
    if given and len(letters) == len(given) == len(set(letters)):
        return {match[1].upper(): match[2].strip() for match in found if match}
    return {chr(ord("A") + n): text for n, text in enumerate(given[:26])}


def _answers(value: object) -> object:
    """Return the answer in a cell, which can be a JSON list of accepted answers."""
    value = _said(value)
    if isinstance(value, str) and value[:1] == "[" and isinstance(listed := value_in(value), list):
        return listed
    return fields.word_in(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
