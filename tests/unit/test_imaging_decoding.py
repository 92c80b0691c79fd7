"""Picture files: what is taken, what is refused and why, and that pixels come out upright and as RGB."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, TiffImagePlugin

from annotation.imaging.crops import Picture
from annotation.imaging.decoding import decode, inspect
from annotation.imaging.problems import PictureProblem

FORMATS = ["JPEG", "PNG", "WEBP", "TIFF"]
LOSSLESS: dict[str, dict[str, Any]] = {
    "JPEG": {"quality": 95, "subsampling": 0},
    "PNG": {},
    "WEBP": {"lossless": True, "exact": True},
    "TIFF": {"compression": "tiff_lzw"},
}


def quadrants(width: int = 96, height: int = 64) -> Picture:
    """Red top left, green top right, blue bottom left, white bottom right: no two orientations look alike."""
    picture = np.full((height, width, 3), 255, np.uint8)
    picture[: height // 2, : width // 2] = (255, 0, 0)
    picture[: height // 2, width // 2 :] = (0, 255, 0)
    picture[height // 2 :, : width // 2] = (0, 0, 255)
    return picture


def written(image: Image.Image, kind: str, **settings: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **settings)
    return file.getvalue()


def noise(width: int = 160, height: int = 120) -> Image.Image:
    return Image.fromarray(np.random.default_rng(1).integers(0, 256, (height, width, 3), dtype=np.uint8))


def stored_as(picture: Picture, orientation: int) -> Picture:
    """The pixels that a camera stores so that EXIF ``orientation`` shows ``picture``; by the table of the EXIF text."""
    return {
        1: picture,
        2: picture[:, ::-1],
        3: picture[::-1, ::-1],
        4: picture[::-1],
        5: picture.swapaxes(0, 1),
        6: np.rot90(picture, 1),
        7: picture[::-1, ::-1].swapaxes(0, 1),
        8: np.rot90(picture, -1),
    }[orientation]


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("orientation", range(1, 9))
def test_every_exif_orientation_shows_the_same_upright_picture(kind: str, orientation: int) -> None:
    picture = quadrants()
    exif = Image.Exif()
    exif[0x0112] = orientation
    stored = Image.fromarray(np.ascontiguousarray(stored_as(picture, orientation)))
    data = written(stored, kind, exif=exif, **LOSSLESS[kind])
    info = inspect(data)
    assert (info.width, info.height, info.orientation, info.format) == (96, 64, orientation, kind)
    assert np.abs(decode(data).astype(int) - picture).max() <= (6 if kind == "JPEG" else 0)


@pytest.mark.parametrize("orientation", [0, 9, 77])
def test_an_orientation_outside_one_to_eight_is_upright(orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    assert inspect(written(noise(), "JPEG", exif=exif)).orientation == 1


@pytest.mark.filterwarnings("ignore:Corrupt EXIF")
def test_unreadable_exif_is_upright_rather_than_refused() -> None:
    data = written(noise(), "JPEG", exif=b"Exif\x00\x00II*\x00\xff\xff\xff\xff\x00\x00")
    assert inspect(data).orientation == 1


def test_png_exif_after_the_pixels_counts() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    block = exif.tobytes().removeprefix(b"Exif\x00\x00")
    plain = written(Image.fromarray(quadrants()), "PNG")
    chunk = struct.pack(">I", len(block)) + b"eXIf" + block + struct.pack(">I", zlib.crc32(b"eXIf" + block))
    data = plain[:-12] + chunk + plain[-12:]
    assert (inspect(data).width, inspect(data).height) == (64, 96)
    assert decode(data).shape == (96, 64, 3)


def test_inspect_tells_size_mode_and_digest_without_decoding(tmp_path: Path) -> None:
    path = tmp_path / "street.jpg"
    path.write_bytes(written(noise(4000, 3000), "JPEG", quality=60))
    tracemalloc.start()
    info = inspect(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (info.width, info.height, info.mode, info.bytes) == (4000, 3000, "RGB", path.stat().st_size)
    assert len(info.sha256) == 64
    assert peak < 2_000_000


def damaged_png() -> bytes:
    data = bytearray(written(noise(), "PNG"))
    data[len(data) // 2] ^= 0x55
    return bytes(data)


def bomb_png(width: int, height: int) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(b"\0" * 1000)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    )


def bomb_webp() -> bytes:
    body = b"WEBPVP8X" + struct.pack("<I", 10) + b"\0" * 4 + b"\xff\xff\x00" + b"\xff\xff\x00"
    return b"RIFF" + struct.pack("<I", len(body)) + body


def bomb_jpeg() -> bytes:
    data = bytearray(written(noise(), "JPEG"))
    at = data.index(b"\xff\xc0")
    data[at + 5 : at + 9] = struct.pack(">HH", 60000, 60000)
    return bytes(data)


def animated(kind: str) -> bytes:
    frames = [Image.new("RGB", (8, 8), colour) for colour in ("red", "blue")]
    return written(frames[0], kind, save_all=True, append_images=frames[1:], duration=50)


REFUSALS: list[tuple[str, bytes, str, str]] = [
    ("", b"", "empty-file", "0 bytes"),
    ("", b"hello, I am text " * 9, "not-an-image", "no known format"),
    ("", b"<?xml version='1.0'?><svg xmlns='x'/>", "svg", "PNG"),
    ("", b"GIF89a" + bytes(60), "format-not-accepted", "GIF"),
    ("", b"\x00\x00\x00\x18ftypheic" + bytes(60), "format-not-accepted", "HEIC"),
    ("", b"\x00\x00\x00\x18ftypavif" + bytes(60), "format-not-accepted", "AVIF"),
    ("", b"%PDF-1.7" + bytes(60), "format-not-accepted", "PDF"),
    ("scan.png", written(noise(), "JPEG"), "wrong-extension", "content is JPEG"),
    ("scan.gif", written(noise(), "PNG"), "wrong-extension", "ends in .gif"),
    ("", animated("PNG"), "animated", "Export one frame"),
    ("", animated("WEBP"), "animated", "Export one frame"),
    ("", bomb_png(60000, 60000), "too-many-pixels", "60000 × 60000"),
    ("", bomb_png(100_000, 20), "too-long", "100000 × 20"),
    ("", bomb_webp(), "too-many-pixels", "65536 × 65536"),
    ("", bomb_jpeg(), "too-many-pixels", "Nothing was decoded"),
    ("", written(Image.new("F", (4, 4)), "TIFF"), "not-8-bit", "8 or 16 bits"),
]


@pytest.mark.parametrize(("name", "data", "rule", "words"), REFUSALS)
def test_a_file_that_is_no_usable_picture_is_refused_with_a_sentence(
    name: str, data: bytes, rule: str, words: str
) -> None:
    with pytest.raises(PictureProblem) as refused:
        inspect(data, name)
    assert refused.value.rule == rule
    assert words in refused.value.message


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("share", [0.02, 0.1, 0.3, 0.5, 0.8, 0.97])
def test_a_file_cut_off_anywhere_is_refused_with_the_bytes_it_has(kind: str, share: float) -> None:
    whole = written(noise(), kind)
    data = whole[: max(16, int(len(whole) * share))]
    with pytest.raises(PictureProblem) as refused:
        inspect(data)
    assert refused.value.rule == "truncated"
    assert f"{len(data)} bytes" in refused.value.message


def test_a_thumbnail_in_the_header_does_not_pass_for_the_end_of_a_jpeg() -> None:
    inner = b"Exif\x00\x00" + written(noise(32, 32), "JPEG")
    whole = written(noise(), "JPEG", exif=inner)
    with pytest.raises(PictureProblem, match="cut off"):
        inspect(whole[: len(whole) // 2 + len(inner)])


def test_damage_inside_the_pixels_is_told_when_decoding() -> None:
    with pytest.raises(PictureProblem) as refused:
        decode(damaged_png())
    assert refused.value.rule == "damaged"


def test_bytes_after_the_end_of_a_jpeg_are_let_pass() -> None:
    data = written(noise(), "JPEG")
    assert np.array_equal(decode(data + b"trailing words"), decode(data))


@pytest.mark.parametrize("name", ["photo.JPG", "photo.jpeg", "photo", "photo.upload"])
def test_a_name_that_claims_no_other_format_is_taken(name: str) -> None:
    assert inspect(written(noise(), "JPEG"), name).format == "JPEG"


def test_a_second_tiff_page_is_noted_and_the_first_is_used() -> None:
    pages = [Image.new("RGB", (9, 7), "red"), Image.new("RGB", (3, 3), "blue")]
    data = written(pages[0], "TIFF", save_all=True, append_images=pages[1:])
    assert "first page" in inspect(data).notes[0]
    assert decode(data).shape == (7, 9, 3)
    assert inspect(written(pages[0], "TIFF")).notes == ()


def half_transparent(mode: str) -> Image.Image:
    return Image.new("RGBA", (5, 4), (0, 0, 255, 102)).convert(mode)


def palette_with_hole() -> bytes:
    image = Image.new("P", (4, 4), 1)
    image.putpalette([10, 20, 30, 200, 100, 50])
    return written(image, "PNG", transparency=1)


PIXELS: list[tuple[bytes, tuple[int, int, int]]] = [
    (written(Image.new("L", (5, 4), 77), "PNG"), (77, 77, 77)),
    (written(Image.new("L", (5, 4), 77), "JPEG"), (77, 77, 77)),
    (written(Image.new("L", (5, 4), 77), "TIFF"), (77, 77, 77)),
    (written(Image.new("1", (5, 4), 1), "PNG"), (255, 255, 255)),
    (written(half_transparent("RGBA"), "PNG"), (153, 153, 255)),
    (written(half_transparent("RGBA"), "TIFF"), (153, 153, 255)),
    (written(half_transparent("RGBA"), "WEBP", lossless=True, exact=True), (153, 153, 255)),
    (written(Image.new("LA", (5, 4), (0, 0)), "PNG"), (255, 255, 255)),
    (palette_with_hole(), (255, 255, 255)),
    (written(Image.new("RGB", (5, 4), "red").quantize(2), "PNG"), (255, 0, 0)),
    (written(Image.fromarray(np.full((4, 5), 0x4D12, np.uint16)), "PNG"), (77, 77, 77)),
    (written(Image.fromarray(np.full((4, 5), 0x4D12, np.uint16)), "TIFF"), (77, 77, 77)),
    (written(Image.new("CMYK", (5, 4), (0, 255, 255, 0)), "TIFF"), (255, 0, 0)),
    (written(Image.new("CMYK", (16, 16), (0, 255, 255, 0)), "JPEG"), (254, 0, 0)),
]


@pytest.mark.parametrize(("data", "expected"), PIXELS)
def test_every_pixel_kind_becomes_eight_bit_rgb_over_white(data: bytes, expected: tuple[int, int, int]) -> None:
    pixels = decode(data)
    assert pixels.dtype == np.uint8
    assert pixels.shape[2] == 3
    assert np.abs(pixels.reshape(-1, 3).astype(int) - expected).max() <= 2


@pytest.mark.parametrize("settings", [{}, {"compression": "tiff_lzw"}, {"tiffinfo": {278: 7}}])
def test_a_tiff_reads_the_same_however_its_strips_are_laid(settings: dict[str, Any]) -> None:
    picture = noise(50, 40)
    if "tiffinfo" in settings:
        tags = TiffImagePlugin.ImageFileDirectory_v2()
        tags[278] = 7
        settings = {"tiffinfo": tags}
    assert np.array_equal(decode(written(picture, "TIFF", **settings)), np.asarray(picture))


def test_a_path_and_its_bytes_decode_alike(tmp_path: Path) -> None:
    path = tmp_path / "a.webp"
    path.write_bytes(written(noise(), "WEBP"))
    assert np.array_equal(decode(path), decode(path.read_bytes()))


def test_a_large_picture_costs_one_array_and_small_change(tmp_path: Path) -> None:
    path = tmp_path / "wide.jpg"
    path.write_bytes(written(Image.new("RGB", (6000, 4000), "teal"), "JPEG"))
    tracemalloc.start()
    pixels = decode(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < pixels.nbytes * 1.05


@pytest.mark.filterwarnings("ignore")
@given(
    st.sampled_from([256, 257, 258, 259, 262, 273, 274, 277, 278, 279, 284, 320, 322, 324, 338]),
    st.integers(0, 14),
    st.sampled_from([0, 1, 2, 3, 4, 1000, 2**31]),
    st.binary(min_size=4, max_size=4),
)
def test_a_tiff_whose_tags_are_nonsense_is_a_picture_or_a_problem(
    tag: int, kind: int, count: int, value: bytes
) -> None:
    """D3.5: a tag of another type than its meaning has, of no type, of another length."""
    data = bytearray(written(noise(12, 10), "TIFF", **LOSSLESS["TIFF"]))
    first = int.from_bytes(data[4:8], "little")
    entries = int.from_bytes(data[first : first + 2], "little")
    places = [first + 2 + 12 * n for n in range(entries)]
    place = next((at for at in places if int.from_bytes(data[at : at + 2], "little") == tag), places[-1])
    data[place : place + 12] = struct.pack("<HHI", tag, kind, count) + value
    with suppress(PictureProblem):
        info = inspect(bytes(data))
        assert decode(bytes(data)).shape == (info.height, info.width, 3)


@pytest.mark.filterwarnings("ignore")
@given(st.sampled_from(FORMATS), st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), min_size=1, max_size=6))
def test_a_damaged_file_is_a_picture_or_a_problem_but_never_a_crash(kind: str, changes: list[tuple[int, int]]) -> None:
    data = bytearray(written(noise(24, 20), kind))
    for place, value in changes:
        data[place % len(data)] = value
    with suppress(PictureProblem):
        info = inspect(bytes(data))
        assert decode(bytes(data)).shape == (info.height, info.width, 3)
