"""Images of the probe, drawn for each one so that no answer can be remembered."""

from __future__ import annotations

import io
from random import Random

from PIL import Image, ImageDraw, ImageFont

from evaluation.endpoints.frames import Square

LARGE = (4096, 4096)
"""Width and height of the largest image tried."""
_RED = (220, 30, 30)


def number_image(number: int) -> bytes:
    """Return a PNG of 320 × 160 pixels that shows a number in black on white."""
    image = Image.new("RGB", (320, 160), "white")
    ImageDraw.Draw(image).text((160, 80), str(number), fill="black", font=ImageFont.load_default(96), anchor="mm")
    return _png(image)


def square_image(width: int, height: int, rng: Random) -> tuple[bytes, Square]:
    """Return a PNG with one red square on gray, and its position.

    It is far along one axis, where frames differ most, and near the origin on the other, so that x and y can't be
    confused.
    """
    side = round(min(width, height) * 0.2)
    across, down = ((0.05, 0.2), (0.6, 0.8)) if width > height else ((0.6, 0.8), (0.05, 0.2))
    left, top = round(rng.uniform(*across) * width), round(rng.uniform(*down) * height)
    image = Image.new("RGB", (width, height), (235, 235, 235))
    ImageDraw.Draw(image).rectangle((left, top, left + side - 1, top + side - 1), fill=_RED)
    return _png(image), Square(width, height, (left, top, left + side, top + side))


def large_image(rng: Random) -> bytes:
    """Return a JPEG of 4096 × 4096 pixels with about as many bytes as are ever sent, 8 MB."""
    image = Image.frombytes("L", LARGE, rng.randbytes(LARGE[0] * LARGE[1]))
    file = io.BytesIO()
    image.save(file, "JPEG", quality=40)
    return file.getvalue()


def _png(image: Image.Image) -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()
