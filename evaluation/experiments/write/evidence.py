"""Experiments that ask questions under conditions: to check annotators before the review, and to test whether gold
questions need their evidence. Their answers are ``EvidenceTest`` rows, and no run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.db import transaction
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.common.terms import Terms
from annotation.content.evidence import keep_answer, on_gold, to_check
from annotation.content.revisions import content_of
from annotation.evidence import CHECKED, Condition, Purpose
from annotation.models import Benchmark, Revision, Sample
from annotation.workflow import Right
from evaluation.common.evidence import boxes_of, judged, polygons_of
from evaluation.common.source_images import source_image
from evaluation.endpoints.presets import PRESETS
from evaluation.execution.attempt import Answered, Work
from evaluation.experiments.read.connection import settings_of as client_settings
from evaluation.experiments.read.prompts import prompt_named
from evaluation.experiments.write.create import DEFAULT_SAMPLING, dropped_of, require_endpoint
from evaluation.experiments.write.plan import in_batches, recipe_gone, trial_of
from evaluation.experiments.write.prompts import freeze_prompts
from evaluation.experiments.write.states import check_budget
from evaluation.experiments.write.work import Finished, Worker
from evaluation.models import Attempt, Endpoint, Experiment
from evaluation.runner.evidence import (
    PROMPT,
    Asked,
    EvidenceError,
    EvidenceRecipe,
    EvidenceTurn,
    evidence_digest,
)
from evaluation.runner.images import PolicyError
from evaluation.runner.sampling import SAMPLING
from evaluation.runner.templates import Prompt, PromptError, Role
from evaluation.scoring.settings import settings_of
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput

CONDITIONS: Mapping[Purpose, Sequence[Condition]] = {Purpose.CHECK: CHECKED, Purpose.EVIDENCE: tuple(Condition)}
"""The conditions of each purpose that are asked by default; a check has no others."""


@dataclass(frozen=True)
class EvidenceChoices:
    """The choices for questions under conditions. ``conditions``: of ``CONDITIONS``; empty: all of them. ``prompt``:
    ``slug@version``, "" for that of Sightline."""

    purpose: str
    conditions: Sequence[str] = ()
    samples: str = ""
    prompt: str = ""
    sampling: str = DEFAULT_SAMPLING
    parameters: Mapping[str, Any] = field(default_factory=dict)
    images: str = ""
    budget_usd: float = 5.0
    budget_calls: int = 1000


@transaction.atomic
def create_evidence(*, actor: User, benchmark: Benchmark, endpoint: Endpoint, choices: EvidenceChoices) -> Experiment:
    """Create an experiment that asks under conditions, as a draft; nothing is sent. Raises ``InvalidInput`` naming the
    field, ``Conflict`` where images would leave the server without consent."""
    require(actor, benchmark, Right.MANAGE)
    require_endpoint(benchmark, endpoint)
    if choices.purpose not in list(Purpose):
        raise InvalidInput(
            gettext("Choose a purpose: %(purposes)s.") % {"purposes": ", ".join(Purpose)}, field="purpose"
        )
    prompt = prompt_named(benchmark, choices.prompt or PROMPT, [Role.USER])
    recipe = evidence_recipe(endpoint, choices, prompt.template)
    check_budget(choices.budget_usd, choices.budget_calls)
    if not asked_revisions(benchmark, Purpose(choices.purpose), choices.samples).exists():
        raise InvalidInput(gettext("No question with an answer and an image fits this query."), field="samples")
    experiment = Experiment.objects.create(
        benchmark=benchmark, kind=Experiment.Kind.EVIDENCE, endpoint=endpoint, endpoint_name=endpoint.name,
        model=endpoint.shown_model, setting=f"{choices.purpose}: {', '.join(recipe.conditions)}",
        design={"purpose": choices.purpose}, samples=choices.samples, rollouts=1, recipe=recipe.to_json(),
        recipe_digest=recipe.digest(), budget_usd=choices.budget_usd, budget_calls=choices.budget_calls,
        created_by=actor,
    )  # fmt: skip
    freeze_prompts([prompt])
    audit.record(
        actor=actor, action="experiment.create", subject=experiment, benchmark=benchmark.slug,
        data={"experiment": str(experiment), "endpoint": endpoint.name, "recipe": recipe.digest()},
    )  # fmt: skip
    return experiment


def evidence_recipe(endpoint: Endpoint, choices: EvidenceChoices, prompt: Prompt) -> EvidenceRecipe:
    """The recipe of these choices on this endpoint. Raises ``InvalidInput`` naming the field."""
    offered = CONDITIONS[Purpose(choices.purpose)]
    if unknown := set(choices.conditions) - set(offered):
        message = gettext("The purpose %(purpose)s has no condition %(unknown)s. Choose of: %(conditions)s.")
        words = {"purpose": choices.purpose, "unknown": sorted(unknown)[0], "conditions": ", ".join(offered)}
        raise InvalidInput(message % words, field="conditions")
    if choices.sampling not in SAMPLING:
        raise InvalidInput(
            gettext("Choose a sampling preset: %(sampling)s.") % {"sampling": ", ".join(SAMPLING)}, field="sampling"
        )
    try:
        return EvidenceRecipe(
            tuple(one for one in offered if not choices.conditions or one in choices.conditions), endpoint.model,
            endpoint.base_url, prompt, {**SAMPLING[choices.sampling], **choices.parameters},
            choices.images or PRESETS[endpoint.preset].images, dropped_of(client_settings(endpoint).drop),
        )  # fmt: skip
    except PolicyError as error:
        raise InvalidInput(str(error), field="images") from error


def asked_revisions(benchmark: Benchmark, purpose: Purpose, query: str) -> Any:
    """The revisions that are asked about: the submitted ones of a check, else gold. Gold checks are never among those
    of a check, because their answers are no annotations. ``query``: terms of the list of samples; raises
    ``InvalidInput`` for a check that selects by anything but facets, which would reveal the content of annotations."""
    terms = Terms.read(QueryDict(query.removeprefix("?")))
    if purpose is Purpose.CHECK and (
        terms.chosen
        or any(not name.startswith("facet.") for name in terms.values)
        or (query.strip("? ") and not terms.values)
    ):
        raise InvalidInput(gettext("Select samples by facets, such as facet.scene=street."), field="samples")
    samples = benchmark.samples.narrowed(terms.values, chosen=terms.chosen)
    found = to_check(benchmark) if purpose is Purpose.CHECK else on_gold(benchmark)
    return found.filter(annotation__sample__in=samples.order_by().values("pk"))


def evidence_recipe_of_row(experiment: Experiment) -> EvidenceRecipe:
    """The recipe of an experiment. Raises ``Conflict`` if this version of the program cannot run it."""
    try:
        return EvidenceRecipe.from_json(experiment.recipe)
    except (EvidenceError, PolicyError) as error:
        raise recipe_gone(error) from error


def plan_evidence(experiment: Experiment) -> int:
    """Create an attempt for each revision and condition, once; return their number. The number of a rollout is that of
    the annotation among those of its sample; ``result`` keeps the revision."""
    recipe, purpose = evidence_recipe_of_row(experiment), Purpose(experiment.design["purpose"])
    found = asked_revisions(experiment.benchmark, purpose, experiment.samples)
    rows: list[tuple[int, int]] = list(found.values_list("pk", "annotation__sample"))
    numbers, seen = {}, dict.fromkeys((sample for _, sample in rows), 0)
    for revision, sample in rows:
        numbers[revision] = seen[sample]
        seen[sample] += 1
    trial = trial_of(list(seen))
    with transaction.atomic():
        Experiment.objects.select_for_update(of=("self",), no_key=True).get(pk=experiment.pk)
        if experiment.attempts.exists():
            return experiment.attempts.count()
        for batch in in_batches(rows):
            loaded = Revision.objects.with_content().select_related("annotation__sample__image")
            revisions = loaded.in_bulk([pk for pk, _ in batch])
            Attempt.objects.bulk_create(
                _planned(experiment, recipe, revisions[pk], condition, numbers[pk], trial=sample in trial)
                for pk, sample in batch
                for condition in recipe.conditions
            )
    return experiment.attempts.count()


def _planned(
    experiment: Experiment,
    recipe: EvidenceRecipe,
    revision: Revision,
    condition: Condition,
    number: int,
    *,
    trial: bool,
) -> Attempt:
    sample = revision.annotation.sample
    made = Attempt(
        experiment=experiment, sample=sample, rollout=number, arm=condition.value, trial=trial,
        result={"revision": revision.pk},
    )  # fmt: skip
    try:
        asked = asked_of(revision)
        asked.prompt(recipe, (sample.width or 0, sample.height or 0))
        made.digest = evidence_digest(recipe, condition, asked, sample.image.sha256 if sample.image else "")
    except PromptError as problem:
        made.state, made.error, made.finished_at = Attempt.State.SKIPPED, str(problem), timezone.now()
    return made


def asked_of(revision: Revision) -> Asked:
    """The question of a revision for a model, without its answer."""
    return Asked(revision.question, revision.choices, boxes_of(revision), polygons_of(revision))


class EvidenceWorker(Worker):
    """Asks a model under conditions, and keeps its answers with their revisions."""

    def prepare(self) -> None:
        self.evidence = evidence_recipe_of_row(self.experiment)
        self.purpose = Purpose(self.experiment.design["purpose"])
        self.settings = settings_of(self.experiment.benchmark)

    def work_of(self, attempt: Attempt, sample: Sample, answered: list[Answered]) -> Work:
        revision = Revision.objects.with_content().get(pk=(attempt.result or {})["revision"])
        image, condition = source_image(sample), Condition(attempt.arm)
        begin = partial(EvidenceTurn, self.evidence, condition, asked_of(revision), image, family=self.family)
        return Work(attempt.pk, begin, image, {"sample_id": sample.key}, answered)

    def save(self, finished: Sequence[Finished]) -> None:
        """Keep the answers. One without a response is no answer: its attempt keeps the kind of error."""
        numbers = [(held.attempt.result or {})["revision"] for held, *_ in finished]
        revisions = Revision.objects.with_content().in_bulk(numbers)
        for (held, row, kind), number in zip(finished, numbers, strict=True):
            result: dict[str, Any] = {"revision": number}
            if not kind and number in revisions:
                text, right = judged(row.get("answer"), content_of(revisions[number]), self.settings)
                keep_answer(
                    number, Condition(held.attempt.arm), self.purpose, answer=text, right=right,
                    model=self.experiment.model, digest=self.experiment.recipe_digest,
                )  # fmt: skip
                result |= {"answer": text, "right": right}
            self.mark(held, kind, str(row.get("error", "")), result=result)
