"""Tools of the profile ``vtc`` that take other parameters or make other pixels than ours.

They reproduce what is known of the published interface: its defaults, and the calls of OpenCV that it makes.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal

import cv2
import numpy as np

from annotation.toolbox import colour, filters, geometry, regions
from annotation.toolbox.affine import clockwise, scaling, shift
from annotation.toolbox.filters import Sigma
from annotation.toolbox.geometry import Degrees, Preset, Zoom
from annotation.toolbox.outlines import CannyLimit
from annotation.toolbox.regions import Deviation
from annotation.toolbox.results import Coordinate, Picture, Range, Side, ToolResult, Unit, as_picture
from annotation.toolbox.signature import tool

BRIGHT = 127
Flags = Annotated[Literal[4, 8, 65_540, 65_544], "flags of OpenCV: 4 or 8, with 65536 for FLOODFILL_FIXED_RANGE"]


@tool
def opencv_resize(
    image: Picture,
    *,
    width: Annotated[Side, "width of the result"],
    height: Annotated[Side, "height of the result"],
    preset: Annotated[Preset | None, "not together with width and height"] = None,
) -> ToolResult:
    """Changes the size to width and height: area means when shrinking, linear otherwise."""
    size = geometry.resized_size(image.shape[1], image.shape[0], width=width, height=height, preset=preset)
    return _scaled(image, size)


@tool
def opencv_zoom_in(
    image: Picture,
    *,
    x: Annotated[Coordinate, "left edge"] = 0,
    y: Annotated[Coordinate, "top edge"] = 0,
    width: Annotated[Side, "width in pixels"],
    height: Annotated[Side, "height in pixels"],
    scale: Zoom | None = None,
    target_width: Annotated[Side | None, "width of the result"] = None,
    target_height: Annotated[Side | None, "height of the result"] = None,
) -> ToolResult:
    """Cuts out a rectangle inside the image and enlarges it; without ``scale`` or a target it keeps its size."""
    geometry.zoom_fits(image.shape[1], image.shape[0], x=x, y=y, width=width, height=height)
    size = zoomed_size(
        0, 0, width=width, height=height, scale=scale, target_width=target_width, target_height=target_height
    )
    part = _scaled(np.ascontiguousarray(image[y : y + height, x : x + width]), size)
    assert part.transform is not None
    return ToolResult(part.image, part.measurements, shift(x, y).after(part.transform))


def zoomed_size(
    image_width: int,
    image_height: int,
    *,
    width: int,
    height: int,
    scale: float | None = None,
    target_width: int | None = None,
    target_height: int | None = None,
    x: int = 0,
    y: int = 0,
) -> tuple[int, int]:
    """(width, height) of what ``opencv_zoom_in`` gives. Raises ``ToolError``."""
    keeps = scale is None and target_width is None and target_height is None
    return geometry.zoomed_size(
        image_width,
        image_height,
        width=width,
        height=height,
        scale=1 if keeps else scale,
        target_width=target_width,
        target_height=target_height,
    )


def _scaled(image: Picture, size: tuple[int, int]) -> ToolResult:
    height, width = image.shape[:2]
    how = cv2.INTER_AREA if size[0] <= width and size[1] <= height else cv2.INTER_LINEAR
    out = as_picture(cv2.resize(image, size, interpolation=how))
    return ToolResult(out, {"width": size[0], "height": size[1]}, scaling(width / size[0], height / size[1]))


@tool
def opencv_rotate(image: Picture, *, angle: Degrees) -> ToolResult:
    """Turns the image clockwise by whole degrees, the rest cut off. The canvas grows, its sides rounded down."""
    size = rotated_size(image.shape[1], image.shape[0], angle=angle)
    return geometry.turned(image, int(angle), size)


def rotated_size(width: int, height: int, *, angle: float) -> tuple[int, int]:
    """(width, height) of the canvas of ``opencv_rotate``."""
    turn = clockwise(int(angle))
    across, down = abs(turn.a) * width + abs(turn.b) * height, abs(turn.d) * width + abs(turn.e) * height
    return max(1, math.floor(across + 1e-6)), max(1, math.floor(down + 1e-6))


@tool
def opencv_flip(image: Picture, *, direction: Literal["horizontal", "vertical"] = "horizontal") -> ToolResult:
    """Mirrors the image: ``horizontal`` swaps left and right, ``vertical`` top and bottom."""
    return geometry.flip(image, direction=direction)


@tool
def opencv_translate(
    image: Picture,
    *,
    direction: Literal["left", "right", "up", "down"] = "right",
    distance: Annotated[Side, "pixels"] = 32,
) -> ToolResult:
    """Moves the content; what leaves the canvas is lost."""
    return geometry.translate(image, direction=direction, distance=distance)


@tool
def opencv_colorspace_hsv(image: Picture) -> ToolResult:
    """Hue (0 to 179), saturation and value (0 to 255), saved as if they were blue, green and red."""
    return _as_if_bgr(colour.colorspace_hsv(image))


@tool
def opencv_colorspace_lab(image: Picture) -> ToolResult:
    """CIE L*a*b*, each 0 to 255, saved as if it were blue, green and red."""
    return _as_if_bgr(colour.colorspace_lab(image))


def _as_if_bgr(planes: ToolResult) -> ToolResult:
    assert planes.image is not None
    return ToolResult(np.ascontiguousarray(planes.image[:, :, ::-1]), planes.measurements, planes.transform)


@tool
def opencv_convertscaleabs(
    image: Picture,
    *,
    alpha: Annotated[float, Range(0.01, 100), "contrast: factor"] = 1.0,
    beta: Annotated[float, Range(-255, 255), "brightness: added"] = 0.0,
) -> ToolResult:
    """Brightness and contrast: the absolute value of ``alpha`` × value + ``beta``, at most 255."""
    return ToolResult(as_picture(cv2.convertScaleAbs(image, alpha=alpha, beta=beta)))


@tool
def opencv_blur(
    image: Picture,
    *,
    method: Literal["average", "gaussian", "median", "bilateral"],
    ksize: Annotated[int, Range(1, 99), Unit.PIXELS, "side of the kernel; an even value becomes the next odd one"],
    sigma_x: Sigma = 0.0,
    sigma_y: Sigma = 0.0,
    d: Annotated[int, Range(1, 25), Unit.PIXELS, "for bilateral: diameter"] = 9,
    sigma_color: Annotated[float, Range(0, 500), "for bilateral: how unlike colors may mix"] = 75.0,
    sigma_space: Annotated[float, Range(0, 500), Unit.PIXELS, "for bilateral: how far pixels reach"] = 75.0,
) -> ToolResult:
    """Smooths: by the mean, a Gaussian, the median, or only among like colors (bilateral)."""
    return filters.blur(
        image,
        method=method,
        ksize=ksize | 1,
        sigma_x=sigma_x,
        sigma_y=sigma_y,
        d=d,
        sigma_color=sigma_color,
        sigma_space=sigma_space,
    )


@tool
def opencv_inpaint(
    image: Picture,
    *,
    preset: Annotated[Literal["canny", "threshold"], "what is painted over: edges, or bright places"] = "canny",
    canny_low: CannyLimit = 100.0,
    canny_high: CannyLimit = 200.0,
    radius: Annotated[float, Range(1, 50), Unit.PIXELS, "how far around a place is looked at"] = 3.0,
    method: Literal["telea", "ns"] = "telea",
) -> ToolResult:
    """Paints over edges, one pixel wider, or places brighter than 127 from the pixels around them."""
    by_edges = preset == "canny"
    mask = filters.edge_mask(image, canny_low, canny_high) if by_edges else filters.bright_mask(image, BRIGHT)
    return filters.painted_over(image, mask, radius, method)


@tool
def opencv_floodfill(
    image: Picture,
    *,
    x: Annotated[Coordinate, "start, across"] = 0,
    y: Annotated[Coordinate, "start, down"] = 0,
    lo_diff: Deviation = (10, 10, 10),
    up_diff: Deviation = (10, 10, 10),
    new_val: Annotated[tuple[int, int, int], Range(0, 255), "the color to fill with: blue, green, red"] = (0, 255, 0),
    flags: Flags = 65_540,
) -> ToolResult:
    """Fills the region around a point whose colors are like the point's own; measures its pixels and its box."""
    return regions.filled(image, (x, y), new_val, lo_diff, up_diff, flags)
