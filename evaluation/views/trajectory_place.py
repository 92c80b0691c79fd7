"""Where a trajectory stands in the list it was opened from, and its neighbours there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from evaluation.actions.list_order import SORT, Place
from evaluation.actions.read_list import TrajectoryList
from evaluation.models import Run, Trajectory
from evaluation.views.trajectories_terms import PAGE_SIZE, UNNARROWED

OWN_TERMS = frozenset({"tab", "from", "whole", "after", "page"})
"""Terms of the address that belong to a page, not to the list."""

NAMING_RUNS = frozenset(
    {"right_in", "wrong_in", "shared_with", "cropped_in", "population_in", "grounded_in", "ungrounded_in"}
)
"""Terms whose values are numbers of runs, which are shown by their names."""


@dataclass(frozen=True, slots=True)
class ShownPlace:
    """The ``number``-th of ``total``; what else narrows the list; addresses of the list and of the neighbours ("" at an
    end of the list)."""

    number: int
    total: int
    quadrant: str
    filter: str
    listed: str
    previous: str
    next: str


def list_terms(request: HttpRequest, trajectory: Any) -> dict[str, str]:
    """The list's terms in the address; without any, the run of this trajectory under its condition."""
    terms = {name: str(value) for name, value in request.GET.items() if name not in OWN_TERMS}
    if terms:
        return terms
    own = {"run": str(trajectory.run_id)}
    return own if trajectory.condition == "none" else own | {"condition": trajectory.condition}


def place_of(slug: str, trajectory: Any, terms: Mapping[str, str], person: Any) -> ShownPlace | None:
    """None when the trajectory is not in that list. At most five queries, one more behind the first page of the list,
    and one where runs are to be named."""
    found = (_sorted_place if terms.get(SORT) else _own_place)(trajectory, terms, person)
    if found is None:
        return None
    place, total = found
    query = urlencode(terms)
    page = {"after": place.page_after} if place.page_after else {}
    here = {**{name: value for name, value in terms.items() if name not in UNNARROWED}, **page, "at": trajectory.pk}

    def address(pk: int) -> str:
        return f"{reverse('evaluation:trajectory', args=[slug, pk])}?{query}" if pk else ""

    return ShownPlace(
        number=place.number,
        total=total,
        quadrant=terms.get("quadrant", ""),
        filter=", ".join(_words(trajectory.run.benchmark, terms)),
        listed=f"{reverse('evaluation:trajectories', args=[slug])}?{urlencode(here)}",
        previous=address(place.previous),
        next=address(place.next),
    )


def _own_place(trajectory: Any, terms: Mapping[str, str], person: Any) -> tuple[Place, int] | None:
    """In the list's own order the database tells it: a link is followed at once by a process that has no table yet."""
    found = Trajectory.objects.of(trajectory.run.benchmark).listed(terms, person)
    if not found.filter(pk=trajectory.pk).exists():
        return None
    before, after = found.before(trajectory), found.after(trajectory)
    number, earlier = before.count() + 1, before.for_list().values_list("pk", flat=True)
    ahead = (number - 1) // PAGE_SIZE * PAGE_SIZE
    previous, following = earlier.reverse().first(), after.for_list().values_list("pk", flat=True).first()
    return Place(number, previous or 0, following or 0, earlier[ahead - 1] if ahead else 0), found.count()


def _sorted_place(trajectory: Any, terms: Mapping[str, str], person: Any) -> tuple[Place, int] | None:
    benchmark = trajectory.run.benchmark
    found = TrajectoryList(benchmark, list(Run.objects.of(benchmark).without_tables()), terms, person)
    place = found.place(trajectory.pk, PAGE_SIZE)
    return (place, found.total) if place else None


def _words(benchmark: Any, terms: Mapping[str, str]) -> list[str]:
    """What narrows the list besides the run and the quadrant: ``wrong in Model B, base``."""
    named = Run.objects.of(benchmark).without_tables() if NAMING_RUNS & terms.keys() else ()
    names = {str(run.pk): str(run) for run in named}
    return [
        f"{name.removeprefix('facet.').replace('_', ' ')} "
        + (" and ".join(names.get(run, run) for run in value.split(",")) if name in NAMING_RUNS else value)
        for name, value in terms.items()
        if name not in ("run", "quadrant", "trajectory", SORT, *UNNARROWED)
    ]
