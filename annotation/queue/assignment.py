"""Handing out the next sample: what was returned to me, my open draft, what I hold, then the lead's rule."""

from __future__ import annotations

from collections.abc import Iterator
from random import randrange

from django.db import transaction
from django.db.models import Max, Min, Q

from annotation.common.access import known_to, require
from annotation.common.rules import rules_of
from annotation.content.guidelines import require_read
from annotation.models import Annotation, Assignment, Benchmark, BenchmarkQueue, CheckAnswer, Sample
from annotation.models.querysets.samples import AnnotationQuerySet, SampleQuerySet
from annotation.models.querysets.waiting import OPEN_STATES
from annotation.queue.check_work import begun_check, next_check
from annotation.queue.leases import ANNOTATE, acquire_author_lease, queue_of, release, renew, take_to_annotate
from annotation.queue.pauses import is_paused
from annotation.queue.qualification import is_qualified, next_item
from annotation.workflow import OPEN, Right, State
from webapp.accounts.models import User
from webapp.common.errors import Conflict

AT_ONCE = 20
"""Candidates looked at in one query: several, because others may take the first of them in the same moment."""


def next_to_annotate(*, actor: User, benchmark: Benchmark, shown: str = "") -> Sample | None:
    """The next sample for this person, theirs under a lease from now on; None when there is nothing to do. ``shown``:
    the key of one that they saw as the next, which it then is if it still waits for them."""
    require(actor, benchmark, Right.ANNOTATE)
    require_read(actor, benchmark)
    return (_shown(actor, benchmark, shown) if shown else None) or hand_out(actor, benchmark)


def _shown(actor: User, benchmark: Benchmark, key: str) -> Sample | None:
    """Not for a person who gets gold checks, because choosing samples would avoid them."""
    sample = Sample.objects.filter(benchmark=benchmark, key=key).first()
    if sample is None or known_to(actor, benchmark).handed_checks:
        return None
    mine = Annotation.objects.filter(sample=sample, author=actor, state__in=OPEN).not_skipped_by(actor).first()
    if mine is not None:
        return _take_again(actor, mine.pk)
    queue = queue_of(benchmark)
    waits = Sample.objects.filter(pk=sample.pk).open_to(actor, [queue])
    if is_paused(actor, benchmark) or not waits.exists():
        return None
    with transaction.atomic():
        return _take(actor, sample.pk, queue, sample.extra_places)


def _take(actor: User, number: int, queue: BenchmarkQueue, extra: int) -> Sample | None:
    """Take a free place, unless another person has begun to write the question that both would answer. Call inside a
    transaction. Of two people who take places at the same time, the second waits for the first at place 0."""
    sample = take_to_annotate(actor, number, queue, extra)
    if sample is None or queue.wanted(number, extra) == 1 or not queue.waits_for_question:
        return sample
    if Sample.objects.filter(pk=number).with_question_begun(actor).exists():
        release(actor, number, ANNOTATE)
        return None
    return sample


def hand_out(actor: User, benchmark: Benchmark, *, beside: Sample | None = None) -> Sample | None:
    """Assign a sample to a person whose permission was checked before.

    The order: returned work, drafts that they did not leave on purpose, reserved samples, new samples by the rules of
    the queue, then the drafts that they left.
    ``SampleQuerySet.waiting_for`` counts the same samples. ``beside``: a sample that is not assigned."""
    others = Sample.objects.filter(benchmark=benchmark)
    mine = _mine(actor.pk, benchmark.pk)
    begun = mine.exists()
    if beside is not None:
        others, mine = others.exclude(pk=beside.pk), mine.exclude(sample=beside)
    mine = mine.not_skipped_by(actor) if begun else mine
    return (
        (_first_again(actor, mine.again()) if begun else None)
        or (_open_draft(actor, others) if begun or known_to(actor, benchmark).handed_checks else None)
        or (None if is_paused(actor, benchmark) else _new(actor, benchmark, others, beside))
        or (_first_again(actor, mine.filter(state=State.DRAFT).order_by("changed_at")) if begun else None)
        or begun_check(actor, others)
    )


def _open_draft(actor: User, samples: SampleQuerySet) -> Sample | None:
    """The draft whose reservation was not given up, whether it has expired or not: the page was closed, or its browser
    crashed. It comes before a sample that the page had loaded ahead. Gold checks are among the drafts and come in the
    same order.
    """
    drafts = samples.with_draft_of(actor).filter(leases__user=actor, leases__seat=ANNOTATE)
    found: SampleQuerySet = drafts.order_by("leases__pk").select_related("benchmark")
    return next((sample for sample in found if renew(actor, sample.pk, ANNOTATE)), None)


def _mine(user: int, benchmark: int) -> AnnotationQuerySet:
    return Annotation.objects.filter(author=user, sample__benchmark=benchmark, state__in=OPEN)


