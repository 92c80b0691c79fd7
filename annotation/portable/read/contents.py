"""The rows in the tables of a portable file, for the working state of a benchmark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.db import models

from annotation.models import Benchmark, Image
from annotation.models.querysets.removed import with_withdrawn
from annotation.portable.read.tables import TABLES, Table, rows_of
from webapp.accounts.models import User

AT_ONCE = 2000


class WorkingState:
    """The current state of a benchmark, with its history.

    ``tables``: in the order of the file. ``all_revisions``: whether the file has every revision that others name."""

    tables: Sequence[Table] = TABLES
    all_revisions = True

    def __init__(self, benchmark: Benchmark) -> None:
        self.benchmark = benchmark

    @property
    def about(self) -> dict[str, Any]:
        """What the manifest says about the content."""
        return {}

    def rows(self, table: Table) -> models.QuerySet[Any]:
        """The rows in the order in which they were made."""
        return rows_of(table, self.benchmark)

    def values(self, table: Table, *, skip: int = 0) -> Iterator[dict[str, Any]]:
        """The values of the fields of each row by name, after the first ``skip`` rows. Other rows are named by their
        primary keys."""
        yield from (row for _, row in self.values_with_key(table, skip=skip))

    def values_with_key(self, table: Table, *, skip: int = 0) -> Iterator[tuple[int, dict[str, Any]]]:
        """As ``values``, each row with its primary key."""
        names = [one.name for one in table.fields]
        rows = self.rows(table).values_list("pk", *(one.attname for one in table.fields))
        for pk, *row in rows[skip:].iterator(chunk_size=AT_ONCE):
            yield pk, dict(zip(names, row, strict=True))

    def keys(self, table: Table) -> Iterator[int]:
        """The primary keys of the rows, which the file replaces by numbers."""
        return self.rows(table).values_list("pk", flat=True).iterator(chunk_size=AT_ONCE)

    def people(self) -> list[int]:
        """All people named in a row, in the order of their accounts."""
        found: set[int] = set()
        for table in self.tables:
            for one in table.fields:
                if one.related_model is User:
                    rows = self.rows(table).order_by().exclude(**{one.name: None})
                    found.update(rows.values_list(one.attname, flat=True).distinct())
        return sorted(found)

    def images(self) -> models.QuerySet[Image]:
        """The images of the samples, the building board and the guidelines, the originals of variants, and replaced
        images."""
        of_variants = with_withdrawn("variants__sample__", self.benchmark)
        replaced = with_withdrawn("replacements__sample__", self.benchmark)
        of_items = models.Q(build_items__benchmark=self.benchmark)
        samples = with_withdrawn("samples__", self.benchmark)
        uploaded = models.Q(guideline_images__benchmark=self.benchmark)
        found = Image.objects.filter(samples | of_variants | replaced | of_items | uploaded)
        return Image.objects.filter(pk__in=found.order_by().values("pk"))
