"""Color: other color spaces, light and contrast, thresholds, color filters."""

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
    in_rgb,
    share_of_white,
)
from annotation.toolbox.signature import tool

Triple = Annotated[tuple[int, int, int], Range(0, 255)]
_ADAPTIVE = {"adaptive_mean": cv2.ADAPTIVE_THRESH_MEAN_C, "adaptive_gaussian": cv2.ADAPTIVE_THRESH_GAUSSIAN_C}


@tool(gettext_noop("Gray image: 0.299 R + 0.587 G + 0.114 B."))
def colorspace_gray(image: Picture) -> ToolResult:
    return ToolResult(image.copy() if image.ndim == 2 else as_grey(image))


@tool(
    gettext_noop(
        "Hue (0 to 179), saturation and value (0 to 255). all shows them in this order as red, green and blue; one "
        "channel is a gray image. The published interface saves the planes as if they were blue, green, red, so its "
        "colors differ."
    )
)
def colorspace_hsv(
    image: Picture,
    *,
    channel: Annotated[Literal["all", "hue", "saturation", "value"], gettext_noop("one plane as gray, or all")] = "all",
) -> ToolResult:
    planes = as_picture(cv2.cvtColor(in_rgb(image), cv2.COLOR_RGB2HSV))
    return ToolResult(_plane(planes, ("hue", "saturation", "value"), channel))


@tool(
    gettext_noop(
        "CIE L*a*b*, each 0 to 255: lightness, green to red, blue to yellow (128 is neutral). all shows them in this "
        "order as red, green and blue; one channel is a gray image. The published interface saves the planes as if "
        "they were blue, green, red, so its colors differ."
    )
)
def colorspace_lab(
    image: Picture,
    *,
    channel: Annotated[Literal["all", "lightness", "a", "b"], gettext_noop("one plane as gray, or all")] = "all",
) -> ToolResult:
    planes = as_picture(cv2.cvtColor(in_rgb(image), cv2.COLOR_RGB2LAB))
    return ToolResult(_plane(planes, ("lightness", "a", "b"), channel))


def _plane(planes: Picture, names: tuple[str, ...], channel: str) -> Picture:
    return planes if channel == "all" else np.ascontiguousarray(planes[:, :, names.index(channel)])


@tool(
    gettext_noop(
        "Black and white: pixels above the threshold are white. The threshold is given, computed (Otsu) or local "
        "(adaptive). Measures the threshold of each channel (none for the adaptive modes) and the share of white."
    )
)
def threshold(
    image: Picture,
    *,
    mode: Literal["binary", "otsu", "adaptive_mean", "adaptive_gaussian"] = "otsu",
    threshold_value: Annotated[int, Range(0, 255), gettext_noop("for binary: above it is white")] = 127,
    invert: Annotated[bool, gettext_noop("swap black and white")] = False,
    color_mode: ColorMode = "grayscale",
    adaptive_block_size: Annotated[
        int, Range(3, 999, odd=True), Unit.PIXELS, gettext_noop("neighborhood of the adaptive modes")
    ] = 11,
    adaptive_constant: Annotated[float, Range(-255, 255), gettext_noop("taken off the neighborhood's mean")] = 2,
    channels: Channels = "all",
) -> ToolResult:
    kind = cv2.THRESH_BINARY_INV if invert else cv2.THRESH_BINARY
    used: list[float] = []

    def change(plane: Picture) -> Picture:
        if mode in _ADAPTIVE:
            how = _ADAPTIVE[mode]
            return as_picture(cv2.adaptiveThreshold(plane, 255, how, kind, adaptive_block_size, adaptive_constant))
        found, out = cv2.threshold(plane, threshold_value, 255, kind | (cv2.THRESH_OTSU if mode == "otsu" else 0))
        used.append(float(found))
        return as_picture(out)

    out = by_channel("threshold", image, color_mode, channels, change)
    return ToolResult(out, {"thresholds": used, "white_share": share_of_white(out)})


