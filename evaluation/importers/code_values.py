"""The known values of a program that is read and never run: numbers, images, lists, nothing.

A number has two values: as the program states it, and as the program used it in a sandbox that rewrites boxes.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from annotation.importers.fields import Number4
from evaluation.importers.zooming import Size

LARGEST = 1e9
"""Beyond this a number is nothing an image has."""
MOST_ITEMS = 200
"""Maximum number of followed items of a list."""
MOST_TOLD = 2000
"""Maximum number of kept items of an argument."""
LONGEST = 1000
"""Maximum number of kept characters of a concatenated text. Its end is kept, because it may be a file name."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written (``asked``) and as it ran."""

    asked: float
    ran: float

    @classmethod
    def of(cls, value: float) -> Number:
        return cls(value, value)


@dataclass(frozen=True, slots=True)
class Raster:
    """An image in a variable: its id, and width and height where known."""

    id: str
    size: Size | None = None


NOWHERE = Raster("unknown")
"""An image of which nothing is known: what is cut from it has no location."""


@dataclass(frozen=True, slots=True)
class Maker:
    """An object that makes images by a method: ``ImageEnhance.Contrast(image)``, ``cv2.createCLAHE()``."""

    name: str
    raster: Raster | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A dictionary whose keys are texts."""

    items: tuple[tuple[str, Value], ...]

    def get(self, key: Value) -> Value:
        """The value under ``key``, the last of several; None without one."""
        return next((value for name, value in reversed(self.items) if name == key), None)


Value = Number | Raster | Maker | Table | str | tuple["Value", ...] | None
"""None = not known."""


@dataclass(frozen=True, slots=True)
class CodeCall:
    """A call of a tool.

    ``bbox`` as written and ``executed`` as it ran, in pixels of the input image; None if unknown. ``image_in`` None =
    an unknown image."""

    tool: str
    arguments: dict[str, Any]
    image_in: str | None
    image_out: str | None = None
    bbox: Number4 | None = None
    executed: Number4 | None = None
    out_size: Size | None = None


@dataclass(slots=True)
class Scope:
    """The state of a program while it is read: its variables, and the images it saved, by path.

    ``path``: the file of the original; "" if it can be any file that the program has not saved.
    """

    original: Raster
    path: str = ""
    variables: dict[str, Value] = field(default_factory=dict)
    files: dict[str, Raster] = field(default_factory=dict)
    functions: dict[str, ast.FunctionDef] = field(default_factory=dict)
    made: int = 0

    def new_picture(self, size: Size | None) -> Raster:
        """The next image the program makes."""
        self.made += 1
        return Raster(f"code_{self.made}", size)

    def replace(self, before: Raster, after: Raster) -> None:
        """Every variable that holds one image now holds the other: it was drawn upon."""
        for name, value in self.variables.items():
            if value == before:
                self.variables[name] = after

    def save(self, path: Value, raster: Raster) -> None:
        """An image is saved. Files are identified by their name, because folders can be written in ways that only a run
        resolves."""
        if isinstance(path, str):
            self.files[PurePosixPath(path).name] = raster

    def opened(self, path: Value) -> Raster:
        """The image in a file: what was saved under that name, else the original if it may be in this file."""
        known = self.files.get(PurePosixPath(path).name) if isinstance(path, str) else None
        if known is not None and path != self.path:
            return known
        return self.original if self.path in ("", path) else NOWHERE


_ARITHMETIC: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "int": int,
    "float": float,
    "round": round,
    "abs": abs,
    "min": min,
    "max": max,
    "floor": math.floor,
    "ceil": math.ceil,
    "clip": lambda number, low, high: max(low, min(high, number)),
}
"""Functions of numbers that are worked out."""


def arithmetic(kind: type[ast.operator], left: Value, right: Value) -> Value:
    """``left kind right``; not known when either is not, or the result is no number of an image."""
    work = _ARITHMETIC.get(kind)
    if isinstance(left, tuple) and isinstance(right, tuple) and kind is ast.Add:
        return (left + right)[:MOST_ITEMS]
    if isinstance(left, str) and isinstance(right, str) and kind in {ast.Add, ast.BitOr}:
        return (left + right)[-LONGEST:]
    if isinstance(left, str) and isinstance(right, str) and kind is ast.Div:
        return f"{left}/{right}"[-LONGEST:]
    if work is None or not isinstance(left, Number) or not isinstance(right, Number):
        return None
    return _worked(work, [left, right])


def negative(value: Value) -> Value:
    """``-value``."""
    return Number(-value.asked, -value.ran) if isinstance(value, Number) else None


def worked_out(name: str, arguments: list[Value]) -> Value:
    """``name(*arguments)`` for a function of numbers, also over a single list; None if unknown."""
    if len(arguments) == 1 and isinstance(arguments[0], tuple):
        arguments = list(arguments[0])
    numbers = [value for value in arguments if isinstance(value, Number)]
    if not numbers or len(numbers) != len(arguments):
        return None
    return _worked(FUNCTIONS[name], numbers)


def _worked(work: Callable[..., float], numbers: list[Number]) -> Value:
    try:
        asked = float(work(*map(_whole, (number.asked for number in numbers))))
        ran = float(work(*map(_whole, (number.ran for number in numbers))))
    except (ArithmeticError, ValueError, TypeError):
        return None
    return Number(asked, ran) if abs(asked) <= LARGEST and abs(ran) <= LARGEST else None


def _whole(number: float) -> float:
    """The number as Python would have it: digits to round to are a whole one."""
    return int(number) if number == int(number) else number


def numbers_of(value: Value) -> tuple[Number, ...] | None:
    """A list of numbers, None when it holds anything else."""
    if not isinstance(value, tuple):
        return None
    found = tuple(item for item in value if isinstance(item, Number))
    return found if len(found) == len(value) else None


def plain(value: Value) -> Any:
    """The value as JSON, as written: what is not known is null, an image is its id. Of lists of lists, which may hold
    the same list many times over, no more than ``MOST_TOLD`` items."""
    return _told(value, [MOST_TOLD])


def _told(value: Value, left: list[int]) -> Any:
    """``left`` holds one number: of items that are still followed."""
    left[0] -= 1
    match value:
        case _ if left[0] < 0:
            return None
        case Number(asked=asked):
            return int(asked) if asked == int(asked) else asked
        case Raster(id=name):
            return name
        case tuple():
            return [_told(item, left) for item in value]
        case Table(items=items):
            return {name: _told(item, left) for name, item in items}
        case str():
            return value[:1000]
    return None
