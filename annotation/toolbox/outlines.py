"""Contours of edges: drawn, measured, simplified."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from annotation.marking import gettext_noop
from annotation.toolbox.results import Colour, Picture, Range, Thickness, ToolResult, as_grey, as_picture, as_rgb
from annotation.toolbox.signature import tool

Mode = Annotated[Literal["external", "list"], gettext_noop("outermost contours only, or all")]
CannyLimit = Annotated[float, Range(0, 1000), gettext_noop("threshold of the edge detection")]
Rank = Annotated[int, Range(1, 1000), gettext_noop("only the contour of this rank; 1 has the largest area")]
MaxContours = Annotated[int, Range(1, 1000), gettext_noop("how many contours, largest area first")]
Epsilon = Annotated[float, Range(0, 1), gettext_noop("how far a side may stray, as a share of the perimeter")]
Outline = NDArray[np.int32]

GREEN = (0, 255, 0)


@tool(gettext_noop("Draws the contours of the image's edges (Canny), largest area first; measures their boxes."))
def contours(
    image: Picture,
    *,
    mode: Mode = "external",
    canny_low: CannyLimit = 100.0,
    canny_high: CannyLimit = 200.0,
    rank: Rank | None = None,
    max_contours: MaxContours = 20,
    color: Colour = GREEN,
    thickness: Thickness = 2,
) -> ToolResult:
    found, total = _found(image, mode, canny_low, canny_high, rank, max_contours)
    rows = [_box_of(outline) for outline in found]
    return ToolResult(_drawn(image, found, color, thickness), {"total_contours": total, "contours": rows})


@tool(gettext_noop("Measures the area within each contour, in square pixels of this image; draws the contours."))
def contour_area(
    image: Picture,
    *,
    mode: Mode = "external",
    canny_low: CannyLimit = 100.0,
    canny_high: CannyLimit = 200.0,
    rank: Rank | None = None,
    max_contours: MaxContours = 20,
    color: Colour = GREEN,
    thickness: Thickness = 2,
) -> ToolResult:
    found, total = _found(image, mode, canny_low, canny_high, rank, max_contours)
    rows = [{"area": float(cv2.contourArea(outline)), **_box_of(outline)} for outline in found]
    measured = {"total_contours": total, "total_area": sum(row["area"] for row in rows), "contours": rows}
    return ToolResult(_drawn(image, found, color, thickness), measured)


@tool(gettext_noop("Measures the length of each closed contour, in pixels of this image; draws the contours."))
def arc_length(
    image: Picture,
    *,
    mode: Mode = "external",
    canny_low: CannyLimit = 100.0,
    canny_high: CannyLimit = 200.0,
    rank: Rank | None = None,
    max_contours: MaxContours = 20,
    color: Colour = GREEN,
    thickness: Thickness = 2,
) -> ToolResult:
    found, total = _found(image, mode, canny_low, canny_high, rank, max_contours)
    rows = [{"perimeter": float(cv2.arcLength(outline, True)), **_box_of(outline)} for outline in found]
    measured = {"total_contours": total, "total_perimeter": sum(row["perimeter"] for row in rows), "contours": rows}
    return ToolResult(_drawn(image, found, color, thickness), measured)


@tool(
    gettext_noop(
        "Simplifies each contour to a polygon (Douglas-Peucker); draws the polygons and measures their corners."
    )
)
def approx_poly(
    image: Picture,
    *,
    mode: Mode = "external",
    canny_low: CannyLimit = 100.0,
    canny_high: CannyLimit = 200.0,
    rank: Rank | None = None,
    max_contours: MaxContours = 20,
    epsilon_ratio: Epsilon = 0.02,
    color: Colour = GREEN,
    thickness: Thickness = 2,
) -> ToolResult:
    found, total = _found(image, mode, canny_low, canny_high, rank, max_contours)
    shapes = [_simplified(outline, epsilon_ratio) for outline in found]
    rows = [{"vertices": len(shape), "points": shape[:, 0].tolist(), **_box_of(shape)} for shape in shapes]
    return ToolResult(_drawn(image, shapes, color, thickness), {"total_contours": total, "polygons": rows})


def _found(
    image: Picture, mode: str, low: float, high: float, rank: int | None, most: int
) -> tuple[list[Outline], int]:
    """The chosen outlines, largest area first (ties: top, then left), and how many there are in all."""
    edges = cv2.Canny(as_grey(image), low, high)
    how = cv2.RETR_EXTERNAL if mode == "external" else cv2.RETR_LIST
    outlines = [np.asarray(o, np.int32) for o in cv2.findContours(edges, how, cv2.CHAIN_APPROX_SIMPLE)[0]]
    outlines.sort(key=lambda o: (-cv2.contourArea(o), o[:, 0, 1].min(), o[:, 0, 0].min()))
    return (outlines[:most] if rank is None else outlines[rank - 1 : rank]), len(outlines)


def _simplified(outline: Outline, ratio: float) -> Outline:
    return np.asarray(cv2.approxPolyDP(outline, ratio * cv2.arcLength(outline, True), True), np.int32)


def _box_of(outline: Outline) -> dict[str, Any]:
    left, top, width, height = cv2.boundingRect(outline)
    return {"box": [left, top, left + width, top + height]}


def _drawn(image: Picture, outlines: Sequence[Outline], color: tuple[int, int, int], thickness: int) -> Picture:
    return as_picture(cv2.drawContours(as_rgb(image), list(outlines), -1, color[::-1], thickness))
