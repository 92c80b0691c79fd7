"""Named queries for human studies, their participants and answers."""

from __future__ import annotations

from typing import Any, Self

from django.apps import apps
from django.db import models
from django.db.models import Count, Exists, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce, Now

OPEN = ("running", "paused")
"""States of a study in which its participants work blind."""
WORKED_ON = (
    ("annotation", "Annotation", "author", "sample"),
    ("annotation", "Revision", "author", "annotation__sample"),
    ("annotation", "Review", "reviewer", "revision__annotation__sample"),
    ("annotation", "BlindAnswer", "reviewer", "revision__annotation__sample"),
    ("annotation", "AuditItem", "auditor", "sample"),
    ("annotation", "CheckAnswer", "user", "check_of__sample"),
    ("evaluation", "Judgement", "person", "sample"),
)
"""The kinds of work by which people know a sample: app, table, and the paths to the person and to the sample."""


class ParticipantQuerySet(models.QuerySet[Any]):
    def in_the_middle(self) -> Self:
        """Keep participants who started an open study and have not finished it."""
        return self.filter(finished_at=None, experiment__state__in=OPEN)


class StudySampleQuerySet(models.QuerySet[Any]):
    def with_places(self) -> Self:
        """Add ``done_n`` (people who answered each sample) and ``taken_n`` (the same, including reservations)."""
        answers = apps.get_model("evaluation", "HumanAnswer").objects
        mine = answers.filter(experiment=OuterRef("experiment"), sample=OuterRef("sample"), place__isnull=False)
        counted = {
            "done_n": mine.filter(done_at__isnull=False),
            "taken_n": mine.filter(Q(done_at__isnull=False) | Q(expires_at__gt=Now())),
        }
        return self.annotate(
            **{
                name: Coalesce(Subquery(rows.order_by().values("sample").annotate(n=Count("pk")).values("n")), 0)
                for name, rows in counted.items()
            }
        )

    def unsettled_by(self, person: Any) -> Self:
        """Keep samples that this person has neither answered nor skipped, and does not know from their work."""
        answers = apps.get_model("evaluation", "HumanAnswer").objects
        mine = answers.filter(experiment=OuterRef("experiment"), sample=OuterRef("sample"), person=person)
        settled = mine.filter(Q(done_at__isnull=False) | Q(place=None))
        found = self.filter(~Exists(settled))
        for app, table, who, way in WORKED_ON:
            rows = apps.get_model(app, table).objects.filter(**{way: OuterRef("sample"), who: person})
            found = found.filter(~Exists(rows))
        return found


class HumanAnswerQuerySet(models.QuerySet[Any]):
    def given(self) -> Self:
        return self.filter(done_at__isnull=False)

    def held_by(self, person: Any) -> Self:
        """Keep answers that are assigned to this person and neither given, skipped nor expired."""
        return self.filter(person=person, done_at=None, place__isnull=False, expires_at__gt=Now())
