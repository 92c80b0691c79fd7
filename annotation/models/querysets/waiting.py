"""Work that waits for a person. Pages count it, lists show it and the queue assigns it by the same queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from django.db import models
from django.db.models import Case, Count, Exists, ExpressionWrapper, F, Min, OuterRef, Q, QuerySet, Subquery, When
from django.db.models.functions import Coalesce, Now

from annotation.workflow import PARTS, SPREAD, Right

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser

    from webapp.accounts.models import User

    Person: TypeAlias = User | AnonymousUser

OPEN_STATES = ("to_do", "draft", "returned", "in_review", "disputed")
"""States in which a sample may still need another annotation."""

WAITING_STATES = ("in_review", "submitted")
"""States of an annotation that waits for a reviewer, once its author can no longer take it back."""

WAITING: Mapping[str, Right] = {
    "returned": Right.ANNOTATE,
    "review": Right.REVIEW,
    "annotate": Right.ANNOTATE,
    "drafts": Right.ANNOTATE,
}
"""Kinds of work that can wait for a person, most urgent first, with the permission for each."""


WORK: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "assigned": ("assignment__user", {}),
    "holds": ("leases__user", {"leases__expires_at__gt": Now()}),
    "drafts": ("annotations__author", {"annotations__state": "draft"}),
    "returned": ("annotations__author", {"annotations__state": "returned"}),
    "waiting": ("annotations__author", {"annotations__state__in": WAITING_STATES}),
    "accepted": ("annotations__author", {"annotations__state": "accepted", "annotations__kind": "own"}),
    "submitted": (
        "annotations__author",
        {"annotations__kind": "own", "annotations__revisions__author": F("annotations__author")},
    ),
    "reviewed": ("annotations__revisions__reviews__reviewer", {}),
    "skipped": ("skips__user", {}),
}
"""Kinds of a person's work on samples that a lead counts and lists: the path to the person, and conditions."""


