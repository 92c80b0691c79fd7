"""Filters: blur, sharpen, denoise, morphology, inpaint."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import cv2
import numpy as np

from annotation.marking import gettext_noop
from annotation.toolbox.results import Picture, Range, ToolError, ToolResult, Unit, as_grey, as_picture, in_rgb
from annotation.toolbox.signature import tool

Sigma = Annotated[float, Range(0, 100), Unit.PIXELS, gettext_noop("for gaussian: spread in pixels, 0 = from ksize")]

MOST_PAINTING = 60_000_000
"""Pixels painted over times the radius squared: each looks at all places within it. On more it takes minutes."""

_OPERATIONS = {
    "erode": cv2.MORPH_ERODE, "dilate": cv2.MORPH_DILATE, "open": cv2.MORPH_OPEN, "close": cv2.MORPH_CLOSE,
}  # fmt: skip
_SHAPES = {"rect": cv2.MORPH_RECT, "ellipse": cv2.MORPH_ELLIPSE, "cross": cv2.MORPH_CROSS}


@tool(gettext_noop("Smooths: by the mean, a Gaussian, the median, or only among similar colors (bilateral)."))
def blur(
    image: Picture,
    *,
    method: Literal["average", "gaussian", "median", "bilateral"],
    ksize: Annotated[
        int, Range(1, 99, odd=True), Unit.PIXELS, gettext_noop("side of the neighborhood; bilateral uses d")
    ],
    sigma_x: Sigma = 0.0,
    sigma_y: Sigma = 0.0,
    d: Annotated[int, Range(1, 25), Unit.PIXELS, gettext_noop("for bilateral: diameter")] = 9,
    sigma_color: Annotated[float, Range(0, 500), gettext_noop("for bilateral: how different colors may mix")] = 75.0,
    sigma_space: Annotated[
        float, Range(0, 500), Unit.PIXELS, gettext_noop("for bilateral: how far pixels reach")
    ] = 75.0,
) -> ToolResult:
    if method == "average":
        out = cv2.blur(image, (ksize, ksize))
    elif method == "gaussian":
        out = cv2.GaussianBlur(image, (ksize, ksize), sigma_x, sigmaY=sigma_y)
    elif method == "median":
        out = cv2.medianBlur(image, ksize)
    else:
        out = cv2.bilateralFilter(image, d, sigma_color, sigma_space)
    return ToolResult(as_picture(out))


@tool(
    gettext_noop(
        "Unsharp mask: image + amount × (image - its Gaussian blur). The published interface has no such tool."
    )
)
def sharpen(
    image: Picture,
    *,
    amount: Annotated[float, Range(0, 10), gettext_noop("0 changes nothing")] = 1.0,
    sigma: Annotated[float, Range(0.1, 50), Unit.PIXELS, gettext_noop("size of the details, in pixels")] = 1.5,
) -> ToolResult:
    smooth = cv2.GaussianBlur(image, (0, 0), sigma)
    return ToolResult(as_picture(cv2.addWeighted(image, 1 + amount, smooth, -amount, 0)))


@tool(gettext_noop("Non-local means: on lightness and color, on the gray image, or on each color channel separately."))
def denoise(
    image: Picture,
    *,
    mode: Literal["fast_means_color", "fast_means_gray", "bgr_channel"] = "fast_means_color",
    h: Annotated[float, Range(0.1, 100), gettext_noop("strength")] = 10.0,
    h_color: Annotated[float, Range(0.1, 100), gettext_noop("strength for color noise")] = 10.0,
    template_window: Annotated[int, Range(1, 21, odd=True), gettext_noop("side of the compared patches")] = 7,
    search_window: Annotated[
        int, Range(1, 35, odd=True), gettext_noop("side of the area searched for like patches")
    ] = 21,
) -> ToolResult:
    windows = (template_window, search_window)
    if mode == "fast_means_gray":
        return ToolResult(as_picture(cv2.fastNlMeansDenoising(as_grey(image), None, h, *windows)))
    if mode == "fast_means_color":
        return ToolResult(as_picture(cv2.fastNlMeansDenoisingColored(in_rgb(image), None, h, h_color, *windows)))
    planes = [as_picture(cv2.fastNlMeansDenoising(plane, None, h, *windows)) for plane in cv2.split(in_rgb(image))]
    return ToolResult(np.dstack(planes))


@tool(gettext_noop("Shrinks (erode) or grows (dilate) bright areas; open removes specks, close fills holes."))
def morphology(
    image: Picture,
    *,
    op: Literal["erode", "dilate", "open", "close"] = "open",
    kernel_size: Annotated[int, Range(1, 99), Unit.PIXELS, gettext_noop("side of the kernel, in pixels")] = 3,
    iterations: Annotated[int, Range(1, 50), gettext_noop("how often")] = 1,
    kernel_shape: Literal["rect", "ellipse", "cross"] = "rect",
) -> ToolResult:
    kernel = cv2.getStructuringElement(_SHAPES[kernel_shape], (kernel_size, kernel_size))
    return ToolResult(as_picture(cv2.morphologyEx(image, _OPERATIONS[op], kernel, iterations=iterations)))


@tool(
    gettext_noop(
        "Paints over edges (Canny 100/200, one pixel wider) or places brighter than 240 from the pixels around them. "
        "Measures how many pixels were painted over."
    )
)
def inpaint(
    image: Picture,
    *,
    preset: Annotated[
        Literal["canny", "threshold"], gettext_noop("what is painted over: edges, or very bright places")
    ] = "canny",
    radius: Annotated[float, Range(1, 50), Unit.PIXELS, gettext_noop("how far around a place is looked at")] = 3.0,
    method: Literal["telea", "ns"] = "telea",
) -> ToolResult:
    return painted_over(image, edge_mask(image) if preset == "canny" else bright_mask(image), radius, method)


def edge_mask(image: Picture, low: float = 100, high: float = 200) -> Picture:
    """The edges between these thresholds of Canny, one pixel wider."""
    return as_picture(cv2.dilate(cv2.Canny(as_grey(image), low, high), np.ones((3, 3), np.uint8)))


def bright_mask(image: Picture, level: float = 240) -> Picture:
    """The mask of pixels brighter than ``level``."""
    return as_picture(cv2.threshold(as_grey(image), level, 255, cv2.THRESH_BINARY)[1])


def painted_over(image: Picture, mask: Picture, radius: float, method: str) -> ToolResult:
    """Fill the mask from the pixels around it. Raises ``ToolError`` if that would take minutes."""
    how = cv2.INPAINT_TELEA if method == "telea" else cv2.INPAINT_NS
    painted = cv2.countNonZero(mask)
    most = math.isqrt(MOST_PAINTING // max(painted, 1))
    if radius > max(most, 1):
        allowed = f"at most {max(most, 1)} while {painted:,} pixels are painted over; or crop or resize first"
        raise ToolError("inpaint", "radius", radius, allowed)
    return ToolResult(as_picture(cv2.inpaint(image, mask, radius, how)), {"painted_pixels": painted})
