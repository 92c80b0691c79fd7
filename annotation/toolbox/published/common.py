"""Shared code of the tools of the published interface: images, colors, channels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import cv2
import numpy as np

from annotation.toolbox.affine import IDENTITY, Affine
from annotation.toolbox.results import Picture, Range, ToolResult, as_picture, in_rgb

Bgr = tuple[int, int, int]
Color = Annotated[Bgr, Range(0, 255, clamp=True), "blue, green, red"]
Thickness = Annotated[int, Range(1, 32_767, clamp=True), "width of the stroke in pixels"]
Level = Annotated[int, Range(0, 255, clamp=True), "0 to 255"]
Channels = Annotated[tuple[int, ...], "with color_mode bgr: numbers of channels, 0 blue, 1 green, 2 red"]
MOST_MEASURED = 1000
"""Items of one kind that a result lists."""


def as_bgr(image: Picture) -> Picture:
    """Return a copy with the channels blue, green, red."""
    return as_picture(cv2.cvtColor(in_rgb(image), cv2.COLOR_RGB2BGR))


def from_bgr(
    image: object, measurements: Mapping[str, Any] | None = None, back: Affine | None = IDENTITY
) -> ToolResult:
    """Return an image with the channels blue, green, red, or a gray one, as a result."""
    picture = as_picture(image)
    if picture.ndim == 3:
        picture = as_picture(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB))
    return ToolResult(picture, measurements or {}, back)


def changed_planes(
    image: Picture, channels: Sequence[int], change: Callable[[Picture], Picture], onto: Picture | None = None
) -> Picture:
    """Return the image, or ``onto``, with these planes of the image changed. Unknown numbers are ignored."""
    result = image.copy() if onto is None else onto
    for channel in channels:
        if 0 <= channel < 3:
            result[:, :, channel] = change(np.ascontiguousarray(image[:, :, channel]))
    return result


def first_of(rows: list[dict[str, Any]], number: int) -> list[dict[str, Any]]:
    """Return this many rows, all for 0 or less, and never more than ``MOST_MEASURED``."""
    return rows[: min(number, MOST_MEASURED) if number > 0 else MOST_MEASURED]
