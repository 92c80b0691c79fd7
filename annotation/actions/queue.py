"""Handing out the next sample to annotate: what was returned to me, what I hold, what is mine, then the lead's rule."""

from __future__ import annotations

from collections.abc import Iterator
from random import randrange

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from annotation.actions.access import require
from annotation.actions.check_work import begun_check, next_check
from annotation.actions.quality_rules import rules_of
from annotation.actions.queue_leases import ANNOTATE, renew, take_authors_seat, take_to_annotate
from annotation.models import Annotation, Assignment, Benchmark, BenchmarkQueue, Sample
from annotation.querysets import AnnotationQuerySet, SampleQuerySet
from annotation.workflow import Right, State
from webapp.accounts.models import User
from webapp.common.errors import Conflict

AT_ONCE = 20
"""Candidates looked at in one query: several, because others may take the first of them in the same moment."""


def next_to_annotate(*, actor: User, benchmark: Benchmark) -> Sample | None:
    """The next sample for this person, theirs under a lease from now on; None when there is nothing to do."""
    require(actor, benchmark, Right.ANNOTATE)
    return hand_out(actor, benchmark)


def hand_out(actor: User, benchmark: Benchmark, *, beside: Sample | None = None) -> Sample | None:
    """The same for somebody whose right was asked for already: what came back, then what is held, then by the rule, and
    at last the drafts that were left. What ``SampleQuerySet.waiting_for`` counts is what is handed out. ``beside`` is a
    sample that it must not be."""
    others = Sample.objects.filter(benchmark=benchmark)
    mine = Annotation.objects.filter(author=actor, sample__benchmark=benchmark).not_skipped_by(actor)
    if beside is not None:
        others, mine = others.exclude(pk=beside.pk), mine.exclude(sample=beside)
    return (
        _first_again(actor, mine.again())
        or _new(actor, benchmark, others, beside)
        or _first_again(actor, mine.filter(state=State.DRAFT).order_by("changed_at"))
        or begun_check(actor, others)
    )


def _new(actor: User, benchmark: Benchmark, samples: SampleQuerySet, beside: Sample | None) -> Sample | None:
    """What is held, else a gold check where it is time for one, else by the rule. Checks are mixed in: where nothing
    else is left they do not go on by themselves."""
    queues = Benchmark.objects.filter(pk=benchmark.pk).queues_for(actor)
    if not queues:
        return None
    held: Sample | None = samples.held_by(actor, ANNOTATE, timezone.now()).first()
    if held is not None and renew(actor, held.pk, ANNOTATE):
        return held
    rules = rules_of(benchmark)
    if rules.checks_run and samples.open_to(actor, timezone.now(), queues).exists():
        check = next_check(actor, benchmark, rules, beside)
        if check is not None:
            return check
    return _by_rule(actor, samples, queues[0])


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
            take_authors_seat(actor, annotation.sample, annotation)
    except Conflict:
        return None
    return annotation.sample


def _by_rule(actor: User, samples: SampleQuerySet, queue: BenchmarkQueue) -> Sample | None:
    """Candidates a few at a time until one is ours; what others were faster to take is not tried again."""
    tried: set[int] = set()
    while True:
        before = len(tried)
        open_ones = samples.open_to(actor, timezone.now(), [queue])
        if tried:
            open_ones = open_ones.exclude(pk__in=tried)
        for part in _in_order(actor, open_ones, queue):
            for candidate, extra in part.values_list("pk", "extra_places")[:AT_ONCE]:
                tried.add(candidate)
                with transaction.atomic():
                    sample = take_to_annotate(actor, candidate, queue, extra)
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
