"""Predicts time and memory of a call from the size of its image and its parameters.

Times are for one ordinary core, in nanoseconds per pixel, rounded up. They distinguish a second from an hour, but are
not more precise. Parameters with negligible cost are omitted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Effort = Callable[..., tuple[str, float]]
"""Receives the arguments; returns the most expensive parameter and nanoseconds per pixel."""


def of_blur(
    *, method: str, ksize: int, sigma_x: float = 0, sigma_y: float = 0, d: int = 9, **_: Any
) -> tuple[str, float]:
    """Bilateral filters read d² neighbors; a Gaussian reads a row and a column with the length of its kernel."""
    if method == "bilateral":
        return "d", 10.0 * d * d
    if method == "gaussian":
        return "ksize", 6.0 * ksize
    return "ksize", 600.0 if method == "median" and ksize > 5 else 20.0


def of_sharpen(*, sigma: float = 1.5, **_: Any) -> tuple[str, float]:
    """The kernel of the blur has a length of eight sigma."""
    return "sigma", 50.0 * sigma


def of_threshold(*, mode: str = "otsu", adaptive_block_size: int = 11, **_: Any) -> tuple[str, float]:
    return "adaptive_block_size", 4.0 * adaptive_block_size if mode == "adaptive_gaussian" else 20.0


def of_morphology(
    *, kernel_size: int = 3, iterations: int = 1, kernel_shape: str = "rect", **_: Any
) -> tuple[str, float]:
    """A rectangle is separable into rows and columns. Other kernels read each of their pixels in each iteration."""
    name = "iterations" if iterations > kernel_size else "kernel_size"
    if kernel_shape == "rect":
        return name, 5.0 + 1.0 * kernel_size * iterations
    return name, 5.0 + 0.3 * kernel_size * kernel_size * iterations


def preview_of_features(*, method: str = "orb", **_: Any) -> float:
    """SIFT doubles the image first and takes 200 ns per pixel, so its preview has half the side."""
    return 0.5 if method == "sift" else 1.0


def preview_of_slow(**_: Any) -> float:
    """These tools take seconds on an image of screen size. Their preview has half the side and takes a quarter of the
    time.
    """
    return 0.5


def of_denoise(*, search_window: int = 21, **_: Any) -> tuple[str, float]:
    """Each pixel is compared with the entire search window."""
    return "search_window", 15.0 * search_window * search_window


def of_grabcut(**_: Any) -> tuple[str, float]:
    """Five iterations of color mixtures and of a cut through all pixels."""
    return "image", 5000.0


def of_features(*, method: str = "orb", **_: Any) -> tuple[str, float]:
    return "method", 400.0 if method == "sift" else 20.0


def of_watershed(**_: Any) -> tuple[str, float]:
    return "image", 100.0


def of_inpaint(*, radius: float = 3, **_: Any) -> tuple[str, float]:
    """The painted area is known only at run time; it is rarely more than a tenth."""
    return "radius", 20.0 * radius
