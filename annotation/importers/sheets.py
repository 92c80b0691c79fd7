"""Rows of the first sheet of an Excel workbook (.xlsx) with a heading, one at a time.

Formulas give the value that was stored with them, links to other workbooks are not followed, and XML entities are
refused. Excel cuts a cell at 32,767 characters: a cell of just that length is noted.
"""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotation.importers.interface import ImportProblem, Position, Progress
from annotation.importers.sources import Limits, refuse_unsafe_zip
from annotation.importers.tables import TableRow
from annotation.schema import Issue, Severity, shortened

CELL_LIMIT = 32_767


class SheetStream:
    """Iterates rows and issues of the workbook at ``path``; ``columns`` is its heading. Raises ``ImportProblem``."""

    def __init__(self, path: Path, start: Position | None = None, limits: Limits | None = None) -> None:
        refuse_unsafe_zip(path, limits or Limits())
        self._path = path
        self._size = path.stat().st_size
        self._at = start or Position()
        self._rows = self._cells()
        self._sheet_rows = 1
        self.columns = [str(cell).strip() for cell in next(self._rows, ()) if cell is not None]
        if len(self.columns) < 2:
            raise ImportProblem(f"{path.name} has no heading in its first sheet. Enter the column names in row 1.")

    def progress(self) -> Progress:
        """Everything up to here has been given; bytes are in proportion to the rows."""
        read = min(self._size, round(self._size * self._at.line / max(self._sheet_rows, 1)))
        return Progress(self._path.name, self._at.line, self._at.line, read, self._size)

    def __iter__(self) -> Iterator[TableRow | Issue]:
        for number, cells in enumerate(self._rows, 2):
            if number <= self._at.line:
                continue
            self._at = Position(self._path.name, number, number)
            texts = {name: _text(cell) for name, cell in zip(self.columns, cells, strict=False)}
            for name, text in texts.items():
                if len(text) == CELL_LIMIT:
                    done = "The cell has as many characters as Excel can hold, so its end was probably cut off."
                    yield Issue(Severity.NOTED, "cell-cut", self._path.name, number, name, shortened(text[-60:]), done)
            if any(texts.values()):
                yield TableRow(self._path.name, number, {name: texts.get(name, "") for name in self.columns})

    def _cells(self) -> Iterator[tuple[Any, ...]]:
        from openpyxl import load_workbook

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                book = load_workbook(self._path, read_only=True, data_only=True, keep_links=False)
            try:
                sheet = book.worksheets[0]
                self._sheet_rows = sheet.max_row or 1
                yield from sheet.iter_rows(values_only=True)
            finally:
                book.close()
        except Exception as error:  # the library raises whatever a damaged part happens to cause
            raise ImportProblem(
                f"{self._path.name} is not a readable workbook ({type(error).__name__}). Save it again as .xlsx or TSV."
            ) from error


def is_workbook(path: Path) -> bool:
    """Whether it is an .xlsx file, by its name and its bytes."""
    return path.suffix.lower() == ".xlsx" and path.is_file() and zipfile.is_zipfile(path)


def _text(cell: Any) -> str:
    """The cell as text: whole numbers without a point, nothing as ""."""
    if cell is None:
        return ""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    return str(cell).replace("\x00", "")
