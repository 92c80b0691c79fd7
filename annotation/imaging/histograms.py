"""The frequency of each value in an image, in few steps, for drawing."""

from __future__ import annotations

import cv2

from annotation.imaging.crops import Picture

BINS = 64


def histogram(picture: Picture) -> list[list[float]]:
    """For each channel (red, green, blue, or gray alone) ``BINS`` shares of the pixels, 0 to 1, dark to light."""
    channels = 1 if picture.ndim == 2 else picture.shape[2]
    total = picture.shape[0] * picture.shape[1]
    counts = [cv2.calcHist([picture], [at], None, [BINS], [0, 256]) for at in range(channels)]
    return [[float(value) / total for value in count.reshape(-1)] for count in counts]
