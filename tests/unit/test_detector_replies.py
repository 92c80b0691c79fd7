"""What detectors answer, in the three shapes that are read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evaluation.endpoints.detectors import read_detections
from evaluation.endpoints.errors import ErrorKind
from evaluation.endpoints.replies import ErrorInBody, Unreadable

OWN = {"detections": [{"label": "saw", "score": 0.9, "box": [1, 2, 3, 4]}], "model": "d-1"}
HUGGING_FACE = [{"label": "saw", "score": 0.9, "box": {"xmin": 1, "ymin": 2, "xmax": 3, "ymax": 4}}]
LABEL_STUDIO = {
    "results": [
        {
            "result": [
                {
                    "type": "rectanglelabels",
                    "value": {"x": 10, "y": 20, "width": 30, "height": 40, "rectanglelabels": ["saw"]},
                    "score": 0.9,
                },
                {"type": "choices", "value": {"choices": ["no rectangle"]}},
            ]
        }
    ]
}


def read(body: Any) -> Any:
    return json.loads(read_detections(json.dumps(body).encode()).text)


def test_the_same_detection_is_read_from_each_shape() -> None:
    one = {"label": "saw", "score": 0.9}
    assert read(OWN) == read(HUGGING_FACE) == {"frame": "pixel", "detections": [{**one, "box": [1, 2, 3, 4]}]}
    found = read(LABEL_STUDIO)
    assert found == {"frame": "norm1", "detections": [{**one, "box": [0.1, 0.2, 0.4, pytest.approx(0.6)]}]}
    assert read_detections(json.dumps(OWN).encode()).model == "d-1"


def test_an_image_without_detections_is_an_answer() -> None:
    assert [read(body)["detections"] for body in ({"detections": []}, [], {"results": []})] == [[], [], []]


def test_a_rotated_or_incomplete_rectangle_has_no_box() -> None:
    region = LABEL_STUDIO["results"][0]["result"][0]
    for value in ({**region["value"], "rotation": 12}, {"x": 1, "rectanglelabels": ["saw"]}):  # type: ignore[dict-item]
        body = {"results": [{"score": 0.4, "result": [{"value": value}]}]}
        assert read(body)["detections"] == [{"label": "saw", "score": 0.4, "box": None}]


@pytest.mark.parametrize(
    ("body", "kind", "again"),
    [
        (b"", ErrorKind.EMPTY, True),
        (b'{"detections": [', ErrorKind.CUT_STREAM, True),
        (b"<html>", ErrorKind.SERVER, False),
        (b"7", ErrorKind.SERVER, False),
        (b'{"choices": []}', ErrorKind.SERVER, False),
    ],
)
def test_what_is_no_answer_of_a_detector_is_named(body: bytes, kind: ErrorKind, again: bool) -> None:
    with pytest.raises(Unreadable) as refused:
        read_detections(body)
    assert (refused.value.kind, refused.value.again) == (kind, again)
    with pytest.raises(ErrorInBody):
        read_detections(b'{"error": "The model is loading."}')
