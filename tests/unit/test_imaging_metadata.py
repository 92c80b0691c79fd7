"""Metadata goes, pixels and orientation stay exact, in every format that is taken."""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageCms, PngImagePlugin, TiffImagePlugin

from annotation.imaging.decoding import decode, inspect
from annotation.imaging.metadata import without_metadata
from annotation.imaging.problems import PictureProblem

SECRETS = (b"Ana Lind", b"Secret camera", b"41.8902", b"xmp secret", b"caption secret", b"thumbnail")
PROFILE = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
XMP = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'>xmp secret</x:xmpmeta>"
SAVED: dict[str, dict[str, Any]] = {
    "JPEG": {"quality": 90, "comment": "caption secret"},
    "PROGRESSIVE": {"quality": 90, "progressive": True, "subsampling": 2, "restart_marker_blocks": 3},
    "PNG": {},
    "WEBP": {"lossless": True},
    "TIFF": {"compression": "tiff_lzw", "description": "caption secret"},
    "BIG": {"big_tiff": True, "tiffinfo": {270: "caption secret", 33432: "Ana Lind"}},
}


def exif(orientation: int) -> Image.Exif:
    found = Image.Exif()
    found[0x0110], found[0x013B] = "Secret camera", "Ana Lind"
    found[0x0112] = orientation
    found.get_ifd(0x8825).update({1: "N", 2: (41.0, 53.0, 24.72), 29: "41.8902"})
    return found


def photo(kind: str, orientation: int, mode: str = "RGB") -> bytes:
    """A picture with all that a camera and its owner say."""
    random = np.random.default_rng(3)
    picture = Image.fromarray(random.integers(0, 256, (61, 83, 3), dtype=np.uint8)).convert(mode)
    settings = dict(SAVED[kind])
    if kind == "PNG":
        text = PngImagePlugin.PngInfo()
        text.add_text("Author", "Ana Lind")
        text.add_itxt("XML:com.adobe.xmp", XMP.decode(), zip=True)
        settings["pnginfo"] = text
    if kind in ("JPEG", "WEBP", "TIFF"):
        settings |= {"xmp": XMP} if kind != "TIFF" else {}
    out = io.BytesIO()
    name = {"PROGRESSIVE": "JPEG", "BIG": "TIFF"}.get(kind, kind)
    if name != "TIFF":
        settings["exif"] = exif(orientation)
    elif kind == "TIFF":
        tags = TiffImagePlugin.ImageFileDirectory_v2()
        tags[0x0112], tags[315], tags[272], tags[700] = orientation, "Ana Lind", "Secret camera", XMP
        settings["tiffinfo"] = tags
    else:
        settings["tiffinfo"] = settings["tiffinfo"] | {0x0112: orientation}
    picture.save(out, name, icc_profile=PROFILE, **settings)
    return out.getvalue()


def cleaned(data: bytes) -> bytes:
    with without_metadata(data, inspect(data)) as (kept, info):
        found = kept if isinstance(kept, bytes) else Path(kept).read_bytes()
    assert info == inspect(found)
    return found


@pytest.mark.parametrize("orientation", [1, 6, 8])
@pytest.mark.parametrize("kind", SAVED)
def test_people_and_places_go_and_every_pixel_stays(kind: str, orientation: int) -> None:
    """D8.12."""
    before = photo(kind, orientation)
    after = cleaned(before)
    assert any(secret in before for secret in SECRETS)
    assert [secret for secret in SECRETS if secret in after] == []
    assert inspect(after).orientation == inspect(before).orientation == orientation
    assert np.array_equal(decode(after), decode(before))
    assert Image.open(io.BytesIO(after)).info["icc_profile"] == PROFILE
    assert not dict(Image.open(io.BytesIO(after)).getexif().get_ifd(0x8825))
    assert cleaned(after) == after


@pytest.mark.parametrize(
    ("kind", "mode"), [("PNG", "P"), ("PNG", "RGBA"), ("PNG", "LA"), ("TIFF", "L"), ("WEBP", "RGBA"), ("JPEG", "CMYK")]
)
def test_palettes_alpha_and_ink_stay(kind: str, mode: str) -> None:
    before = photo(kind, 3, mode)
    assert np.array_equal(decode(cleaned(before)), decode(before))


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_a_picture_without_metadata_is_left_as_it_is(kind: str) -> None:
    out = io.BytesIO()
    Image.new("RGB", (40, 30), (9, 99, 200)).save(out, kind)
    assert cleaned(out.getvalue()) == out.getvalue()


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_what_a_camera_puts_behind_the_picture_goes(kind: str) -> None:
    out = io.BytesIO()
    Image.new("RGB", (40, 30)).save(out, kind)
    assert cleaned(out.getvalue() + photo("JPEG", 6) + b"\xff\xd9") == out.getvalue()


def test_the_thumbnail_of_a_jfif_head_goes() -> None:
    out = io.BytesIO()
    Image.new("RGB", (40, 30)).save(out, "JPEG")
    data = out.getvalue()
    head = b"\xff\xe0" + struct.pack(">H", 16 + 3 * 4) + data[6:18] + b"\x02\x02" + b"thumbnail..."
    with_thumbnail = data[:2] + head + data[20:]
    assert inspect(with_thumbnail).width == 40
    assert cleaned(with_thumbnail) == data


def test_further_pages_of_a_tiff_go() -> None:
    out = io.BytesIO()
    first = Image.new("RGB", (40, 30), (1, 2, 3))
    first.save(out, "TIFF", save_all=True, append_images=[Image.new("RGB", (40, 30), (200, 100, 50))])
    after = cleaned(out.getvalue())
    assert getattr(Image.open(io.BytesIO(after)), "n_frames", 1) == 1
    assert bytes((200, 100, 50)) not in after
    assert np.array_equal(decode(after), decode(out.getvalue()))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", SAVED)
def test_damaged_structure_is_refused_and_never_an_error(kind: str) -> None:
    data = photo(kind, 6)
    random = np.random.default_rng(7)
    for _ in range(150):
        broken = bytearray(data)
        for place in random.integers(0, min(len(data), 4000), 3):
            broken[place] = random.integers(0, 256)
        try:
            info = inspect(bytes(broken))
            with without_metadata(bytes(broken), info) as (_, found):
                assert (found.width, found.height) == (info.width, info.height)
        except PictureProblem:
            continue
