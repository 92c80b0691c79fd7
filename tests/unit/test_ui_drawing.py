"""Where bars, whiskers and marks stand."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.schema import Box
from webapp.common import drawing

shares = st.lists(st.floats(0, 1e6), min_size=1, max_size=6)


@given(shares)
def test_the_parts_of_a_bar_fill_it_without_overlap(values):
    bars = drawing.stacked([(str(place), value) for place, value in enumerate(values)])
    if not sum(values):
        assert bars == []
        return
    assert sum(bar.share for bar in bars) == pytest.approx(1)
    ends = [bar.end for bar in bars]
    assert [bar.x for bar in bars][1:] == ends[:-1]
    assert ends[-1] == "100%"


def test_an_undefined_part_takes_no_room():
    assert [bar.width for bar in drawing.stacked([("a", None), ("b", 3), ("c", 1)])] == ["0%", "75%", "25%"]


@pytest.mark.parametrize(("value", "expected"), [(0.3, 0), (0.55, 50), (0.8, 100), (0.1, 0), (0.95, 100)], ids=str)
def test_a_value_off_the_axis_stands_at_its_end(value, expected):
    assert drawing.scale(value, 0.3, 0.8) == pytest.approx(expected)


def test_an_axis_without_length_is_refused():
    with pytest.raises(ValueError, match="no length"):
        drawing.scale(1, 2, 2)


@pytest.mark.parametrize(
    "box",
    [
        [1, 2, 3, 4],
        (1, 2, 3, 4),
        Box(1, 2, 3, 4),
        {"x1": 1, "y1": 2, "x2": 3, "y2": 4},
        {"box": [1, 2, 3, 4], "turn": 3},
        SimpleNamespace(box=Box(1, 2, 3, 4), turn=3),
    ],
)
def test_a_box_is_read_in_every_form_it_comes_in(box):
    assert drawing.rectangle(box) == (1, 2, 3, 4)


@pytest.mark.parametrize(
    ("size", "ratio", "expected"),
    [
        ((1600, 900), None, "0 0 1600 900"),
        ((1600, 900), 16 / 9, "0 0 1600 900"),
        ((2000, 900), 16 / 9, "200 0 1600 900"),
        ((900, 900), 1.5, "0 150 900 600"),
    ],
)
def test_a_cut_picture_is_seen_around_its_middle(size, ratio, expected):
    assert drawing.visible_area(*size, ratio).view_box == expected


def test_a_picture_without_size_is_refused():
    with pytest.raises(ValueError, match="cannot be drawn"):
        drawing.visible_area(0, 900, None)


def test_a_tiny_box_is_drawn_large_enough_around_its_centre():
    window = drawing.visible_area(3840, 2160, None)
    mark = drawing.mark("gold", [1000, 500, 1002, 502], window, shown=384, text="G1")
    assert (mark.x, mark.y, mark.width, mark.height) == ("971", "471", "60", "60")


def test_a_large_box_is_drawn_as_it_is():
    mark = drawing.mark("crop", [100, 200, 900, 700], drawing.visible_area(1000, 1000, None), shown=500)
    assert (mark.x, mark.y, mark.width, mark.height) == ("100", "200", "800", "500")


def test_a_tag_at_the_upper_edge_hangs_inside():
    window = drawing.visible_area(1000, 1000, None)
    assert drawing.mark("gold", [10, 10, 90, 90], window, shown=500, text="G1").lift == 0
    assert drawing.mark("gold", [10, 600, 90, 690], window, shown=500, text="G1").lift == 16
