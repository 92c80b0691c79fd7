"""Questions to the database about notifications."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from typing import Any, Self

from django.db import models
from django.db.models import Count, QuerySet

Hidden = Callable[[], QuerySet[Any, Any]]
_hidden: list[Hidden] = []


def benchmarks_hidden_by(callback: Hidden) -> Hidden:
    """Register what finds the slugs of benchmarks whose notifications are hidden now; a decorator."""
    _hidden.append(callback)
    return callback


class NotificationQuerySet(models.QuerySet[Any]):
    def of(self, person: Any) -> Self:
        """The entries of a person, without those about benchmarks that are hidden."""
        return self.there().filter(person=person.pk)

    def there(self) -> Self:
        found = self
        for hidden in _hidden:
            found = found.exclude(benchmark__in=hidden())
        return found

    def unread(self) -> Self:
        return self.filter(read_at__isnull=True)

    def alike(self, people: Collection[int], kind: str, benchmark: str, since: datetime) -> Self:
        """Unread entries of these people of this kind and benchmark with an event since then, the newest first."""
        found = self.unread().filter(person__in=people, kind=kind, benchmark=benchmark, changed_at__gte=since)
        return found.order_by("-changed_at", "-pk")

    def mail_due(self, now: datetime) -> Self:
        """Unread entries that an email should carry now, and none does yet."""
        return self.there().unread().filter(mail_after__lte=now)

    def by_kind(self) -> dict[str, int]:
        """Number of entries of each kind."""
        return dict(self.order_by().values_list("kind").annotate(n=Count("pk")))

    def benchmarks(self) -> QuerySet[Any, str]:
        return self.exclude(benchmark="").order_by("benchmark").values_list("benchmark", flat=True).distinct()
