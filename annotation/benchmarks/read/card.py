"""The authors of a benchmark and the sources of its samples, for its data card."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q

from annotation.content.people import verified_addresses
from annotation.models import Annotation, Benchmark, BuildDecision, ImportRecord, Review, Version


@dataclass(frozen=True, slots=True)
class Making:
    """The number of people who made the gold; ``reviewed`` counts samples whose gold another person accepted.
    ``people`` counts annotators and reviewers once, ``unverified`` those of them whose address is not verified."""

    authors: int
    reviewers: int
    imported: int
    reviewed: int
    pictures: int
    people: int
    unverified: int


@dataclass(frozen=True, slots=True)
class Source:
    """A file from which samples were imported."""

    name: str
    format: str
    sha256: str
    read_at: datetime


@dataclass(frozen=True, slots=True)
class Frozen:
    """A version in the list of a data card."""

    number: int
    samples: int
    checksum: str
    frozen_at: datetime
    note: str


def making_of(benchmark: Benchmark) -> Making:
    """Return counts over the samples that have gold, authors and reviewers over all of it. Four queries."""
    golds = benchmark.samples.filter(gold__isnull=False)
    accepted = Q(gold__revision__reviews__decision__in=["accept", "fix_and_accept"])
    counts = golds.aggregate(
        pictures=Count("image", distinct=True),
        imported=Count("pk", filter=Q(gold__revision__annotation__kind=Annotation.Kind.IMPORTED), distinct=True),
        reviewed=Count("pk", filter=accepted, distinct=True),
    )
    authors = Annotation.objects.filter(sample__benchmark=benchmark, kind=Annotation.Kind.OWN, author__isnull=False)
    reviews = Review.objects.filter(revision__annotation__sample__benchmark=benchmark).values_list("reviewer")
    images = BuildDecision.objects.of_images(benchmark).values_list("person")
    writers = set(authors.order_by().values_list("author", flat=True).distinct())
    readers = {person for (person,) in reviews.order_by().union(images.order_by())}
    return Making(
        authors=len(writers),
        reviewers=len(readers),
        people=len(writers | readers),
        unverified=sum(not known for known in verified_addresses(benchmark, writers | readers).values()),
        **counts,
    )


def sources_of(benchmark: Benchmark) -> list[Source]:
    """Return the files whose samples were imported, the newest first; a file is named without its folder."""
    records = benchmark.imports.filter(kind=ImportRecord.Kind.SAMPLES, state=ImportRecord.State.DONE)
    return [
        Source(record.file_name.replace("\\", "/").rsplit("/", 1)[-1], record.format, record.sha256, record.created_at)
        for record in records
    ]


def frozen_versions(benchmark: Benchmark) -> list[Frozen]:
    """Return the versions, the newest first."""
    found = Version.objects.filter(benchmark=benchmark).annotate(samples_n=Count("entries")).order_by("-number")
    return [Frozen(v.number, v.samples_n, v.checksum, v.frozen_at, v.note) for v in found]
