"""Handing out the next sample to annotate: what was returned to me, what I hold, what is mine, then the lead's rule."""

from __future__ import annotations

from collections.abc import Iterator
from random import randrange

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from annotation.actions.access import require
from annotation.actions.check_work import is_paused, next_check, rules_of
from annotation.actions.queue_leases import ANNOTATE, take_authors_seat, take_to_annotate
from annotation.models import Annotation, Assignment, Benchmark, BenchmarkQueue, Sample
from annotation.querysets import SampleQuerySet
from annotation.workflow import Right, State
from webapp.accounts.models import User
from webapp.common.errors import Conflict

AT_ONCE = 20
"""Candidates looked at in one query: several, because others may take the first of them in the same moment."""


def queue_of(benchmark: Benchmark) -> BenchmarkQueue:
    """The benchmark's rule, or the default one, not stored."""
    return BenchmarkQueue.objects.filter(benchmark=benchmark).first() or BenchmarkQueue(benchmark=benchmark)


def next_to_annotate(*, actor: User, benchmark: Benchmark) -> Sample | None:
    """The next sample for this person, theirs under a lease from now on; None when there is nothing to do."""
    require(actor, benchmark, Right.ANNOTATE)
    return hand_out(actor, benchmark)


def hand_out(actor: User, benchmark: Benchmark) -> Sample | None:
    """The same for somebody whose right was asked for already. Who is paused keeps what they have and gets nothing."""
    returned = Annotation.objects.filter(author=actor, state=State.RETURNED, sample__benchmark=benchmark)
    for number in list(returned.not_skipped_by(actor).order_by("changed_at").values_list("pk", flat=True)):
        sample = _take_again(actor, number)
        if sample is not None:
            return sample
    held = Sample.objects.filter(benchmark=benchmark).held_by(actor, ANNOTATE, timezone.now())
    mine = held.values_list("pk", flat=True).first()
    if mine:
        return Sample.objects.get(pk=mine)
    if is_paused(actor, benchmark):
        return None
    queue, rules = queue_of(benchmark), rules_of(benchmark)
    check = next_check(actor, benchmark, rules) if rules.checks_run and _any_left(actor, benchmark, queue) else None
    return check or _by_rule(actor, benchmark, queue)


def _any_left(actor: User, benchmark: Benchmark, queue: BenchmarkQueue) -> bool:
    """Whether there is anything to annotate for this person: checks are mixed in, they do not go on by themselves."""
    return Sample.objects.filter(benchmark=benchmark).open_to(actor, timezone.now(), queue.overlap).exists()


def _take_again(actor: User, number: int) -> Sample | None:
    annotation = Annotation.objects.select_related("sample").get(pk=number)
    try:
        with transaction.atomic():
            take_authors_seat(actor, annotation.sample, annotation)
    except Conflict:
        return None
    return annotation.sample


def _by_rule(actor: User, benchmark: Benchmark, queue: BenchmarkQueue) -> Sample | None:
    """Candidates a few at a time until one is ours; what others were faster to take is not tried again."""
    tried: set[int] = set()
    while True:
        before = len(tried)
        open_ones = Sample.objects.filter(benchmark=benchmark).open_to(actor, timezone.now(), queue.overlap)
        if tried:
            open_ones = open_ones.exclude(pk__in=tried)
        for part in _in_order(actor, open_ones, queue):
            for candidate, extra in part.values_list("pk", "extra_places")[:AT_ONCE]:
                tried.add(candidate)
                with transaction.atomic():
                    sample = take_to_annotate(actor, candidate, queue.overlap + extra)
                if sample is not None:
                    return sample
        if len(tried) == before:
            return None


def _in_order(actor: User, samples: SampleQuerySet, queue: BenchmarkQueue) -> Iterator[SampleQuerySet]:
    """The candidates, in parts that follow each other; what a lead gave to this person stands before all others."""
    assigned = list(Assignment.objects.filter(user=actor).values_list("sample", flat=True))
    if assigned:
        yield samples.filter(pk__in=assigned).order_by("key")
    others = samples.exclude(pk__in=assigned) if assigned else samples
    if queue.order == BenchmarkQueue.Order.RANDOM:
        start = randrange((Sample.objects.aggregate(last=Max("pk"))["last"] or 0) + 1)
        yield others.filter(pk__gte=start).order_by("pk")
        yield others.filter(pk__lt=start).order_by("pk")
    elif queue.order == BenchmarkQueue.Order.FACET and queue.facet:
        first = {"facets__name": queue.facet, "facets__position": 0}
        yield others.filter(**first).order_by("facets__value", "key")
        yield others.without_facet(queue.facet).order_by("key")
    elif queue.order == BenchmarkQueue.Order.DISAGREEMENT:
        yield others.most_disagreement_first()
    else:
        yield others.order_by("key")
