"""The pixels of a variant. The same recipe on the same pixels gives the same bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from annotation.imaging.crops import Picture, encode_jpeg
from annotation.imaging.encoding import encode
from annotation.imaging.variants.plane import Plane
from annotation.imaging.variants.recipes import Kind, Recipe, crop_window, size_and_plane

Values = NDArray[np.float64]
BACKGROUND = (128, 128, 128)
"""The fill of areas without pixels in a rotated or tilted image."""
_BAND = 1024
"""Rows that are worked on at once, so that a large image needs no large arrays of numbers."""


def apply(recipe: Recipe, picture: Picture) -> Picture:
    """The variant of RGB pixels. Raises ``RecipeError`` if it would be too large or too small."""
    height, width = picture.shape[:2]
    wide, high, plane = size_and_plane(recipe, width, height)
    dose = recipe.dose or 0.0
    match recipe.kind:
        case Kind.FLIP:
            return np.ascontiguousarray(picture[:, ::-1] if recipe.choice == "horizontal" else picture[::-1])
        case Kind.ROTATE if plane.is_upright:
            return np.ascontiguousarray(np.rot90(picture, -round(dose % 360 / 90)))
        case Kind.ROTATE | Kind.PERSPECTIVE:
            return _warped(picture, plane, wide, high)
        case Kind.SCALE:
            how = cv2.INTER_AREA if wide <= width else cv2.INTER_CUBIC
            return np.asarray(cv2.resize(picture, (wide, high), interpolation=how), np.uint8)
        case Kind.CROP:
            left, top, right, bottom = crop_window(recipe, width, height)
            return picture[top:bottom, left:right].copy()
        case Kind.BLUR:
            return np.asarray(cv2.GaussianBlur(picture, (0, 0), dose, borderType=cv2.BORDER_REFLECT_101), np.uint8)
        case Kind.MOTION_BLUR:
            kernel = _streak(round(dose), recipe.choice)
            return np.asarray(cv2.filter2D(picture, -1, kernel, borderType=cv2.BORDER_REFLECT_101), np.uint8)
        case Kind.NOISE:
            return _noisy(picture, dose, recipe.seed)
        case Kind.JPEG:
            coded = np.frombuffer(encode_jpeg(picture, int(dose), halved=True), np.uint8)
            return np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR_RGB), np.uint8)
        case Kind.CONTRAST:
            return _contrast(picture, dose / 100)
        case Kind.HAZE:
            share = dose / 100
            return _looked_up(picture, lambda value: value * (1 - share) + 255 * share)
        case Kind.LOW_LIGHT:
            return _looked_up(picture, lambda value: value * (1 - dose / 100))


def written(recipe: Recipe, variant: Picture) -> bytes:
    """The file that is stored: PNG keeps every pixel."""
    return encode(variant, ".png")


def digest_of(variant: Picture) -> str:
    """Return the SHA-256 of size and pixels, independent of the library that writes the file."""
    found = hashlib.sha256(repr(variant.shape).encode())
    found.update(np.ascontiguousarray(variant).data)
    return found.hexdigest()


def _warped(picture: Picture, plane: Plane, width: int, height: int) -> Picture:
    half = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
    # OpenCV counts from the centers of pixels.
    matrix = np.linalg.inv(half) @ plane.array() @ half
    found = cv2.warpPerspective(
        picture, matrix, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=BACKGROUND
    )
    return np.asarray(found, np.uint8)


def _streak(length: int, choice: str) -> np.ndarray:
    """The kernel of a movement at constant speed over ``length`` pixels."""
    size = length + 1 - length % 2
    kernel = np.zeros((size, size), np.float32)
    middle = size // 2
    if choice == "diagonal":
        np.fill_diagonal(kernel, 1)
    elif choice == "vertical":
        kernel[:, middle] = 1
    else:
        kernel[middle] = 1
    return np.asarray(kernel / kernel.sum(), np.float32)


def _noisy(picture: Picture, deviation: float, seed: int) -> Picture:
    """Gaussian noise, drawn for each pixel and channel."""
    random, found = np.random.Generator(np.random.PCG64(seed)), np.empty_like(picture)
    for top in range(0, picture.shape[0], _BAND):
        band = picture[top : top + _BAND]
        noise = random.standard_normal(band.shape, np.float32)
        found[top : top + _BAND] = np.clip(np.rint(band + noise * np.float32(deviation)), 0, 255)
    return found


def _contrast(picture: Picture, factor: float) -> Picture:
    """About the mean brightness, which stays."""
    mean = float(np.mean(cv2.mean(picture)[:3]))
    return _looked_up(picture, lambda value: (value - mean) * factor + mean)


def _looked_up(picture: Picture, curve: Callable[[Values], Values]) -> Picture:
    table = np.clip(np.rint(curve(np.arange(256, dtype=np.float64))), 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(picture, table), np.uint8)
