"""The attempts of an experiment: which samples, in which order, and the task of each."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from hashlib import sha256
from typing import Any

from django.db import transaction
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.terms import Terms
from annotation.images.chain_runs import original_of
from annotation.images.store import picture_path
from annotation.imaging.problems import PictureProblem
from annotation.models import Benchmark, Image, Sample
from annotation.models.querysets.samples import SampleQuerySet
from evaluation.models import Attempt, Experiment
from evaluation.runner.images import SourceImage
from evaluation.runner.openings import attempt_digest
from evaluation.runner.protocols import Result
from evaluation.runner.recipe import Recipe, RecipeError, Task
from evaluation.runner.templates import PromptError
from webapp.common import objects
from webapp.common.errors import Conflict

TRIAL = 3
"""Samples that are run first, to price the others."""
BATCH = 1000


def recipe_name(recipe: Recipe) -> str:
    """The key under which a run keeps the digest of a recipe: each of its two tool lists has one of its own."""
    result = recipe.task.result
    return "recipe" if result is Result.ANSWER else f"recipe_{result.value}"


def selected_samples(benchmark: Benchmark, query: str) -> SampleQuerySet:
    """The samples with gold and an image that a query selects, by id. ``query``: terms of the list of samples as in its
    address, such as ``facet.scene=street``; "" selects all."""
    terms = Terms.read(QueryDict(query.removeprefix("?")))
    ready = benchmark.samples.filter(gold__isnull=False, image__state=Image.State.READY)
    found: SampleQuerySet = ready.narrowed(terms.values, chosen=terms.chosen)
    return found.order_by("key")


def with_task(samples: SampleQuerySet) -> SampleQuerySet:
    """With what ``task_of`` reads."""
    return samples.select_related("image", "gold__revision").prefetch_related("gold__revision__reference_calls")


def task_of(sample: Sample) -> Task:
    """What a model is asked about a sample."""
    revision, image = sample.gold.revision, sample.image
    assert image is not None
    calls = sorted(revision.reference_calls.all(), key=lambda call: call.position)
    return Task(
        sample=sample.key,
        question=revision.question,
        image=SourceImage(
            image.sha256, image.width, image.height,
            load=partial(_stored, image), pixels=partial(original_of, sample),
        ),
        options=dict(revision.options or {}),
        toolchain=tuple(call.tool for call in calls),
    )  # fmt: skip


def _stored(image: Image) -> bytes:
    """The file of an image. Raises ``PictureProblem`` if the store has other bytes than were uploaded: they would be
    sent as they are, and the answer would be about another image."""
    data = objects.read(picture_path(image))
    if sha256(data).hexdigest() != image.sha256:
        raise PictureProblem("damaged", gettext("The file store has other bytes than were uploaded. Restore the file."))
    return data


def plan_attempts(experiment: Experiment) -> int:
    """Create the attempts, once; return their number. Samples that are added later are not part of it."""
    planned = experiment.attempts.count()
    if planned:
        return planned
    recipe = recipe_of_row(experiment)
    samples = selected_samples(experiment.benchmark, experiment.samples)
    trial = _spread(list(samples.values_list("pk", flat=True)))
    with transaction.atomic():
        # Two workers may begin at once.
        Experiment.objects.select_for_update().get(pk=experiment.pk)
        if experiment.attempts.exists():
            return experiment.attempts.count()
        for batch in _batches(with_task(samples).iterator(chunk_size=BATCH)):
            Attempt.objects.bulk_create(
                _planned(experiment, recipe, sample, rollout, trial=sample.pk in trial and rollout == 0)
                for sample in batch
                for rollout in range(experiment.rollouts)
            )
    return experiment.attempts.count()


def recipe_of_row(experiment: Experiment) -> Recipe:
    """The recipe of an experiment. Raises ``Conflict`` if this version of the program cannot run it."""
    try:
        return Recipe.from_json(experiment.recipe)
    except RecipeError as error:
        said = gettext("The recipe can't be run any more: %(reason)s Create the experiment again.")
        raise Conflict(said % {"reason": error}, code="recipe") from error


def _planned(experiment: Experiment, recipe: Recipe, sample: Sample, rollout: int, *, trial: bool) -> Attempt:
    """An attempt; skipped if the sample lacks something that the prompt shows, such as a reference toolchain."""
    attempt = Attempt(experiment=experiment, sample=sample, rollout=rollout, trial=trial)
    try:
        attempt.digest = attempt_digest(recipe, task_of(sample), rollout)
    except PromptError as problem:
        attempt.state, attempt.error, attempt.finished_at = Attempt.State.SKIPPED, str(problem), timezone.now()
    except RecipeError as error:
        raise Conflict(str(error), code="recipe") from error
    return attempt


def _spread(ids: list[int]) -> set[int]:
    """A few of the samples, evenly spread over their order."""
    most = min(TRIAL, len(ids))
    return {ids[(2 * n + 1) * len(ids) // (2 * most)] for n in range(most)}


def _batches(rows: Iterable[Any]) -> Iterable[list[Any]]:
    batch: list[Any] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
