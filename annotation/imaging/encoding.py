"""Pixels as the bytes of a picture file."""

from __future__ import annotations

import cv2

from annotation.imaging.crops import Picture
from annotation.imaging.problems import PictureProblem

_OPTIONS = {
    ".png": (cv2.IMWRITE_PNG_COMPRESSION, 3),
    ".webp": (cv2.IMWRITE_WEBP_QUALITY, 82),
    ".jpg": (cv2.IMWRITE_JPEG_QUALITY, 90),
    ".jpeg": (cv2.IMWRITE_JPEG_QUALITY, 90),
}
MOST_WEBP_SIDE = 16_383


def encode(picture: Picture, ending: str = ".png") -> bytes:
    """``picture`` (RGB or grey) as a file of this ending; PNG keeps every value. Raises ``PictureProblem``."""
    kind = ending.lower()
    if kind not in _OPTIONS or (kind == ".webp" and max(picture.shape[:2]) > MOST_WEBP_SIDE):
        raise PictureProblem(
            "cannot-write", f"A picture of this size is written as {', '.join(_OPTIONS)}, not {ending!r}."
        )
    stored = picture if picture.ndim == 2 else cv2.cvtColor(picture, cv2.COLOR_RGB2BGR)
    done, data = cv2.imencode(kind, stored, list(_OPTIONS[kind]))
    if not done:
        raise PictureProblem("cannot-write", f"OpenCV could not write the picture as {kind}.")
    return data.tobytes()


def quick_ending(picture: Picture, *, photograph: bool = False) -> str:
    """The ending under which a picture of a screen's size is written while somebody waits.

    Grey results of tools have few values and hard edges: PNG keeps them sharp and small. All others are JPEG, which is
    written in a twentieth of the time of WebP (3 ms instead of 70 at 1280 × 720) for two and a half times the bytes.
    """
    return ".png" if picture.ndim == 2 and not photograph else ".jpg"


def fitted(picture: Picture, side: int) -> Picture:
    """The picture, or the same smaller so that no side is longer than ``side`` pixels: means of areas."""
    height, width = picture.shape[:2]
    factor = side / max(height, width)
    if factor >= 1:
        return picture
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    return cv2.resize(picture, size, interpolation=cv2.INTER_AREA).astype(picture.dtype, copy=False)
