"""The end of a toolchain beside the answer: which numbers are compared, and when they are the same."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from annotation.chain_answers import compare, number_in

FOUR = {"total_components": 4, "components": [{"area": 2, "box": [0, 0, 1, 2]}] * 4}
ONE = {"total_contours": 1, "contours": [{"area": 2.47, "perimeter": 9.0, "x": 7}]}


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("two", "2"), ("Two cups", "2"), ("2", "2"), ("about 2.5 cm", "2.5"), ("1,234", "1234"), ("-3", "-3"),
        ("red", None), ("2 of 4", None), ("someone", None), ("", None), ("v2", None), ("twelve", "12"),
    ],
)  # fmt: skip
def test_the_one_number_of_an_answer_is_read(text: str, number: str | None) -> None:
    assert number_in(text) == (None if number is None else Decimal(number))


@pytest.mark.parametrize(
    ("measurements", "answers", "agrees"),
    [
        (FOUR, ["two"], False),
        (FOUR, ["two", "four"], True),
        (FOUR, ["4"], True),
        (FOUR, ["red"], None),
        (FOUR, [], None),
        (ONE, ["2.5 cm"], True),
        (ONE, ["2"], True),
        (ONE, ["2.4"], False),
        (ONE, ["7"], False),
        ({"width": 2, "height": 4}, ["2"], None),
        ({"total_lines": True}, ["1"], None),
        ({}, ["2"], None),
    ],
)
def test_a_measurement_agrees_with_a_number_that_it_rounds_to(
    measurements: dict[str, Any], answers: list[str], agrees: bool | None
) -> None:
    """D8.11: totals first, then what the only row measures of its thing; never where it lies."""
    assert compare(measurements, answers).agrees is agrees
