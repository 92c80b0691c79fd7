"""Filters: blur, denoise, morphology, inpaint."""

from __future__ import annotations

from typing import Annotated, Literal

import cv2
import numpy as np

from annotation.toolbox import filters
from annotation.toolbox.published.common import Level, as_bgr, changed_planes, from_bgr
from annotation.toolbox.results import Picture, Range, ToolError, ToolResult, as_grey, as_picture
from annotation.toolbox.signature import tool

Strength = Annotated[float, Range(1, 50, clamp=True), "strength, 1 to 50"]
_RANGES: dict[str, dict[str, tuple[float, float]]] = {
    "average": {"ksize": (3, 51)},
    "gaussian": {"ksize": (3, 51), "sigma_x": (0, 10), "sigma_y": (0, 10)},
    "median": {"ksize": (3, 51)},
    "bilateral": {"d": (1, 50), "sigma_color": (1, 200), "sigma_space": (1, 200)},
}
"""Parameters of each blur method, with their ranges. It ignores the others."""
_OPERATIONS = {
    "erode": cv2.MORPH_ERODE, "dilate": cv2.MORPH_DILATE, "open": cv2.MORPH_OPEN, "close": cv2.MORPH_CLOSE,
}  # fmt: skip


@tool("Smooths: by the mean, a Gaussian, the median, or only among similar colors (bilateral).")
def opencv_blur(
    image: Picture,
    *,
    method: Annotated[Literal["average", "gaussian", "median", "bilateral"], "avg means average"],
    ksize: Annotated[int, "side of the kernel in pixels, 3 to 51; an even value becomes the next odd one"],
    sigma_x: Annotated[float, "for gaussian: spread across in pixels, 0 to 10, 0 = from ksize"] = 0.0,
    sigma_y: Annotated[float, "for gaussian: spread down in pixels, 0 to 10, 0 = from ksize"] = 0.0,
    d: Annotated[int, "for bilateral: diameter in pixels, 1 to 50"] = 9,
    sigma_color: Annotated[float, "for bilateral: how different colors may mix, 1 to 200"] = 75.0,
    sigma_space: Annotated[float, "for bilateral: how far pixels reach, 1 to 200"] = 75.0,
) -> ToolResult:
    used = {"ksize": ksize, "sigma_x": sigma_x, "sigma_y": sigma_y, "d": d}
    used |= {"sigma_color": sigma_color, "sigma_space": sigma_space}
    for name, (low, high) in _RANGES[method].items():
        if not low <= used[name] <= high:
            raise ToolError("opencv_blur", name, used[name], f"a number from {low} to {high}")
    kernel = ksize | 1
    if method == "average":
        return ToolResult(as_picture(cv2.blur(image, (kernel, kernel))))
    if method == "gaussian":
        return ToolResult(as_picture(cv2.GaussianBlur(image, (kernel, kernel), sigma_x, sigmaY=sigma_y)))
    if method == "median":
        return ToolResult(as_picture(cv2.medianBlur(image, kernel)))
    return from_bgr(cv2.bilateralFilter(as_bgr(image), d, sigma_color, sigma_space))


@tool("Shrinks (erode) or grows (dilate) bright areas; open removes specks, close fills holes.")
def opencv_morphology(
    image: Picture,
    *,
    op: Literal["erode", "dilate", "open", "close"] = "open",
    kernel_size: Annotated[int, Range(3, 21, odd=True, clamp=True), "side of the kernel: odd, 3 to 21"] = 3,
    iterations: Annotated[int, Range(1, 10, clamp=True), "how often, 1 to 10"] = 1,
    kernel_shape: Literal["rect", "ellipse"] = "rect",
) -> ToolResult:
    shape = cv2.MORPH_RECT if kernel_shape == "rect" else cv2.MORPH_ELLIPSE
    kernel = cv2.getStructuringElement(shape, (kernel_size, kernel_size))
    return ToolResult(as_picture(cv2.morphologyEx(image, _OPERATIONS[op], kernel, iterations=iterations)))


@tool("Non-local means: on lightness and color, on the gray image, or on each color channel separately.")
def opencv_denoise(
    image: Picture,
    *,
    mode: Literal["fast_means_color", "fast_means_gray", "fast_means_bgr_channel"] = "fast_means_color",
    h: Strength = 10.0,
    h_color: Annotated[Strength, "strength for color noise, 1 to 50"] = 10.0,
    template_window: Annotated[int, Range(3, 21, odd=True, clamp=True), "side of the patches: odd, 3 to 21"] = 7,
    search_window: Annotated[int, Range(3, 31, odd=True, clamp=True), "side of the search area: odd, 3 to 31"] = 21,
    channels: Annotated[tuple[int, ...], "for fast_means_bgr_channel: 0 blue, 1 green, 2 red"] = (0, 1, 2),
) -> ToolResult:
    def change(plane: Picture) -> Picture:
        return as_picture(cv2.fastNlMeansDenoising(plane, None, h, template_window, search_window))

    if mode == "fast_means_gray":
        return ToolResult(change(as_grey(image)))
    if mode == "fast_means_bgr_channel":
        return from_bgr(changed_planes(as_bgr(image), channels, change))
    pixels = as_bgr(image)
    return from_bgr(cv2.fastNlMeansDenoisingColored(pixels, None, h, h_color, template_window, search_window))


@tool("Paints over edges, one pixel wider, or bright places from the pixels around them.")
def opencv_inpaint(
    image: Picture,
    *,
    preset: Annotated[Literal["canny", "threshold"], "what is painted over: edges, or bright places"] = "canny",
    canny_low: Annotated[Level, "for canny: lower threshold, 0 to 255"] = 100,
    canny_high: Annotated[Level, "for canny: upper threshold, 0 to 255"] = 200,
    threshold_value: Annotated[Level, "for threshold: brighter places are painted over, 0 to 255"] = 127,
    radius: Annotated[int, Range(1, 10, clamp=True), "how far around a place is looked at, 1 to 10 pixels"] = 3,
    method: Literal["telea", "ns"] = "telea",
) -> ToolResult:
    if preset == "canny":
        mask = filters.edge_mask(image, min(canny_low, canny_high), max(canny_low, canny_high))
    else:
        mask = filters.bright_mask(image, threshold_value)
    pixels = as_bgr(image)
    result = filters.painted_over(pixels, mask, radius, method)
    return from_bgr(result.image, dict(result.measurements))


def edges_of(image: Picture, low: int, high: int) -> Picture:
    """Return the edges of the gray image between these thresholds of Canny."""
    return as_picture(cv2.Canny(as_grey(image), low, high))


def kernel_of(side: int) -> Picture:
    """Return a square kernel of ones."""
    return np.ones((side, side), np.uint8)
