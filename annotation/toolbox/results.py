"""Inputs and results of tools: images, results, errors, and the ranges in their signatures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any

import cv2
import numpy as np
from numpy.typing import NDArray

from annotation.marking import gettext_noop
from annotation.schema import shortened
from annotation.toolbox.affine import IDENTITY, Affine

Picture = NDArray[np.uint8]
"""RGB of shape (height, width, 3) or gray of shape (height, width), 0 to 255."""


@dataclass(frozen=True, slots=True)
class Range:
    """The allowed values of a number, ends included; ``odd`` numbers only where a kernel needs a middle.

    ``clamp``: no number is rejected. An even one becomes the next odd one where ``odd``, then one beyond an end
    becomes that end.
    """

    low: float
    high: float
    odd: bool = False
    clamp: bool = False

    def clamped(self, value: float) -> float:
        """Return the value itself, or where ``clamp`` the allowed one that represents it."""
        if not self.clamp:
            return value
        if self.odd and value % 2 == 0:
            value += 1
        return max(type(value)(self.low), min(value, type(value)(self.high)))


class Unit(StrEnum):
    """The unit of a number. A number of pixels shrinks with the image (``annotation.toolbox.preview``)."""

    PIXELS = "pixels"


Side = Annotated[int, Range(1, 65_535), Unit.PIXELS]
Coordinate = Annotated[int, Range(0, 65_535), Unit.PIXELS]
Colour = Annotated[tuple[int, int, int], Range(0, 255), gettext_noop("blue, green, red")]
Thickness = Annotated[int, Range(1, 100), Unit.PIXELS, gettext_noop("width of the stroke, in pixels")]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """``measurements`` are plain numbers and lists, positions in pixels of ``image``, counted from 0.

    ``transform`` maps pixels of ``image`` to pixels of the tool's first input; None when places are lost.
    """

    image: Picture | None
    measurements: Mapping[str, Any] = field(default_factory=dict)
    transform: Affine | None = IDENTITY


MISSING = "(missing)"
"""The value of a required parameter that was not given."""


class ToolError(ValueError):
    """A call with an unsupported parameter: the tool, the parameter, its value and the allowed values."""

    def __init__(self, tool: str, parameter: str, value: object, allowed: str) -> None:
        wrong = "is missing" if value == MISSING else f"= {shortened(value)} is not possible"
        super().__init__(f"{tool}: {shortened(parameter, 60)} {wrong}. Allowed: {allowed}.")
        self.tool = tool
        self.parameter = shortened(parameter, 60)
        self.value = value
        self.allowed = allowed


def as_picture(values: Any) -> Picture:
    """Return the result of OpenCV, cast to its type at run time. ``uint8`` values are not copied."""
    return np.asarray(values, dtype=np.uint8)


def as_grey(picture: Picture) -> Picture:
    """Return one value per pixel: 0.299 R + 0.587 G + 0.114 B, rounded."""
    return picture if picture.ndim == 2 else as_picture(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY))


def share_of_white(picture: Picture) -> float:
    """Return the share of values that are 255, 0 to 1; a color image has three values per pixel. A gray image contains
    only black and white, so values other than 0 are counted, which takes half the time.
    """
    if picture.ndim == 2:
        return cv2.countNonZero(picture) / picture.size
    white = cv2.inRange(picture.reshape(len(picture), -1), np.array([255]), np.array([255]))
    return cv2.countNonZero(white) / picture.size


def in_rgb(picture: Picture) -> Picture:
    """Return the image with three channels, for reading: the image itself if it has them."""
    return as_picture(cv2.cvtColor(picture, cv2.COLOR_GRAY2RGB)) if picture.ndim == 2 else picture


def as_rgb(picture: Picture) -> Picture:
    """Return a copy with three channels, for drawing."""
    return in_rgb(picture) if picture.ndim == 2 else picture.copy()