def _new(actor: User, benchmark: Benchmark, samples: SampleQuerySet, beside: Sample | None) -> Sample | None:
    """The reserved sample; otherwise a gold check if one is due; otherwise a sample by the rules of the queue.

    Checks are mixed with other samples and never assigned alone. With checks, the order is random, because in any other
    order a check would be recognizable."""
    if not is_qualified(actor, benchmark):
        return next_item(actor, benchmark, rules_of(benchmark), beside)
    queue = queue_of(benchmark)
    held: Sample | None = samples.held_by(actor, ANNOTATE).first()
    if held is not None and renew(actor, held.pk, ANNOTATE):
        return held
    checked = known_to(actor, benchmark).handed_checks
    if checked and (left := _left_behind(actor, samples, queue)) is not None:
        return left
    if checked and samples.open_to(actor, [queue]).exists():
        check = next_check(actor, benchmark, rules_of(benchmark), beside)
        if check is not None:
            return check
    order = BenchmarkQueue.Order.RANDOM if checked else queue.order
    return _by_rule(actor, samples, queue, order)


def _left_behind(actor: User, samples: SampleQuerySet, queue: BenchmarkQueue) -> Sample | None:
    """Return a sample that was assigned to this person and that they left before starting. It comes first, whether it
    is a gold check or not: otherwise, a returning check could be recognized.
    """
    untouched = CheckAnswer.objects.untouched_by(actor).filter(check_of__active=True).values("check_of__sample")
    mine = samples.filter(leases__user=actor, leases__seat=ANNOTATE).order_by("leases__pk")
    still_open = samples.open_to(actor, [queue]).values("pk")
    found: SampleQuerySet = mine.filter(Q(pk__in=still_open) | Q(pk__in=untouched)).select_related("benchmark")
    return next((sample for sample in found if renew(actor, sample.pk, ANNOTATE)), None)


def _first_again(actor: User, annotations: AnnotationQuerySet) -> Sample | None:
    for number in list(annotations.values_list("pk", flat=True)):
        sample = _take_again(actor, number)
        if sample is not None:
            return sample
    return None


def _take_again(actor: User, number: int) -> Sample | None:
    annotation = Annotation.objects.select_related("sample__benchmark").get(pk=number)
    try:
        with transaction.atomic():
            acquire_author_lease(actor, annotation.sample, annotation)
    except Conflict:
        return None
    return annotation.sample


def _by_rule(actor: User, samples: SampleQuerySet, queue: BenchmarkQueue, order: str) -> Sample | None:
    """Candidates a few at a time until one is ours; what others were faster to take is not tried again."""
    tried: set[int] = set()
    while True:
        before = len(tried)
        open_ones = samples.open_to(actor, [queue])
        if tried:
            open_ones = open_ones.exclude(pk__in=tried)
        for part in _in_order(actor, open_ones, queue, order):
            for candidate, extra in part.values_list("pk", "extra_places")[:AT_ONCE]:
                tried.add(candidate)
                with transaction.atomic(savepoint=False):
                    sample = _take(actor, candidate, queue, extra)
                if sample is not None:
                    return sample
        if len(tried) == before:
            return None


def _in_order(actor: User, samples: SampleQuerySet, queue: BenchmarkQueue, order: str) -> Iterator[SampleQuerySet]:
    """The candidates, in parts that follow each other; samples that a lead assigned to this person come first, then
    those of a higher priority."""
    assigned = list(Assignment.objects.filter(user=actor).values_list("sample", flat=True))
    if assigned:
        yield samples.filter(pk__in=assigned).order_by("-priority", "key")
    others = samples.exclude(pk__in=assigned) if assigned else samples
    priorities = Sample.objects.filter(benchmark=queue.benchmark_id, state__in=OPEN_STATES).priorities()
    for priority in priorities:
        yield from _by_order(others.filter(priority=priority), queue, order)
    if priorities:
        others = others.filter(priority=0)
    yield from _by_order(others, queue, order)


def _by_order(samples: SampleQuerySet, queue: BenchmarkQueue, order: str) -> Iterator[SampleQuerySet]:
    """Candidates of one priority by the rule of the queue."""
    if order == BenchmarkQueue.Order.RANDOM:
        ends = Sample.objects.filter(benchmark=queue.benchmark_id).aggregate(first=Min("pk"), last=Max("pk"))
        start = randrange(ends["first"] or 0, (ends["last"] or 0) + 1)
        yield samples.filter(pk__gte=start).order_by("pk")
        yield samples.filter(pk__lt=start).order_by("pk")
    elif order == BenchmarkQueue.Order.FACET and queue.facet:
        first = {"facets__name": queue.facet, "facets__position": 0}
        yield samples.filter(**first).order_by("facets__value", "key")
        yield samples.without_facet(queue.facet).order_by("key")
    elif order == BenchmarkQueue.Order.DISAGREEMENT:
        yield samples.most_disagreement_first()
    else:
        yield samples.order_by("key")
