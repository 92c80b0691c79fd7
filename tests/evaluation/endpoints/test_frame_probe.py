"""The frame of a model's boxes is found from three images with one square each."""

from __future__ import annotations

import io
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from evaluation.endpoints.client import Settings
from evaluation.endpoints.frames import FRAMES, SIZES, Box, Square, box_error, find_frame, frame_size, read_box
from evaluation.endpoints.probe import Probe, Report
from evaluation.endpoints.probe_images import square_image
from tests.evaluation.endpoints.fake_model import FakeModel, square_in
from tests.evaluation.endpoints.test_probe import probe_of

EVERY_TIME = 20


@pytest.mark.parametrize("frame", FRAMES)
def test_frame_probe_finds_a_planted_frame_every_time(frame: str) -> None:
    """Each edge of a box is off by 1.5% of the image, as a standard deviation."""
    found = []
    for seed in range(EVERY_TIME):
        model = FakeModel(frame=frame, noise=0.015, rng=Random(f"{frame} {seed}"))
        images = [square_image(*size, Random(seed)) for size in SIZES]
        answers = [(square, read_box(model.box(Image.open(io.BytesIO(data))))) for data, square in images]
        found.append(find_frame(answers).frame)
    assert found == [frame] * EVERY_TIME


@pytest.mark.parametrize("frame", FRAMES)
def test_frame_probe_finds_the_frame_over_http(frame: str) -> None:
    model = FakeModel(frame=frame, noise=0.01)
    report = probe_of(model).run()
    assert report.frame.value["frame"] == frame
    assert report.frame.value["boxes"] == 3
    assert [other for other in FRAMES if report.agrees(other)] == [frame]


def test_frame_probe_sees_that_y_comes_first() -> None:
    value = probe_of(FakeModel(frame="norm1000", y_first=True, noise=0.01)).run().frame.value
    assert (value["frame"], value["y_first"]) == ("", True)


def test_a_frame_that_was_not_probed_agrees_with_none() -> None:
    assert not any(Report("m").agrees(frame) for frame in ("pixels", *FRAMES, ""))


@pytest.mark.parametrize(
    ("found", "dialect", "agrees"),
    [
        ("sent", "sent", True),
        ("sent", "pixels", True),
        ("norm1000", "norm1000", True),
        ("norm1000", "pixels", False),
        ("resized", "sent", False),
        ("", "pixels", False),
        ("", "", True),
    ],
)
def test_a_dialect_with_another_frame_does_not_agree(found: str, dialect: str, agrees: bool) -> None:
    square = Square(100, 100, (10, 70, 30, 90))
    planted = {"sent": (10, 70, 30, 90), "norm1000": (100, 700, 300, 900), "resized": (11.2, 78.4, 33.6, 100.8)}
    box: Box | None = planted.get(found)
    frame = find_frame([(square, box), (square, box)])
    assert frame.frame == found
    assert frame.agrees(dialect) is agrees


def test_boxes_that_fit_nowhere_give_no_frame() -> None:
    square = Square(267, 181, (20, 120, 56, 156))
    for boxes in ([None] * 3, [(20, 120, 56, 156), None, None], [(150, 20, 260, 60)] * 3, [(0, 0, 0, 0)] * 3):
        assert find_frame([(square, box) for box in boxes]).frame == ""


BOXES: list[tuple[str, Box | None]] = [
    ("[1, 2, 3, 4]", (1, 2, 3, 4)),
    ("<think>[9, 9, 9, 9]</think>\n[1, 2, 3, 4]", (1, 2, 3, 4)),
    ('```json\n[{"bbox_2d": [10.5, 20, 30, 40], "label": "red square"}]\n```', (10.5, 20, 30, 40)),
    ('{"x1": 1, "y1": 2, "x2": 30, "y2": 41}', (1, 2, 30, 41)),
    ('{"x_min": 1, "y_min": 2, "x_max": 3, "y_max": 4}', (1, 2, 3, 4)),
    ("<|box_start|>(12,34),(56,78)<|box_end|>", (12, 34, 56, 78)),
    ("<box>[[100, 200, 300, 400]]</box>", (100, 200, 300, 400)),
    ("from [0.1, .5] to [0.3, 0.4]", (0.1, 0.5, 0.3, 0.4)),
    ("first [1, 2, 3, 4], no, [5, 6, 7, 8]", (5, 6, 7, 8)),
    ("1 2 3", None),
    ("none", None),
    ("", None),
    ("9" * 100_000, None),
]


@pytest.mark.parametrize(("text", "box"), BOXES)
def test_a_box_is_read_as_models_write_it(text: str, box: Box | None) -> None:
    assert read_box(text) == box


@given(st.text())
def test_any_text_is_a_box_or_none(text: str) -> None:
    assert read_box(text) is None or len(read_box(text) or ()) == 4


@given(st.integers(0, 10**6), st.sampled_from(SIZES))
def test_the_square_is_where_it_is_said_to_be(seed: int, size: tuple[int, int]) -> None:
    data, square = square_image(*size, Random(seed))
    image = Image.open(io.BytesIO(data))
    assert image.size == (square.width, square.height) == size
    assert square_in(image) == square.box
    assert box_error(square.box, square, "sent") == 0


def test_frames_differ_on_every_image() -> None:
    for size in SIZES:
        sizes = [frame_size(frame, *size) for frame in FRAMES]
        for one in sizes:
            near = [other for other in sizes if all(abs(a / b - 1) < 0.03 for a, b in zip(one, other, strict=True))]
            assert near == [one]


def test_each_probe_draws_other_images() -> None:
    first, second = (Probe(Settings("https://models.example.com/v1")) for _ in range(2))
    assert {first.number, first.second} != {second.number, second.second}
