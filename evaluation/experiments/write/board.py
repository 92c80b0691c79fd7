"""Experiments about items of the building board: a model drafts their descriptions, checks their texts (QC-I), or
generates their images.

What a model finds of a text is a proposal, and people check a drawn share of it (``annotation.board.write.audits``).
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from annotation.board.read.audits import AuditTexts, items_to_audit
from annotation.board.read.items import candidates_of_model
from annotation.board.write.audits import close_batch, keep_audit, open_batch
from annotation.board.write.drafts import keep_description
from annotation.board.write.items import set_generated_image
from annotation.building import Stage
from annotation.building.audits import LEAST_SHARE
from annotation.building.rules import Finding
from annotation.common.access import require
from annotation.models import AuditBatch, Benchmark, BuildItem
from annotation.models.querysets.building import BuildItemQuerySet
from annotation.workflow import Right
from evaluation.endpoints.errors import ErrorKind
from evaluation.execution.attempt import Answered, Work
from evaluation.experiments.read.connection import settings_of
from evaluation.experiments.read.prompts import prompt_named
from evaluation.experiments.write.create import DEFAULT_SAMPLING, dropped_of, require_endpoint
from evaluation.experiments.write.plan import recipe_gone, trial_of
from evaluation.experiments.write.prompts import freeze_prompts
from evaluation.experiments.write.states import check_budget
from evaluation.experiments.write.work import Finished, Worker
from evaluation.models import Attempt, Endpoint, Experiment
from evaluation.runner.arms.catalogue import CannotApply
from evaluation.runner.audits import AUDIT_STEPS, AUDIT_TOOLS, AuditError, AuditRecipe, AuditText, AuditTurn
from evaluation.runner.descriptions import DESCRIBE, DescribeError, DescribeRecipe, DescribeTurn, Scene
from evaluation.runner.drafts import MALFORMED
from evaluation.runner.renderings import SIZES, RenderError, RenderRecipe, RenderTurn
from evaluation.runner.sampling import SAMPLING
from evaluation.runner.templates import Role
from evaluation.runner.turns import Turns
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import ApplicationError, InvalidInput

Kind = Experiment.Kind


@dataclass(frozen=True)
class AuditChoices:
    """The choices for checks of texts. ``items``: their numbers, () for all that can be checked. ``share``: of the
    items, that people check. ``tools_prompt``, ``steps_prompt``: ``slug@version``, "" for those of Sightline.
    """

    items: Sequence[int] = ()
    share: float = LEAST_SHARE
    tools_prompt: str = ""
    steps_prompt: str = ""
    sampling: str = DEFAULT_SAMPLING
    budget_usd: float = 5.0
    budget_calls: int = 1000


@dataclass(frozen=True)
class RenderChoices:
    """The choices for images. ``items``: their numbers, () for all that wait for an image. ``size``: width and height,
    as sent. ``seed``: from which the seed of each image is made."""

    items: Sequence[int] = ()
    size: str = SIZES[0]
    seed: int = 0
    budget_usd: float = 5.0
    budget_calls: int = 1000


@dataclass(frozen=True)
class DescribeChoices:
    """The choices for drafts of descriptions. ``items``: their numbers, () for all that wait for a description.
    ``prompt``: ``slug@version``, "" for that of Sightline."""

    items: Sequence[int] = ()
    prompt: str = ""
    sampling: str = DEFAULT_SAMPLING
    budget_usd: float = 5.0
    budget_calls: int = 1000


@transaction.atomic
def create_audit(*, actor: User, benchmark: Benchmark, endpoint: Endpoint, choices: AuditChoices) -> Experiment:
    """Create an experiment that checks texts at QC-I, as a draft; nothing is sent. Raises ``InvalidInput`` naming the
    field, ``Conflict`` where texts would leave the server without consent."""
    require(actor, benchmark, Right.MANAGE)
    require_endpoint(benchmark, endpoint)
    _check_sampling(choices.sampling)
    check_budget(choices.budget_usd, choices.budget_calls)
    items = _chosen(items_to_audit(benchmark), choices.items, Stage.TEXT_CHECK)
    dropped = dropped_of(settings_of(endpoint).drop)
    tools = prompt_named(benchmark, choices.tools_prompt or AUDIT_TOOLS, [Role.AUDIT_TOOLS], "tools_prompt")
    steps = prompt_named(benchmark, choices.steps_prompt or AUDIT_STEPS, [Role.AUDIT_STEPS], "steps_prompt")
    recipe = AuditRecipe(
        endpoint.model, endpoint.base_url, tools.template, steps.template, SAMPLING[choices.sampling], dropped
    )
    texts = AuditTexts(recipe.checks, tools.template.text, steps.template.text)
    batch = open_batch(actor=actor, benchmark=benchmark, model=endpoint.shown_model, texts=texts, share=choices.share)
    freeze_prompts([tools, steps])
    return _created(actor, benchmark, endpoint, Kind.AUDIT, recipe, choices, {"items": items, "batch": batch.pk})


@transaction.atomic
def create_rendering(*, actor: User, benchmark: Benchmark, endpoint: Endpoint, choices: RenderChoices) -> Experiment:
    """Create an experiment that generates images of descriptions, as a draft; nothing is sent. Raises like
    ``create_audit``."""
    require(actor, benchmark, Right.MANAGE)
    require_endpoint(benchmark, endpoint, renderer=True)
    check_budget(choices.budget_usd, choices.budget_calls)
    items = _chosen(_without_image(benchmark), choices.items, Stage.IMAGE)
    seeded = "seed" not in settings_of(endpoint).drop
    try:
        recipe = RenderRecipe(endpoint.model, endpoint.base_url, choices.size, choices.seed, seeded)
    except RenderError as error:
        field = "size" if choices.size not in SIZES else "seed"
        raise InvalidInput(str(error), field=field) from error
    return _created(actor, benchmark, endpoint, Kind.RENDER, recipe, choices, {"items": items})


@transaction.atomic
def create_describing(*, actor: User, benchmark: Benchmark, endpoint: Endpoint, choices: DescribeChoices) -> Experiment:
    """Create an experiment that drafts descriptions, as a draft itself; nothing is sent. Raises like
    ``create_audit``."""
    require(actor, benchmark, Right.MANAGE)
    require_endpoint(benchmark, endpoint)
    _check_sampling(choices.sampling)
    check_budget(choices.budget_usd, choices.budget_calls)
    items = _chosen(_at(benchmark, Stage.DESCRIPTION), choices.items, Stage.DESCRIPTION)
    prompt = prompt_named(benchmark, choices.prompt or DESCRIBE, [Role.DESCRIBE])
    dropped = dropped_of(settings_of(endpoint).drop)
    recipe = DescribeRecipe(endpoint.model, endpoint.base_url, prompt.template, SAMPLING[choices.sampling], dropped)
    freeze_prompts([prompt])
    return _created(actor, benchmark, endpoint, Kind.DESCRIBE, recipe, choices, {"items": items})


def _check_sampling(sampling: str) -> None:
    if sampling not in SAMPLING:
        said = gettext("Choose a sampling preset: %(sampling)s.")
        raise InvalidInput(said % {"sampling": ", ".join(SAMPLING)}, field="sampling")


def _created(
    actor: User, benchmark: Benchmark, endpoint: Endpoint, kind: str,
    recipe: AuditRecipe | RenderRecipe | DescribeRecipe, choices: AuditChoices | RenderChoices | DescribeChoices,
    design: dict[str, Any],
) -> Experiment:  # fmt: skip
    setting = {Kind.AUDIT: "QC-I", Kind.DESCRIBE: "description"}.get(Kind(kind))
    setting = setting or f"image {recipe.to_json()['size']}"
    experiment = Experiment.objects.create(
        benchmark=benchmark, kind=kind, endpoint=endpoint, endpoint_name=endpoint.name, model=endpoint.shown_model,
        setting=setting, rollouts=1, design=design, recipe=recipe.to_json(), recipe_digest=recipe.digest(),
        budget_usd=choices.budget_usd, budget_calls=choices.budget_calls, created_by=actor,
    )  # fmt: skip
    audit.record(
        actor=actor, action="experiment.create", subject=experiment, benchmark=benchmark.slug,
        data={"experiment": str(experiment), "endpoint": endpoint.name, "recipe": recipe.digest(), **design},
    )  # fmt: skip
    return experiment


def _at(benchmark: Benchmark, stage: Stage) -> BuildItemQuerySet:
    found: BuildItemQuerySet = BuildItem.objects.filter(benchmark=benchmark, stage=stage.value).order_by("number")
    return found


def _without_image(benchmark: Benchmark) -> BuildItemQuerySet:
    return _at(benchmark, Stage.IMAGE).exclude(description="")


def _chosen(possible: BuildItemQuerySet, numbers: Sequence[int], stage: Stage) -> list[int]:
    """The items with these numbers, or all. Raises ``InvalidInput`` for a number that is not possible."""
    known: dict[int, int] = dict(possible.values_list("number", "pk"))
    if unknown := next((number for number in numbers if number not in known), None):
        message = gettext("Item %(number)s is not at the stage %(stage)s, or a model is asked about it already.")
        raise InvalidInput(message % {"number": unknown, "stage": stage.value}, field="items")
    if not known:
        message = gettext("No item is at the stage %(stage)s.") % {"stage": stage.value}
        raise InvalidInput(message, field="items")
    return [known[number] for number in numbers] or list(known.values())


def plan_items(experiment: Experiment) -> int:
    """Create the attempts, once; return their number. Items that were discarded since are not among them."""
    items = BuildItem.objects.filter(pk__in=experiment.design["items"], benchmark=experiment.benchmark)
    found = list(items.order_by("number"))
    trial = trial_of([item.pk for item in found]) if found else set()
    digest = DIGESTS[experiment.kind]
    with transaction.atomic():
        Experiment.objects.select_for_update(of=("self",), no_key=True).get(pk=experiment.pk)
        if not experiment.attempts.exists():
            Attempt.objects.bulk_create(
                Attempt(experiment=experiment, item=item, digest=digest(experiment, item), trial=item.pk in trial)
                for item in found
            )
    return experiment.attempts.count()


def _audit_digest(experiment: Experiment, item: BuildItem) -> str:
    return audit_recipe_of_row(experiment).attempt_digest(text_of(item))


def _render_digest(experiment: Experiment, item: BuildItem) -> str:
    recipe = render_recipe_of_row(experiment)
    return recipe.attempt_digest(item.description, recipe.seed_of(item.pk, item.version))


def _describe_digest(experiment: Experiment, item: BuildItem) -> str:
    return describe_recipe_of_row(experiment).attempt_digest(scene_of(item))


DIGESTS: Mapping[str, Callable[[Experiment, BuildItem], str]] = {
    Kind.AUDIT: _audit_digest,
    Kind.RENDER: _render_digest,
    Kind.DESCRIBE: _describe_digest,
}
"""The digest of an attempt of each kind."""


def audit_recipe_of_row(experiment: Experiment) -> AuditRecipe:
    """The recipe of an experiment. Raises ``Conflict`` if this version of the program cannot run it."""
    try:
        return AuditRecipe.from_json(experiment.recipe)
    except AuditError as error:
        raise recipe_gone(error) from error


def render_recipe_of_row(experiment: Experiment) -> RenderRecipe:
    """The same for images."""
    try:
        return RenderRecipe.from_json(experiment.recipe)
    except RenderError as error:
        raise recipe_gone(error) from error


def describe_recipe_of_row(experiment: Experiment) -> DescribeRecipe:
    """The same for descriptions."""
    try:
        return DescribeRecipe.from_json(experiment.recipe)
    except DescribeError as error:
        raise recipe_gone(error) from error


def scene_of(item: BuildItem) -> Scene:
    """The scene of an item as a model that describes it reads it."""
    return Scene(item.instruction, tuple(candidates_of_model(item)), item.version)


def text_of(item: BuildItem) -> AuditText:
    """The text of an item as a model reads it."""
    tools = tuple(candidates_of_model(item))
    return AuditText(item.instruction, item.description, tools, tuple(zip(item.targets, item.steps, strict=True)))


def close_audit(experiment: Experiment) -> None:
    """Let people check the draw once nothing more is asked."""
    state = Experiment.objects.filter(pk=experiment.pk).values_list("state", flat=True).get()
    if experiment.kind == Kind.AUDIT and state in (Experiment.State.DONE, Experiment.State.STOPPED):
        close_batch(experiment.design["batch"])


def _left(why: str) -> Turns:
    raise CannotApply(why)


class _ItemWorker(Worker):
    """Asks about items that are still at the stage at which they were planned."""

    stage: Stage

    def work_for(self, attempt: Attempt, answered: list[Answered]) -> Work:
        assert attempt.item_id is not None
        item = BuildItem.objects.get(pk=attempt.item_id)
        place = {"item": item.number, "version": item.version}
        if item.stage != self.stage:
            begin: Any = partial(_left, f"Item {item.number} left its stage before it was asked about.")
        elif self.is_late():
            begin = partial(_left, "People check this batch already. Create another experiment for its other items.")
        else:
            begin = self.begin(item)
        return Work(attempt.pk, begin, None, place, answered)

    def is_late(self) -> bool:
        return False

    def begin(self, item: BuildItem) -> Any:
        """What makes the state machine of an attempt."""
        raise AssertionError


class AuditWorker(_ItemWorker):
    """Asks a model about texts, and keeps its findings as proposals."""

    stage = Stage.TEXT_CHECK

    def prepare(self) -> None:
        self.checks = audit_recipe_of_row(self.experiment)
        self.batch = AuditBatch.objects.get(pk=self.experiment.design["batch"])

    def is_late(self) -> bool:
        return not AuditBatch.objects.filter(pk=self.batch.pk, state="asking").exists()

    def begin(self, item: BuildItem) -> Any:
        return partial(AuditTurn, self.checks, text_of(item))

    def save(self, finished: Sequence[Finished]) -> None:
        for held, row, kind in finished:
            if not kind and held.attempt.item_id is not None:
                findings = [Finding(**one) for one in row["findings"]]
                version = int(held.work.place["version"])
                keep_audit(
                    self.batch, held.attempt.item_id, version, findings, row["valid_sequence"], row.get("note", "")
                )
            kept = {name: row.get(name) for name in ("findings", "valid_sequence", "note")}
            self.mark(held, kind, str(row.get("error", "")), result=None if kind else kept)


class RenderWorker(_ItemWorker):
    """Asks for images, and stores each with its item, which then waits for QC-III."""

    stage = Stage.IMAGE

    def prepare(self) -> None:
        self.images = render_recipe_of_row(self.experiment)

    def begin(self, item: BuildItem) -> Any:
        return partial(RenderTurn, self.images, item.description, self.images.seed_of(item.pk, item.version))

    def save(self, finished: Sequence[Finished]) -> None:
        for held, row, kind in finished:
            error, result = str(row.get("error", "")), None
            if not kind:
                kind, error, result = self._stored(held.attempt, int(held.work.place["version"]), row["image"])
            self.mark(held, kind, error, result=result)

    def _stored(self, attempt: Attempt, version: int, image: str) -> tuple[str, str, dict[str, Any] | None]:
        """Kind of error, error and result of storing an image. One refused image does not stop the others."""
        assert attempt.item_id is not None
        item = BuildItem.objects.select_related("benchmark").get(pk=attempt.item_id)
        prompt = sha256(item.description.encode()).hexdigest()
        seed = self.images.seed_of(item.pk, version) if self.images.seeded else None
        rendered = {"model": self.experiment.model, "prompt": prompt, "seed": seed}
        try:
            stored = set_generated_image(item=item, version=version, data=base64.b64decode(image), rendered=rendered)
        except ApplicationError as refused:
            return ErrorKind.INTERNAL.value, refused.message, None
        return "", "", rendered | {"image": stored.image.sha256 if stored.image else ""}


class DescribeWorker(_ItemWorker):
    """Asks for descriptions, and keeps each as the draft of its item."""

    stage = Stage.DESCRIPTION

    def prepare(self) -> None:
        self.scenes = describe_recipe_of_row(self.experiment)

    def begin(self, item: BuildItem) -> Any:
        return partial(DescribeTurn, self.scenes, scene_of(item))

    def save(self, finished: Sequence[Finished]) -> None:
        for held, row, kind in finished:
            error, result = str(row.get("error", "")), None
            if not kind:
                kind, error = self._kept(held.attempt, int(held.work.place["version"]), row["description"])
                result = {"description": row["description"]}
            self.mark(held, kind, error, result=result)

    def _kept(self, attempt: Attempt, version: int, text: str) -> tuple[str, str]:
        """Kind of error and error of keeping a draft. One that breaks a rule does not stop the others."""
        assert attempt.item_id is not None
        item = BuildItem.objects.select_related("benchmark").get(pk=attempt.item_id)
        try:
            keep_description(
                item=item, version=version, text=text, model=self.experiment.model, prompt=self.scenes.prompt.digest
            )
        except InvalidInput as refused:
            return MALFORMED, refused.message
        except ApplicationError as refused:
            return ErrorKind.INTERNAL.value, refused.message
        return "", ""
