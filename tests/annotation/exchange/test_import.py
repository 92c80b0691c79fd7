"""Pictures of imported samples: checked, stored once, linked; what cannot be used is said, and the sample stays."""

from __future__ import annotations

import base64
import json

import cv2
import numpy as np
import pytest

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.exchange.write.samples import import_samples
from annotation.models import Benchmark, GoldBox, Image, ImportIssue, Sample

pytestmark = pytest.mark.django_db

SAMPLE = {"question": "What?", "answer_type": "open", "answer": "that", "gold_boxes": [[10, 10, 90, 40]]}


def jpeg(width: int = 80, height: int = 60, shade: int = 90) -> bytes:
    return bytes(cv2.imencode(".jpg", np.full((height, width, 3), shade, np.uint8))[1])


@pytest.fixture
def benchmark(lea) -> Benchmark:
    return create_benchmark(actor=lea, slug="kitchen")


@pytest.fixture
def bring(benchmark, lea, tmp_path):
    """Write samples and pictures into a folder and import it."""

    def brought(samples: list[dict], **files: bytes):
        for name, data in files.items():
            (tmp_path / name.replace("__", ".")).write_bytes(data)
        (tmp_path / "samples.jsonl").write_text("".join(json.dumps(SAMPLE | s) + "\n" for s in samples))
        return import_samples(actor=lea, benchmark=benchmark, path=tmp_path, format="native")[1]

    return brought


def test_a_picture_gives_its_sample_its_size_and_its_gold_boxes_are_held_against_it(bring):
    bring([{"id": "a", "image": "a.jpg", "width": 500, "height": 400}], a__jpg=jpeg())
    sample = Sample.objects.get()
    assert (sample.width, sample.height, sample.image.width) == (80, 60, 80)
    assert GoldBox.objects.values_list("x1", "y1", "x2", "y2").get() == (10, 10, 80, 40)
    assert set(ImportIssue.objects.values_list("rule", flat=True)) == {"size-differs", "box-over-edge"}


def test_one_picture_under_two_names_is_stored_once(bring):
    bring([{"id": "a", "image": "a.jpg"}, {"id": "b", "image": "b.jpg"}], a__jpg=jpeg(), b__jpg=jpeg())
    assert Image.objects.count() == 1
    assert Sample.objects.filter(image__isnull=False).count() == 2


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.jpg", b"", "empty"),
        ("a.jpg", b"this is no picture", "not"),
        ("a.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "SVG"),
        ("a.png", jpeg(), "JPEG"),
        ("a.jpg", jpeg()[:300], "cut off"),
        ("../a.jpg", jpeg(), "outside"),
    ],
)
def test_a_file_that_is_no_picture_is_refused_with_the_reason_and_the_sample_stays(bring, name, data, says):
    bring([{"id": "a", "image": name, "width": 80, "height": 60}], **{name.split("/")[-1].replace(".", "__"): data})
    sample = Sample.objects.get()
    assert sample.image is None
    assert says.casefold() in sample.image_problem.casefold()
    assert (sample.width, sample.height) == (80, 60)
    assert ImportIssue.objects.get(field="image").severity == "refused"


def test_a_picture_that_is_absent_is_noted_and_may_come_later(bring):
    bring([{"id": "a", "image": "a.jpg", "width": 80, "height": 60}])
    assert "Image missing" in Sample.objects.get().image_problem
    bring([{"id": "a", "image": "a.jpg", "width": 80, "height": 60}], a__jpg=jpeg())
    sample = Sample.objects.get()
    assert sample.image is not None
    assert sample.image_problem == ""


def test_importing_again_without_the_pictures_keeps_them(bring, tmp_path):
    rows = [{"id": "a", "image": "a.jpg"}]
    bring(rows, a__jpg=jpeg())
    (tmp_path / "a.jpg").unlink()
    assert bring(rows).counts["unchanged"] == 1
    assert Sample.objects.get().image is not None


def test_a_picture_inside_the_file_is_taken_out(bring):
    data = "data:image/jpeg;base64," + base64.b64encode(jpeg()).decode()
    bring([{"id": "a", "image": data}])
    sample = Sample.objects.get()
    assert sample.image.width == 80
    assert sample.image_name.startswith("embedded-")


def test_a_sideways_picture_is_turned_upright_once(bring):
    exif = bytes.fromhex("45786966000049492a000800000001001201030001000000060000000000000000")
    data = jpeg()
    turned = data[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + data[2:]
    bring([{"id": "a", "image": "a.jpg"}], a__jpg=turned)
    image = Image.objects.get()
    assert (image.width, image.height, image.orientation) == (60, 80, 6)
