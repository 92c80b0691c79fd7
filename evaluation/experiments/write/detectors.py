"""Experiments that ask a detector for the tools in the images of a benchmark: their creation, their attempts, and their
results. A trajectory equals that of an imported file of detections.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.models import Benchmark, Sample
from annotation.workflow import Right
from evaluation.detections import THRESHOLD
from evaluation.endpoints.presets import PRESETS
from evaluation.execution.attempt import Answered, Work
from evaluation.experiments.read.tasks import selected_samples, task_of
from evaluation.experiments.write.create import refuse_mixing, require_endpoint
from evaluation.experiments.write.plan import RECIPE, plan_by_image, recipe_gone
from evaluation.experiments.write.states import check_budget
from evaluation.experiments.write.work import Worker
from evaluation.models import Attempt, Endpoint, Experiment
from evaluation.runner.detectors import DetectorError, DetectorRecipe, DetectorTurn
from evaluation.runner.images import PolicyError
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput


@dataclass(frozen=True)
class DetectorChoices:
    """The choices for a detector. ``names``: the names it searches for, separated by commas or lines; "" for all tools
    in the gold of the benchmark, targets and distractors. ``threshold``: the minimum score.
    """

    names: str = ""
    threshold: float = THRESHOLD
    samples: str = ""
    setting: str = ""
    images: str = ""
    budget_usd: float = 0.0
    budget_calls: int = 10_000


@transaction.atomic
def create_detection(
    *, actor: User | None, benchmark: Benchmark, endpoint: Endpoint, choices: DetectorChoices
) -> Experiment:
    """Create an experiment that asks a detector, as a draft; nothing is sent. Raises ``InvalidInput`` with the field;
    ``Conflict`` if images would leave the server without consent, or if another recipe made the run of this name.
    """
    require(actor, benchmark, Right.IMPORT_RUNS)
    require_endpoint(benchmark, endpoint, detector=True)
    recipe = detector_recipe(benchmark, endpoint, choices)
    check_budget(choices.budget_usd, choices.budget_calls)
    if not selected_samples(benchmark, choices.samples).exists():
        raise InvalidInput(gettext("No sample with gold and an image fits this query."), field="samples")
    setting = choices.setting.strip() or f"detector@{recipe.threshold:g}"
    refuse_mixing(benchmark, endpoint.shown_model, setting, RECIPE, recipe.digest())
    experiment = Experiment.objects.create(
        benchmark=benchmark, kind=Experiment.Kind.DETECT, endpoint=endpoint, endpoint_name=endpoint.name,
        version=benchmark.versions.order_by("-number").first(), model=endpoint.shown_model, setting=setting,
        samples=choices.samples, rollouts=1, recipe=recipe.to_json(), recipe_digest=recipe.digest(),
        budget_usd=choices.budget_usd, budget_calls=choices.budget_calls, created_by=actor,
    )  # fmt: skip
    audit.record(
        actor=actor, action="experiment.create", subject=experiment, benchmark=benchmark.slug,
        data={"experiment": str(experiment), "endpoint": endpoint.name, "recipe": recipe.digest()},
    )  # fmt: skip
    return experiment


def detector_recipe(benchmark: Benchmark, endpoint: Endpoint, choices: DetectorChoices) -> DetectorRecipe:
    """Return the recipe of these choices on this endpoint. Raises ``InvalidInput`` with the field."""
    names = names_of(benchmark, choices.names)
    if not names:
        raise InvalidInput(gettext("The gold of this benchmark names no tools. Enter names."), field="names")
    try:
        return DetectorRecipe(
            endpoint.model, endpoint.base_url, names, choices.threshold,
            choices.images or PRESETS[endpoint.preset].images,
        )  # fmt: skip
    except PolicyError as error:
        raise InvalidInput(str(error), field="images") from error
    except DetectorError as error:
        field = "names" if 0 <= choices.threshold <= 1 else "threshold"
        raise InvalidInput(str(error), field=field) from error


def names_of(benchmark: Benchmark, written: str) -> tuple[str, ...]:
    """Return the names in a text, separated by commas or lines; of an empty one all tools in the gold."""
    names = (name.strip() for name in re.split(r"[,\n]", written))
    return tuple(dict.fromkeys(name for name in names if name)) or known_tools(benchmark)


def known_tools(benchmark: Benchmark) -> tuple[str, ...]:
    """Return the names of all targets and distractors in the gold of a benchmark, in order. They are the same for each
    image, so they reveal nothing about it.
    """
    tools = benchmark.samples.values_list("gold__revision__plan_tools__tool", flat=True).order_by().distinct()
    return tuple(sorted(tool for tool in tools if tool))


def detector_recipe_of_row(experiment: Experiment) -> DetectorRecipe:
    """Return the recipe of an experiment. Raises ``Conflict`` if this version of the program cannot run it."""
    try:
        return DetectorRecipe.from_json(experiment.recipe)
    except (DetectorError, PolicyError) as error:
        raise recipe_gone(error) from error


def plan_detection(experiment: Experiment) -> int:
    """Create the attempts, once; return their number. Samples with the same image have equal ones, asked once."""
    recipe = detector_recipe_of_row(experiment)
    samples = selected_samples(experiment.benchmark, experiment.samples)
    return plan_by_image(experiment, samples, recipe.attempt_digest)


class DetectorWorker(Worker):
    """Asks a detector, and saves its findings as tool recognition."""

    def prepare(self) -> None:
        self.detector = detector_recipe_of_row(self.experiment)
        self.half = False

    def work_of(self, attempt: Attempt, sample: Sample, answered: list[Answered]) -> Work:
        task = task_of(sample)
        place: Mapping[str, Any] = {"sample_id": task.sample, "rollout": attempt.rollout}
        return Work(attempt.pk, partial(DetectorTurn, self.detector, task), task.image, place, answered)

    def recipe_key(self) -> str:
        return RECIPE
