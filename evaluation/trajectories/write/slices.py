"""Queries of a benchmark with a name, for all of its members."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.models import Benchmark
from annotation.workflow import Right
from evaluation.common.vocabulary import check_query
from evaluation.models import SavedSlice
from evaluation.trajectories.read.marks import require_member
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput

LONGEST_NAME = 60


def save_slice(*, actor: User, benchmark: Benchmark, name: str, query: str) -> SavedSlice:
    """Give a query a name; a slice of this name gets the new query."""
    require_member(actor, benchmark)
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME or "\0" in name:
        raise InvalidInput(
            gettext("The name of a slice must have 1 to %(limit)s characters.") % {"limit": LONGEST_NAME},
            code="slice",
            field="name",
        )
    if not query.strip():
        raise InvalidInput(gettext("A slice needs a query. Filter the list first."), code="slice", field="q")
    check_query(benchmark, query, actor)
    with transaction.atomic():
        made, new = SavedSlice.objects.update_or_create(
            benchmark=benchmark, name=name, defaults={"query": query, "created_by": actor}
        )
        action = "slice.save" if new else "slice.change"
        audit.record(actor=actor, action=action, subject=made, benchmark=benchmark.slug, data={"query": query})
    return made


def delete_slice(*, actor: User, saved: SavedSlice) -> None:
    """Take a slice of one's own away; a lead takes any."""
    require_member(actor, saved.benchmark)
    if saved.created_by_id != actor.pk:
        require(actor, saved.benchmark, Right.MANAGE)
    with transaction.atomic():
        audit.record(
            actor, "slice.delete", saved, saved.benchmark.slug, data={"name": saved.name, "query": saved.query}
        )
        saved.delete()
