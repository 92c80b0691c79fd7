"""Which rows of a benchmark name a person, found by foreign keys, so that no new table is forgotten.

The tables are those of all apps. A table leads to its benchmark by foreign keys that are never empty, or else by all
that it has: a comment is on an annotation or on an answer to a gold check.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from django.apps import apps
from django.db import models

from annotation.models import Benchmark
from webapp.accounts.models import User

Model = type[models.Model]
ELSEWHERE = {
    "accounts.apitoken": "A person without access has none.",
    "accounts.invitation": "Its roles lead to benchmarks. A person can be invited once at a time.",
    "accounts.ownkey": "Keys of pages, the same on all benchmarks.",
    "accounts.session": "A person without access has none.",
    "accounts.user_groups": "Permissions of the admin site, which a person without access does not have.",
    "accounts.user_user_permissions": "Permissions of the admin site, which a person without access does not have.",
    "admin.logentry": "Acts on the admin site, which a person without access can't open.",
    "annotation.receipt": "Answers to requests of the last days, which a person without access does not send.",
    "annotation.workclock": "The clock of a running session; the sessions are counted.",
    "common.auditentry": "A log. A person without access acts only when the account is made.",
    "jobs.job": "Jobs that a person started, which a person without access does not do.",
    "notifications.notification": "An inbox, which a person without a role in a benchmark does not get.",
    "notifications.notificationsetting": "Settings of an inbox.",
    "notifications.timezone": "A setting of the account.",
}
"""Tables that name people and lead to no benchmark, each with the reason."""


@cache
def naming_fields() -> tuple[tuple[Model, str], ...]:
    """Each table with a field that names a person, those of many-to-many fields among them."""
    return tuple(
        (model, one.name)
        for model in apps.get_models(include_auto_created=True)
        for one in model._meta.concrete_fields
        if one.related_model is User
    )


@cache
def paths_to_benchmark(model: Model) -> tuple[str, ...]:
    """How the rows of a table lead to their benchmark, as in a filter; none: they lead to none."""
    return tuple(_paths(model, frozenset()))


def benchmarks_naming(person: User) -> set[int]:
    """The benchmarks, deleted ones too, with a row that names this person. One query per field and path."""
    found: set[int] = set()
    for model, field in naming_fields():
        for path in paths_to_benchmark(model):
            # The base manager also has what is in the trash.
            rows = model._base_manager.filter(**{field: person}).exclude(**{path: None})
            found.update(rows.order_by().values_list(path, flat=True).distinct())
    return found


def _paths(model: Model, seen: frozenset[Model]) -> Iterator[str]:
    if model is Benchmark:
        yield "pk"
        return
    keys = [one for one in model._meta.concrete_fields if isinstance(one, models.ForeignKey)]
    if own := [one.name for one in keys if one.related_model is Benchmark]:
        yield from own
        return
    ahead = {
        one: tuple(_paths(one.related_model, seen | {model}))
        for one in keys
        if one.related_model is not User and one.related_model not in seen | {model}
    }
    leading = [one for one, paths in ahead.items() if paths]
    filled = [one for one in leading if not one.null]
    for one in filled[:1] or leading:
        yield from (f"{one.name}__{path}" for path in ahead[one])
