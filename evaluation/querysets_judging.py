"""Named questions about what people judge: what is open to somebody, and what they have done."""

from __future__ import annotations

from typing import Any, Self

from django.apps import apps
from django.db import models
from django.db.models import Count, Exists, F, OuterRef, Q
from django.db.models.functions import Now


class JudgementQuerySet(models.QuerySet[Any]):
    def of(self, benchmark: Any) -> Self:
        return self.filter(run__benchmark=benchmark, run__staged_for=None)

    def decisions(self) -> Self:
        """What people decided that answers say, which scores are made of."""
        return self.filter(decides=True)

    def given(self) -> Self:
        """What judges gave, models or people in a queue: no decisions."""
        return self.filter(decides=False)

    def said_to(self, item: Any) -> Self:
        """What was said to a question of a queue: of an answer on its trajectory, else on its run and sample."""
        of = item.trajectory
        where = {"trajectory": of} if item.kind == "answer" else {"trajectory": None}
        return self.given().filter(run=of.run_id, sample=of.sample_id, kind=item.kind, **where)

    def of_models(self) -> Self:
        """What judge models gave, which metrics are made of."""
        return self.given().filter(person=None)


class JudgingItemQuerySet(models.QuerySet[Any]):
    def of(self, benchmark: Any) -> Self:
        return self.filter(queue__benchmark=benchmark)

    def done_by(self, user: Any) -> Self:
        return self.filter(seats__user=user, seats__done_at__isnull=False)

    def held_by(self, user: Any) -> Self:
        """Handed out to this person, and neither done nor run out."""
        mine = {"seats__user": user, "seats__place__isnull": False, "seats__done_at__isnull": True}
        return self.filter(**mine, seats__expires_at__gt=Now())

    def unsettled_by(self, user: Any) -> Self:
        """What this person has not judged, here or in another queue, and has not skipped."""
        seats, judgements = (apps.get_model("evaluation", name) for name in ("JudgingSeat", "Judgement"))
        mine = seats.objects.filter(item=OuterRef("pk"), user=user)
        settled = mine.filter(Q(done_at__isnull=False) | Q(place__isnull=True))
        about = {"run": OuterRef("trajectory__run"), "sample": OuterRef("trajectory__sample"), "kind": OuterRef("kind")}
        same = Q(trajectory=None) | Q(trajectory=OuterRef("trajectory"))
        said = judgements.objects.given().filter(same, **about, person=user)
        return self.filter(~Exists(settled), ~Exists(said))

    def open_to(self, user: Any) -> Self:
        """What this person may be handed: unsettled, and with a place that nobody fills or holds now. What they hold
        themselves is open to them."""
        taken = Q(seats__done_at__isnull=False) | Q(seats__expires_at__gt=Now())
        others = taken & Q(seats__place__isnull=False) & ~Q(seats__user=user)
        found = self.unsettled_by(user).annotate(taken_n=Count("seats", filter=others))
        return found.filter(taken_n__lt=F("queue__people"))

    def unjudged(self) -> Self:
        """What fewer people have judged than are asked."""
        return self.with_progress().filter(done_n__lt=F("queue__people"))

    def with_progress(self) -> Self:
        """Adds ``done_n``: by how many people each was judged."""
        return self.annotate(done_n=Count("seats", filter=Q(seats__done_at__isnull=False)))
