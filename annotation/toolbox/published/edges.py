"""Edges and what is made of them: Canny, gradients, lines, circles."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import cv2
import numpy as np

from annotation.toolbox.edges import MOST_CIRCLE_EDGES
from annotation.toolbox.published.color import Mode
from annotation.toolbox.published.common import Channels, Level, as_bgr, changed_planes, first_of, from_bgr
from annotation.toolbox.published.filters import edges_of
from annotation.toolbox.results import Picture, Range, ToolError, ToolResult, as_grey, as_picture
from annotation.toolbox.signature import tool

Positive = Annotated[int, Range(1, 65_535)]
Pixels = Annotated[int, Range(0, 65_535)]
_PRESETS = {"low": (50, 100), "medium": (100, 200), "high": (150, 250)}


@tool("Edges one pixel wide, white on black. One threshold alone is ignored, and reversed ones are swapped.")
def opencv_canny(
    image: Picture,
    *,
    preset: Annotated[Literal["low", "medium", "high"], "thresholds 50/100, 100/200 or 150/250"] = "medium",
    threshold_low: Annotated[Level | None, "instead of the preset, with threshold_high: 0 to 255"] = None,
    threshold_high: Annotated[Level | None, "instead of the preset, with threshold_low: 0 to 255"] = None,
    color_mode: Mode = "grayscale",
    channels: Channels = (0, 1, 2),
) -> ToolResult:
    low, high = _PRESETS[preset]
    if threshold_low is not None and threshold_high is not None:
        low, high = min(threshold_low, threshold_high), max(threshold_low, threshold_high)
    if color_mode == "grayscale":
        edges = edges_of(image, low, high)
    else:
        pixels = as_bgr(image)

        def change(plane: Picture) -> Picture:
            return as_picture(cv2.Canny(plane, low, high))

        edges = changed_planes(pixels, channels, change, onto=np.zeros_like(pixels))
    count = int(np.count_nonzero(edges))
    return from_bgr(edges, {"thresholds": [low, high], "edge_pixels": count, "edge_ratio": count / edges.size})


@tool("Change of gray: across, down, or in all directions (second derivative); absolute, up to 255.")
def opencv_gradients(image: Picture, *, mode: Literal["sobel_x", "sobel_y", "laplacian"]) -> ToolResult:
    gray = as_grey(image)
    if mode == "laplacian":
        slope = cv2.Laplacian(gray, cv2.CV_64F)
    else:
        slope = cv2.Sobel(gray, cv2.CV_64F, int(mode == "sobel_x"), int(mode == "sobel_y"), ksize=3)
    return ToolResult(as_picture(cv2.convertScaleAbs(slope)))


@tool("Finds straight lines among the edges, draws all of them and measures the longest ones.")
def opencv_hough_lines(
    image: Picture,
    *,
    threshold: Annotated[Positive, "how many edge pixels must agree"] = 80,
    min_line_length: Annotated[Positive, "shorter lines are excluded, in pixels"] = 50,
    max_line_gap: Annotated[Pixels, "gaps up to this are bridged, in pixels"] = 10,
    canny_low: Annotated[int, "lower threshold of the edge detection"] = 80,
    canny_high: Annotated[int, "upper threshold of the edge detection"] = 200,
    max_lines: Annotated[int, "how many are measured, longest first; 0 = all"] = 20,
) -> ToolResult:
    edges = edges_of(image, canny_low, canny_high)
    lines: Any = cv2.HoughLinesP(edges, 1, np.pi / 180, threshold, None, min_line_length, max_line_gap)
    result = as_bgr(image)
    rows: list[dict[str, Any]] = []
    for x1, y1, x2, y2 in [] if lines is None else np.asarray(lines, int).reshape(-1, 4).tolist():
        cv2.line(result, (x1, y1), (x2, y2), (0, 0, 255), 2)
        rows.append({"p1": {"x": x1, "y": y1}, "p2": {"x": x2, "y": y2}, "length": float(np.hypot(x2 - x1, y2 - y1))})
    rows.sort(key=lambda row: -row["length"])
    return from_bgr(result, {"total_lines": len(rows), "lines": first_of(rows, max_lines)})


@tool(
    "Finds circles after a median blur, draws all of them and measures the largest ones. Rejects an image with more "
    "than 100,000 edge pixels at param1."
)
def opencv_hough_circles(
    image: Picture,
    *,
    dp: Annotated[float, "how coarse the search is, above 0"] = 1.2,
    min_dist: Annotated[Positive, "least distance between centers in pixels"] = 50,
    param1: Annotated[Positive, "upper threshold of the edge detection"] = 100,
    param2: Annotated[Positive, "votes a circle needs; smaller finds more"] = 50,
    min_radius: Annotated[Pixels, "smallest radius in pixels"] = 10,
    max_radius: Annotated[Pixels, "largest radius in pixels, 0 = any"] = 0,
    max_circles: Annotated[int, "how many are measured, largest first; 0 = all"] = 20,
) -> ToolResult:
    if dp <= 0:
        raise ToolError("opencv_hough_circles", "dp", dp, "a number above 0")
    if 0 < max_radius < min_radius:
        raise ToolError("opencv_hough_circles", "max_radius", max_radius, f"0, or at least min_radius = {min_radius}")
    gray = as_picture(cv2.medianBlur(as_grey(image), 5))
    busy = int(np.count_nonzero(cv2.Canny(gray, param1 / 2, param1)))
    if busy > MOST_CIRCLE_EDGES:
        allowed = f"a value that leaves at most {MOST_CIRCLE_EDGES:,} edge pixels, not {busy:,}; or crop first"
        raise ToolError("opencv_hough_circles", "param1", param1, allowed)
    circles: Any = cv2.HoughCircles(
        gray, cv2.HOUGH_GRADIENT, dp, min_dist, None, param1, param2, min_radius, max_radius
    )
    result = as_bgr(image)
    rows: list[dict[str, Any]] = []
    for x, y, radius in [] if circles is None else np.around(circles).astype(int).reshape(-1, 3).tolist():
        cv2.circle(result, (x, y), radius, (0, 255, 0), 2)
        cv2.circle(result, (x, y), 2, (255, 0, 0), 3)
        rows.append({"center": {"x": x, "y": y}, "radius": radius})
    rows.sort(key=lambda row: -row["radius"])
    return from_bgr(result, {"total_circles": len(rows), "circles": first_of(rows, max_circles)})
