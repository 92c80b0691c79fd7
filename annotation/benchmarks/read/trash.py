"""The deleted benchmarks of a person, and which rows belong to a benchmark or to a sample."""

from __future__ import annotations

from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, Any

from django.apps import apps
from django.db import models

from annotation.models import Benchmark

if TYPE_CHECKING:
    from annotation.models.querysets.samples import BenchmarkQuerySet, Person

FOLLOWS = (models.CASCADE, models.PROTECT, models.RESTRICT)
"""The deletion rules of foreign keys by which a row belongs to another."""


def deleted_benchmarks(user: Person) -> BenchmarkQuerySet:
    """The deleted benchmarks that this person can restore, the last deleted first. One query."""
    rows: BenchmarkQuerySet = Benchmark.everything.in_trash_of(user)
    return rows.select_related("deleted_by")


def owned_tables(root: type[models.Model] = Benchmark) -> list[tuple[type[models.Model], str]]:
    """All tables whose rows belong to a row of ``root``, each with the path of its foreign keys to it. A table comes
    before those that it refers to, so that rows can be deleted in this order despite protection.
    """
    paths: dict[Any, str] = {root: ""}
    found: list[Any] = [root]
    for owner in found:
        for model in apps.get_models(include_auto_created=True):
            name = next((field.name for field in _path_keys(model, root) if field.related_model is owner), None)
            if name is not None and model not in paths:
                paths[model] = f"{name}__{paths[owner]}".rstrip("_")
                found.append(model)
    order: TopologicalSorter[Any] = TopologicalSorter(dict.fromkeys(found, ()))
    for model in found:
        for field in _owning_keys(model):
            if field.related_model in paths and field.related_model is not model:
                order.add(field.related_model, model)
    return [(model, paths[model]) for model in order.static_order() if model is not root]


def _owning_keys(model: type[models.Model]) -> list[Any]:
    fields = (field for field in model._meta.concrete_fields if isinstance(field, models.ForeignKey))
    return [field for field in fields if field.remote_field.on_delete in FOLLOWS]


def _path_keys(model: type[models.Model], root: type[models.Model]) -> list[Any]:
    """Those that lead to the owner of every row that has one."""
    return [field for field in _owning_keys(model) if not field.null or field.related_model is root]
