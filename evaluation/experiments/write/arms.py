"""Experiments that repeat the trajectories of a run under arms: their creation, their attempts, and their answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.models import Sample
from annotation.workflow import Right
from evaluation.common.lineage.write import place_in
from evaluation.endpoints.presets import PRESETS, Prefix
from evaluation.execution.attempt import Answered, Work
from evaluation.experiments.read.connection import settings_of
from evaluation.experiments.read.prompts import prompt_named
from evaluation.experiments.read.recorded import load_repeated, recorded_of
from evaluation.experiments.read.tasks import selected_samples, task_of
from evaluation.experiments.write.create import dropped_of, require_endpoint
from evaluation.experiments.write.fit import refuse_prefix
from evaluation.experiments.write.plan import in_batches, trial_of
from evaluation.experiments.write.states import check_budget
from evaluation.experiments.write.work import Worker
from evaluation.models import Attempt, Endpoint, Experiment, Run, Trajectory
from evaluation.models.querysets.experiments import AttemptQuerySet
from evaluation.runner.arms.catalogue import SHAM, Arm, ArmError, CannotApply, Estimand, read_arms
from evaluation.runner.arms.turn import ArmRecipe, ArmRecipeError, ArmTurn, arm_digest
from evaluation.runner.arms.view import Recorded
from evaluation.runner.judges import Question
from evaluation.runner.sampling import SAMPLING
from evaluation.runner.templates import Role
from evaluation.store.selection import Selection
from evaluation.store.snapshot import Snapshot
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput

SAMPLING_OF_RUN = ""
MARGIN, MOST_MARGIN = 5.0, 50.0
"""Default and maximum equivalence margin, in percentage points. A smaller effect counts as none."""
TRIES = 3
"""The maximum number of mistakes of judges that are tried, one after another."""
USUAL = "sham:4, noise:100x3, blank, gold, no-crops"
"""The default arms of a form."""


@dataclass(frozen=True)
class ArmChoices:
    """The choices of a person.

    ``arms``: in the format of ``read_arms``; the sham arm is always added. ``confirm``: the arms named confirmatory
    before the start, all others are exploratory. ``margin`` in percentage points. ``sampling``: a preset; "": that of
    the run, if known. ``injector``: the prompt (slug@version) with which a judge wrote the mistakes of
    ``mistake-judge``; "": the newest mistakes with any prompt.
    """

    arms: str = USUAL
    estimand: str = Estimand.PREFIX
    confirm: str = ""
    margin: float = MARGIN
    samples: str = ""
    sampling: str = SAMPLING_OF_RUN
    injector: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    budget_usd: float = 5.0
    budget_calls: int = 10_000


@dataclass(frozen=True)
class Design:
    """The design of an experiment: arms with their numbers of seeds, the confirmatory ones, the margin, and the prompt
    of the mistakes.
    """

    arms: Mapping[Arm, int]
    confirm: tuple[Arm, ...]
    margin: float
    injector: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "arms": {str(arm): seeds for arm, seeds in self.arms.items()},
            "confirm": [str(arm) for arm in self.confirm],
            "margin": self.margin,
            "injector": self.injector,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Design:
        """Return the design. Raises ``ArmError`` for an arm that no longer exists."""
        arms = {Arm.read(name): int(seeds) for name, seeds in data["arms"].items()}
        confirm = tuple(Arm.read(name) for name in data["confirm"])
        return cls(arms, confirm, float(data["margin"]), data.get("injector", ""))


@transaction.atomic
def create_arms(*, actor: User | None, run: Run, endpoint: Endpoint, choices: ArmChoices) -> Experiment:
    """Create an experiment that repeats a run under arms, as a draft; nothing is sent. Raises ``InvalidInput`` with the
    field; ``Conflict`` if the endpoint lacks a needed feature, images would leave the server without consent, or
    another recipe has made arms of this run.
    """
    benchmark = run.benchmark
    require(actor, benchmark, Right.IMPORT_RUNS)
    require_endpoint(benchmark, endpoint)
    design = replace(design_of(choices), injector=_injector_of(run, choices))
    recipe = arm_recipe(run, endpoint, choices)
    check_budget(choices.budget_usd, choices.budget_calls)
    _refuse_mixing(run, recipe)
    if not repeated_samples(run, choices.samples):
        raise InvalidInput(gettext("No trajectory of this run fits the query."), field="samples")
    experiment = Experiment.objects.create(
        benchmark=benchmark, kind=Experiment.Kind.ARMS, source=run, design=design.to_json(), endpoint=endpoint,
        endpoint_name=endpoint.name, version=benchmark.versions.order_by("-number").first(), model=run.model.name,
        setting=run.setting, samples=choices.samples, rollouts=1, recipe=recipe.to_json(),
        recipe_digest=recipe.digest(), budget_usd=choices.budget_usd, budget_calls=choices.budget_calls,
        created_by=actor,
    )  # fmt: skip
    audit.record(
        actor=actor, action="experiment.create", subject=experiment, benchmark=benchmark.slug,
        data={"experiment": str(experiment), "endpoint": endpoint.name, "recipe": recipe.digest()},
    )  # fmt: skip
    return experiment


def _injector_of(run: Run, choices: ArmChoices) -> str:
    """Return the chosen prompt of mistakes with its version, "" for any. Raises ``InvalidInput`` with the field."""
    if not choices.injector:
        return ""
    prompt = str(prompt_named(run.benchmark, choices.injector, [Role.INJECTOR], "injector"))
    if not _mistakes(run, Question.MISTAKE, prompt).exists():
        message = gettext("No judge has written mistakes in this run with the prompt %(prompt)s. Judge the run first.")
        raise InvalidInput(message % {"prompt": prompt}, field="injector")
    return prompt


def _mistakes(run: Run | None, question: Question, prompt: str = "") -> AttemptQuerySet:
    """Return the attempts of judges that wrote changed reasoning for a run, with any prompt or with this one."""
    done: AttemptQuerySet = Attempt.objects.filter(
        experiment__kind=Experiment.Kind.JUDGE, experiment__source=run, experiment__recipe__question=question.value,
        state=Attempt.State.DONE,
    )  # fmt: skip
    slug, _, version = prompt.partition("@")
    named = {"experiment__recipe__prompt__slug": slug, "experiment__recipe__prompt__version": version}
    return done.filter(**named) if prompt else done


def _refuse_mixing(run: Run, recipe: ArmRecipe) -> None:
    """Arms are compared with the sham arm of the same recipe, so a run has those of one recipe for each estimand."""
    others = Experiment.objects.filter(source=run, kind=Experiment.Kind.ARMS).exclude(recipe_digest=recipe.digest())
    records = others.filter(recipe__estimand=recipe.estimand.value).values("import_record")
    if run.trajectories.filter(condition__endswith=f"@{recipe.estimand}", source__in=records).exists():
        raise Conflict(
            gettext(
                "The arms of %(run)s were made with another endpoint or sampling. Undo the import of that experiment "
                "first."
            )
            % {"run": run},
            code="recipe",
        )


def design_of(choices: ArmChoices) -> Design:
    """Return the arms of these choices, the sham arm first. Raises ``InvalidInput`` with the field."""
    if choices.estimand not in list(Estimand):
        allowed = ", ".join(Estimand)
        raise InvalidInput(gettext("Choose an estimand: %(estimands)s.") % {"estimands": allowed}, field="estimand")
    estimand = Estimand(choices.estimand)
    found = {}
    for name, text in (("arms", choices.arms), ("confirm", choices.confirm)):
        try:
            found[name] = read_arms(text, estimand)
        except ArmError as error:
            raise InvalidInput(str(error), field=name) from error
    unknown = [arm for arm in found["confirm"] if arm not in found["arms"] or arm.family == SHAM]
    if unknown:
        message = gettext("%(arm)s is not among the arms, so it cannot be confirmatory.")
        raise InvalidInput(message % {"arm": unknown[0].label}, field="confirm")
    if not 0 < choices.margin <= MOST_MARGIN:
        raise InvalidInput(
            gettext("The margin must be above 0 and at most %(most)s percentage points.")
            % {"most": f"{MOST_MARGIN:g}"},
            field="margin",
        )
    sham = read_arms(SHAM, estimand)
    return Design({**sham, **found["arms"]}, tuple(found["confirm"]), choices.margin)


def arm_recipe(run: Run, endpoint: Endpoint, choices: ArmChoices) -> ArmRecipe:
    """Return the recipe of these choices on this endpoint. Raises ``InvalidInput`` with the field, ``Conflict`` if the
    endpoint cannot continue a response.
    """
    estimand = Estimand(choices.estimand)
    if choices.sampling and choices.sampling not in SAMPLING:
        raise InvalidInput(
            gettext("Choose a sampling preset: %(sampling)s.") % {"sampling": ", ".join(SAMPLING)}, field="sampling"
        )
    sampling = SAMPLING[choices.sampling] if choices.sampling else sampling_of(run)
    continued = PRESETS[endpoint.preset].prefix
    if estimand is Estimand.PREFIX:
        refuse_prefix(endpoint)
    flags = Prefix.FLAGS if continued is Prefix.UNKNOWN else continued
    return ArmRecipe(
        endpoint.model, endpoint.base_url, estimand, {**sampling, **choices.parameters},
        flags.parameters if estimand is Estimand.PREFIX else {}, dropped_of(settings_of(endpoint).drop),
        str(place_in(run) or ""),
    )  # fmt: skip


def sampling_of(run: Run) -> Mapping[str, Any]:
    """Return the sampling of the run, else that of the preset ``instruct``, because seeds need a temperature."""
    made = Experiment.objects.filter(
        kind=Experiment.Kind.RUN, benchmark=run.benchmark, model=run.model.name, setting=run.setting
    ).order_by("-pk")  # fmt: skip
    recipe = made.values_list("recipe", flat=True).first()
    known: Mapping[str, Any] = (recipe or {}).get("sampling") or {}
    return known or SAMPLING["instruct"]


def repeated_samples(run: Run, samples: str) -> list[int]:
    """Return the samples whose trajectories are repeated, in order: those with visual evidence, or all if
    none has any.
    """
    snapshot = Snapshot(run.benchmark, [Run.objects.of(run.benchmark).get(pk=run.pk)])
    wanted = set(selected_samples(run.benchmark, samples).values_list("pk", flat=True))
    for terms in ({"evidence": "yes", "failed": "no"}, {"failed": "no"}):
        rows = Selection(snapshot, terms).rows(["sample"], order="sample_key")
        if found := [sample for (sample,) in rows if sample in wanted]:
            return found
    return []


def plan_arms(experiment: Experiment) -> int:
    """Create the attempts, once; return their number."""
    run = experiment.source
    assert run is not None
    recipe, design = arm_recipe_of_row(experiment), design_of_row(experiment)
    samples = repeated_samples(run, experiment.samples)
    trial = trial_of(samples)
    with transaction.atomic():
        Experiment.objects.select_for_update(of=("self",), no_key=True).get(pk=experiment.pk)
        if experiment.attempts.exists():
            return experiment.attempts.count()
        for batch in in_batches(samples):
            rows = load_repeated(run, batch)
            Attempt.objects.bulk_create(
                attempt
                for sample in batch
                if sample in rows
                for attempt in _planned(experiment, recipe, design, rows[sample], trial=sample in trial)
            )
    return experiment.attempts.count()


def _planned(
    experiment: Experiment, recipe: ArmRecipe, design: Design, row: Trajectory, *, trial: bool
) -> Sequence[Attempt]:
    """Return the attempts on one sample. They are skipped if its trajectory cannot be repeated."""
    shared: dict[str, Any] = {"experiment": experiment, "sample": row.sample, "trial": trial}
    try:
        recorded = recorded_of(row, foreign_of(experiment, row), written_of(experiment, row))
    except CannotApply as reason:
        ended = {"state": Attempt.State.SKIPPED, "error": str(reason), "finished_at": timezone.now()}
        return [
            Attempt(**shared, arm=str(arm), rollout=seed, **ended)
            for arm, seeds in design.arms.items()
            for seed in range(seeds)
        ]
    return [
        Attempt(**shared, arm=str(arm), rollout=seed, digest=arm_digest(recipe, recorded, arm, seed))
        for arm, seeds in design.arms.items()
        for seed in range(seeds)
    ]


def foreign_of(experiment: Experiment, row: Trajectory) -> Trajectory | None:
    """Return the trajectory whose crop the arm ``foreign`` shows: of the next sample of the run with another image and
    a crop; after the last sample, the search continues with the first.
    """
    if not any(Arm.read(name).family == "foreign" for name in experiment.design["arms"]):
        return None
    others = Trajectory.objects.filter(run=experiment.source, condition="none", rollout=row.rollout)
    others = others.filter(steps__ok=True, steps__x1__isnull=False).exclude(sample__image=row.sample.image_id)
    ordered = others.order_by("sample__key").distinct().select_related("sample__image")
    return ordered.filter(sample__key__gt=row.sample.key).first() or ordered.first()


def written_of(experiment: Experiment, row: Trajectory) -> dict[str, Any]:
    """Return the texts of judges for a trajectory: the newest mistakes with the prompt of the design, and the newest
    paraphrase. Of several mistakes, the arm uses the first one that fits.
    """
    found: dict[str, Any] = {}
    for question, prompt in ((Question.MISTAKE, experiment.design.get("injector", "")), (Question.PARAPHRASE, "")):
        done = _mistakes(experiment.source, question, prompt).filter(trajectory=row).order_by("-pk")
        written = [(result or {}).get("verdict") for result in done.values_list("result", flat=True)[:TRIES]]
        if known := [one for one in written if one]:
            found[question.value] = known if question is Question.MISTAKE else known[0]
    return found


def arm_recipe_of_row(experiment: Experiment) -> ArmRecipe:
    """Return the recipe of an experiment. Raises ``Conflict`` if this version of the program cannot run it."""
    try:
        return ArmRecipe.from_json(experiment.recipe)
    except ArmRecipeError as error:
        message = gettext("The recipe can't be run any more: %(reason)s Create the experiment again.")
        raise Conflict(message % {"reason": error}, code="recipe") from error


def design_of_row(experiment: Experiment) -> Design:
    """Return the design of an experiment. Raises ``Conflict`` for an arm that no longer exists."""
    try:
        return Design.from_json(experiment.design)
    except (ArmError, KeyError, ValueError) as error:
        message = gettext("The arms can't be run any more: %(reason)s Create the experiment again.")
        raise Conflict(message % {"reason": error}, code="arms") from error


class ArmWorker(Worker):
    """Repeats trajectories under arms, and saves each answer as a trajectory under a condition of the same run."""

    def prepare(self) -> None:
        self.arm_recipe, self.half = arm_recipe_of_row(self.experiment), False
        self.repeated: tuple[int, Recorded] | None = None
        """The sample that was repeated last, because its arms follow each other."""

    def work_of(self, attempt: Attempt, sample: Sample, answered: list[Answered]) -> Work:
        if self.repeated is None or self.repeated[0] != sample.pk:
            assert self.experiment.source is not None
            row = load_repeated(self.experiment.source, [sample.pk])[sample.pk]
            recorded = recorded_of(row, foreign_of(self.experiment, row), written_of(self.experiment, row))
            self.repeated = sample.pk, recorded
        arm = Arm.read(attempt.arm)
        begin = partial(ArmTurn, self.arm_recipe, self.repeated[1], arm, attempt.rollout, self.family)
        place = {"sample_id": sample.key, "rollout": attempt.rollout, "condition": attempt.arm}
        return Work(attempt.pk, begin, task_of(sample).image, place, answered)
