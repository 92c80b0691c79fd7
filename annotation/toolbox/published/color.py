"""Color spaces, thresholds, histograms and ranges of colors."""

from __future__ import annotations

from typing import Annotated, Literal

import cv2
import numpy as np

from annotation.toolbox.published.common import Channels, Level, as_bgr, changed_planes, from_bgr
from annotation.toolbox.results import Picture, Range, ToolError, ToolResult, as_grey, as_picture, share_of_white
from annotation.toolbox.signature import tool

Mode = Annotated[Literal["grayscale", "bgr"], "one gray image, or each channel of the image separately"]
Block = Annotated[int, Range(3, 101, odd=True, clamp=True), "for adaptive modes: odd, 3 to 101"]
Bounds = Annotated[tuple[float, float, float], Range(0, 255)]
_ALL = (0, 1, 2)
_ADAPTIVE = {"adaptive_mean": cv2.ADAPTIVE_THRESH_MEAN_C, "adaptive_gaussian": cv2.ADAPTIVE_THRESH_GAUSSIAN_C}


@tool("Gray image: 0.299 R + 0.587 G + 0.114 B.")
def opencv_colorspace_gray(image: Picture) -> ToolResult:
    return ToolResult(as_grey(image).copy())


@tool("Hue (0 to 179), saturation and value (0 to 255), saved as if they were blue, green and red.")
def opencv_colorspace_hsv(image: Picture) -> ToolResult:
    return from_bgr(cv2.cvtColor(as_bgr(image), cv2.COLOR_BGR2HSV))


@tool("CIE L*a*b*, each 0 to 255, saved as if they were blue, green and red.")
def opencv_colorspace_lab(image: Picture) -> ToolResult:
    return from_bgr(cv2.cvtColor(as_bgr(image), cv2.COLOR_BGR2LAB))


@tool("Brightness and contrast: the absolute value of alpha × value + beta, rounded, at most 255.")
def opencv_convertscaleabs(
    image: Picture,
    *,
    alpha: Annotated[float, "contrast: factor above 0"] = 1.0,
    beta: Annotated[float, "brightness: added"] = 0.0,
) -> ToolResult:
    if alpha <= 0:
        raise ToolError("opencv_convertscaleabs", "alpha", alpha, "a number above 0")
    with np.errstate(over="ignore", invalid="ignore"):
        values = image.astype(np.float32) * alpha + beta
    return ToolResult(as_picture(cv2.convertScaleAbs(values)))


@tool("Black and white by a given threshold, a computed one (Otsu) or a local one (adaptive).")
def opencv_threshold(
    image: Picture,
    *,
    mode: Literal["binary", "otsu", "adaptive_mean", "adaptive_gaussian"],
    threshold_value: Annotated[Level, "for binary: above it is white, 0 to 255"] = 127,
    invert: Annotated[bool, "swap black and white"] = False,
    color_mode: Mode = "grayscale",
    adaptive_block_size: Block = 11,
    adaptive_constant: Annotated[int, "for adaptive modes: subtracted from the mean"] = 2,
    channels: Channels = _ALL,
) -> ToolResult:
    levels: list[float] = []

    def change(plane: Picture) -> Picture:
        if mode in _ADAPTIVE:
            kind = _ADAPTIVE[mode]
            result = cv2.adaptiveThreshold(plane, 255, kind, cv2.THRESH_BINARY, adaptive_block_size, adaptive_constant)
            return as_picture(result)
        otsu = mode == "otsu"
        level, result = cv2.threshold(
            plane, 0 if otsu else threshold_value, 255, cv2.THRESH_BINARY | (cv2.THRESH_OTSU if otsu else 0)
        )
        levels.append(float(level))
        return as_picture(result)

    result = change(as_grey(image)) if color_mode == "grayscale" else changed_planes(as_bgr(image), channels, change)
    result = as_picture(255 - result) if invert else result
    return from_bgr(result, {"thresholds": levels, "white_ratio": share_of_white(result)})


@tool("Equalizes the histogram of the full image (equalize) or of neighborhoods with a limit (clahe).")
def opencv_histogram(
    image: Picture,
    *,
    mode: Literal["equalize", "clahe"] = "equalize",
    color_mode: Annotated[Literal["grayscale", "bgr", "hsv"], "hsv: changes the value alone"] = "grayscale",
    channels: Channels = _ALL,
    clip_limit: Annotated[float, "for clahe: limit of contrast"] = 2.0,
    tile_grid_size: Annotated[tuple[int, int], Range(1, 64), "for clahe: tiles across and down"] = (8, 8),
) -> ToolResult:
    local = cv2.createCLAHE(clip_limit, tile_grid_size)

    def change(plane: Picture) -> Picture:
        return as_picture(cv2.equalizeHist(plane) if mode == "equalize" else local.apply(plane))

    if color_mode == "grayscale":
        return ToolResult(change(as_grey(image)))
    if color_mode == "bgr":
        return from_bgr(changed_planes(as_bgr(image), channels, change))
    planes = changed_planes(as_picture(cv2.cvtColor(as_bgr(image), cv2.COLOR_BGR2HSV)), (2,), change)
    return from_bgr(cv2.cvtColor(planes, cv2.COLOR_HSV2BGR))


@tool("Keeps the pixels with a color from lower to upper, both included. Measures the matched pixels.")
def opencv_inrange_color(
    image: Picture,
    *,
    colorspace: Literal["hsv", "bgr"] = "hsv",
    lower: Annotated[Bounds, "three least values: hue, saturation, value, or blue, green, red"],
    upper: Annotated[Bounds, "three largest values: hue, saturation, value, or blue, green, red"],
    output_format: Annotated[
        Literal["mask", "masked_image", "both"], "both: the masked image, or the mask if nothing matches"
    ] = "both",
) -> ToolResult:
    pixels = as_bgr(image)
    values = cv2.cvtColor(pixels, cv2.COLOR_BGR2HSV) if colorspace == "hsv" else pixels
    bounds = [np.array(bound, np.uint8) for bound in (lower, upper)]
    mask = as_picture(cv2.inRange(values, bounds[0], bounds[1]))
    matches = cv2.countNonZero(mask)
    measured = {"mask_pixels": matches, "mask_ratio": matches / mask.size}
    if output_format == "mask" or (output_format == "both" and not matches):
        return ToolResult(mask, measured)
    return from_bgr(cv2.bitwise_and(pixels, pixels, mask=mask), measured)