@tool(
    gettext_noop(
        "Brightness and contrast: alpha × value + beta, rounded, kept within 0 to 255. The published interface takes "
        "the absolute value, which makes values below black bright again. Here, values below black stay black."
    )
)
def convertscaleabs(
    image: Picture,
    *,
    alpha: Annotated[float, Range(0.01, 100), gettext_noop("contrast: factor")] = 1.0,
    beta: Annotated[float, Range(-255, 255), gettext_noop("brightness: added")] = 0.0,
) -> ToolResult:
    values = np.clip(np.rint(np.arange(256) * alpha + beta), 0, 255).astype(np.uint8)
    return ToolResult(as_picture(cv2.LUT(image, values)))


@tool(gettext_noop("Equalizes the histogram of the full image (equalize) or of neighborhoods with a limit (clahe)."))
def histogram(
    image: Picture,
    *,
    mode: Literal["equalize", "clahe"] = "equalize",
    color_mode: ColorMode = "grayscale",
    channels: Channels = "all",
    clip_limit: Annotated[float, Range(0.1, 100), gettext_noop("for clahe: how much contrast may grow")] = 2.0,
    tile_grid_size: Annotated[tuple[int, int], Range(1, 64), gettext_noop("for clahe: tiles across and down")] = (8, 8),
) -> ToolResult:
    local = cv2.createCLAHE(clip_limit, tile_grid_size)

    def change(plane: Picture) -> Picture:
        return as_picture(cv2.equalizeHist(plane) if mode == "equalize" else local.apply(plane))

    return ToolResult(by_channel("histogram", image, color_mode, channels, change))


@tool(
    gettext_noop(
        "Keeps the pixels with a color from lower to upper, both included. Hue runs from 0 to 179; a lower hue above "
        "the upper one passes through red (170 to 10). Measures the matched pixels."
    )
)
def inrange_color(
    image: Picture,
    *,
    colorspace: Literal["hsv", "bgr"] = "hsv",
    lower: Annotated[Triple, gettext_noop("smallest hue, saturation, value (or blue, green, red)")],
    upper: Annotated[Triple, gettext_noop("largest hue, saturation, value (or blue, green, red)")],
    output_format: Annotated[
        Literal["mask", "masked_image", "both"], gettext_noop("both: masked image on the left, mask on the right")
    ] = "both",
) -> ToolResult:
    space = cv2.COLOR_RGB2HSV if colorspace == "hsv" else cv2.COLOR_RGB2BGR
    values = as_picture(cv2.cvtColor(in_rgb(image), space))
    through_red = colorspace == "hsv" and lower[0] > upper[0]
    for low, high in list(zip(lower, upper, strict=True))[1 if through_red else 0 :]:
        if low > high:
            raise ToolError("inrange_color", "lower", list(lower), f"values up to upper = {list(upper)}")
    if through_red:
        mask = _in_range(values, lower, (179, *upper[1:])) | _in_range(values, (0, *lower[1:]), upper)
    else:
        mask = _in_range(values, lower, upper)
    measured = {"matched_pixels": cv2.countNonZero(mask), "matched_share": share_of_white(mask)}
    if output_format == "mask":
        return ToolResult(mask, measured)
    colours = in_rgb(image)
    kept = as_picture(cv2.bitwise_and(colours, colours, mask=mask))
    return ToolResult(kept if output_format == "masked_image" else np.hstack([kept, in_rgb(mask)]), measured)


def filtered_size(width: int, height: int, *, output_format: str = "both", **_: Any) -> tuple[int, int]:
    """Return the (width, height) of the result of ``inrange_color``. "both" is the image and the mask, side by side."""
    return (2 * width if output_format == "both" else width), height


def _in_range(values: Picture, lower: tuple[int, ...], upper: tuple[int, ...]) -> Picture:
    return as_picture(cv2.inRange(values, np.array(lower, np.uint8), np.array(upper, np.uint8)))
