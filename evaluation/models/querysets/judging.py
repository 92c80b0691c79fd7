"""Named queries for judgments and judging queues."""

from __future__ import annotations

from typing import Any, Self

from django.apps import apps
from django.db import models
from django.db.models import Count, Exists, F, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce, Now

from evaluation.models.querysets.live import live


class JudgementQuerySet(models.QuerySet[Any]):
    def of(self, benchmark: Any) -> Self:
        return self.filter(live("run__"), run__benchmark=benchmark)

    def decisions(self) -> Self:
        """Keep decisions of people on the meaning of answers. Scores use them."""
        return self.filter(decides=True)

    def settling(self) -> Self:
        """Keep decisions with a result, without those that leave the answer to a judge."""
        return self.decisions().exclude(verdict="leave")

    def given(self) -> Self:
        """Keep judgments of models and of people in queues, without decisions."""
        return self.filter(decides=False)

    def said_to(self, item: Any) -> Self:
        """Keep judgments given to a question of a queue."""
        return self.given().filter(trajectory=item.trajectory_id, kind=item.kind)

    def of_models(self) -> Self:
        """Keep judgments of models. Metrics use them."""
        return self.given().filter(person=None)

    def of_evaluated(self) -> Self:
        """Keep judgments of the trajectories that metrics use. A judgment without a trajectory is about these."""
        named = _trajectories().filter(pk=OuterRef("trajectory")).evaluated()
        return self.filter(Q(trajectory=None) | Exists(named))

    def with_subject(self) -> Self:
        """Add ``subject``: the id of the judged trajectory; null if it is not recorded."""
        plain = _trajectories().filter(run=OuterRef("run"), sample=OuterRef("sample"), condition="none")
        lowest = plain.order_by("rollout").values("pk")[:1]
        return self.annotate(subject=Coalesce("trajectory", Subquery(lowest)))


class JudgingItemQuerySet(models.QuerySet[Any]):
    def of(self, benchmark: Any) -> Self:
        return self.filter(queue__benchmark=benchmark)

    def about_answers(self) -> Self:
        return self.filter(kind="answer")

    def left_to_judge(self, user: Any) -> Self:
        """Keep questions that this person has not judged, in unfinished queues from which they were assigned a
        question."""
        begun = apps.get_model("evaluation", "JudgingQueue").begun.through.objects
        mine = begun.filter(judgingqueue=OuterRef("queue"), user=user)
        open_ones = self.model.objects.filter(queue=OuterRef("queue")).unjudged()
        return self.filter(Exists(mine), Exists(open_ones)).unsettled_by(user)

    def done_by(self, user: Any) -> Self:
        return self.filter(seats__user=user, seats__done_at__isnull=False)

    def held_by(self, user: Any) -> Self:
        """Keep questions assigned to this person that are neither judged nor expired."""
        mine = {"seats__user": user, "seats__place__isnull": False, "seats__done_at__isnull": True}
        return self.filter(**mine, seats__expires_at__gt=Now())

    def unsettled_by(self, user: Any) -> Self:
        """Keep questions that this person has neither judged, in any queue, nor skipped."""
        seats, judgements = (apps.get_model("evaluation", name) for name in ("JudgingSeat", "Judgement"))
        mine = seats.objects.filter(item=OuterRef("pk"), user=user)
        settled = mine.filter(Q(done_at__isnull=False) | Q(place__isnull=True))
        about = {"trajectory": OuterRef("trajectory"), "kind": OuterRef("kind")}
        said = judgements.objects.given().filter(**about, person=user)
        return self.filter(~Exists(settled), ~Exists(said))

    def open_to(self, user: Any) -> Self:
        """Keep questions that may be assigned to this person: unsettled, with a place that no other person fills or
        reserves.

        Their own reservation does not exclude a question."""
        taken = Q(seats__done_at__isnull=False) | Q(seats__expires_at__gt=Now())
        others = taken & Q(seats__place__isnull=False) & ~Q(seats__user=user)
        found = self.unsettled_by(user).annotate(taken_n=Count("seats", filter=others))
        return found.filter(taken_n__lt=F("queue__people"))

    def unjudged(self) -> Self:
        """Keep questions with fewer judgments than requested."""
        return self.with_progress().filter(done_n__lt=F("queue__people"))

    def with_progress(self) -> Self:
        """Add ``done_n``: the number of people who judged each question."""
        return self.annotate(done_n=Count("seats", filter=Q(seats__done_at__isnull=False)))


def _trajectories() -> Any:
    return apps.get_model("evaluation", "Trajectory").objects.all()
