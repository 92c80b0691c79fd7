"""A trajectory's place in the list it was opened from: the one it has among the rows that the database lists."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from django.urls import reverse

from evaluation.models import Trajectory
from evaluation.trajectory.present import place as trajectory_place
from evaluation.trajectory.present.place import place_of
from tests.evaluation.lists import pks_in
from tests.evaluation.run_pages import KINDS, make_benchmark
from tests.worlds import made_once

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@made_once
def few(lea):
    """One sample of each kind, and enough of the first that a list of them has a second page."""
    return make_benchmark(lea, dict.fromkeys(KINDS, 1) | {"seen": 4, "seen-wrong": 2})


# Terms are looked for in files, which are the same whatever the database is.
WHOLE = pytest.param({}, marks=pytest.mark.both_databases)


@pytest.mark.parametrize("terms", [WHOLE, {"quadrant": "G+A+"}, {"q": "calls >= 1 not failed"}, {"correct": "no"}])
@pytest.mark.endurance
def test_the_place_is_the_one_among_the_rows_that_the_database_lists(lea, monkeypatch, terms, few):
    monkeypatch.setattr(trajectory_place, "PAGE_SIZE", 3)
    listed = pks_in(few, terms, lea)
    assert len(listed) > 3
    for row in Trajectory.objects.of(few):
        told = place_of(few.slug, row, terms, lea)
        assert (told is not None) == (row.pk in listed)
        if told:
            at = listed.index(row.pk)
            assert (told.number, told.total) == (at + 1, len(listed))
            assert (told.previous, told.next, told.listed) == addresses(few.slug, terms, listed, at)


def addresses(slug: str, terms: dict[str, str], listed: list[int], at: int) -> tuple[str, str, str]:
    """Of the rows before and behind, and of the page of three that holds it."""

    def trajectory(at: int) -> str:
        there = 0 <= at < len(listed)
        return f"{reverse('evaluation:trajectory', args=[slug, listed[at]])}?{urlencode(terms)}" if there else ""

    behind = {"after": listed[at // 3 * 3 - 1]} if at >= 3 else {}
    page = f"{reverse('evaluation:trajectories', args=[slug])}?{urlencode({**terms, **behind, 'at': listed[at]})}"
    return trajectory(at - 1), trajectory(at + 1), page
