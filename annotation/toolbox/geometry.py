"""Geometry: tools that move pixels. Each gives the exact map from its output back to its input."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

import cv2
import numpy as np

from annotation.marking import gettext_noop
from annotation.toolbox.affine import Affine, clockwise, scaling, shift
from annotation.toolbox.results import Coordinate, Picture, Range, Side, ToolError, ToolResult, as_picture
from annotation.toolbox.signature import tool

Degrees = Annotated[float, Range(-360, 360), gettext_noop("degrees, clockwise")]
Zoom = Annotated[float, Range(0.1, 10), gettext_noop("how many times larger")]
Preset = Literal["half", "double"]


@tool(gettext_noop("Crops a rectangle. It must be inside the image; it is never moved or clipped."))
def crop(
    image: Picture,
    *,
    x: Annotated[Coordinate, gettext_noop("left edge")] = 0,
    y: Annotated[Coordinate, gettext_noop("top edge")] = 0,
    width: Annotated[Side, gettext_noop("width in pixels")],
    height: Annotated[Side, gettext_noop("height in pixels")],
) -> ToolResult:
    crop_fits(image.shape[1], image.shape[0], x=x, y=y, width=width, height=height)
    return ToolResult(image[y : y + height, x : x + width].copy(), {"width": width, "height": height}, shift(x, y))


def crop_fits(
    image_width: int, image_height: int, *, width: int, height: int, x: int = 0, y: int = 0, of: str = "crop", **_: Any
) -> None:
    """Raises ``ToolError`` where the rectangle does not lie inside an image of this size."""
    for start, at, length, extent, total in (
        ("x", x, "width", width, image_width),
        ("y", y, "height", height, image_height),
    ):
        if at >= total:
            raise ToolError(of, start, at, f"0 to {total - 1}, inside the image")
        if at + extent > total:
            raise ToolError(of, length, extent, f"1 to {total - at} from {start} = {at}, inside the image")


def zoom_fits(image_width: int, image_height: int, **arguments: Any) -> None:
    """The same for ``zoom_in``."""
    crop_fits(image_width, image_height, of="zoom_in", **arguments)


def cropped_size(_width: int, _height: int, *, width: int, height: int, **_: Any) -> tuple[int, int]:
    """(width, height) of what ``crop`` gives."""
    return width, height


@tool(
    gettext_noop(
        "Crops a rectangle inside the image and enlarges it, by a scale or to a target width, height or both (one "
        "alone keeps the shape)."
    )
)
def zoom_in(
    image: Picture,
    *,
    x: Annotated[Coordinate, gettext_noop("left edge")] = 0,
    y: Annotated[Coordinate, gettext_noop("top edge")] = 0,
    width: Annotated[Side, gettext_noop("width in pixels")],
    height: Annotated[Side, gettext_noop("height in pixels")],
    scale: Zoom | None = None,
    target_width: Annotated[Side | None, gettext_noop("width of the result")] = None,
    target_height: Annotated[Side | None, gettext_noop("height of the result")] = None,
) -> ToolResult:
    zoom_fits(image.shape[1], image.shape[0], x=x, y=y, width=width, height=height)
    size = zoomed_size(
        image.shape[1],
        image.shape[0],
        width=width,
        height=height,
        scale=scale,
        target_width=target_width,
        target_height=target_height,
    )
    part = _resized(image[y : y + height, x : x + width], *size)
    back = shift(x, y).after(scaling(width / size[0], height / size[1]))
    return ToolResult(part, {"width": size[0], "height": size[1]}, back)


def zoomed_size(
    _width: int,
    _height: int,
    *,
    width: int,
    height: int,
    scale: float | None = None,
    target_width: int | None = None,
    target_height: int | None = None,
    x: int = 0,
    y: int = 0,
) -> tuple[int, int]:
    """(width, height) of what ``zoom_in`` gives; the place does not matter. Raises ``ToolError``."""
    targets = (target_width, target_height)
    if (scale is None) == (targets == (None, None)):
        raise ToolError("zoom_in", "scale", scale, "either scale, or target_width and target_height")
    if scale is not None:
        return max(1, round(width * scale)), max(1, round(height * scale))
    across = target_width or max(1, round(width * (target_height or 1) / height))
    return across, target_height or max(1, round(height * across / width))


@tool(
    gettext_noop("Changes the size: to width and height, or by a preset. Area means when shrinking, bicubic otherwise.")
)
def resize(
    image: Picture,
    *,
    width: Annotated[Side | None, gettext_noop("width of the result")] = None,
    height: Annotated[Side | None, gettext_noop("height of the result")] = None,
    preset: Annotated[Preset | None, gettext_noop("instead of width and height")] = None,
) -> ToolResult:
    size = resized_size(image.shape[1], image.shape[0], width=width, height=height, preset=preset)
    back = scaling(image.shape[1] / size[0], image.shape[0] / size[1])
    return ToolResult(_resized(image, *size), {"width": size[0], "height": size[1]}, back)


def resized_size(
    image_width: int,
    image_height: int,
    *,
    width: int | None = None,
    height: int | None = None,
    preset: Preset | None = None,
) -> tuple[int, int]:
    """(width, height) of what ``resize`` gives. Raises ``ToolError`` unless exactly one way is named in full."""
    if preset is not None and width is None and height is None:
        factor = 0.5 if preset == "half" else 2
        return max(1, round(image_width * factor)), max(1, round(image_height * factor))
    if preset is None and width is not None and height is not None:
        return width, height
    missing = "height" if height is None else "width"
    raise ToolError("resize", "preset" if preset else missing, preset, "width and height together, or preset alone")


@tool(
    gettext_noop(
        "Turns the image clockwise. The canvas grows so that nothing is lost, and new corners are black. Quarter "
        "turns move pixels without touching their values."
    )
)
def rotate(image: Picture, *, angle: Degrees) -> ToolResult:
    return turned(image, angle, rotated_size(image.shape[1], image.shape[0], angle=angle))


def turned(image: Picture, angle: float, size: tuple[int, int]) -> ToolResult:
    """The image turned clockwise about its center, in the middle of a canvas of this (width, height)."""
    height, width = image.shape[:2]
    onto = shift(size[0] / 2, size[1] / 2).after(clockwise(angle)).after(shift(-width / 2, -height / 2))
    if angle % 90 == 0:
        out = np.ascontiguousarray(np.rot90(image, -round(angle / 90)))
    else:
        out = as_picture(cv2.warpAffine(image, _between_centres(onto), size, flags=cv2.INTER_LINEAR))
    return ToolResult(out, {"width": size[0], "height": size[1]}, onto.inverse())


def rotated_size(width: int, height: int, *, angle: float) -> tuple[int, int]:
    """(width, height) of the canvas that holds the whole turned image."""
    turn = clockwise(angle)
    across, down = abs(turn.a) * width + abs(turn.b) * height, abs(turn.d) * width + abs(turn.e) * height
    return math.ceil(across - 1e-6), math.ceil(down - 1e-6)


@tool(gettext_noop("Mirrors the image: horizontal swaps left and right, vertical swaps top and bottom."))
def flip(image: Picture, *, direction: Literal["horizontal", "vertical"]) -> ToolResult:
    height, width = image.shape[:2]
    if direction == "horizontal":
        return ToolResult(as_picture(cv2.flip(image, 1)), transform=Affine(a=-1, c=width))
    return ToolResult(as_picture(cv2.flip(image, 0)), transform=Affine(e=-1, f=height))


@tool(gettext_noop("Moves the content. Pixels that leave the canvas are lost, and uncovered pixels are black."))
def translate(
    image: Picture,
    *,
    direction: Literal["left", "right", "up", "down"],
    distance: Annotated[Side, gettext_noop("pixels")] = 32,
) -> ToolResult:
    across, down = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}[direction]
    across, down = across * distance, down * distance
    height, width = image.shape[:2]
    moved = np.zeros_like(image)
    if abs(across) < width and abs(down) < height:
        rows, columns = slice(max(down, 0), height + min(down, 0)), slice(max(across, 0), width + min(across, 0))
        from_rows = slice(max(-down, 0), height - max(down, 0))
        from_columns = slice(max(-across, 0), width - max(across, 0))
        moved[rows, columns] = image[from_rows, from_columns]
    return ToolResult(moved, transform=shift(-across, -down))


@tool(
    gettext_noop(
        "One step of a Gaussian pyramid: smoothed and half the size, or twice the size and smoothed. Pixel i of the "
        "smaller image corresponds to pixel 2i of the larger one, not to the pair 2i, 2i+1. This causes the offset."
    )
)
def pyramid(image: Picture, *, mode: Literal["pyr_up", "pyr_down"]) -> ToolResult:
    if mode == "pyr_down":
        return ToolResult(as_picture(cv2.pyrDown(image)), transform=Affine(2, 0, -0.5, 0, 2, -0.5))
    return ToolResult(as_picture(cv2.pyrUp(image)), transform=Affine(0.5, 0, 0.25, 0, 0.5, 0.25))


def pyramid_size(width: int, height: int, *, mode: Literal["pyr_up", "pyr_down"]) -> tuple[int, int]:
    """(width, height) of what ``pyramid`` gives."""
    return ((width + 1) // 2, (height + 1) // 2) if mode == "pyr_down" else (width * 2, height * 2)


def _resized(image: Picture, width: int, height: int) -> Picture:
    shrinks = width <= image.shape[1] and height <= image.shape[0]
    return as_picture(cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC))


def _between_centres(transform: Affine) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """OpenCV counts from pixel centers: the same map, half a pixel over."""
    return np.array(shift(-0.5, -0.5).after(transform).after(shift(0.5, 0.5)).rows())
