"""The attempts of an experiment: which samples, in which order, and the task of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.models import Sample
from annotation.models.querysets.samples import SampleQuerySet
from evaluation.experiments.read.tasks import selected_samples, task_of, with_task
from evaluation.models import Attempt, Experiment
from evaluation.runner.openings import attempt_digest
from evaluation.runner.protocols import Result
from evaluation.runner.recipe import Recipe, RecipeError
from evaluation.runner.templates import PromptError
from webapp.common.errors import Conflict

TRIAL = 3
"""Samples that are run first, to price the others."""
BATCH = 1000


RECIPE = "recipe"
"""The key under which a run keeps the digest of its recipe."""


def recipe_name(recipe: Recipe) -> str:
    """Return the key under which a run keeps the digest of a recipe: each of its two tool lists has a separate one."""
    result = recipe.task.result
    return RECIPE if result is Result.ANSWER else f"recipe_{result.value}"


def plan_attempts(experiment: Experiment) -> int:
    """Create the attempts, once; return their number. Samples that are added later are not part of it."""
    planned = experiment.attempts.count()
    if planned:
        return planned
    recipe = recipe_of_row(experiment)
    samples = selected_samples(experiment.benchmark, experiment.samples)
    trial = trial_of(list(samples.values_list("pk", flat=True)))
    with transaction.atomic():
        # Two workers may begin at once.
        Experiment.objects.select_for_update(of=("self",), no_key=True).get(pk=experiment.pk)
        if experiment.attempts.exists():
            return experiment.attempts.count()
        for batch in in_batches(with_task(samples).iterator(chunk_size=BATCH)):
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
        raise recipe_gone(error) from error


def recipe_gone(reason: Exception) -> Conflict:
    """The error of a recipe that this version of the program cannot run."""
    message = gettext("The recipe can't be run any more: %(reason)s Create the experiment again.")
    return Conflict(message % {"reason": reason}, code="recipe")


def plan_by_image(experiment: Experiment, samples: SampleQuerySet, digest: Callable[[str], str]) -> int:
    """Create one attempt for each sample, once; return their number. ``digest``: of an attempt on an image, by its
    sha256. Samples with the same image have equal ones, which are sent once."""
    rows: list[tuple[int, str]] = list(samples.values_list("pk", "image__sha256"))
    trial = trial_of([pk for pk, _ in rows])
    with transaction.atomic():
        Experiment.objects.select_for_update(of=("self",), no_key=True).get(pk=experiment.pk)
        if experiment.attempts.exists():
            return experiment.attempts.count()
        for batch in in_batches(rows):
            Attempt.objects.bulk_create(
                Attempt(experiment=experiment, sample_id=pk, digest=digest(sha256), trial=pk in trial)
                for pk, sha256 in batch
            )
    return experiment.attempts.count()


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


def trial_of(ids: list[int]) -> set[int]:
    """A few of the samples, evenly spread over their order."""
    most = min(TRIAL, len(ids))
    return {ids[(2 * n + 1) * len(ids) // (2 * most)] for n in range(most)}


def in_batches(rows: Iterable[Any]) -> Iterable[list[Any]]:
    batch: list[Any] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
