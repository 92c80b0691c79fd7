"""Samples as tasks for models."""

from __future__ import annotations

from django.http import QueryDict

from annotation.common.terms import Terms
from annotation.models import Benchmark, Image, Sample
from annotation.models.querysets.samples import SampleQuerySet
from evaluation.common.source_images import source_image
from evaluation.runner.recipe import Task


def selected_samples(benchmark: Benchmark, query: str) -> SampleQuerySet:
    """The samples with gold and an image that a query selects, by id. ``query``: terms of the list of samples as in its
    address, such as ``facet.scene=street``; "" selects all."""
    terms = Terms.read(QueryDict(query.removeprefix("?")))
    ready = benchmark.samples.filter(gold__isnull=False, image__state=Image.State.READY)
    found: SampleQuerySet = ready.narrowed(terms.values, chosen=terms.chosen)
    return found.order_by("key")


def with_task(samples: SampleQuerySet) -> SampleQuerySet:
    """Add the relations that ``task_of`` reads."""
    return samples.select_related("image", "gold__revision").prefetch_related("gold__revision__reference_calls")


def task_of(sample: Sample) -> Task:
    """Return the task of a model for a sample."""
    revision = sample.gold.revision
    calls = sorted(revision.reference_calls.all(), key=lambda call: call.position)
    return Task(
        sample=sample.key,
        question=revision.question,
        image=source_image(sample),
        options=revision.choices,
        toolchain=tuple(call.tool for call in calls),
    )
