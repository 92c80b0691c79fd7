"""The shape at a point: what contains it, and which of several counts."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.task_schema import Shape
from evaluation.runner.clicks import best_at, contains
from evaluation.runner.label_config import ConfigRejected, click_config, click_context, data_key

BOTH = frozenset({Shape.BOX, Shape.POLYGON})
BOX = frozenset({Shape.BOX})
CONCAVE = [[0, 0], [10, 0], [10, 10], [5, 2], [0, 10]]


def shape(box: list[float], score: float | None = 0.5, points: Any = None) -> dict[str, Any]:
    said = {"box": box, "label": "mug", "score": score}
    return said | ({"points": points} if points else {})


@pytest.mark.parametrize(
    ("point", "inside"), [((1, 1), True), ((5, 1), True), ((5, 5), False), ((9, 7), True), ((11, 5), False)]
)
def test_a_point_is_in_a_polygon_and_not_only_in_the_box_around_it(point: tuple[float, float], inside: bool) -> None:
    assert contains(shape([0, 0, 10, 10], points=CONCAVE), point) is inside


def test_the_edges_of_a_box_are_inside() -> None:
    assert contains(shape([2, 2, 4, 4]), (2, 4))
    assert not contains(shape([2, 2, 4, 4]), (2, 4.1))


def test_the_best_score_counts_then_the_smallest_and_a_missing_score_last() -> None:
    small, large, better = shape([0, 0, 4, 4]), shape([0, 0, 9, 9]), shape([0, 0, 20, 20], 0.6)
    unknown, away = shape([0, 0, 3, 3], None), shape([50, 50, 60, 60], 1.0)
    assert best_at((1, 1), [large, unknown, small], BOTH) == small
    assert best_at((1, 1), [large, better, away], BOTH) == better
    assert best_at((1, 1), [unknown], BOTH) == unknown
    assert best_at((1, 1), [away], BOTH) is None
    assert best_at((1, 1), [], BOTH) is None


def test_a_polygon_becomes_its_box_where_only_boxes_are_allowed_and_boxes_none_where_only_polygons_are() -> None:
    outline = shape([0, 0, 10, 10], points=CONCAVE)
    assert best_at((5, 5), [outline], BOX) == shape([0, 0, 10, 10])
    assert best_at((5, 5), [outline], BOTH) is None
    assert best_at((1, 1), [shape([0, 0, 4, 4])], frozenset({Shape.POLYGON})) is None


def test_the_context_names_the_tags_of_the_configuration() -> None:
    config = click_config(["a mug", "<b>"], polygons=True)
    assert data_key(config) == "image"
    assert "PolygonLabels" in config
    assert "PolygonLabels" not in click_config(["a"])
    [point] = click_context(config, (25.0, 50.0), (640, 480))["result"]
    assert (point["from_name"], point["to_name"], point["original_width"]) == ("click", "image", 640)
    assert point["value"]["labels"] == ["a mug"]
    own = (
        '<View><Image name="pic" value="$photo"/><KeyPointLabels name="kp" toName="pic"><Label value="x"/>'
        "</KeyPointLabels></View>"
    )
    [point] = click_context(own, (1.0, 2.0), (10, 10))["result"]
    assert (point["from_name"], point["to_name"], point["value"]["keypointlabels"]) == ("kp", "pic", ["x"])
    with pytest.raises(ConfigRejected):
        click_context("<View/>", (1.0, 2.0), (10, 10))
