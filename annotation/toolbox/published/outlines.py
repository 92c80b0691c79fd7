"""Contours of edges: drawn, measured, simplified."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from annotation.toolbox.published.common import MOST_MEASURED, Bgr, Color, Thickness, as_bgr, from_bgr
from annotation.toolbox.published.filters import edges_of
from annotation.toolbox.results import Picture, Range, ToolResult
from annotation.toolbox.signature import tool

Mode = Annotated[Literal["external", "list"], "outermost contours only, or all"]
Low = Annotated[int, "lower threshold of the edge detection"]
High = Annotated[int, "upper threshold of the edge detection"]
Rank = Annotated[int | None, "only the contour of this rank; 1 has the largest area"]
Most = Annotated[int, "how many contours, largest area first; 0 = all"]
Outline = NDArray[np.int32]


@tool("Draws all contours of the image's edges (Canny) and measures the chosen ones.")
def opencv_contours(
    image: Picture,
    *,
    mode: Mode = "external",
    canny_low: Low = 100,
    canny_high: High = 200,
    rank: Rank = None,
    max_contours: Most = 20,
) -> ToolResult:
    outlines, chosen = _chosen(image, mode, canny_low, canny_high, rank, max_contours)
    result = cv2.drawContours(as_bgr(image), outlines, -1, (0, 255, 0), 2)
    rows = [_row(outline) for outline in chosen]
    return from_bgr(result, {"total_contours": len(outlines), "contours": rows[:MOST_MEASURED]})


@tool("Measures the area within each chosen contour in square pixels; draws the contours with their areas.")
def opencv_contour_area(
    image: Picture,
    *,
    mode: Mode = "external",
    canny_low: Low = 100,
    canny_high: High = 200,
    rank: Rank = None,
    max_contours: Most = 20,
    color: Color = (255, 0, 0),
    thickness: Thickness = 2,
) -> ToolResult:
    outlines, chosen = _chosen(image, mode, canny_low, canny_high, rank, max_contours)
    canvas, rows = as_bgr(image), []
    for outline in chosen:
        row = _row(outline)
        rows.append(row)
        box = row["bbox"]
        place = box["x"], max(0, box["y"] - 5)
        _draw(canvas, outline, f"{row['area']:.1f}", place, color, thickness)
    return from_bgr(canvas, {"total_contours": len(outlines), "areas": rows[:MOST_MEASURED]})


@tool("Measures the length of each chosen closed contour in pixels; draws the contours with their lengths.")
def opencv_arc_length(
    image: Picture,
    *,
    mode: Mode = "external",
    canny_low: Low = 100,
    canny_high: High = 200,
    rank: Rank = None,
    max_contours: Most = 20,
    color: Color = (0, 0, 255),
    thickness: Thickness = 2,
) -> ToolResult:
    outlines, chosen = _chosen(image, mode, canny_low, canny_high, rank, max_contours)
    canvas, rows = as_bgr(image), []
    for outline in chosen:
        row = _row(outline) | {"perimeter": float(cv2.arcLength(outline, True))}
        rows.append(row)
        box = row["bbox"]
        place = int(box["x"] + box["width"] / 2), int(box["y"] + box["height"] / 2)
        _draw(canvas, outline, f"{row['perimeter']:.1f}", place, color, thickness)
    return from_bgr(canvas, {"total_contours": len(outlines), "perimeters": rows[:MOST_MEASURED]})


@tool("Simplifies each chosen contour to a polygon (Douglas-Peucker); draws the polygons and measures their corners.")
def opencv_approx_poly(
    image: Picture,
    *,
    mode: Mode = "external",
    canny_low: Low = 100,
    canny_high: High = 200,
    rank: Rank = None,
    max_contours: Most = 20,
    epsilon_ratio: Annotated[float, Range(0, 1e9, clamp=True), "how far a side may stray, of the perimeter"] = 0.02,
    color: Color = (255, 0, 255),
    thickness: Thickness = 2,
) -> ToolResult:
    outlines, chosen = _chosen(image, mode, canny_low, canny_high, rank, max_contours)
    canvas, rows = as_bgr(image), []
    for outline in chosen:
        epsilon = epsilon_ratio * cv2.arcLength(outline, True)
        polygon = np.asarray(cv2.approxPolyDP(outline, epsilon, True), np.int32)
        points = polygon.reshape(-1, 2)
        center = points.mean(axis=0)
        _draw(canvas, polygon, f"{len(points)}pts", (int(center[0]), int(center[1])), color, thickness)
        rows.append({"points_count": len(points), "points": points.tolist(), "bbox": _row(outline)["bbox"]})
    return from_bgr(canvas, {"total_contours": len(outlines), "approx": rows[:MOST_MEASURED]})


def _chosen(
    image: Picture, mode: str, low: int, high: int, rank: int | None, number: int
) -> tuple[list[Outline], list[Outline]]:
    """Return all contours, and those of a rank or the largest ones. A rank that does not exist means the first."""
    kind = cv2.RETR_EXTERNAL if mode == "external" else cv2.RETR_LIST
    edges = edges_of(image, low, high)
    outlines = [np.asarray(one, np.int32) for one in cv2.findContours(edges, kind, cv2.CHAIN_APPROX_SIMPLE)[0]]
    ranked = sorted(outlines, key=cv2.contourArea, reverse=True)
    if rank is None:
        return outlines, ranked[:number] if number > 0 else ranked
    at = rank if 1 <= rank <= len(ranked) else 1
    return outlines, ranked[at - 1 : at]


def _row(outline: Outline) -> dict[str, Any]:
    x, y, width, height = cv2.boundingRect(outline)
    return {"area": float(cv2.contourArea(outline)), "bbox": {"x": x, "y": y, "width": width, "height": height}}


def _draw(canvas: Picture, outline: Outline, text: str, place: tuple[int, int], color: Bgr, thickness: int) -> None:
    cv2.drawContours(canvas, [outline], -1, color, thickness)
    cv2.putText(canvas, text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.5, color, 1, cv2.LINE_AA)
