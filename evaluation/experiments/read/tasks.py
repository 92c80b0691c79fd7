"""Samples as tasks for models."""

from __future__ import annotations

from functools import partial
from hashlib import sha256

from django.http import QueryDict
from django.utils.translation import gettext

from annotation.common.terms import Terms
from annotation.images.chain_runs import original_of
from annotation.images.store import picture_path
from annotation.imaging.problems import PictureProblem
from annotation.models import Benchmark, Image, Sample
from annotation.models.querysets.samples import SampleQuerySet
from evaluation.runner.images import SourceImage
from evaluation.runner.recipe import Task
from webapp.common import objects


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
        options=dict(revision.options or {}),
        toolchain=tuple(call.tool for call in calls),
    )


def source_image(sample: Sample) -> SourceImage:
    """Return the image of a sample for sending."""
    image = sample.image
    assert image is not None
    return SourceImage(
        image.sha256, image.width, image.height, load=partial(_stored, image), pixels=partial(original_of, sample)
    )


def _stored(image: Image) -> bytes:
    """Return the file of an image. Raises ``PictureProblem`` if the stored bytes differ from the uploaded ones:
    otherwise, the answer would be about another image.
    """
    data = objects.read(picture_path(image))
    if sha256(data).hexdigest() != image.sha256:
        raise PictureProblem("damaged", gettext("The file store has other bytes than were uploaded. Restore the file."))
    return data
