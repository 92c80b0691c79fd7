"""Samples for selection by a lead: their state, and the people who work on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from annotation.common.sample import thumbnail_of
from annotation.common.words import STATE_WORDS, state_words
from annotation.models import Annotation, Assignment, Benchmark, Gold, Lease, Revision, Sample


@dataclass(frozen=True)
class Row:
    """A sample. ``people``: (name, state of their annotation); ``given`` to and ``held`` by a person, "" for none."""

    sample: Sample
    href: str
    thumbnail: str
    sign: str
    state: str
    question: str
    people: list[tuple[str, str]]
    given: str
    held: str
    changed_at: datetime


def rows_of(benchmark: Benchmark, samples: Sequence[Sample]) -> list[Row]:
    """Return the rows with six queries for any number of samples. The question is that of the gold, or of the newest
    revision for a sample without gold.
    """
    people: dict[int, list[tuple[str, str]]] = defaultdict(list)
    made = Annotation.objects.filter(sample__in=samples, author__isnull=False).select_related("author")
    for annotation in made.order_by("pk"):
        people[annotation.sample_id].append((str(annotation.author), state_words(annotation.state)))
    assignments = Assignment.objects.filter(sample__in=samples).select_related("user")
    given = {one.sample_id: str(one.user) for one in assignments}
    held: dict[int, list[str]] = defaultdict(list)
    for lease in Lease.objects.filter(sample__in=samples).live().select_related("user"):
        held[lease.sample_id].append(str(lease.user))
    revisions = Revision.objects.filter(annotation__sample__in=samples).order_by("created_at", "pk")
    questions = dict(revisions.values_list("annotation__sample", "question"))
    questions |= dict(Gold.objects.filter(sample__in=samples).values_list("sample", "revision__question"))
    return [
        _row(benchmark, one, people[one.pk], given.get(one.pk, ""), ", ".join(held[one.pk]), questions.get(one.pk, ""))
        for one in samples
    ]


def _row(
    benchmark: Benchmark, sample: Sample, people: list[tuple[str, str]], given: str, held: str, question: str
) -> Row:
    sample.benchmark = benchmark
    sign, word = STATE_WORDS[sample.state]
    return Row(
        sample=sample,
        href=reverse("evaluation:sample", args=[benchmark.slug, sample.key]),
        thumbnail=thumbnail_of(sample),
        sign=sign,
        state=word,
        question=question,
        people=people,
        given=given,
        held=held,
        changed_at=sample.changed_at,
    )
