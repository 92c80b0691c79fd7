"""Regions: connected components, watershed, GrabCut, flood fill."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from annotation.marking import gettext_noop
from annotation.toolbox.results import (
    Coordinate,
    Picture,
    Range,
    ToolError,
    ToolResult,
    as_grey,
    as_picture,
    as_rgb,
)
from annotation.toolbox.signature import tool

Connectivity = Annotated[Literal[4, 8], gettext_noop("whether pixels that touch at a corner belong together")]
Deviation = Annotated[
    tuple[int, int, int], Range(0, 255), gettext_noop("how far blue, green, red may differ from a neighbour")
]
Fill = Annotated[tuple[int, int, int], Range(0, 255), gettext_noop("the fill color: blue, green, red")]
_MARK = (0, 255, 0)
_MARGINS = {"center": 0.25, "tight": 0.1, "loose": 0.02}


@tool(
    gettext_noop(
        "Finds the connected bright regions, largest first; draws their boxes, measures area, box and center of mass."
    )
)
def connected_components_with_stats(
    image: Picture,
    *,
    threshold_mode: Annotated[
        Literal["otsu", "binary", "none"], gettext_noop("none: every pixel above 0 counts")
    ] = "otsu",
    threshold_value: Annotated[int, Range(0, 255), gettext_noop("for binary: above it counts")] = 127,
    connectivity: Connectivity = 8,
    max_components: Annotated[int, Range(1, 1000), gettext_noop("how many, largest first")] = 20,
) -> ToolResult:
    level = {"otsu": 0, "binary": threshold_value, "none": 0}[threshold_mode]
    kind = cv2.THRESH_BINARY | (cv2.THRESH_OTSU if threshold_mode == "otsu" else 0)
    mask = cv2.threshold(as_grey(image), level, 255, kind)[1]
    count, _, stats, centres = cv2.connectedComponentsWithStats(mask, connectivity=connectivity)
    order = sorted(range(1, count), key=lambda label: (-int(stats[label, cv2.CC_STAT_AREA]), label))
    out, rows = as_rgb(image), []
    for label in order[:max_components]:
        left, top, width, height, area = (int(value) for value in stats[label])
        cv2.rectangle(out, (left, top), (left + width - 1, top + height - 1), _MARK, 2)
        centre = [float(value) for value in centres[label]]
        rows.append({"area": area, "box": [left, top, left + width, top + height], "centre": centre})
    return ToolResult(out, {"total_components": count - 1, "components": rows})


@tool(
    gettext_noop(
        "Parts touching bright objects (Otsu, distance from the background above half its peak); borders are red. "
        "Measures area and box of each region."
    )
)
def watershed(
    image: Picture,
    *,
    max_regions: Annotated[int, Range(1, 1000), gettext_noop("how many are measured, largest first")] = 20,
) -> ToolResult:
    mask = cv2.threshold(as_grey(image), 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)[1]
    distance = cv2.distanceTransform(mask, cv2.DIST_L2, 5)
    sure = (distance > 0.5 * float(distance.max())).astype(np.uint8)
    count, seeds = cv2.connectedComponents(sure)
    markers = np.asarray(seeds, np.int32) + 1
    background = as_picture(cv2.dilate(mask, np.ones((3, 3), np.uint8), iterations=3)) > 0
    markers[background & (sure == 0)] = 0
    out = as_rgb(image)
    markers = np.asarray(cv2.watershed(out, markers), np.int32)
    out[markers == -1] = (255, 0, 0)
    rows = sorted(_regions(markers, count), key=lambda row: (-row["area"], row["box"]))
    return ToolResult(out, {"total_regions": len(rows), "regions": rows[:max_regions]})


def _regions(markers: NDArray[np.int32], count: int) -> list[dict[str, Any]]:
    """Area and box of the labels 2 to ``count``, in one pass; label 1 is the background."""
    rows, columns = np.nonzero(markers > 1)
    labels = markers[rows, columns]
    areas = np.bincount(labels, minlength=count + 1)
    low, high = np.full((2, count + 1), markers.size), np.full((2, count + 1), -1)
    for axis, places in enumerate((columns, rows)):
        np.minimum.at(low[axis], labels, places)
        np.maximum.at(high[axis], labels, places)
    return [
        {"area": int(areas[n]), "box": [int(v) for v in (*low[:, n], *(high[:, n] + 1))]}
        for n in range(2, count + 1)
        if areas[n]
    ]


@tool(
    gettext_noop(
        "Cuts out the object, on black. The object must be in a rectangle 25% (center), 10% (tight) or 2% (loose) "
        "from the border. Measures the kept share of the image. Rejects an image with a side under 8 pixels."
    )
)
def grabcut(
    image: Picture,
    *,
    preset: Annotated[Literal["center", "tight", "loose"], gettext_noop("where the object is")] = "center",
) -> ToolResult:
    height, width = image.shape[:2]
    if min(height, width) < 8:
        raise ToolError("grabcut", "image", f"{width} × {height}", "an image of at least 8 × 8 pixels")
    across, down = max(1, round(width * _MARGINS[preset])), max(1, round(height * _MARGINS[preset]))
    cv2.setRNGSeed(0)  # its first clusters are drawn at random
    mask = np.zeros((height, width), np.uint8)
    models = np.zeros((1, 65)), np.zeros((1, 65))
    area = (across, down, width - 2 * across, height - 2 * down)
    out = as_rgb(image)
    cv2.grabCut(out, mask, area, *models, 5, cv2.GC_INIT_WITH_RECT)
    kept = (mask == cv2.GC_FGD) | (mask == cv2.GC_PR_FGD)
    out[~kept] = 0
    return ToolResult(out, {"kept_share": float(kept.mean())})


@tool(gettext_noop("Fills the region of similar colors around a point; measures its pixels and its box."))
def floodfill(
    image: Picture,
    *,
    x: Annotated[Coordinate, gettext_noop("start, across")],
    y: Annotated[Coordinate, gettext_noop("start, down")],
    lo_diff: Deviation = (10, 10, 10),
    up_diff: Deviation = (10, 10, 10),
    new_val: Fill = (0, 255, 0),
    flags: Connectivity = 4,
) -> ToolResult:
    return filled(image, (x, y), new_val, lo_diff, up_diff, flags)


def filled(
    image: Picture,
    start: tuple[int, int],
    new_val: tuple[int, int, int],
    lo_diff: tuple[int, int, int],
    up_diff: tuple[int, int, int],
    flags: int,
) -> ToolResult:
    """The flood fill itself, with the flags of OpenCV; colors are blue, green, red. Raises ``ToolError``."""
    start_fits(image.shape[1], image.shape[0], x=start[0], y=start[1])
    out = as_rgb(image)
    count, _, _, (left, top, width, height) = cv2.floodFill(
        out, None, start, new_val[::-1], lo_diff[::-1], up_diff[::-1], flags
    )
    return ToolResult(out, {"filled_pixels": int(count), "box": [left, top, left + width, top + height]})


def start_fits(width: int, height: int, *, x: int, y: int, **_: Any) -> None:
    """Raises ``ToolError`` where ``floodfill`` would begin outside an image of this size."""
    if x >= width or y >= height:
        allowed = f"a point inside the {width} × {height} picture"
        raise ToolError("floodfill", "x" if x >= width else "y", [x, y], allowed)
