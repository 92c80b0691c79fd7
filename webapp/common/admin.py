"""Tables looked up in the admin: what a page of it shows follows from the fields of its model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.apps import apps
from django.contrib import admin
from django.db import models
from django.http import HttpRequest

from webapp.common.models import AuditEntry

admin.site.site_header = "Sightline administration"
admin.site.site_title = "Sightline"

Table = type[models.Model]
COLUMNS = 9
FILTERED = "benchmark"
"""Rows are filtered by the benchmark that they belong to, of themselves or by way of others."""


class ReadOnly:
    """To be read: such rows are written by actions, which keep what hangs together and write the audit log."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnlyAdmin(ReadOnly, admin.ModelAdmin):
    """Long tables: the rows of a search are counted, not those of the whole table."""

    show_full_result_count = False
    list_per_page = 50


class ReadOnlyInline(ReadOnly, admin.TabularInline):
    extra = 0


class Named(NamedTuple):
    """The names of rows in references: the column that is searched, and the relations that the name needs. Rows of
    other tables are named by their number.
    """

    search: str
    along: Sequence[str] = ()


def register_read_only(app: str, named: Mapping[Table, Named], parts: Mapping[Table, Sequence[Table]]) -> None:
    """Let all tables of the app that have no page yet be looked up, with the rows of their ``parts`` below each row."""
    for model in apps.get_app_config(app).get_models():
        if not admin.site.is_registered(model):
            inlines = [_inline(part, model) for part in parts.get(model, ())]
            page = type(f"{model.__name__}Admin", (ReadOnlyAdmin,), {**_shown(model, named), "inlines": inlines})
            admin.site.register(model, page)


def _inline(part: Table, whole: Table) -> type[ReadOnlyInline]:
    columns = [field for field in _columns(part) if field.editable and not field.primary_key]
    fields = [field.name for field in columns if field.related_model is not whole]
    return type(f"{part.__name__}Inline", (ReadOnlyInline,), {"model": part, "fields": fields})


def _columns(model: Table) -> list[models.Field[Any, Any]]:
    return [
        field for field in model._meta.concrete_fields if not isinstance(field, models.JSONField | models.BinaryField)
    ][:COLUMNS]


def _shown(model: Table, named: Mapping[Table, Named]) -> dict[str, list[str]]:
    """Return the first columns; those with text or a name can be searched."""
    columns = _columns(model)
    names = {field.name: named[to] for field in columns if (to := field.related_model) in named and to}
    choices = [field.name for field in columns if field.choices or isinstance(field, models.BooleanField)]
    texts = [field.name for field in columns if isinstance(field, models.CharField | models.TextField)]
    searched = [name for name in texts if name not in choices]
    benchmark = _path_to(FILTERED, model)
    return {
        "list_display": [field.name if field.name in names else field.attname for field in columns],
        "list_select_related": [*names, *(f"{name}__{also}" for name, of in names.items() for also in of.along)],
        "list_filter": [*choices, *([benchmark] if benchmark else [])],
        "search_fields": [*searched, *(f"{name}__{of.search}" for name, of in names.items())],
    }


def _path_to(name: str, model: Table) -> str:
    """Return the shortest path to a relation of this name through relations that are never null; "" if
    there is none.
    """
    ways: list[tuple[str, Table]] = [("", model)]
    for way, table in ways:
        for field in table._meta.concrete_fields:
            if field.name == name and field.is_relation:
                return way + name
            if field.related_model and not field.null and way.count("__") < 3:
                ways.append((f"{way}{field.name}__", field.related_model))
    return ""


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    """Read-only, because entries of the log never change."""

    list_display = ("created", "actor", "action", "subject_type", "subject_id", "benchmark", "before", "after")
    list_filter = ("action", "subject_type")
    list_select_related = ("actor",)
    search_fields = ("subject_id", "benchmark", "reason")
    date_hierarchy = "created"
