"""Named queries for gold checks, blind answers and audits, as querysets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from django.db import models
from django.db.models import Count, Exists, F, OuterRef, Q

if TYPE_CHECKING:
    from annotation.models.querysets.waiting import Person
    from webapp.accounts.models import User


STANDING = Q(check_of__sample__state="accepted", check_of__sample__benchmark__isnull=False)
"""Of answers to checks whose sample is still accepted, and neither deleted nor withdrawn."""


def seen_by(user: User) -> Q:
    """The condition on revisions that this person made, annotated, reviewed or answered blind."""
    return Q(author=user) | Q(annotation__author=user) | Q(reviews__reviewer=user) | Q(blind_answers__reviewer=user)


class GoldCheckQuerySet(models.QuerySet[Any]):
    def for_person(self, user: User) -> Self:
        """Keep checks that measure this person.

        They are running, with gold as accepted now. The person neither made nor reviewed that gold and has not been
        assigned the check. They are hidden from participants of a human study, who would learn that its samples have
        gold."""
        sample = self.model.sample.field.related_model
        revisions = sample.gold.related.related_model.revision.field.related_model.objects
        known = revisions.filter(annotation__sample=OuterRef("sample"))
        return self.filter(
            ~Exists(known.filter(seen_by(user))),
            ~Exists(self.model.answers.rel.related_model.objects.filter(check_of=OuterRef("pk"), user=user)),
            ~Q(sample__in=user.human_answers.values("sample")),
            active=True,
            sample__state="accepted",
            sample__gold__isnull=False,
        )

    def with_results(self) -> Self:
        """Add ``answered_n`` and ``passed_n``: answers that were finally submitted, and those that passed."""
        handed_in = Q(answers__state="handed_in", answers__held_until__isnull=True)
        return self.annotate(
            answered_n=Count("answers", filter=handed_in), passed_n=Count("answers", filter=Q(answers__passed=True))
        )


class CheckAnswerQuerySet(models.QuerySet[Any]):
    def on(self, benchmark: Any) -> Self:
        """Keep answers to gold checks that were mixed in, without those of qualification tests."""
        return self.filter(check_of__sample__benchmark=benchmark, attempt__isnull=True)

    def waiting(self) -> Self:
        """Keep samples of a qualification test that are neither submitted nor skipped, in their order."""
        return self.filter(STANDING, state="draft").order_by("pk")

    def submitted(self) -> Self:
        """Keep answers that look submitted to their author."""
        return self.filter(state="handed_in")

    def handed_in(self) -> Self:
        """Keep answers that were finally submitted and compared with gold."""
        return self.submitted().filter(held_until__isnull=True)

    def held(self) -> Self:
        """Keep answers that can be taken back, or could until recently."""
        return self.submitted().filter(held_until__isnull=False)

    def begun(self) -> Self:
        """Keep answers that have content and were not skipped."""
        return self.filter(Q(version__gt=0) | Q(state="handed_in"))

    def begun_by(self, user: Person) -> Self:
        """Keep drafts of this person, with gold as accepted now."""
        return self.filter(STANDING, user=user, state="draft", version__gt=0)

    def untouched_by(self, user: Person) -> Self:
        """Keep checks assigned to this person without content yet, with gold as accepted now."""
        return self.filter(STANDING, user=user, state="draft", version=0)

    def by_person(self) -> dict[int, tuple[int, int]]:
        """Numbers of passed and of decided checks, by user id."""
        counts = (
            self.order_by().values_list("user").annotate(right=Count("pk", filter=Q(passed=True)), n=Count("passed"))
        )
        return {user: (right, n) for user, right, n in counts}


class BlindAnswerQuerySet(models.QuerySet[Any]):
    def from_the_picture(self) -> Self:
        """Keep answers from the full image. Gold may be shown after them."""
        return self.exclude(condition="crop")


class AuditItemQuerySet(models.QuerySet[Any]):
    def of(self, benchmark: Any) -> Self:
        return self.filter(draw__benchmark=benchmark, sample__benchmark=benchmark)

    def undecided(self) -> Self:
        """Keep items without an audit whose gold is unchanged since the draw."""
        return self.filter(verdict="", sample__gold__revision=F("revision"))

    def for_person(self, user: User) -> Self:
        """Keep items that may be assigned to this person: undecided, not their own work or review, and not reserved.

        Every annotator of a sample contributed to its gold, also if several people annotated it."""
        revisions = self.model.revision.field.related_model.objects.filter(annotation__sample=OuterRef("sample"))
        theirs = Q(author=user) | Q(annotation__author=user, annotation__kind="own") | Q(reviews__reviewer=user)
        leases = self.model.sample.field.related_model.leases.rel.related_model.objects
        held = leases.filter(sample=OuterRef("sample"), seat="audit").live().exclude(user=user)
        return self.undecided().filter(~Exists(revisions.filter(theirs)), ~Exists(held))

    def with_content(self) -> Self:
        """Load each item with its sample, its revision and the parts of the revision."""
        parts = ("gold_boxes", "gold_shapes", "reference_calls", "plan_tools")
        loaded = self.select_related(
            "sample__image", "draw__benchmark", "revision__annotation__sample", "revision__author"
        )
        return loaded.prefetch_related(*(f"revision__{part}" for part in parts))

    def decided(self) -> Self:
        return self.exclude(verdict="")

    def proposals(self) -> Self:
        """Disagreements that the lead has not decided."""
        return self.filter(verdict="disagree", outcome="")
