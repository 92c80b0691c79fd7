"""Which values a tool printed, and which answers repeat one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.copied_results import MOST_PRINTED, printed_values, repeats_result


@pytest.mark.parametrize(
    ("said", "printed", "repeated"),
    [
        ("12 contours", "Contours: 12", True),
        ("12.0", "Contours: 12", True),
        ("1", "Contours: 12", False),
        ("twelve", "found 12 contours", True),
        ("1,234", "area = 1234", True),
        ("-3", "offset -3", True),
        ("3", "offset -3", False),
        ("3", "saved as /out/3.png", False),
        ("640", "640x480", False),
        ("717", "A picture of 1024 × 717 pixels.", False),
        ("2024", "2024-01-02", False),
        ("1.2", "version v1.2", False),
        ("stop", "label = 'stop'", True),
        ("Stop.", '{"text": "STOP"}', True),
        ("exit 24b", "text: EXIT 24B\nsize: 3", True),
        ("no", "no contours found", False),
        ("red", "converted to the red channel", False),
        ("", "Contours: 12", False),
        ("12", "", False),
    ],
)
def test_an_answer_repeats_a_value_that_stands_alone(said, printed, repeated):
    assert repeats_result(said, [printed]) is repeated
    assert repeats_result(said, ["", printed]) is repeated
    assert repeats_result(said, []) is False


@given(st.integers(-10_000, 10_000), st.text(alphabet="abc xyz", max_size=20))
def test_a_number_that_was_printed_is_found(number, before):
    assert repeats_result(str(number), [f"{before} {number}"])
    assert repeats_result(str(number), [f"n={number}."])
    assert not repeats_result(str(number + 1), [f"{before} {number}"])


@given(st.text(max_size=400))
def test_any_text_has_values_in_linear_time(text):
    assert all(isinstance(value, str) for value in printed_values(text))


@pytest.mark.endurance
def test_only_the_beginning_of_a_long_result_is_read():
    assert not repeats_result("7", ["x " * MOST_PRINTED + "7"])
    assert list(printed_values("9" * 3 * MOST_PRINTED))
