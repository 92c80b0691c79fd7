"""Twenty camera files: what they say is named, nothing of it is left, and every pixel stays."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, TiffImagePlugin, TiffTags

from annotation.imaging.decoding import decode, inspect
from annotation.imaging.metadata import without_metadata
from annotation.imaging.metadata_names import CAMERA, COMMENT, GPS, XMP, metadata_kinds
from annotation.imaging.problems import PictureProblem
from tests.unit.test_imaging_metadata import photo

POSITION = (b"GPS", b"41.8902", b"exif:GPSLatitude")


def camera_files() -> list[tuple[str, bytes]]:
    """JPEG, progressive JPEG, PNG, WebP and TIFF, each in four orientations, with a position, XMP and texts."""
    kinds = ("JPEG", "PROGRESSIVE", "PNG", "WEBP")
    found = [(f"{kind}-{turn}", photo(kind, turn)) for kind in kinds for turn in (1, 3, 6, 8)]
    return found + [(f"TIFF-{turn}", tiff_photo(turn)) for turn in (1, 3, 6, 8)]


def tiff_photo(orientation: int) -> bytes:
    out = io.BytesIO()
    pixels = np.random.default_rng(3).integers(0, 256, (61, 83, 3), dtype=np.uint8)
    tags = TiffImagePlugin.ImageFileDirectory_v2()
    tags[0x0112], tags[315], tags[272] = orientation, "Ana Lind", "Secret camera"
    tags.tagtype[0x8825] = TiffTags.LONG
    tags._tags_v2[0x8825] = {1: "N", 2: (41.0, 53.0, 24.72), 29: "41.8902"}
    Image.fromarray(pixels).save(out, "TIFF", tiffinfo=tags)
    return out.getvalue()


FILES = camera_files()


def location_tags(data: bytes) -> list[Any]:
    with Image.open(io.BytesIO(data)) as image:
        return [*image.getexif().get_ifd(0x8825), *(part for part in POSITION if part in data)]


@pytest.mark.parametrize(("name", "data"), FILES, ids=[name for name, _ in FILES])
def test_a_camera_file_keeps_no_location_and_every_pixel(name: str, data: bytes) -> None:
    assert location_tags(data)
    assert {GPS, CAMERA} <= set(metadata_kinds(data))
    with without_metadata(data, inspect(data)) as (kept, _):
        cleaned = kept if isinstance(kept, bytes) else Path(kept).read_bytes()
    assert location_tags(cleaned) == []
    assert metadata_kinds(cleaned) == []
    assert np.array_equal(decode(cleaned), decode(data))


def test_there_are_twenty_files() -> None:
    assert len(FILES) == len({data for _, data in FILES}) == 20


def test_the_kinds_are_named() -> None:
    assert metadata_kinds(photo("JPEG", 6)) == [GPS, CAMERA, XMP, COMMENT]
    assert metadata_kinds(photo("PNG", 1)) == [GPS, CAMERA, XMP, COMMENT]


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_a_plain_file_says_nothing(kind: str) -> None:
    out = io.BytesIO()
    Image.new("RGB", (40, 30), (9, 99, 200)).save(out, kind)
    assert metadata_kinds(out.getvalue()) == []


def test_what_is_no_image_is_a_problem() -> None:
    with pytest.raises(PictureProblem):
        metadata_kinds(b"GPS")
