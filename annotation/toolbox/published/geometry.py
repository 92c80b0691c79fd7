"""Geometry: sizes are cut to whole pixels, all scaling is linear, and a shift repeats the border."""

from __future__ import annotations

from typing import Annotated, Literal

import cv2
import numpy as np

from annotation.toolbox import geometry
from annotation.toolbox.affine import Affine, scaling, shift
from annotation.toolbox.results import Picture, Range, ToolError, ToolResult, as_picture
from annotation.toolbox.signature import tool

LONGEST = 10_000
"""Pixels of a side, and of a shift, that the interface accepts."""


@tool("Changes the size to width and height, or by the preset if there is one. Scaling is linear.")
def opencv_resize(
    image: Picture,
    *,
    width: Annotated[int, "width of the result in pixels, 1 to 10000"],
    height: Annotated[int, "height of the result in pixels, 1 to 10000"],
    preset: Annotated[Literal["half", "double"] | None, "replaces width and height"] = None,
) -> ToolResult:
    return _scaled(image, resized_size(image.shape[1], image.shape[0], width=width, height=height, preset=preset))


def resized_size(
    image_width: int, image_height: int, *, width: int, height: int, preset: Literal["half", "double"] | None = None
) -> tuple[int, int]:
    """Return the (width, height) of the result of ``opencv_resize``. Raises ``ToolError``."""
    if preset:
        factor = 0.5 if preset == "half" else 2.0
        width, height = int(image_width * factor), int(image_height * factor)
        if min(width, height) < 1:
            raise ToolError("opencv_resize", "preset", preset, "an image of at least 2 × 2 pixels for half")
        return width, height
    for name, side in (("width", width), ("height", height)):
        if not 0 < side <= LONGEST:
            raise ToolError("opencv_resize", name, side, f"a whole number from 1 to {LONGEST}")
    return width, height


@tool("Crops a rectangle inside the image and scales it linearly. Without scale and target it keeps its size.")
def opencv_zoom_in(
    image: Picture,
    *,
    x: Annotated[int, "left edge in pixels"] = 0,
    y: Annotated[int, "top edge in pixels"] = 0,
    width: Annotated[int, "width in pixels"],
    height: Annotated[int, "height in pixels"],
    scale: Annotated[float | None, "how many times larger: above 0, at most 10"] = None,
    target_width: Annotated[int | None, "width of the result in pixels, without scale"] = None,
    target_height: Annotated[int | None, "height of the result in pixels, without scale"] = None,
) -> ToolResult:
    size = zoomed_size(
        0, 0, width=width, height=height, scale=scale, target_width=target_width, target_height=target_height
    )
    part = _scaled(_cropped(image, "opencv_zoom_in", x, y, width, height), size)
    assert part.transform is not None
    return ToolResult(part.image, part.measurements, shift(x, y).after(part.transform))


def zoomed_size(
    _image_width: int,
    _image_height: int,
    *,
    width: int,
    height: int,
    scale: float | None = None,
    target_width: int | None = None,
    target_height: int | None = None,
    x: int = 0,
    y: int = 0,
) -> tuple[int, int]:
    """Return the (width, height) of the result of ``opencv_zoom_in``. Raises ``ToolError``.

    The scale takes precedence over the targets. A single target leaves the other side unchanged.
    """
    if scale is not None:
        if not 0 < scale <= 10:
            raise ToolError("opencv_zoom_in", "scale", scale, "a number above 0, at most 10")
        size = int(width * scale), int(height * scale)
        return size if min(size) > 0 else (width, height)
    size = (width if target_width is None else target_width), (height if target_height is None else target_height)
    if (target_width, target_height) != (None, None) and not 0 < min(size) <= max(size) <= LONGEST:
        name = "target_width" if target_width is not None and not 0 < target_width <= LONGEST else "target_height"
        raise ToolError("opencv_zoom_in", name, list(size), f"whole numbers from 1 to {LONGEST}")
    return size


