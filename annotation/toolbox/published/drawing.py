"""Drawing: lines and circles. Colors are blue, green, red."""

from __future__ import annotations

from typing import Annotated

import cv2

from annotation.toolbox.published.common import Color, Thickness, as_bgr, from_bgr
from annotation.toolbox.results import Picture, Range, ToolError, ToolResult
from annotation.toolbox.signature import tool

FARTHEST = 65_535
"""Pixels of a coordinate or radius; beyond them drawing takes minutes."""
Place = Range(-FARTHEST, FARTHEST)


@tool("Draws a straight line between two points. Parts outside the image are not visible.")
def opencv_draw_line(
    image: Picture,
    *,
    x1: Annotated[int, Place, "start, across, in pixels"],
    y1: Annotated[int, Place, "start, down, in pixels"],
    x2: Annotated[int, Place, "end, across, in pixels"],
    y2: Annotated[int, Place, "end, down, in pixels"],
    color: Color = (0, 255, 0),
    thickness: Thickness = 2,
) -> ToolResult:
    return from_bgr(cv2.line(as_bgr(image), (x1, y1), (x2, y2), color, thickness))


@tool("Draws a circle around a point inside the image.")
def opencv_draw_circle(
    image: Picture,
    *,
    x: Annotated[int, "center, across, in pixels; inside the image"],
    y: Annotated[int, "center, down, in pixels; inside the image"],
    radius: Annotated[int, "in pixels, above 0"],
    color: Color = (0, 255, 0),
    thickness: Annotated[int, Range(-1, 32_767, clamp=True), "width of the stroke in pixels; -1 = filled"] = 2,
) -> ToolResult:
    height, width = image.shape[:2]
    for name, value, low, high in (
        ("radius", radius, 1, FARTHEST),
        ("x", x, 0, width - 1),
        ("y", y, 0, height - 1),
    ):
        if not low <= value <= high:
            raise ToolError("opencv_draw_circle", name, value, f"a whole number from {low} to {high}")
    return from_bgr(cv2.circle(as_bgr(image), (x, y), radius, color, thickness))
