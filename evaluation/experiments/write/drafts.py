"""Experiments in which a model drafts fields of samples to do: their creation, their attempts, and the drafts.

Gold checks that the query selects are drafted like samples to do, so that they look alike. Gold never decides: a query
names facets alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.db import transaction
from django.http import QueryDict
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.common.terms import Terms
from annotation.content.proposals import draftable, keep_proposals
from annotation.drafting import CONTROL_SHARE, MOST_PLANTED, Field, new_seed
from annotation.models import Benchmark, Drafting, Image, Sample
from annotation.models.querysets.samples import SampleQuerySet
from annotation.workflow import Right
from evaluation.common.source_images import source_image
from evaluation.endpoints.presets import PRESETS
from evaluation.execution.attempt import Answered, Work
from evaluation.experiments.read.connection import settings_of
from evaluation.experiments.read.prompts import prompt_named
from evaluation.experiments.write.create import DEFAULT_SAMPLING, dropped_of, require_endpoint
from evaluation.experiments.write.plan import plan_by_image, recipe_gone
from evaluation.experiments.write.prompts import freeze_prompts
from evaluation.experiments.write.states import check_budget
from evaluation.experiments.write.work import Finished, Worker
from evaluation.models import Attempt, Endpoint, Experiment
from evaluation.runner.dialects.zoom import Frame
from evaluation.runner.drafts import PROMPT, DraftError, DraftRecipe, DraftTurn
from evaluation.runner.images import PolicyError
from evaluation.runner.sampling import SAMPLING
from evaluation.runner.templates import Prompt, Role
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput

LEAST_SHARE, MOST_SHARE = 0.05, 0.5


@dataclass(frozen=True)
class DraftChoices:
    """The choices for drafts. ``prompt``: ``slug@version``, "" for that of Sightline. ``control_share``: the share of
    pairs of a person and a sample that get no drafts; only the first drafting of a benchmark sets it.
    ``planted_share``: of the drafted answers and boxes that carry a planted error.
    """

    fields: Sequence[str] = tuple(one.value for one in Field)
    samples: str = ""
    control_share: float = CONTROL_SHARE
    planted_share: float = 0.0
    prompt: str = ""
    sampling: str = DEFAULT_SAMPLING
    parameters: Mapping[str, Any] = field(default_factory=dict)
    images: str = ""
    budget_usd: float = 5.0
    budget_calls: int = 1000


@transaction.atomic
def create_drafts(*, actor: User, benchmark: Benchmark, endpoint: Endpoint, choices: DraftChoices) -> Experiment:
    """Create an experiment that drafts samples, as a draft itself; nothing is sent. Raises ``InvalidInput`` naming the
    field, ``Conflict`` where images would leave the server without consent, or the control share is set already."""
    require(actor, benchmark, Right.MANAGE)
    require_endpoint(benchmark, endpoint)
    prompt = prompt_named(benchmark, choices.prompt or PROMPT, [Role.DRAFT])
    recipe = draft_recipe(endpoint, choices, prompt.template)
    check_budget(choices.budget_usd, choices.budget_calls)
    check_planted(choices.planted_share)
    if not samples_to_draft(benchmark, choices.samples).exists():
        raise InvalidInput(gettext("No sample to do with an image fits this query."), field="samples")
    drafting = _drafting_of(benchmark, choices.control_share)
    experiment = Experiment.objects.create(
        benchmark=benchmark, kind=Experiment.Kind.DRAFT, endpoint=endpoint, endpoint_name=endpoint.name,
        model=endpoint.shown_model, setting=f"draft: {', '.join(recipe.fields)}", samples=choices.samples, rollouts=1,
        design={"planted_share": choices.planted_share} if choices.planted_share else {}, recipe=recipe.to_json(),
        recipe_digest=recipe.digest(), budget_usd=choices.budget_usd, budget_calls=choices.budget_calls,
        created_by=actor,
    )  # fmt: skip
    freeze_prompts([prompt])
    audit.record(
        actor=actor, action="experiment.create", subject=experiment, benchmark=benchmark.slug,
        data={
            "experiment": str(experiment), "endpoint": endpoint.name, "recipe": recipe.digest(),
            "control_share": drafting.control_share,
        },
    )  # fmt: skip
    return experiment


def check_planted(share: float) -> None:
    """Raise ``InvalidInput`` for a share of planted errors that is not allowed."""
    if not 0 <= share <= MOST_PLANTED:
        said = gettext("The share of planted errors must be from 0 to %(most)s.")
        raise InvalidInput(said % {"most": MOST_PLANTED}, field="planted_share")


def show_drafts(*, actor: User, benchmark: Benchmark, shows: bool) -> bool:
    """Let annotators see drafts from now on, or no longer; whether that changed anything."""
    require(actor, benchmark, Right.MANAGE)
    with transaction.atomic():
        changed = Drafting.objects.filter(benchmark=benchmark).exclude(shows=shows).update(shows=shows)
        if changed:
            audit.record(actor, "benchmark.drafts", benchmark, benchmark.slug, data={"shows": shows})
    return bool(changed)


def draft_recipe(endpoint: Endpoint, choices: DraftChoices, prompt: Prompt) -> DraftRecipe:
    """The recipe of these choices on this endpoint. Raises ``InvalidInput`` naming the field."""
    unknown = sorted(set(choices.fields) - set(Field))
    if unknown or not choices.fields:
        raise InvalidInput(gettext("Choose fields: %(fields)s.") % {"fields": ", ".join(Field)}, field="fields_drafted")
    if choices.sampling not in SAMPLING:
        raise InvalidInput(
            gettext("Choose a sampling preset: %(sampling)s.") % {"sampling": ", ".join(SAMPLING)}, field="sampling"
        )
    try:
        return DraftRecipe(
            tuple(one for one in Field if one in choices.fields), endpoint.model, endpoint.base_url, prompt,
            Frame(endpoint.frame), {**SAMPLING[choices.sampling], **choices.parameters},
            choices.images or PRESETS[endpoint.preset].images, dropped_of(settings_of(endpoint).drop),
        )  # fmt: skip
    except PolicyError as error:
        raise InvalidInput(str(error), field="images") from error
    except DraftError as error:
        raise InvalidInput(str(error), field="fields_drafted") from error


def samples_to_draft(benchmark: Benchmark, query: str) -> SampleQuerySet:
    """The samples to do, and gold checks, that a query selects, by id. Raises ``InvalidInput`` for a term about
    anything else than facets: with chosen samples, a gold check would never be among the drafted ones."""
    terms = Terms.read(QueryDict(query.removeprefix("?")))
    other = [name for name in terms.values if not name.startswith("facet.")]
    if other or terms.chosen or (query.strip("? ") and not terms.values):
        raise InvalidInput(gettext("Select samples to draft by facets, such as facet.scene=street."), field="samples")
    ready = draftable(benchmark).filter(image__state=Image.State.READY)
    return ready.narrowed(terms.values).order_by("key")


def _drafting_of(benchmark: Benchmark, share: float) -> Drafting:
    """Return the display of drafts, created by the first drafting. Raises ``InvalidInput`` or ``Conflict``."""
    if not LEAST_SHARE <= share <= MOST_SHARE:
        said = gettext("The control share must be from %(least)s to %(most)s.")
        raise InvalidInput(said % {"least": LEAST_SHARE, "most": MOST_SHARE}, field="control_share")
    drafting, _ = Drafting.objects.get_or_create(
        benchmark=benchmark, defaults={"seed": new_seed(), "control_share": share}
    )
    if drafting.control_share != share:
        said = gettext("The control share of this benchmark is %(share)s and stays, so that no arm changes.")
        raise Conflict(said % {"share": f"{drafting.control_share:g}"}, code="control_share", field="control_share")
    return drafting


def draft_recipe_of_row(experiment: Experiment) -> DraftRecipe:
    """The recipe of an experiment. Raises ``Conflict`` if this version of the program cannot run it."""
    try:
        return DraftRecipe.from_json(experiment.recipe)
    except (DraftError, PolicyError) as error:
        raise recipe_gone(error) from error


def plan_drafts(experiment: Experiment) -> int:
    """Create the attempts, once; return their number. Samples with the same image have equal ones, asked once."""
    recipe = draft_recipe_of_row(experiment)
    samples = samples_to_draft(experiment.benchmark, experiment.samples)
    return plan_by_image(experiment, samples, recipe.attempt_digest)


class DraftWorker(Worker):
    """Asks a model for drafts, and keeps them with their samples."""

    def prepare(self) -> None:
        self.drafts = draft_recipe_of_row(self.experiment)
        self.drafting = Drafting.objects.get(benchmark=self.experiment.benchmark)

    def work_of(self, attempt: Attempt, sample: Sample, answered: list[Answered]) -> Work:
        image = source_image(sample)
        begin = partial(DraftTurn, self.drafts, image, family=self.family)
        return Work(attempt.pk, begin, image, {"sample_id": sample.key}, answered)

    def save(self, finished: Sequence[Finished]) -> None:
        """Keep the drafts. The attempt keeps the reasons of unread fields, and the kind of error if it failed."""
        for held, row, kind in finished:
            drafts, unread = row.get("drafts") or {}, row.get("unread") or {}
            keep_proposals(
                self.drafting, held.attempt.sample_id, drafts, self.experiment.model, self.drafts.prompt.digest,
                self.experiment.design.get("planted_share", 0.0),
            )  # fmt: skip
            result = {"fields": sorted(drafts), "unread": unread}
            self.mark(held, kind, str(row.get("error", "")), result=result)
