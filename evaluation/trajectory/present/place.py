"""The position of a trajectory in the list from which it was opened, and its neighbors there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from evaluation.common.terms import PAGE_SIZE, UNNARROWED
from evaluation.models import Run
from evaluation.store.trajectory_list import LOOK, TrajectoryList
from webapp.common.translation import all_of

OWN_TERMS = frozenset({"tab", "from", "whole", "after", "page"})
"""Terms of the address that belong to a page, not to the list."""

NAMING_RUNS = frozenset(
    {"right_in", "wrong_in", "shared_with", "cropped_in", "population_in", "grounded_in", "ungrounded_in"}
)
"""Terms whose values are numbers of runs, which are shown by their names."""


@dataclass(frozen=True, slots=True)
class ShownPlace:
    """The ``number``-th of ``total``; what else narrows the list; addresses of the list and of the neighbors ("" at an
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
    """None if the trajectory is not in that list. It needs the queries of the list: its table has the position.

    In the database, every earlier row would have to be counted."""
    benchmark = trajectory.run.benchmark
    runs = list(Run.objects.of(benchmark))
    found = TrajectoryList(benchmark, runs, terms, person)
    place = found.place(trajectory.pk, PAGE_SIZE)
    if place is None:
        return None
    query = urlencode(terms)
    page = {"after": place.page_after} if place.page_after else {}
    here = {**{name: value for name, value in terms.items() if name not in UNNARROWED}, **page, "at": trajectory.pk}

    def address(pk: int) -> str:
        return f"{reverse('evaluation:trajectory', args=[slug, pk])}?{query}" if pk else ""

    return ShownPlace(
        number=place.number,
        total=found.total,
        quadrant=terms.get("quadrant", ""),
        filter=", ".join(_words(runs, terms)),
        listed=f"{reverse('evaluation:trajectories', args=[slug])}?{urlencode(here)}",
        previous=address(place.previous),
        next=address(place.next),
    )


def _words(runs: Iterable[Run], terms: Mapping[str, str]) -> list[str]:
    """Return the filters of the list other than the run and the quadrant: ``wrong in Model B, base``."""
    names = {str(run.pk): str(run) for run in runs}
    return [
        f"{name.removeprefix('facet.').replace('_', ' ')} "
        + (all_of([names.get(run, run) for run in value.split(",")]) if name in NAMING_RUNS else value)
        for name, value in terms.items()
        if name not in ("run", "quadrant", "trajectory", *LOOK, *UNNARROWED)
    ]
