"""Regions: connected components, watershed, GrabCut, flood fill."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import cv2
import numpy as np

from annotation.toolbox.published.common import MOST_MEASURED, as_bgr, first_of, from_bgr
from annotation.toolbox.published.filters import kernel_of
from annotation.toolbox.regions import start_fits
from annotation.toolbox.results import Picture, Range, ToolError, ToolResult, as_grey
from annotation.toolbox.signature import tool

Triple = Annotated[tuple[int, int, int], Range(0, 255, clamp=True)]
FIXED = 4 | cv2.FLOODFILL_FIXED_RANGE
_MARGINS = {"center": (0.1, 0.8), "tight": (0.2, 0.6), "loose": (0.05, 0.9)}


@tool("Finds the connected bright regions, draws their boxes and centers, measures the largest ones.")
def opencv_connected_components_with_stats(
    image: Picture,
    *,
    threshold_mode: Annotated[Literal["otsu", "binary", "none"], "none: every pixel above 0 counts"] = "otsu",
    threshold_value: Annotated[int, "for binary: above it counts"] = 127,
    connectivity: Annotated[Literal[4, 8], "whether pixels that touch at a corner belong together"] = 8,
    max_components: Annotated[int, "how many are measured, largest first; 0 = all"] = 20,
) -> ToolResult:
    mask = as_grey(image)
    if threshold_mode != "none":
        kind = cv2.THRESH_BINARY | (cv2.THRESH_OTSU if threshold_mode == "otsu" else 0)
        mask = np.asarray(cv2.threshold(mask, threshold_value, 255, kind)[1], np.uint8)
    count, _, stats, centers = cv2.connectedComponentsWithStats(mask, connectivity=connectivity)
    canvas = as_bgr(image)
    rows: list[dict[str, Any]] = []
    for label in range(1, count):
        x, y, width, height, area = (int(value) for value in stats[label])
        across, down = (float(value) for value in centers[label])
        cv2.rectangle(canvas, (x, y), (x + width, y + height), (0, 255, 0), 2)
        cv2.circle(canvas, (int(across), int(down)), 3, (0, 0, 255), -1)
        box = {"x": x, "y": y, "width": width, "height": height}
        rows.append({"label": label, "bbox": box, "area": area, "centroid": {"x": across, "y": down}})
    rows.sort(key=lambda row: -row["area"])
    return from_bgr(canvas, {"total_components": count - 1, "components": first_of(rows, max_components)})


@tool("Parts touching bright objects (Otsu, opened twice, distance above half its peak); borders are blue.")
def opencv_watershed(
    image: Picture, *, max_regions: Annotated[int, "how many labels are listed; 0 = all"] = 20
) -> ToolResult:
    mask = cv2.threshold(as_grey(image), 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)[1]
    opened = cv2.morphologyEx(mask, cv2.MORPH_OPEN, kernel_of(3), iterations=2)
    distance = cv2.distanceTransform(opened, cv2.DIST_L2, 5)
    sure = np.asarray(cv2.threshold(distance, 0.5 * float(distance.max()), 255, 0)[1], np.uint8)
    unknown = cv2.subtract(cv2.dilate(opened, kernel_of(3), iterations=3), sure)
    markers = np.asarray(cv2.connectedComponents(sure)[1], np.int32) + 1
    markers[np.asarray(unknown) == 255] = 0
    canvas = as_bgr(image)
    markers = np.asarray(cv2.watershed(canvas, markers), np.int32)
    canvas[markers == -1] = (255, 0, 0)
    labels = [int(label) for label in np.unique(markers) if label not in (-1, 1)]
    most = max_regions if max_regions > 0 else MOST_MEASURED
    return from_bgr(canvas, {"total_regions": len(labels), "labels": labels[: min(most, MOST_MEASURED)]})


@tool(
    "Cuts out the object, on black. The object must be in a rectangle 10% (center), 20% (tight) or 5% (loose) from "
    "the border."
)
def opencv_grabcut(
    image: Picture, *, preset: Annotated[Literal["center", "tight", "loose"], "where the object is"] = "center"
) -> ToolResult:
    height, width = image.shape[:2]
    margin, extent = _MARGINS[preset]
    area = int(width * margin), int(height * margin), int(width * extent), int(height * extent)
    if min(area) < 1 or min(width, height) < 8:
        raise ToolError("opencv_grabcut", "image", f"{width} × {height}", "an image of at least 20 × 20 pixels")
    cv2.setRNGSeed(0)  # its first clusters are drawn at random
    mask, pixels = np.zeros((height, width), np.uint8), as_bgr(image)
    cv2.grabCut(pixels, mask, area, np.zeros((1, 65)), np.zeros((1, 65)), 5, cv2.GC_INIT_WITH_RECT)
    kept = (mask == cv2.GC_FGD) | (mask == cv2.GC_PR_FGD)
    pixels[~kept] = 0
    return from_bgr(pixels, {"foreground_pixels": int(kept.sum()), "foreground_ratio": float(kept.mean())})


@tool("Fills the region of similar colors around a point; measures its pixels and its box.")
def opencv_floodfill(
    image: Picture,
    *,
    x: Annotated[int, "start, across, in pixels"] = 0,
    y: Annotated[int, "start, down, in pixels"] = 0,
    lo_diff: Annotated[Triple, "how far blue, green, red may be below those of the start"] = (10, 10, 10),
    up_diff: Annotated[Triple, "how far blue, green, red may be above those of the start"] = (10, 10, 10),
    new_val: Annotated[Triple, "the color to fill with: blue, green, red"] = (0, 255, 0),
    flags: Annotated[int, "flags of OpenCV: 4 or 8 neighbors, plus 65536 to compare with the start"] = FIXED,
) -> ToolResult:
    height, width = image.shape[:2]
    if x < 0 or y < 0:
        raise ToolError(
            "opencv_floodfill", "x" if x < 0 else "y", [x, y], f"a point inside the {width} × {height} image"
        )
    start_fits(width, height, x=x, y=y)
    result: Any = cv2.floodFill(
        as_bgr(image), np.zeros((height + 2, width + 2), np.uint8), (x, y), new_val, lo_diff, up_diff, flags
    )
    _, pixels, mask, (left, top, wide, high) = result
    count = int(np.count_nonzero(mask[1:-1, 1:-1]))
    box = {"x": left, "y": top, "width": wide, "height": high}
    return from_bgr(pixels, {"filled_pixels": count, "fill_ratio": count / (width * height), "rect": box})
