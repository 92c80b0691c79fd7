"""The address that lists named trajectories."""

from __future__ import annotations

from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import pytest

from evaluation.common.links import named_list


@pytest.mark.parametrize(
    ("numbers", "named"),
    [
        ([7], "7"),
        ([9, 3, 4, 5], "3-5,9"),
        ([1, 3, 5], "1,3,5"),
        (range(1, 100_001), "1-100000"),
        ([*range(10, 500), *range(600, 900), 1000], "10-499,600-899,1000"),
    ],
)
def test_consecutive_numbers_are_named_as_spans(numbers: list[int], named: str) -> None:
    href = named_list(SimpleNamespace(slug="street"), numbers, rollout="0+")
    assert parse_qs(urlsplit(href).query) == {"rollout": ["0+"], "trajectory": [named]}


@pytest.mark.parametrize("numbers", [[], range(10_000, 20_000, 2)])
def test_no_address_names_none_or_too_many(numbers: list[int]) -> None:
    assert named_list(SimpleNamespace(slug="street"), numbers) == ""
