"""Experiments in which a model, a detector or an ML backend drafts fields of samples to do: their creation, their
attempts, and the drafts.

Gold checks that the query selects are drafted like samples to do, so that they look alike. Gold never decides: a query
names facets alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from django.db import transaction
from django.http import QueryDict
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.common.bank import bank_of
from annotation.common.terms import Terms
from annotation.content.proposals import draftable, keep_proposals
from annotation.content.tools import NameDraft, propose_drafted
from annotation.drafting import MOST_PLANTED, OF_QUESTION, USUAL_FIELDS, Field
from annotation.models import Benchmark, Drafting, Image, Proposal, Sample
from annotation.models.querysets.samples import SampleQuerySet
from annotation.schema import ToolCall
from annotation.task_schema import Shape, TaskSchema, Use
from annotation.workflow import Right
from evaluation.common.source_images import source_image
from evaluation.detections import THRESHOLD
from evaluation.endpoints.errors import CallFailed
from evaluation.endpoints.presets import PRESETS, Preset
from evaluation.execution.attempt import PIXELS, Answered, Work
from evaluation.experiments.read.connection import settings_of
from evaluation.experiments.read.prompts import prompt_named
from evaluation.experiments.write.control_share import drafting_for
from evaluation.experiments.write.create import DEFAULT_SAMPLING, dropped_of, require_served
from evaluation.experiments.write.detectors import DetectorChoices, detector_recipe, names_of
from evaluation.experiments.write.plan import plan_by_image, recipe_gone
from evaluation.experiments.write.prompts import freeze_prompts
from evaluation.experiments.write.states import check_budget
from evaluation.experiments.write.work import Finished, Worker
from evaluation.models import Attempt, Endpoint, Experiment
from evaluation.runner.dialects.zoom import Frame
from evaluation.runner.draft_detections import DetectorDraftRecipe, DetectorDraftTurn
from evaluation.runner.draft_parts import MOST_BOXES, DraftError, chain_problem
from evaluation.runner.drafts import PROMPT, DraftRecipe, DraftTurn
from evaluation.runner.images import PolicyError, SourceImage
from evaluation.runner.label_config import MOST_LABELS, label_config
from evaluation.runner.ml_backend import FIELDS as BACKEND_FIELDS
from evaluation.runner.ml_backend import BackendRecipe, BackendTurn
from evaluation.runner.sampling import SAMPLING
from evaluation.runner.templates import Prompt, Role
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput

CATEGORY = "category"
"""The facet whose values are the labels of an ML backend where neither the lead nor the gold names any."""
ANY_OBJECT = "object"
"""The label where there is no category, either."""
OTHER_QUESTION = "The sample has the draft of another question."


class AnyRecipe(Protocol):
    """The recipe of any source of drafts."""

    @property
    def fields(self) -> tuple[Field, ...]: ...

    def to_json(self) -> dict[str, Any]: ...

    def digest(self) -> str: ...

    def attempt_digest(self, sha256: str) -> str: ...


@dataclass(frozen=True)
class DraftChoices:
    """The choices for drafts. ``fields``: none for the usual ones of the source. ``prompt``: ``slug@version``, "" for
    that of Sightline. ``control_share``: the share of pairs of a person and a sample that get no drafts, before its
    first use; None: as set. ``planted_share``: of the drafted answers and boxes that carry a planted error.
    ``names``: of a detector what it searches for, of an ML backend its labels; "" for all tools in the gold of the
    benchmark. ``threshold``: the least score of their boxes. ``label_config``: of an ML backend, "" for
    ``derived_config``.
    """

    fields: Sequence[str] = ()
    samples: str = ""
    control_share: float | None = None
    planted_share: float = 0.0
    prompt: str = ""
    sampling: str = DEFAULT_SAMPLING
    parameters: Mapping[str, Any] = field(default_factory=dict)
    images: str = ""
    names: str = ""
    threshold: float = THRESHOLD
    label_config: str = ""
    budget_usd: float = 5.0
    budget_calls: int = 1000


@transaction.atomic
def create_drafts(*, actor: User, benchmark: Benchmark, endpoint: Endpoint, choices: DraftChoices) -> Experiment:
    """Create an experiment that drafts samples, as a draft itself; nothing is sent. Raises ``InvalidInput`` naming the
    field, ``Conflict`` where images would leave the server without consent, or the control share is set already."""
    require(actor, benchmark, Right.MANAGE)
    require_served(benchmark, endpoint)
    if PRESETS[endpoint.preset].renderer:
        raise InvalidInput(gettext("An image generator does not draft."), field="endpoint")
    prompt = prompt_named(benchmark, choices.prompt or PROMPT, [Role.DRAFT])
    fields = fields_of(benchmark.task, endpoint, choices.fields)
    recipe = recipe_of(benchmark, endpoint, choices, fields, prompt.template)
    check_budget(choices.budget_usd, choices.budget_calls)
    check_planted(choices.planted_share)
    if not samples_to_draft(benchmark, choices.samples).exists():
        raise InvalidInput(gettext("No sample to do with an image fits this query."), field="samples")
    drafting = drafting_for(benchmark, choices.control_share)
    experiment = Experiment.objects.create(
        benchmark=benchmark, kind=Experiment.Kind.DRAFT, endpoint=endpoint, endpoint_name=endpoint.name,
        model=endpoint.shown_model, setting=f"draft: {', '.join(recipe.fields)}", samples=choices.samples, rollouts=1,
        design={"planted_share": choices.planted_share} if choices.planted_share else {}, recipe=recipe.to_json(),
        recipe_digest=recipe.digest(), budget_usd=choices.budget_usd, budget_calls=choices.budget_calls,
        created_by=actor,
    )  # fmt: skip
    if PRESETS[endpoint.preset].chats:
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
        message = gettext("The share of planted errors must be from 0 to %(most)s.")
        raise InvalidInput(message % {"most": MOST_PLANTED}, field="planted_share")


def show_drafts(*, actor: User, benchmark: Benchmark, shows: bool) -> bool:
    """Let annotators see drafts from now on, or no longer; whether that changed anything."""
    require(actor, benchmark, Right.MANAGE)
    with transaction.atomic():
        changed = Drafting.objects.filter(benchmark=benchmark).exclude(shows=shows).update(shows=shows)
        if changed:
            audit.record(actor, "benchmark.drafts", benchmark, benchmark.slug, data={"shows": shows})
    return bool(changed)


def fields_of(task: TaskSchema, endpoint: Endpoint, chosen: Sequence[str]) -> tuple[Field, ...]:
    """The fields to draft in their order, those that are usual for the source if none is chosen. Raises
    ``InvalidInput`` for one that the source cannot draft, or that the task does not have."""
    preset = PRESETS[endpoint.preset]
    can = drafted_by(preset)
    if not chosen:
        return usual_fields(preset)
    if set(chosen) - set(can):
        message = gettext("This endpoint drafts: %(fields)s.") % {"fields": ", ".join(can)}
        raise InvalidInput(message, field="fields_drafted")
    fields = tuple(one for one in Field if one in chosen)
    off = [one for one in fields if one not in offered_fields(task)]
    if off:
        message = gettext("The task has no %(fields)s. Change it in Settings > Task.") % {"fields": ", ".join(off)}
        raise InvalidInput(message, field="fields_drafted")
    return fields


def source_kind(preset: Preset) -> str:
    """The kind of source that an endpoint is: a model that chats, a detector, or an ML backend of Label Studio."""
    return "detector" if preset.detector else "backend" if preset.backend else "model"


def drafted_by(preset: Preset) -> tuple[Field, ...]:
    """The fields that an endpoint of this preset can draft, in their order."""
    can = (Field.BOXES,) if preset.detector else BACKEND_FIELDS if preset.backend else tuple(Field)
    return tuple(one for one in Field if one in can)


def usual_fields(preset: Preset) -> tuple[Field, ...]:
    """The fields that an endpoint of this preset drafts if a person chooses none."""
    return USUAL_FIELDS if preset.chats else (Field.BOXES,)


def offered_fields(task: TaskSchema) -> list[Field]:
    """The fields that the task of a benchmark has."""
    return [one for one in Field if _use_of(task, one) is not Use.OFF]


def _use_of(task: TaskSchema, field: Field) -> Use | None:
    if field is Field.TOOLCHAIN:
        return task.toolchain.use
    return task.plan.use if field in OF_QUESTION else None


def recipe_of(
    benchmark: Benchmark, endpoint: Endpoint, choices: DraftChoices, fields: tuple[Field, ...], prompt: Prompt
) -> AnyRecipe:
    """The recipe of these choices on this endpoint, of whichever kind. Raises ``InvalidInput`` naming the field."""
    if PRESETS[endpoint.preset].chats:
        return draft_recipe(endpoint, choices, fields, prompt)
    return recipe_of_shapes(benchmark, endpoint, choices, fields)


def recipe_of_shapes(
    benchmark: Benchmark, endpoint: Endpoint, choices: DraftChoices, fields: tuple[Field, ...] = (Field.BOXES,)
) -> DetectorDraftRecipe | BackendRecipe:
    """The recipe of these choices on a detector or an ML backend. Raises ``InvalidInput`` naming the field."""
    if PRESETS[endpoint.preset].detector:
        own = DetectorChoices(names=choices.names, threshold=choices.threshold, images=choices.images)
        return DetectorDraftRecipe(detector_recipe(benchmark, endpoint, own))
    return backend_recipe(benchmark, endpoint, choices, fields)


def backend_recipe(
    benchmark: Benchmark, endpoint: Endpoint, choices: DraftChoices, fields: tuple[Field, ...]
) -> BackendRecipe:
    """The recipe of these choices on an ML backend. Raises ``InvalidInput`` naming the field."""
    config = choices.label_config.strip() or derived_config(benchmark, choices.names, fields)
    project = f"{benchmark.pk}.{int(benchmark.created_at.timestamp())}"
    shapes = shapes_of(benchmark) if Field.BOXES in fields else (Shape.BOX,)
    most = MOST_BOXES if shapes == (Shape.BOX,) else min(benchmark.task.evidence.count.most, MOST_BOXES)
    try:
        return BackendRecipe(
            fields, endpoint.model, endpoint.base_url, config, choices.threshold,
            choices.images or PRESETS[endpoint.preset].images, project, shapes, most,
        )  # fmt: skip
    except PolicyError as error:
        raise InvalidInput(str(error), field="images") from error
    except DraftError as error:
        raise InvalidInput(str(error), field="label_config" if 0 <= choices.threshold <= 1 else "threshold") from error


def derived_config(benchmark: Benchmark, names: str, fields: Sequence[Field] = (Field.BOXES,)) -> str:
    """The labeling configuration of an ML backend if the lead states none: it asks for the shapes that the task allows,
    with these names as labels. Raises ``InvalidInput`` for too many."""
    if Field.BOXES not in fields:
        return label_config((), (), answer=Field.ANSWER in fields)
    return label_config(labels_of(benchmark, names), shapes_of(benchmark), answer=Field.ANSWER in fields)


def shown_config(derive: Callable[[], str]) -> str:
    """A derived configuration for a page, or the reason why there is none."""
    try:
        return derive()
    except InvalidInput as error:
        return str(error.message)


def shapes_of(benchmark: Benchmark) -> tuple[Shape, ...]:
    """The shapes that the task of a benchmark allows, in their order."""
    return tuple(one for one in Shape if one in benchmark.task.evidence.shapes)


def labels_of(benchmark: Benchmark, written: str) -> tuple[str, ...]:
    """The labels of shapes in a text, separated by commas or lines. Of an empty one all tools in the gold; without any,
    the values of the facet category; without any, one that means every object. Raises ``InvalidInput`` for too many."""
    categories = [one.values for one in benchmark.task.facets if one.name == CATEGORY]
    labels = names_of(benchmark, written) or tuple(one.value for values in categories for one in values)
    if len(labels) > MOST_LABELS:
        message = gettext("Enter from 1 to %(most)s labels, or a labeling configuration.") % {"most": MOST_LABELS}
        raise InvalidInput(message, field="names")
    return labels or (ANY_OBJECT,)


def draft_recipe(endpoint: Endpoint, choices: DraftChoices, fields: tuple[Field, ...], prompt: Prompt) -> DraftRecipe:
    """The recipe of these choices on a model. Raises ``InvalidInput`` naming the field."""
    if choices.sampling not in SAMPLING:
        raise InvalidInput(
            gettext("Choose a sampling preset: %(sampling)s.") % {"sampling": ", ".join(SAMPLING)}, field="sampling"
        )
    try:
        return DraftRecipe(
            fields, endpoint.model, endpoint.base_url, prompt,
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


def draft_recipe_of_row(experiment: Experiment) -> AnyRecipe:
    """The recipe of an experiment. Raises ``Conflict`` if this version of the program cannot run it."""
    given = experiment.recipe
    kind = BackendRecipe if "label_config" in given else DetectorDraftRecipe if "names" in given else DraftRecipe
    try:
        return kind.from_json(given)
    except (DraftError, PolicyError) as error:
        raise recipe_gone(error) from error


def plan_drafts(experiment: Experiment) -> int:
    """Create the attempts, once; return their number. Samples with the same image have equal ones, asked once."""
    recipe = draft_recipe_of_row(experiment)
    samples = samples_to_draft(experiment.benchmark, experiment.samples)
    return plan_by_image(experiment, samples, recipe.attempt_digest)


def run_in_turn(image: SourceImage, calls: Sequence[ToolCall]) -> str:
    """Run a drafted toolchain when it is its turn on pixels; why it does not run to its end, "" if it does."""
    with PIXELS:
        return chain_problem(image, calls)


class DraftWorker(Worker):
    """Asks for drafts, and keeps them with their samples."""

    def prepare(self) -> None:
        self.drafts = draft_recipe_of_row(self.experiment)
        self.drafting = Drafting.objects.get(benchmark=self.experiment.benchmark)
        plans = {Field.TARGETS, Field.DISTRACTORS} & set(self.drafts.fields)
        self.bank = bank_of(self.experiment.benchmark) if plans else None
        self.source = self.drafts.prompt.digest if isinstance(self.drafts, DraftRecipe) else self.drafts.digest()
        if isinstance(self.drafts, BackendRecipe):
            self._set_up(self.drafts)

    def _set_up(self, recipe: BackendRecipe) -> None:
        """Give a backend its labels before the first image, because older ones need them."""
        try:
            self.client.set_up(recipe.project, recipe.label_config)
        except CallFailed as failure:
            self.pause(Experiment.Reason.ENDPOINT, f"{failure.message} {failure.kind.advice}")

    def work_of(self, attempt: Attempt, sample: Sample, answered: list[Answered]) -> Work:
        image = source_image(sample)
        match self.drafts:
            case BackendRecipe() as recipe:
                begin: Any = partial(BackendTurn, recipe, image)
            case DetectorDraftRecipe() as recipe:
                begin = partial(DetectorDraftTurn, recipe, image)
            case DraftRecipe() as recipe:
                begin = partial(DraftTurn, recipe, image, family=self.family, bank=self.bank, run=run_in_turn)
        return Work(attempt.pk, begin, image, {"sample_id": sample.key}, answered)

    def save(self, finished: Sequence[Finished]) -> None:
        """Keep the drafts. The attempt keeps the reasons of unread fields, and the kind of error if it failed."""
        samples = [held.attempt.sample_id for held, *_ in finished]
        asked = self._questions([one for one in samples if one is not None])
        new_tools: list[NameDraft] = []
        for held, row, kind in finished:
            assert held.attempt.sample_id is not None
            drafts, unread = dict(row.get("drafts") or {}), dict(row.get("unread") or {})
            named = dict(row.get("new_tools") or {})
            if _is_about_another(drafts, asked.get(held.attempt.sample_id)):
                named = {}
                _leave_out(drafts, unread)
            new_tools += [NameDraft(held.attempt.sample_id, Field(of), name) for of in named for name in named[of]]
            sources = row.get("sources") or {}
            keep_proposals(
                self.drafting, held.attempt.sample_id, drafts, self.experiment.model, self.source,
                planted=self.experiment.design.get("planted_share", 0.0), sources=sources,
            )  # fmt: skip
            result = {"fields": sorted(drafts), "unread": unread} | ({"sources": sources} if sources else {})
            self.mark(held, kind, str(row.get("error", "")), result=result)
        # At the end, so that others wait for the bank only briefly.
        propose_drafted(self.experiment.benchmark, self.experiment.model, new_tools)

    def _questions(self, samples: Sequence[int]) -> dict[int, Any]:
        """The drafted questions that samples already have."""
        if not any(one in OF_QUESTION for one in self.drafts.fields):
            return {}
        rows = Proposal.objects.filter(sample__in=samples, field=Field.QUESTION.value)
        return dict(rows.values_list("sample", "content"))


def _is_about_another(drafts: Mapping[str, Any], asked: Any) -> bool:
    """Whether a response is about another question than the draft that the sample has and keeps."""
    return asked is not None and drafts.get(Field.QUESTION.value) != asked


def _leave_out(drafts: dict[str, Any], unread: dict[str, str]) -> None:
    """Leave out what is about another question than the draft of the sample."""
    for one in OF_QUESTION:
        if drafts.pop(one.value, None) is not None:
            unread[one.value] = OTHER_QUESTION
