"""Adding the reviews and comments of a portable file that a benchmark does not have."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.db import models

from annotation.models import Comment, Review
from annotation.portable.read.columns import in_column
from annotation.portable.read.discussion import Discussion, Here, New
from annotation.project_file import Line
from webapp.common.bulk import insert_rows, reserve_ids

Person = Callable[[Line, str], int | None]
"""From a field that names a person of the file to the placeholder."""
OF_REVIEW = ("decision", "reasons", "comment", "blind_answer", "blind_seconds", "created_at")
OF_COMMENT = ("text", "x", "y", "created_at", "resolved_at")


def add_discussion(found: Discussion, person: Person) -> dict[str, int]:
    """Add them in the names of placeholders, with their times; return how many. No one is notified."""
    return {"reviews": _add_reviews(found, person), "comments": _add_comments(found, person)}


def _add_reviews(found: Discussion, person: Person) -> int:
    rows = []
    for one, pk in zip(found.reviews, reserve_ids(Review, len(found.reviews)), strict=True):
        here, reviewer = found.revisions[one.place], person(Line("review", one.number, one.row), "reviewer")
        rows.append((pk, here.pk, here.author, reviewer, *_values(Review, OF_REVIEW, one)))
    return insert_rows(Review, ("id", "revision", "revision_author", "reviewer", *OF_REVIEW), rows)


def _add_comments(found: Discussion, person: Person) -> int:
    ids = dict(found.known)
    ids |= dict(zip((one.number for one in found.comments), reserve_ids(Comment, len(found.comments)), strict=True))
    annotations = dict(Comment.objects.filter(pk__in=found.known.values()).values_list("pk", "annotation"))
    rows = []
    for one in found.comments:
        here: Here = found.revisions[one.place]
        parent = None if one.row.get("parent") is None else ids[one.row["parent"]]
        annotations[ids[one.number]] = here.annotation if parent is None else annotations[parent]
        line = Line("comment", one.number, one.row)
        people = (person(line, "author"), person(line, "resolved_by"))
        values = _values(Comment, OF_COMMENT, one)
        rows.append((ids[one.number], annotations[ids[one.number]], parent, *people, *values))
    return insert_rows(Comment, ("id", "annotation", "parent", "author", "resolved_by", *OF_COMMENT), rows)


def _values(model: type[models.Model], names: Iterable[str], one: New) -> list[Any]:
    given = []
    for name in names:
        column: models.Field[Any, Any] = model._meta.get_field(name)  # type: ignore[assignment]  # concrete
        value = one.row.get(name, column.get_default() if column.has_default() else None)
        given.append(in_column(column, value, str(model._meta.model_name), one.number))
    return given
