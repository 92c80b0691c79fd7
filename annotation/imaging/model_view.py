"""The file of an image that a model is sent: the stored one where that is safe, else JPEG or, for masks, PNG."""

from __future__ import annotations

import io
from dataclasses import dataclass

import cv2
from PIL import Image

from annotation.imaging.containers import format_of
from annotation.imaging.crops import Picture
from annotation.imaging.encoding import encode, fitted, quick_ending

MOST_BYTES = 8_000_000
"""A larger stored file is encoded again."""
QUALITY = 95
POLICY = f"stored file, else JPEG {QUALITY} 4:4:4; PNG for masks"
_TYPES = {"JPEG": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp"}
_ABOUT_PIXELS = frozenset(
    {"jfif", "jfif_version", "jfif_unit", "jfif_density", "dpi", "adobe", "adobe_transform", "progressive",
     "progression", "gamma", "interlace", "srgb", "loop", "background", "timestamp", "duration"}
)  # fmt: skip
"""Keys of Pillow that are not metadata of the photograph."""


@dataclass(frozen=True, slots=True)
class ModelView:
    """The bytes sent, their media type, and the size of the image in them."""

    data: bytes
    media_type: str
    width: int
    height: int


def model_view(picture: Picture, longest_side: int | None = None) -> ModelView:
    """``picture`` with no side longer than ``longest_side``: PNG where it has at most 16 grays, else JPEG 95 4:4:4.

    A view of 1568 pixels takes a third of the bytes of a PNG, and loses no color resolution.
    """
    small = fitted(picture, longest_side) if longest_side else picture
    height, width = small.shape[:2]
    if quick_ending(small) == ".png":
        return ModelView(encode(small), "image/png", width, height)
    return ModelView(_as_jpeg(small), "image/jpeg", width, height)


def stored_view(data: bytes, width: int, height: int) -> ModelView | None:
    """Return a stored file unchanged, or None if it must be encoded again or can't be read.

    It is sent unchanged if it is an RGB or gray JPEG, PNG or WebP of at most 8 MB, upright, of this size, and without
    metadata: no EXIF, color profile, comment or text.
    """
    if len(data) > MOST_BYTES or format_of(data[:1024]) not in _TYPES:
        return None
    try:
        file = Image.open(io.BytesIO(data), formats=list(_TYPES))
    except OSError:
        # Decoding it reports the problem.
        return None
    with file:
        plain = file.mode in ("RGB", "L") and file.size == (width, height) and not getattr(file, "is_animated", False)
        if not plain or set(file.info) - _ABOUT_PIXELS or file.getexif():
            return None
        return ModelView(data, _TYPES[file.format or ""], width, height)


def _as_jpeg(picture: Picture) -> bytes:
    options = [cv2.IMWRITE_JPEG_QUALITY, QUALITY]
    options += [cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444]
    stored = picture if picture.ndim == 2 else cv2.cvtColor(picture, cv2.COLOR_RGB2BGR)
    done, data = cv2.imencode(".jpg", stored, options)
    if not done:
        raise ValueError(f"OpenCV could not write an image of {picture.shape[1]} × {picture.shape[0]} as JPEG.")
    return data.tobytes()
