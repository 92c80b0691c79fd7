"""The database tells a place in a list's own order, the table of the list tells it in any other: both say the same."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from django.urls import reverse

from evaluation.actions.list_order import Place
from evaluation.actions.read_list import TrajectoryList
from evaluation.models import Run, Trajectory
from evaluation.views import trajectory_place
from evaluation.views.trajectory_place import place_of
from tests.evaluation.run_pages import make_benchmark

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.mark.parametrize("terms", [{}, {"quadrant": "G+A+"}, {"q": "calls >= 1 not failed"}, {"correct": "no"}])
def test_database_and_table_tell_the_same_place(lea, monkeypatch, terms):
    monkeypatch.setattr(trajectory_place, "PAGE_SIZE", 3)
    benchmark = make_benchmark(lea)
    runs = list(Run.objects.of(benchmark))
    listed = TrajectoryList(benchmark, runs, terms, lea)
    assert listed.total > 3
    for pk in Trajectory.objects.of(benchmark).values_list("pk", flat=True):
        told = place_of(benchmark.slug, Trajectory.objects.get(pk=pk), terms, lea)
        expected = listed.place(pk, 3)
        assert (told and told.number) == (expected and expected.number)
        if told and expected:
            assert told.total == listed.total
            assert (told.previous, told.next, told.listed) == addresses(benchmark.slug, terms, pk, expected)


def addresses(slug: str, terms: dict[str, str], pk: int, place: Place) -> tuple[str, str, str]:
    def trajectory(pk: int) -> str:
        return f"{reverse('evaluation:trajectory', args=[slug, pk])}?{urlencode(terms)}" if pk else ""

    behind = {"after": place.page_after} if place.page_after else {}
    listed = f"{reverse('evaluation:trajectories', args=[slug])}?{urlencode({**terms, **behind, 'at': pk})}"
    return trajectory(place.previous), trajectory(place.next), listed
