"""Drawing: lines and circles. Colors are blue, green, red, as in the published interface."""

from __future__ import annotations

from typing import Annotated

import cv2

from annotation.marking import gettext_noop
from annotation.toolbox.results import Colour, Coordinate, Picture, Side, Thickness, ToolResult, as_picture, as_rgb
from annotation.toolbox.signature import tool


@tool(gettext_noop("Draws a straight line between two points. Parts outside the image are not visible."))
def draw_line(
    image: Picture,
    *,
    x1: Annotated[Coordinate, gettext_noop("start, across")],
    y1: Annotated[Coordinate, gettext_noop("start, down")],
    x2: Annotated[Coordinate, gettext_noop("end, across")],
    y2: Annotated[Coordinate, gettext_noop("end, down")],
    color: Colour = (0, 255, 0),
    thickness: Thickness = 2,
) -> ToolResult:
    return ToolResult(as_picture(cv2.line(as_rgb(image), (x1, y1), (x2, y2), color[::-1], thickness)))


@tool(gettext_noop("Draws a circle. Parts outside the image are not visible."))
def draw_circle(
    image: Picture,
    *,
    x: Annotated[Coordinate, gettext_noop("center, across")],
    y: Annotated[Coordinate, gettext_noop("center, down")],
    radius: Annotated[Side, gettext_noop("in pixels")],
    color: Colour = (0, 255, 0),
    thickness: Thickness = 2,
) -> ToolResult:
    return ToolResult(as_picture(cv2.circle(as_rgb(image), (x, y), radius, color[::-1], thickness)))
