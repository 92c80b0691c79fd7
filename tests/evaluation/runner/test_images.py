"""Images as they are sent: the stored file where that is safe, and else a JPEG with full color resolution."""

from __future__ import annotations

import hashlib
import io
from dataclasses import replace
from threading import Thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, JpegImagePlugin, PngImagePlugin

from annotation.imaging import model_view
from annotation.imaging.crops import Picture
from annotation.imaging.model_view import ModelView
from evaluation.runner import images
from evaluation.runner.images import ImagePolicy, PolicyError, SourceImage, sent_original, sent_picture
from evaluation.runner.view_cache import ViewCache

PICTURE: Picture = np.random.default_rng(1).integers(0, 255, (90, 160, 3)).astype(np.uint8)
ORIGINAL = ImagePolicy()


def stored(kind: str, size: tuple[int, int] = (160, 90), **options: object) -> SourceImage:
    file = io.BytesIO()
    Image.fromarray(PICTURE).save(file, kind, **options)
    data = file.getvalue()
    return SourceImage(hashlib.sha256(data).hexdigest(), *size, lambda: data)


@pytest.mark.parametrize(("kind", "media_type"), [("JPEG", "image/jpeg"), ("PNG", "image/png"), ("WEBP", "image/webp")])
def test_a_stored_file_is_sent_unchanged(kind: str, media_type: str):
    image = stored(kind)
    sent = sent_original(image, ORIGINAL, "qwen3-vl")
    assert (sent.sha256, sent.data, sent.media_type) == (image.sha256, image.load(), media_type)
    assert (sent.width, sent.height, sent.tokens) == (160, 90, 66)
    assert sent.to_json()["bytes"] == len(image.load())


def exif(orientation: int) -> Image.Exif:
    tags = Image.Exif()
    tags[0x0112] = orientation
    return tags


@pytest.mark.parametrize(
    "image",
    [
        stored("TIFF"),
        stored("JPEG", comment=b"taken at home"),
        stored("JPEG", exif=exif(3)),
        stored("JPEG", (90, 160), exif=exif(6)),
        stored("PNG", icc_profile=b"profile"),
    ],
    ids=["tiff", "comment", "turned over", "on its side", "color profile"],
)
def test_other_files_are_sent_as_jpeg_of_full_color_resolution_without_metadata(image: SourceImage):
    sent = sent_original(image, ORIGINAL)
    assert sent.media_type == "image/jpeg"
    assert sent.sha256 == hashlib.sha256(sent.data).hexdigest() != image.sha256
    assert (sent.width, sent.height) == (image.width, image.height)
    with Image.open(io.BytesIO(sent.data)) as file:
        assert file.size == (image.width, image.height)
        assert isinstance(file, JpegImagePlugin.JpegImageFile)
        assert JpegImagePlugin.get_sampling(file) == 0
        assert not {"comment", "icc_profile", "exif"} & file.info.keys()


def test_a_file_of_many_bytes_is_written_again(monkeypatch: pytest.MonkeyPatch):
    image = stored("PNG")
    monkeypatch.setattr(model_view, "MOST_BYTES", len(image.load()) - 1)
    assert sent_original(image, ORIGINAL).media_type == "image/jpeg"


def test_a_mask_is_sent_as_png_and_a_photograph_as_jpeg():
    mask = np.zeros((90, 160), np.uint8)
    mask[20:40] = 255
    sent = sent_picture(mask, ORIGINAL)
    assert sent.media_type == "image/png"
    with Image.open(io.BytesIO(sent.data)) as file:
        assert np.array_equal(np.asarray(file), mask)
    assert sent_picture(PICTURE, ORIGINAL).media_type == "image/jpeg"


SIDES = st.integers(1, 9000)


@given(SIDES, SIDES, st.integers(28, 5000))
def test_fit_limits_the_longer_side_and_enlarges_nothing(width: int, height: int, most: int):
    wide, high = ImagePolicy(f"fit:{most}").size(width, height)
    assert 1 <= wide <= width
    assert 1 <= high <= height
    assert max(wide, high) == min(max(width, height), most)


@given(SIDES, SIDES, st.integers(28, 10_000_000))
def test_pixels_limits_the_area_and_enlarges_nothing(width: int, height: int, most: int):
    wide, high = ImagePolicy(f"pixels:{most}").size(width, height)
    assert 1 <= wide <= width
    assert 1 <= high <= height
    assert wide * high <= most
    if width * height <= most:
        assert (wide, high) == (width, height)


@pytest.mark.parametrize(
    ("policy", "size"),
    [
        ("original", (3840, 2160)),
        ("fit:1568", (1568, 882)),
        ("fit:4000", (3840, 2160)),
        ("pixels:1000000", (1333, 750)),
    ],
)
def test_sizes_of_an_image_of_3840_by_2160_pixels(policy: str, size: tuple[int, int]):
    assert ImagePolicy(policy).size(3840, 2160) == size


@pytest.mark.parametrize("text", ["", "full", "fit", "fit:", "fit:27", "fit:1e3", "fit:-5", "pixels:99999999999"])
def test_other_policies_do_not_exist(text: str):
    with pytest.raises(PolicyError, match="Allowed: original, fit:N"):
        ImagePolicy(text)


def test_an_image_is_encoded_once_for_each_size():
    opened = []
    image = stored("PNG")

    def load() -> bytes:
        opened.append(1)
        return image.load()

    shared = SourceImage("1" * 64, 160, 90, load)
    sizes = ("fit:80", "fit:80", "fit:60", "fit:80", "pixels:3600")
    views = [sent_original(shared, ImagePolicy(size)) for size in sizes]
    assert len(opened) == 2
    assert len({view.sha256 for view in views}) == 2


def test_a_cache_of_views_drops_those_unused_for_the_longest_time():
    cache = ViewCache(100)
    for number in range(3):
        cache.put((str(number), 1, 1), ModelView(bytes(40), "image/png", 1, 1))
        cache.get(("0", 1, 1))
    cache.put(("large", 1, 1), ModelView(bytes(101), "image/png", 1, 1))
    kept = [name for name in ("0", "1", "2", "large") if cache.get((name, 1, 1))]
    assert kept == ["0", "2"]


def test_a_reduced_image_is_decoded_for_itself_and_once_for_all_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pixels that tools share are not asked for: those of all samples would be kept while a run goes on."""

    def shared() -> Picture:
        raise AssertionError("the pixels that tools share")

    times, most, inside = [], 0, 0
    real = images.decode

    def counted(data: bytes) -> Picture:
        nonlocal most, inside
        inside += 1
        most = max(most, inside)
        times.append(1)
        picture = real(data)
        inside -= 1
        return picture

    monkeypatch.setattr(images, "decode", counted)
    several = [replace(stored("PNG", pnginfo=info(str(number))), pixels=shared) for number in range(4)]
    threads = [
        Thread(target=sent_original, args=(one, ImagePolicy("fit:31"))) for one in several for _ in range(8)
    ]  # fmt: skip
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(times), most) == (4, 1)


def info(text: str) -> PngImagePlugin.PngInfo:
    made = PngImagePlugin.PngInfo()
    made.add_text("number", text)
    return made
