"""Safe reading of image files: facts about a file (``inspect``) and its pixels as 8-bit RGB (``decode``).

Nothing is decoded before the header has given the number of pixels. EXIF orientation is applied exactly once, here; all
sizes returned by this module are after it. Color profiles are not applied: the pixels are the file's own, as a model
receives them. OpenCV decodes directly into the result, so plain RGB and gray files need one array; files with alpha,
palettes, CMYK or 16 bits are decoded by Pillow, a band at a time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

import cv2
import numpy as np
from PIL import Image, ImageFile, TiffImagePlugin

from annotation.imaging.crops import Picture
from annotation.imaging.opening import OpenPicture, Source, damage_of, damaged, open_picture

_BAND = 256


@dataclass(frozen=True, slots=True)
class PictureInfo:
    """Facts about an image file. ``width`` and ``height`` are after EXIF orientation; ``bytes`` is the file's length.

    ``orientation`` is the EXIF value 1 to 8 (1 if missing or invalid), ``mode`` Pillow's name of the stored pixel kind
    (RGB, L, RGBA, P, CMYK, I;16 ...), ``notes`` sentences about ignored content.
    """

    format: str
    width: int
    height: int
    orientation: int
    mode: str
    bytes: int
    sha256: str
    notes: tuple[str, ...] = ()


def inspect(source: Source, name: str = "") -> PictureInfo:
    """Return facts about the file, from its header alone. ``name``: its ending is checked (default: that of the path).

    Raises ``PictureProblem``. A file that passes can still have damaged pixel data, which ``decode`` detects.
    """
    with open_picture(source, name or (str(source) if not isinstance(source, bytes) else "")) as picture:
        width, height = picture.size if picture.orientation < 5 else picture.size[::-1]
        notes = _notes(picture)
        picture.file.seek(0)
        digest = hashlib.file_digest(picture.file, "sha256").hexdigest()  # type: ignore[arg-type]  # an open file
        return PictureInfo(
            picture.format, width, height, picture.orientation, picture.image.mode, picture.file.tell(), digest, notes
        )


def decode(source: Source) -> Picture:
    """Return the pixels as RGB, ``uint8`` of shape (height, width, 3), upright; alpha over white, 16 bits by their high
    byte.

    Peak memory: one such array for plain RGB and gray files (two while an image stored sideways, EXIF 5 to 8, is
    rotated; plus the Pillow image for all others). Raises ``PictureProblem``.
    """
    with open_picture(source, "") as picture, damage_of(picture.format):
        pixels = _plain(picture) if _is_plain(picture) else _converted(picture.image)
    return pixels if picture.format == "TIFF" else upright(pixels, picture.orientation)


def upright(pixels: Picture, orientation: int) -> Picture:
    """Return ``pixels`` rotated by EXIF ``orientation`` (1 to 8). Images that need no rotation are mirrored
    in place.
    """
    if orientation in (2, 3, 4):
        cv2.flip(pixels, {2: 1, 3: -1, 4: 0}[orientation], dst=pixels)
    elif orientation in (5, 7):
        pixels = np.ascontiguousarray(np.swapaxes(pixels if orientation == 5 else pixels[::-1, ::-1], 0, 1))
    elif orientation in (6, 8):
        turn = cv2.ROTATE_90_CLOCKWISE if orientation == 6 else cv2.ROTATE_90_COUNTERCLOCKWISE
        pixels = np.asarray(cv2.rotate(pixels, turn), dtype=np.uint8)
    return pixels


@contextmanager
def opened_jpeg(source: Source) -> Iterator[tuple[ImageFile.ImageFile, int] | None]:
    """Yield the Pillow image and EXIF orientation of a JPEG with a valid header; None for the other formats."""
    with open_picture(source, "") as picture:
        yield (picture.image, picture.orientation) if picture.format == "JPEG" else None


def _notes(picture: OpenPicture) -> tuple[str, ...]:
    if isinstance(picture.image, TiffImagePlugin.TiffImageFile) and picture.image.tag_v2.next:
        return ("The TIFF has more than one page; the first page is used.",)
    return ()


def _is_plain(picture: OpenPicture) -> bool:
    """Return whether OpenCV can read the pixels: 8-bit RGB or gray without alpha; a TIFF also stored upright and
    chunky.
    """
    image = picture.image
    plain = image.mode in ("RGB", "L") and "transparency" not in image.info
    if not isinstance(image, TiffImagePlugin.TiffImageFile):
        return plain
    tags = image.tag_v2
    upright_chunky = picture.orientation == 1 and tags.get(284, 1) == 1
    return plain and upright_chunky and set(tags.get(258, (1,))) == {8} and tags.get(262) in (1, 2)


def _plain(picture: OpenPicture) -> Picture:
    width, height = picture.size
    pixels = np.empty((height, width, 3), np.uint8)
    if isinstance(picture.image, TiffImagePlugin.TiffImageFile):
        strips = _raw_strips(picture.image, pixels.nbytes)
        if strips:
            _read_strips(picture.file, strips, pixels)
            return pixels
    flags = cv2.IMREAD_COLOR_RGB | cv2.IMREAD_IGNORE_ORIENTATION
    if cv2.imread(str(picture.path), pixels, flags) is None:
        raise damaged(picture.format)
    return pixels


def _raw_strips(image: TiffImagePlugin.TiffImageFile, total: int) -> list[tuple[int, int]]:
    """Return (start, length) of the strips of an uncompressed RGB TIFF of ``total`` bytes; empty for any other TIFF."""
    tags = image.tag_v2
    strips = list(zip(tags.get(273, ()), tags.get(279, ()), strict=False))
    is_raw = tags.get(259, 1) == 1 and tags.get(262) == 2
    return strips if is_raw and sum(length for _, length in strips) == total else []


def _read_strips(file: IO[bytes], strips: list[tuple[int, int]], pixels: Picture) -> None:
    """Read raw strips directly into ``pixels``: OpenCV would hold a file that is one giant strip three times."""
    place = pixels.reshape(-1)
    for start, length in strips:
        file.seek(start)
        file.readinto(place[:length])  # type: ignore[attr-defined]  # a file opened for reading bytes has it
        place = place[length:]


def _converted(image: ImageFile.ImageFile) -> Picture:
    image.load()  # a TIFF is turned upright here, so its size is known only now
    width, height = image.size
    pixels = np.empty((height, width, 3), np.uint8)
    for top in range(0, height, _BAND):
        bottom = min(top + _BAND, height)
        pixels[top:bottom] = rgb_of(image.crop((0, top, width, bottom)))
    return pixels


def rgb_of(image: Image.Image) -> Picture:
    """Return a Pillow image of any accepted mode as RGB pixels; transparent areas become white."""
    if image.mode.startswith("I;16"):
        grey = (np.asarray(image) >> 8).astype(np.uint8)
        return np.repeat(grey[:, :, None], 3, axis=2)
    if "transparency" in image.info or image.mode in ("RGBA", "LA", "PA", "La", "RGBa"):
        rgba = np.asarray(image.convert("RGBA"), dtype=np.uint16)
        alpha = rgba[:, :, 3:]
        return ((rgba[:, :, :3] * alpha + 255 * (255 - alpha) + 127) // 255).astype(np.uint8)
    return np.asarray(image.convert("RGB"), dtype=np.uint8)
