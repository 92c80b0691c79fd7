"""The file that a model is sent of an image."""

from __future__ import annotations

import io
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image, PngImagePlugin

from annotation.imaging.model_view import MOST_BYTES, model_view, stored_view


def photograph(height: int = 600, width: int = 800) -> Any:
    """Smooth light with grain, as a camera gives it."""
    down, across = np.mgrid[0:height, 0:width]
    light = np.stack([down / height, across / width, (down + across) / (height + width)], axis=-1) * 200
    return np.clip(light + np.random.default_rng(4).normal(20, 6, (height, width, 3)), 0, 255).astype(np.uint8)


def saved(kind: str, picture: Any = None, mode: str = "RGB", **options: Any) -> bytes:
    file = io.BytesIO()
    Image.fromarray(photograph(60, 80) if picture is None else picture).convert(mode).save(file, kind, **options)
    return file.getvalue()


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_a_plain_stored_file_is_sent_as_it_is(kind: str) -> None:
    """D10.4."""
    data = saved(kind)
    view = stored_view(data, 80, 60)
    assert view is not None
    assert (view.data, view.media_type) == (data, f"image/{kind.lower()}")


def exif() -> Any:
    found = Image.Exif()
    found[0x0112] = 6
    return found


def text() -> Any:
    found = PngImagePlugin.PngInfo()
    found.add_text("Author", "Ana Lind")
    return found


@pytest.mark.parametrize(
    "data",
    [
        saved("JPEG", exif=exif()),
        saved("PNG", pnginfo=text()),
        saved("JPEG", comment=b"at home"),
        saved("JPEG", icc_profile=b"profile"),
        saved("TIFF"),
        saved("PNG", mode="RGBA"),
        saved("JPEG", mode="CMYK"),
        saved("PNG") + bytes(MOST_BYTES),
    ],
    ids=["orientation", "text", "comment", "color profile", "tiff", "alpha", "cmyk", "large"],
)
def test_a_file_with_metadata_other_colors_or_many_bytes_is_written_anew(data: bytes) -> None:
    """D10.4: what people did not mean to send is not sent."""
    assert stored_view(data, 80, 60) is None


def test_a_file_of_another_size_than_its_upright_image_is_written_anew() -> None:
    """D10.4."""
    assert stored_view(saved("JPEG"), 60, 80) is None


def test_a_photograph_is_a_jpeg_with_full_color_resolution_a_third_of_the_png() -> None:
    """D10.4: a view of 1,568 pixels took 1,001 kB as PNG."""
    view = model_view(photograph(), 400)
    assert (view.media_type, view.width, view.height) == ("image/jpeg", 400, 300)
    with Image.open(io.BytesIO(view.data)) as file:
        assert [layer[1:3] for layer in file.layer] == [(1, 1)] * 3, "4:4:4"  # type: ignore[attr-defined]
    small = cv2.resize(photograph(), (400, 300), interpolation=cv2.INTER_AREA)
    assert len(view.data) < len(cv2.imencode(".png", small)[1]) / 2


def test_a_mask_is_a_png_to_the_pixel() -> None:
    """D10.4."""
    mask = np.zeros((50, 70), np.uint8)
    mask[10:20, 30:40] = 255
    view = model_view(mask)
    assert view.media_type == "image/png"
    assert np.array_equal(cv2.imdecode(np.frombuffer(view.data, np.uint8), cv2.IMREAD_GRAYSCALE), mask)
