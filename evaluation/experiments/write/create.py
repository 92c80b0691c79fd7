"""Creating an experiment: the choices of a person become a recipe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.models import Benchmark
from annotation.outgoing.addresses import LOOPBACK, Allowed, read_ip
from annotation.toolbox.offer import OMITTABLE
from annotation.workflow import Right
from evaluation.common.lineage.write import place_of, refuse_taken
from evaluation.endpoints.presets import PRESETS
from evaluation.experiments.read.connection import address_of, settings_of
from evaluation.experiments.read.prompts import PromptVersion, prompt_named
from evaluation.experiments.read.tasks import selected_samples
from evaluation.experiments.write.code import code_refusal
from evaluation.experiments.write.plan import recipe_name
from evaluation.experiments.write.prompts import freeze_prompts
from evaluation.experiments.write.states import check_budget
from evaluation.models import Endpoint, Experiment, Run
from evaluation.runner.dialects.zoom import Frame
from evaluation.runner.images import PolicyError
from evaluation.runner.protocols import PROTOCOLS, Limits, Tools
from evaluation.runner.recipe import Recipe, RecipeError
from evaluation.runner.sampling import SAMPLING
from evaluation.runner.templates import SLUGS, PromptError, Role
from evaluation.runner.templates import Prompt as Template
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput

_FIELDS: Mapping[type[Exception], str] = {PolicyError: "images", RecipeError: "dialect"}
MOST_ROLLOUTS = 64
DEFAULT_SAMPLING = "greedy"


@dataclass(frozen=True)
class Choices:
    """The choices for an experiment. Empty fields use the default of the protocol or the endpoint.

    ``prompt`` and ``user_prompt``: ``slug@version`` of prompts; the first is the system prompt, or the user prompt.
    ``lineage``, ``step``: the checkpoint that the endpoint serves. ``sampling``: the name of a preset; ``parameters``
    replace some of its values. ``images``: the image policy.
    """

    protocol: str
    dialect: str = ""
    prompt: str = ""
    user_prompt: str = ""
    rollouts: int = 1
    samples: str = ""
    setting: str = ""
    lineage: str = ""
    step: int | None = None
    sampling: str = DEFAULT_SAMPLING
    parameters: Mapping[str, Any] = field(default_factory=dict)
    images: str = ""
    rounds: int | None = None
    calls: int | None = None
    budget_usd: float = 5.0
    budget_calls: int = 1000


@transaction.atomic
def create_experiment(*, actor: User | None, benchmark: Benchmark, endpoint: Endpoint, choices: Choices) -> Experiment:
    """Create an experiment as a draft; nothing is sent. Raises ``InvalidInput`` naming the field, ``Conflict`` if the
    run of this name was made with another recipe."""
    require(actor, benchmark, Right.IMPORT_RUNS)
    require_endpoint(benchmark, endpoint)
    prompts = _prompts_of(benchmark, choices)
    recipe = recipe_of(endpoint, choices, {part: one.template for part, one in prompts.items()})
    if not 1 <= choices.rollouts <= MOST_ROLLOUTS:
        raise InvalidInput(
            gettext("The number of rollouts must be from 1 to %(most_rollouts)s.") % {"most_rollouts": MOST_ROLLOUTS},
            field="rollouts",
        )
    check_budget(choices.budget_usd, choices.budget_calls)
    if not selected_samples(benchmark, choices.samples).exists():
        raise InvalidInput(gettext("No sample with gold and an image fits this query."), field="samples")
    setting = choices.setting.strip() or recipe.task.setting
    refuse_mixing(benchmark, endpoint.shown_model, setting, recipe_name(recipe), recipe.digest())
    if (place := place_of(choices.lineage, choices.step)) is not None:
        refuse_taken(benchmark, place, endpoint.shown_model, setting)
    experiment = Experiment.objects.create(
        benchmark=benchmark, version=benchmark.versions.order_by("-number").first(), endpoint=endpoint,
        endpoint_name=endpoint.name, model=endpoint.shown_model, setting=setting, samples=choices.samples,
        rollouts=choices.rollouts, recipe=recipe.to_json(), recipe_digest=recipe.digest(),
        budget_usd=choices.budget_usd, budget_calls=choices.budget_calls, created_by=actor,
    )  # fmt: skip
    freeze_prompts(prompts.values())
    audit.record(
        actor=actor, action="experiment.create", subject=experiment, benchmark=benchmark.slug,
        data={"experiment": str(experiment), "endpoint": endpoint.name, "recipe": recipe.digest()},
    )  # fmt: skip
    return experiment


def recipe_of(endpoint: Endpoint, choices: Choices, prompts: Mapping[str, Template]) -> Recipe:
    """The recipe of these choices on this endpoint, with these ``system`` and ``user`` prompts. Raises
    ``InvalidInput`` naming the field."""
    if choices.protocol not in PROTOCOLS:
        raise InvalidInput(
            gettext("Choose a protocol: %(protocols)s.") % {"protocols": ", ".join(PROTOCOLS)}, field="protocol"
        )
    if PROTOCOLS[choices.protocol].tools is Tools.CODE and (why := code_refusal()):
        raise InvalidInput(why, field="protocol")
    if choices.sampling not in SAMPLING:
        raise InvalidInput(
            gettext("Choose a sampling preset: %(sampling)s.") % {"sampling": ", ".join(SAMPLING)}, field="sampling"
        )
    protocol, preset, client = PROTOCOLS[choices.protocol], PRESETS[endpoint.preset], settings_of(endpoint)
    dialect = choices.dialect or (endpoint.dialect if endpoint.dialect in protocol.dialects else "")
    framed = protocol.tools is Tools.ZOOM and (dialect or protocol.dialects[0]) in ("tools", "json")
    limits = Limits(choices.rounds or protocol.limits.rounds, choices.calls or protocol.limits.calls)
    try:
        return Recipe.of(
            choices.protocol, endpoint.model, endpoint.base_url, dialect=dialect,
            frame=Frame(endpoint.frame) if framed else None, limits=limits,
            sampling={**SAMPLING[choices.sampling], **choices.parameters}, images=choices.images or preset.images,
            omit=tuple(name for name in client.drop if name in OMITTABLE), dropped=dropped_of(client.drop),
            checkpoint=str(place_of(choices.lineage, choices.step) or ""),
            system=prompts.get("system"), user=prompts.get("user"),
        )  # fmt: skip
    except (RecipeError, PolicyError, PromptError, ValueError) as error:
        raise InvalidInput(str(error), field=_FIELDS.get(type(error), "prompt")) from error


def _prompts_of(benchmark: Benchmark, choices: Choices) -> dict[str, PromptVersion]:
    """The chosen prompts as ``system`` and ``user``. Raises ``InvalidInput`` naming the field."""
    found: dict[str, PromptVersion] = {}
    if choices.protocol not in PROTOCOLS:
        return found  # refused with the recipe
    roles = (Role.SYSTEM, SLUGS[PROTOCOLS[choices.protocol].user])
    for name, field_name in ((choices.prompt, "prompt"), (choices.user_prompt, "user_prompt")):
        if not name:
            continue
        version = prompt_named(benchmark, name, roles, field_name)
        part = "system" if version.template.role is Role.SYSTEM else "user"
        if part in found:
            raise InvalidInput(gettext("Choose at most one system prompt and one user prompt."), field=field_name)
        found[part] = version
    return found


def require_endpoint(
    benchmark: Benchmark, endpoint: Endpoint, *, detector: bool = False, renderer: bool = False
) -> None:
    """Raise ``InvalidInput`` unless the endpoint serves this benchmark and is of this kind, ``Conflict`` if images
    would leave the server without the consent of the lead.
    """
    preset = PRESETS[endpoint.preset]
    if preset.backend:
        raise InvalidInput(gettext("An ML backend only drafts. Use it in Settings > Drafting."), field="endpoint")
    if preset.detector is not detector:
        other = gettext("This endpoint is no detector.")
        raise InvalidInput(other if detector else gettext("A detector only finds tools."), field="endpoint")
    if preset.renderer is not renderer:
        other = gettext("This endpoint generates no images.")
        words = other if renderer else gettext("An image generator does not answer questions.")
        raise InvalidInput(words, field="endpoint")
    require_served(benchmark, endpoint)


def require_served(benchmark: Benchmark, endpoint: Endpoint) -> None:
    """Raise ``InvalidInput`` unless the endpoint, of any kind, serves this benchmark, ``Conflict`` if images would
    leave the server without the consent of the lead.
    """
    if endpoint.benchmark_id not in (None, benchmark.pk):
        raise InvalidInput(gettext("This endpoint belongs to another benchmark."), field="endpoint")
    refuse_remote(benchmark, endpoint)


def refuse_remote(benchmark: Benchmark, endpoint: Endpoint) -> None:
    """Raise ``Conflict`` where images would leave the server without the consent of the lead."""
    if not benchmark.remote_allowed and not is_here(endpoint):
        host = address_of(endpoint.base_url).host
        raise Conflict(
            gettext("%(title)s does not allow images to be sent to %(host)s. Its lead can allow it in the settings.")
            % {"title": benchmark.title, "host": host},
            code="remote",
        )


def is_here(endpoint: Endpoint) -> bool:
    """Whether the address is one of this machine."""
    host = address_of(endpoint.base_url).host
    if host == "localhost":
        return True
    try:
        return Allowed.read(LOOPBACK).holds(read_ip(host))
    except ValueError:
        return False


def refuse_mixing(benchmark: Benchmark, model: str, setting: str, name: str, digest: str) -> None:
    """Raise ``Conflict`` if the run of this model and setting has trajectories that another recipe made, or a file.
    ``name``: under which the run keeps the digest of the recipe."""
    run = Run.objects.filter(benchmark=benchmark, model__name=model, setting=setting).first()
    if run is None or not run.trajectories.exists():
        return
    known, lists = run.extra.get(name), ("recipe_recognition", "recipe_plan")
    if known == digest or (known is None and name in lists and set(lists) & run.extra.keys()):
        return
    raise Conflict(
        gettext("The run %(run)s was made with another recipe. Choose another setting name, such as “%(setting)s”.")
        % {"run": run, "setting": free_setting(benchmark, model, setting)},
        code="setting", field="setting",
    )  # fmt: skip


def free_setting(benchmark: Benchmark, model: str, setting: str) -> str:
    """The name with the first number at its end that no run of the model has."""
    taken = set(Run.objects.filter(benchmark=benchmark, model__name=model).values_list("setting", flat=True))
    return next(name for n in range(2, len(taken) + 3) if (name := f"{setting} {n}") not in taken)


def dropped_of(drop: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in drop if name not in OMITTABLE)
