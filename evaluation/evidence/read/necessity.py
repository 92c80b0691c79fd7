"""Gold questions under conditions: their answers, whether they need their evidence, and the facet that would be set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, Prefetch, QuerySet

from annotation.content.facet_batches import facet_batches
from annotation.evidence import (
    FACET,
    NO,
    YES,
    Answered,
    Condition,
    Purpose,
    Tally,
    needs_evidence,
    tallied,
    unreadable_when_small,
)
from annotation.models import Benchmark, EvidenceTest, FacetBatch, FacetValue, Revision


@dataclass(frozen=True, slots=True)
class Tested:
    """The answers to the gold question of a sample. ``needs``, ``unreadable``: None is undefined."""

    sample: int
    key: str
    tallies: Mapping[Condition, Tally]
    needs: bool | None
    unreadable: bool | None


@dataclass(frozen=True, slots=True)
class Change:
    """The facet of a sample before and after; "" before: it has no value."""

    sample: int
    key: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Necessity:
    """Samples by result. ``changes``: what setting the facet would change now."""

    tested: int
    needed: int
    not_needed: int
    undefined: int
    unreadable: int
    readable: int
    changes: tuple[Change, ...]


def tested_gold(benchmark: Benchmark) -> Any:
    """The gold revisions with answers under conditions on the image of their sample, each with ``answers_given``. Two
    queries for the rows."""
    tests = EvidenceTest.objects.filter(purpose=Purpose.EVIDENCE).on_present_image().order_by("pk")
    gold = Revision.objects.filter(gold_of__sample__benchmark=benchmark)
    found = gold.filter(Exists(tests.filter(revision=OuterRef("pk")))).select_related("annotation__sample")
    return found.prefetch_related(Prefetch("evidence_tests", queryset=tests, to_attr="answers_given"))


def gold_named(benchmark: Benchmark, key: str) -> Any:
    """The gold of the sample with this key, with what its images need."""
    found = Revision.objects.filter(gold_of__sample__benchmark=benchmark, gold_of__sample__key=key)
    return found.select_related("annotation__sample__image").prefetch_related("gold_boxes", "gold_shapes")


def batches_of(benchmark: Benchmark) -> QuerySet[FacetBatch]:
    """The batches in which leads set the facet ``needs_evidence``, the newest first."""
    return facet_batches(benchmark).filter(name=FACET)


def result_of(revision: Any, least: int) -> Tested:
    """``revision``: of ``tested_gold``."""
    tallies = tallied(Answered(Condition(one.condition), one.answer, one.right) for one in revision.answers_given)
    sample = revision.annotation.sample
    return Tested(sample.pk, sample.key, tallies, needs_evidence(tallies, least), unreadable_when_small(tallies, least))


def necessity_of(benchmark: Benchmark, least: int) -> Necessity:
    """Three queries."""
    found = [result_of(one, least) for one in tested_gold(benchmark)]
    now = dict(FacetValue.objects.filter(benchmark=benchmark, name=FACET, position=0).values_list("sample", "value"))
    wanted = [(one, YES if one.needs else NO) for one in found if one.needs is not None]
    changes = [Change(one.sample, one.key, now.get(one.sample, ""), value) for one, value in wanted]
    return Necessity(
        tested=len(found),
        needed=sum(one.needs is True for one in found),
        not_needed=sum(one.needs is False for one in found),
        undefined=sum(one.needs is None for one in found),
        unreadable=sum(one.unreadable is True for one in found),
        readable=sum(one.unreadable is False for one in found),
        changes=tuple(sorted((one for one in changes if one.before != one.after), key=lambda one: one.key)),
    )
