"""The choices of a person for a table before it is read: the fields of its columns, and the notation of its boxes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class BoxForm(StrEnum):
    """The meaning of the four numbers of a box: two corners (horizontal or vertical coordinates first), a corner and a
    size, or a center and a size.
    """

    XYXY = "xyxy"
    XYWH = "xywh"
    CXCYWH = "cxcywh"
    YXYX = "yxyx"

    def corners(self, box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
        """The box as ``(x1, y1, x2, y2)``, in the unit it came in.

        >>> BoxForm.XYWH.corners((10, 20, 5, 6))
        (10, 20, 15, 26)
        """
        a, b, c, d = box
        if self is BoxForm.XYWH:
            return a, b, a + c, b + d
        if self is BoxForm.CXCYWH:
            return a - c / 2, b - d / 2, a + c / 2, b + d / 2
        if self is BoxForm.YXYX:
            return b, a, d, c
        return a, b, c, d


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """``columns``: the column of each field that has one. ``boxes``: how the boxes are written. ``list``: of several
    lists in a JSON document the one whose rows are read, "" = all."""

    columns: Mapping[str, str] = field(default_factory=dict)
    boxes: BoxForm = BoxForm.XYXY
    list: str = ""

    @property
    def used(self) -> frozenset[str]:
        """All columns that are read as something."""
        return frozenset(self.columns.values())

    def field_of(self, column: str) -> str:
        """The first field a column is read as, "" when it is none."""
        return next((name for name, of in self.columns.items() if of == column), "")

    def as_dict(self) -> dict[str, Any]:
        """Return the mapping as JSON that ``TableFields.mapping_from`` reads."""
        one = {"list": self.list} if self.list else {}
        return {"columns": dict(self.columns), "boxes": self.boxes.value, **one}
