from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Self

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Case, Count, Q, When
from django.db.models.functions import Now

if TYPE_CHECKING:
    from webapp.accounts.models import User


DUE = Q(not_before=None) | Q(not_before__lte=Now())


class JobQuerySet(models.QuerySet[Any]):
    def visible_to(self, user: User | AnonymousUser) -> Self:
        """A person sees the jobs they started; a site admin sees all, automatic ones included. A token that is limited
        to a benchmark sees those of the benchmark. Parts are seen in the job that they are parts of."""
        if user.is_anonymous:
            return self.none()
        seen = self.filter(parent=None) if user.is_staff else self.started_by(user)
        return seen.filter(benchmark=user.limited_to) if user.limited_to else seen

    def started_by(self, user: User) -> Self:
        """Parts omitted."""
        return self.filter(created_by=user, parent=None)

    def live(self) -> Self:
        return self.filter(state__in=["queued", "running"])

    def unfinished(self) -> Self:
        """Under way, waiting, or stopped on a fault that a person has to look at. Rejected jobs are no faults."""
        return self.filter(state__in=["queued", "running", "failed"])

    def queued(self) -> Self:
        return self.filter(state="queued")

    def expired(self) -> Self:
        """Running on paper, but their worker has been silent for a whole lease."""
        return self.filter(state="running", lease_until__lt=Now())

    def due(self) -> Self:
        """Waiting, and not postponed after an outage."""
        return self.queued().filter(DUE)

    def claimable(self) -> Self:
        return self.filter(Q(DUE, state="queued") | Q(state="running", lease_until__lt=Now()))

    def waiting_for_parts(self) -> Self:
        return self.filter(state="running", worker="")

    def held_by(self, worker: str) -> Self:
        return self.filter(state="running", worker=worker)

    def finished_before(self, moment: datetime) -> Self:
        """Parts omitted: they go with the job that they are parts of."""
        return self.exclude(state__in=["queued", "running"]).filter(finished__lt=moment, parent=None)

    def oldest_first(self) -> Self:
        return self.order_by("created", "id")

    def parts_last(self) -> Self:
        """The oldest first, but parts after all others: a short job does not wait for a hundred runs."""
        return self.order_by(Case(When(parent=None, then=0), default=1), "created", "id")

    def in_tab(self, tab: str) -> Self:
        """The jobs of one tab of the jobs page: running (with waiting), failed, done (with rejected and stopped), or
        all."""
        return self.filter(state__in=TABS[tab]) if TABS.get(tab) else self

    def counts(self) -> dict[str, int]:
        """Return the number of jobs in each state, and in total: one query."""
        states = {state: Count("pk", filter=Q(state=state)) for state in _STATES}
        return self.aggregate(all=Count("pk"), **states)


TABS: Mapping[str, tuple[str, ...]] = {
    "all": (),
    "running": ("queued", "running"),
    "failed": ("failed",),
    "done": ("done", "rejected", "cancelled"),
}
"""Of the page of jobs, with the states of each; all: any."""
_STATES = ("queued", "running", "done", "failed", "rejected", "cancelled")
