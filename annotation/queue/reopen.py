"""A lead opens settled samples again: each becomes a draft that begins from what was accepted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db.models import prefetch_related_objects
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.common.idempotency import answer_once
from annotation.common.notices import notify_assigned
from annotation.common.words import state_words
from annotation.content.drawn_on import shown_json, shown_on_images
from annotation.content.revisions import facets_as_gold
from annotation.models import (
    Annotation,
    Assignment,
    Benchmark,
    Draft,
    Gold,
    Lease,
    Membership,
    Receipt,
    Revision,
    Sample,
)
from annotation.models.querysets.samples import SampleQuerySet
from annotation.queue.batch import (
    SETTLED,
    Batch,
    Refused,
    apply_transitions,
    load_batch,
    require_annotator,
    update_sample_states,
)
from annotation.queue.check_work import FIRST_PLACE
from annotation.queue.leases import ANNOTATE
from annotation.workflow import Right, SampleState, State, roles_with
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.bulk import as_json, delete_rows, insert_rows
from webapp.common.errors import InvalidInput


@dataclass
class Plan:
    """The future author of each annotation, and the samples without any work."""

    drafts: list[tuple[Annotation, User, int]] = field(default_factory=list)
    untouched: list[tuple[Sample, Annotation]] = field(default_factory=list)


def reopen_samples(
    *, actor: User, benchmark: Benchmark, samples: SampleQuerySet, reason: str, key: str, to: User | None = None
) -> Receipt:
    """Turn settled samples into drafts of their authors or of ``to``, starting from the accepted content.

    A sample that was discarded without content is to do again. The gold remains until a new revision is accepted.
    Unsettled samples, and samples that their author cannot take, are rejected. Repeating a call with one ``key``
    changes nothing."""
    require(actor, benchmark, Right.MANAGE)
    if not reason:
        raise InvalidInput(gettext("Enter a reason. The author reads it."), field="reason")
    if to is not None:
        require_annotator(to, benchmark)

    def work() -> dict[str, object]:
        batch = load_batch(benchmark, samples)
        plan = _plan(actor, batch, to)
        _reopen(actor, batch, plan, reason)
        _begin_afresh(actor, batch, plan, reason, to)
        # People who hold one as a gold check lose it: a reopened sample is no longer a gold check.
        Lease.objects.filter(sample__in=batch.samples, seat=ANNOTATE, place__gte=FIRST_PLACE).delete()
        update_sample_states(batch.samples)
        return batch.answer() | {"to": str(to) if to else ""}

    return answer_once(actor, key, f"reopen:{benchmark.pk}", work)


def _plan(actor: User, batch: Batch, to: User | None) -> Plan:
    plan = Plan()
    members = Membership.objects.filter(benchmark=batch.benchmark, role__in=roles_with(Right.ANNOTATE))
    annotators = set(members.values_list("user", flat=True))
    begun = set(Revision.objects.filter(annotation__sample__in=batch.samples).values_list("annotation", flat=True))
    begun |= set(Draft.objects.filter(annotation__sample__in=batch.samples).values_list("annotation", flat=True))
    for sample in batch.samples:
        try:
            annotation = _settled(sample, batch.annotations[sample.pk])
            if annotation.author is None and annotation.pk not in begun:
                plan.untouched.append((sample, annotation))
            else:
                author = to or annotation.author or actor
                _may_take(author, annotation, batch.annotations[sample.pk], annotators)
                plan.drafts.append((annotation, author, _place(annotation, batch.annotations[sample.pk])))
            batch.done.append(sample.key)
        except Refused as refusal:
            batch.refused[sample.key] = str(refusal)
    return plan


def _settled(sample: Sample, annotations: Iterable[Annotation]) -> Annotation:
    """The accepted annotation, else the one discarded last."""
    if sample.state not in SETTLED:
        raise Refused(
            gettext("It is %(state)s. Only accepted and discarded samples can be reopened.")
            % {"state": state_words(sample.state)}
        )
    settled = [one for one in annotations if one.state == sample.state]
    return max(settled, key=lambda one: one.changed_at)


def _may_take(author: User, annotation: Annotation, annotations: Iterable[Annotation], annotators: set[int]) -> None:
    if author.pk not in annotators and not author.is_staff:
        raise Refused(
            gettext("%(person)s, the previous annotator, no longer annotates. Choose another person.")
            % {"person": author}
        )
    if any(one.author_id == author.pk and one is not annotation for one in annotations):
        raise Refused(
            gettext("%(person)s already has an annotation of this sample. Choose another person.") % {"person": author}
        )


def _place(annotation: Annotation, annotations: Iterable[Annotation]) -> int:
    """The place it has, or the first that is free."""
    if annotation.place is not None:
        return annotation.place
    taken = {one.place for one in annotations}
    return next(number for number in range(len(taken) + 1) if number not in taken)


def _reopen(actor: User, batch: Batch, plan: Plan, reason: str) -> None:
    groups: dict[tuple[User, int], list[Annotation]] = {}
    for annotation, author, place in plan.drafts:
        if (annotation.author_id, annotation.place) != (author.pk, place):
            groups.setdefault((author, place), []).append(annotation)
    for (author, place), changed in groups.items():
        Annotation.objects.filter(pk__in=[one.pk for one in changed]).update(author=author, place=place)
        for one in changed:
            one.author, one.place = author, place
    opened = [annotation for annotation, _, _ in plan.drafts]
    apply_transitions(actor=actor, batch=batch, annotations=opened, name="reopen", reason=reason)
    _draft_again(opened)


def _draft_again(annotations: list[Annotation]) -> None:
    """Each draft starts from the latest revision, in pixels of the image that the sample has, and from the facets that
    the sample has today if that revision is its gold. A draft that was discarded unsubmitted continues unchanged."""
    drafted = set(Draft.objects.filter(annotation__in=annotations).values_list("annotation", flat=True))
    by_number = {one.pk: one for one in annotations if one.pk not in drafted}
    newest: dict[int, Revision] = {}
    revisions = Revision.objects.filter(annotation__in=list(by_number)).with_content()
    for revision in revisions.order_by("annotation", "number"):
        revision.annotation = by_number[revision.annotation_id]
        newest[revision.annotation_id] = revision
    prefetch_related_objects([one.sample for one in annotations], "facets")
    now = timezone.now()
    shown = shown_on_images(list(newest.values()))
    golds = set(Gold.objects.filter(revision__in=list(newest.values())).values_list("revision", flat=True))
    rows = []
    for (number, revision), one in zip(newest.items(), shown, strict=True):
        content = shown_json(revision, one)
        if revision.pk in golds:
            content["facets"] = facets_as_gold(by_number[number].sample)
        rows.append((number, 1, "", as_json(content), now))
    insert_rows(Draft, ("annotation", "version", "key", "content", "changed_at"), rows)


def _begin_afresh(actor: User, batch: Batch, plan: Plan, reason: str, to: User | None) -> None:
    """Return a sample that was discarded before any annotation to the state ``to_do``."""
    delete_rows(Annotation, [annotation.pk for _, annotation in plan.untouched])
    samples = [sample for sample, _ in plan.untouched]
    if to is not None:
        now = timezone.now()
        insert_rows(Assignment, ("sample", "user", "created_at"), [(sample.pk, to.pk, now) for sample in samples])
        if samples:
            notify_assigned(actor, batch.benchmark, to)
    audit.record_many(
        audit.entry(
            actor=actor, action="sample.reopen", subject=sample, benchmark=batch.benchmark.slug,
            before=State.DISCARDED.value, after=SampleState.TO_DO.value, reason=reason,
        )
        for sample in samples
    )  # fmt: skip