class WaitingQuerySet(models.QuerySet[Any]):
    """Queries for samples that wait for work.

    ``queues``: the settings (``BenchmarkQueue``) of benchmarks that assign work; samples of other benchmarks are left
    out."""

    def waiting_for(self, user: Person, kind: str) -> Self:
        """Keep samples that the queue offers to this person for one kind of work (a key of ``WAITING``).

        The kinds are their own returned work and drafts, samples to annotate, and submitted work of others to review.
        It needs one query in addition to its own."""
        if kind not in WAITING or not user.is_authenticated:
            return self.none()
        benchmarks = self.model.benchmark.field.related_model.objects.joined_with(user, WAITING[kind])
        if kind == "annotate":
            return self.open_to(user, benchmarks.queues_for(user))
        if kind == "review":
            return self.to_review_by(user, benchmarks.queues_for(user))
        if kind == "drafts":
            return self.with_draft_of(user).filter(benchmark__in=benchmarks)
        mine = self.model.annotations.rel.related_model.objects.filter(author=user, state="returned")
        returned = Exists(mine.not_skipped_by(user).filter(sample=OuterRef("pk")))
        return self.filter(returned, benchmark__in=benchmarks)

    def open_drafts_first(self, user: Person) -> Self:
        """Order drafts of this person: those that they did not leave on purpose first, as the queue assigns them."""
        own = Q(leases__user=user, leases__seat="annotate")
        return self.annotate(reserved=Min("leases__pk", filter=own)).order_by(F("reserved").asc(nulls_last=True), "key")

    def with_draft_of(self, user: Person) -> Self:
        """Keep samples of which this person has a draft with content and did not skip it, gold checks among them."""
        mine = self.model.annotations.rel.related_model.objects.filter(author=user, state="draft").not_skipped_by(user)
        answers = self.model.gold_check.related.related_model.answers.rel.related_model.objects.begun_by(user)
        of_sample = {"sample": OuterRef("pk")}
        return self.filter(Exists(mine.filter(**of_sample)) | Exists(answers.filter(check_of__sample=OuterRef("pk"))))

    def open_at(self, place: int) -> Self:
        """Keep unsettled samples with a free place for an annotator."""
        filled = self.model.annotations.rel.related_model.objects.filter(sample=OuterRef("pk"), place=place)
        return self.filter(~Exists(filled), state__in=OPEN_STATES)

    def open_to(self, user: Person | int, queues: Sequence[Any]) -> Self:
        """Keep samples that the queue may assign to this person.

        They are unsettled, have a free place, are not reserved by or assigned to other people, and this person has
        neither seen nor skipped them. Where all annotators answer one question, another person must not be writing it
        at present."""
        of_sample = {"sample": OuterRef("pk")}
        leases = self._of("leases").filter(**of_sample, seat="annotate").live().exclude(user=user)
        found = self.filter(
            # A variant has gold that is reviewed. It would show annotators that another sample has gold.
            ~Exists(self._variants()),
            ~Exists(self._of("skips").filter(**of_sample, user=user, seat="annotate")),
            ~Exists(self.model.assignment.related.related_model.objects.filter(**of_sample).exclude(user=user)),
        )
        once = Q(~Exists(leases), state="to_do")
        if all(queue.overlap == 1 for queue in queues):
            return found.filter(once, benchmark__in=[queue.benchmark_id for queue in queues])
        annotations = self._of("annotations").filter(**of_sample)
        begun = self._of("annotations").filter(sample=OuterRef("sample"), author=OuterRef("user"))
        taken = _count(annotations.filter(place__isnull=False)) + _count(leases.filter(~Exists(begun)))
        several = Q(~Exists(annotations.filter(author=user)), state__in=OPEN_STATES)
        return found.annotate(taken=taken)._by_overlap(queues, once, several, "taken__lt", ~self._question_begun(user))

    def with_question_begun(self, user: Person | int) -> Self:
        """Keep samples whose question another person is writing, or can still take back."""
        return self.filter(self._question_begun(user))

    def _question_begun(self, user: Person | int) -> Q:
        others = self._of("annotations").filter(sample=OuterRef("pk"), kind="own").exclude(author=user)
        leases = self._of("leases").filter(sample=OuterRef("pk"), seat="annotate").live().exclude(user=user)
        fixed = others.filter(revisions__submitted_at__isnull=False).exclude(state="discarded")
        return (Q(Exists(leases)) | Q(Exists(others.filter(held_until__isnull=False)))) & ~Q(Exists(fixed))

    def to_review_by(self, user: Person, queues: Sequence[Any]) -> Self:
        """Keep samples that the queue may assign to this reviewer.

        They wait for a review, contain no work of the reviewer, are not reserved by another reviewer and were not
        skipped. A variant shows the gold of another sample, which can be a gold check. People who annotate on the
        benchmark therefore do not review variants, except for leads."""
        of_sample = {"sample": OuterRef("pk")}
        leases = self._of("leases").filter(**of_sample, seat="review").live()
        found = self.awaiting_review(queues)
        if not user.is_staff:
            held = self._of_benchmark("memberships").filter(benchmark=OuterRef("benchmark"), user=user)
            annotates, leads = (Exists(held.filter(role=role)) for role in ("annotator", "lead"))
            found = found.filter(~Exists(self._variants()) | ~annotates | leads)
        return found.filter(
            ~Exists(self._of("annotations").filter(**of_sample, author=user)),
            ~Exists(leases.exclude(user=user)),
            ~Exists(self._of("skips").filter(**of_sample, user=user, seat="review")),
        )

    def awaiting_review(self, queues: Sequence[Any]) -> Self:
        """Keep samples whose annotators have all finally submitted, and which are not decided."""
        annotations = self._of("annotations").filter(sample=OuterRef("pk"))
        found = self.filter(
            Exists(annotations.filter(state__in=WAITING_STATES, held_until__isnull=True)),
            state__in=["in_review", "disputed"],
        )
        if all(queue.overlap == 1 for queue in queues):
            return found.filter(benchmark__in=[queue.benchmark_id for queue in queues])
        handed_in = _count(annotations.filter(state__in=[*WAITING_STATES, "discarded"], held_until__isnull=True))
        return found.annotate(handed_in=handed_in)._by_overlap(queues, Q(), Q(), "handed_in__gte")

    def _by_overlap(self, queues: Sequence[Any], once: Q, several: Q, limit: str, shared: Q | None = None) -> Self:
        """Apply ``once`` to samples for one annotator, and ``several`` with the limit to samples in the overlap;
        ``shared`` also where annotators of a sample answer one question."""
        drawn = ExpressionWrapper(F("pk") * SPREAD % PARTS, output_field=models.BigIntegerField())
        found = self.annotate(drawn=drawn, is_variant=Exists(self._variants()))
        wanted = Q()
        for queue in queues:
            part = Q(drawn__lt=queue.overlap_share * PARTS) if queue.overlap > 1 else Q(drawn__lt=0)
            part &= Q(is_variant=False)
            rule = several & shared if shared is not None and queue.waits_for_question else several
            wanted |= Q(
                once & ~part | rule & part & Q(**{limit: queue.overlap + F("extra_places")}),
                benchmark=queue.benchmark_id,
            )
        return found.filter(wanted)

    def with_annotations_left(self, queue: Any) -> Self:
        """Add ``left``: how many people must still submit an annotation, by the rule of the benchmark."""
        if queue.overlap == 1:
            left: Any = Case(When(state__in=["to_do", "draft", "returned"], then=1), default=0)
            return self.annotate(left=left)
        drawn = ExpressionWrapper(F("pk") * SPREAD % PARTS, output_field=models.BigIntegerField())
        annotations = self._of("annotations").filter(sample=OuterRef("pk"), author__isnull=False)
        handed_in = _count(annotations.exclude(state__in=["draft", "returned"]))
        several = Q(drawn__lt=queue.overlap_share * PARTS)
        wanted = Case(When(several, then=queue.overlap + F("extra_places")), default=1)
        found = self.annotate(drawn=drawn).annotate(wanted=wanted, handed_in=handed_in)
        open_one = Q(state__in=OPEN_STATES, wanted__gt=F("handed_in"))
        number = models.IntegerField()
        left = Case(When(open_one, then=F("wanted") - F("handed_in")), default=0, output_field=number)
        return found.annotate(left=left)

    def held_by(self, user: Person | int, seat: str) -> Self:
        """Keep samples on which this person has a live lease, the oldest lease first."""
        held = self.filter(leases__user=user, leases__seat=seat, leases__expires_at__gt=Now())
        return held.order_by("leases__pk")

    def worked_on(self, terms: Mapping[str, str]) -> Self:
        """Keep samples on which a person has work of one kind, if ``work`` is PERSON:KIND with a key of ``WORK``;
        otherwise keep all."""
        if "work" not in terms:
            return self
        person, _, kind = terms["work"].partition(":")
        if kind not in WORK or not person.isdecimal() or len(person) > 18:
            return self.none()
        path, beside = WORK[kind]
        return self.filter(pk__in=self.model.objects.filter(**{path: int(person)}, **beside).values("pk"))

    def work_by_person(self, kind: str) -> dict[int, int]:
        """The number of samples on which each person has work of this kind. Others are omitted. One query."""
        path, beside = WORK[kind]
        found = self.filter(**{f"{path}__isnull": False}, **beside).order_by()
        return dict(found.values_list(path).annotate(n=Count("pk", distinct=True)))

    def _variants(self) -> Any:
        return self.model.variant.related.related_model.objects.filter(sample=OuterRef("pk"))

    def _of_benchmark(self, relation: str) -> Any:
        return getattr(self.model.benchmark.field.related_model, relation).rel.related_model.objects

    def _of(self, relation: str) -> Any:
        return getattr(self.model, relation).rel.related_model.objects


def _count(rows: QuerySet[Any]) -> Coalesce:
    return Coalesce(Subquery(rows.order_by().values("sample").annotate(n=Count("pk")).values("n")), 0)
