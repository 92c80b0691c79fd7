"""Edges and what is made of them: Canny, gradients, lines, circles."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import cv2
import numpy as np

from annotation.marking import gettext_noop
from annotation.toolbox.channels import Channels, ColorMode, by_channel
from annotation.toolbox.results import (
    Picture,
    Range,
    ToolError,
    ToolResult,
    Unit,
    as_grey,
    as_picture,
    as_rgb,
    share_of_white,
)
from annotation.toolbox.signature import tool

Limit = Annotated[float, Range(0, 1000), gettext_noop("threshold of the edge detection")]
Most = Annotated[int, Range(1, 1000), gettext_noop("how many at most")]

MOST_CIRCLE_EDGES = 100_000
"""The circle search compares every possible center with every edge pixel; on more it can take minutes."""

_PRESETS = {"low": (50.0, 100.0), "medium": (100.0, 200.0), "high": (150.0, 250.0)}
_MARK = (0, 255, 0)


@tool(gettext_noop("Edges one pixel wide, white on black. Measures the share of edge pixels."))
def canny(
    image: Picture,
    *,
    preset: Annotated[
        Literal["low", "medium", "high"], gettext_noop("thresholds 50/100, 100/200 or 150/250")
    ] = "medium",
    threshold_low: Annotated[Limit | None, gettext_noop("instead of the preset, with threshold_high")] = None,
    threshold_high: Annotated[Limit | None, gettext_noop("instead of the preset, with threshold_low")] = None,
    color_mode: ColorMode = "grayscale",
    channels: Channels = "all",
) -> ToolResult:
    if (threshold_low is None) != (threshold_high is None):
        raise ToolError(
            "canny", "threshold_low", threshold_low, "threshold_low and threshold_high together, or neither"
        )
    low, high = _PRESETS[preset]
    if threshold_low is not None and threshold_high is not None:
        low, high = threshold_low, threshold_high
    if low > high:
        raise ToolError("canny", "threshold_low", low, f"a number up to threshold_high = {high:g}")
    out = by_channel("canny", image, color_mode, channels, lambda plane: as_picture(cv2.Canny(plane, low, high)))
    return ToolResult(out, {"edge_share": share_of_white(out)})


@tool(gettext_noop("Change of gray: across, down, or in all directions (second derivative); absolute, up to 255."))
def gradients(image: Picture, *, mode: Literal["sobel_x", "sobel_y", "laplacian"]) -> ToolResult:
    grey = as_grey(image)
    if mode == "laplacian":
        slope = cv2.Laplacian(grey, cv2.CV_16S, ksize=3)
    else:
        slope = cv2.Sobel(grey, cv2.CV_16S, int(mode == "sobel_x"), int(mode == "sobel_y"), ksize=3)
    return ToolResult(as_picture(cv2.convertScaleAbs(slope)))


@tool(
    gettext_noop("Finds straight lines among the edges, longest first; draws them and measures their ends and lengths.")
)
def hough_lines(
    image: Picture,
    *,
    threshold: Annotated[int, Range(1, 10_000), Unit.PIXELS, gettext_noop("how many edge pixels must agree")] = 80,
    min_line_length: Annotated[float, Range(1, 65_535), Unit.PIXELS, gettext_noop("shorter lines are excluded")] = 50.0,
    max_line_gap: Annotated[float, Range(0, 65_535), Unit.PIXELS, gettext_noop("gaps up to this are bridged")] = 10.0,
    canny_low: Limit = 80.0,
    canny_high: Limit = 200.0,
    max_lines: Most = 20,
) -> ToolResult:
    edges = cv2.Canny(as_grey(image), canny_low, canny_high)
    found = cv2.HoughLinesP(edges, 1, np.pi / 180, threshold, None, min_line_length, max_line_gap)
    ends = [] if found is None else np.asarray(found, int).reshape(-1, 4).tolist()
    ends.sort(key=lambda e: (-np.hypot(e[2] - e[0], e[3] - e[1]), e))
    out = as_rgb(image)
    rows = []
    for x1, y1, x2, y2 in ends[:max_lines]:
        cv2.line(out, (x1, y1), (x2, y2), _MARK, 2)
        rows.append({"x1": x1, "y1": y1, "x2": x2, "y2": y2, "length": float(np.hypot(x2 - x1, y2 - y1))})
    return ToolResult(out, {"total_lines": len(ends), "lines": rows})


@tool(
    gettext_noop(
        "Finds circles, best supported first; draws them and measures centers and radii. Rejects an image with more "
        "than 100,000 edge pixels at param1."
    )
)
def hough_circles(
    image: Picture,
    *,
    dp: Annotated[float, Range(1, 10), gettext_noop("how coarse the search is")] = 1.2,
    min_dist: Annotated[float, Range(1, 65_535), Unit.PIXELS, gettext_noop("least distance between centers")] = 50.0,
    param1: Annotated[float, Range(1, 1000), gettext_noop("upper threshold of the edge detection")] = 100.0,
    param2: Annotated[
        float, Range(1, 1000), Unit.PIXELS, gettext_noop("votes a circle needs; smaller finds more")
    ] = 50.0,
    min_radius: Annotated[int, Range(0, 65_535), Unit.PIXELS, gettext_noop("smallest radius")] = 10,
    max_radius: Annotated[int, Range(0, 65_535), Unit.PIXELS, gettext_noop("largest radius, 0 = any")] = 0,
    max_circles: Most = 20,
) -> ToolResult:
    if 0 < max_radius < min_radius:
        raise ToolError("hough_circles", "max_radius", max_radius, f"0, or at least min_radius = {min_radius}")
    grey = as_grey(image)
    # OpenCV finds the same edges again: the price of refusing what would take it minutes.
    busy = int(np.count_nonzero(cv2.Canny(grey, param1 / 2, param1)))
    if busy > MOST_CIRCLE_EDGES:
        allowed = f"a value that leaves at most {MOST_CIRCLE_EDGES:,} edge pixels, not {busy:,}; or blur or crop first"
        raise ToolError("hough_circles", "param1", param1, allowed)
    found: Any = cv2.HoughCircles(grey, cv2.HOUGH_GRADIENT, dp, min_dist, None, param1, param2, min_radius, max_radius)
    circles = [] if found is None else np.asarray(found).reshape(-1, np.asarray(found).shape[-1])[:, :3].tolist()
    out = as_rgb(image)
    for x, y, radius in circles[:max_circles]:
        cv2.circle(out, (round(x), round(y)), round(radius), _MARK, 2)
    rows = [{"x": x, "y": y, "radius": radius} for x, y, radius in circles[:max_circles]]
    return ToolResult(out, {"total_circles": len(circles), "circles": rows})