@tool("Crops a rectangle. It must be inside the image.")
def opencv_crop(
    image: Picture,
    *,
    x: Annotated[int, "left edge in pixels"] = 0,
    y: Annotated[int, "top edge in pixels"] = 0,
    width: Annotated[int, "width in pixels"],
    height: Annotated[int, "height in pixels"],
) -> ToolResult:
    part = _cropped(image, "opencv_crop", x, y, width, height)
    return ToolResult(part.copy(), {"cropped_size": [width, height]}, shift(x, y))


def _cropped(image: Picture, tool_name: str, x: int, y: int, width: int, height: int) -> Picture:
    for name, value, least in (("x", x, 0), ("y", y, 0), ("width", width, 1), ("height", height, 1)):
        if value < least:
            raise ToolError(tool_name, name, value, f"a whole number from {least}")
    geometry.crop_fits(image.shape[1], image.shape[0], x=x, y=y, width=width, height=height, of=tool_name)
    return np.ascontiguousarray(image[y : y + height, x : x + width])


def _scaled(image: Picture, size: tuple[int, int]) -> ToolResult:
    height, width = image.shape[:2]
    result = as_picture(cv2.resize(image, size, interpolation=cv2.INTER_LINEAR))
    return ToolResult(result, {"new_size": list(size)}, scaling(width / size[0], height / size[1]))


@tool("Turns the image clockwise by whole degrees; the rest is cut off. The canvas grows, its sides are rounded down.")
def opencv_rotate(image: Picture, *, angle: Annotated[float, "degrees, clockwise"] = 0.0) -> ToolResult:
    height, width = image.shape[:2]
    if int(angle) == 0:
        return ToolResult(image.copy())
    matrix = np.asarray(cv2.getRotationMatrix2D((width / 2, height / 2), -int(angle), 1.0))
    size = rotated_size(width, height, angle=angle)
    matrix[:, 2] += size[0] / 2 - width / 2, size[1] / 2 - height / 2
    result = as_picture(cv2.warpAffine(image, matrix, size, flags=cv2.INTER_LINEAR))
    onto = shift(0.5, 0.5).after(Affine(*(float(value) for value in matrix.ravel()))).after(shift(-0.5, -0.5))
    return ToolResult(result, {"angle": int(angle), "rotated_size": list(size)}, onto.inverse())


def rotated_size(width: int, height: int, *, angle: float = 0.0) -> tuple[int, int]:
    """Return the (width, height) of the canvas of ``opencv_rotate``."""
    matrix = cv2.getRotationMatrix2D((0, 0), -int(angle), 1.0)
    cos, sin = abs(float(matrix[0, 0])), abs(float(matrix[0, 1]))
    return max(1, int(height * sin + width * cos)), max(1, int(height * cos + width * sin))


@tool("Mirrors the image: horizontal swaps left and right, vertical swaps top and bottom.")
def opencv_flip(image: Picture, *, direction: Literal["horizontal", "vertical"] = "horizontal") -> ToolResult:
    return geometry.flip(image, direction=direction)


@tool("Moves the content. Pixels that leave the canvas are lost, and uncovered ones repeat the border.")
def opencv_translate(
    image: Picture,
    *,
    direction: Literal["left", "right", "up", "down"] = "right",
    distance: Annotated[int, Range(0, LONGEST), "pixels"] = 32,
) -> ToolResult:
    across, down = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}[direction]
    across, down = across * distance, down * distance
    size = image.shape[1], image.shape[0]
    matrix = np.array([[1, 0, across], [0, 1, down]], np.float32)
    moved = as_picture(cv2.warpAffine(image, matrix, size, borderMode=cv2.BORDER_REPLICATE))
    return ToolResult(moved, {"translation": [across, down]}, shift(-across, -down))


@tool("One step of a Gaussian pyramid: smoothed and half the size, or twice the size and smoothed.")
def opencv_pyramid(image: Picture, *, mode: Literal["pyr_up", "pyr_down"] = "pyr_down") -> ToolResult:
    return geometry.pyramid(image, mode=mode)


def pyramid_size(width: int, height: int, *, mode: Literal["pyr_up", "pyr_down"] = "pyr_down") -> tuple[int, int]:
    """Return the (width, height) of the result of ``opencv_pyramid``."""
    return geometry.pyramid_size(width, height, mode=mode)
