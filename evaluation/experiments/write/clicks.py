"""Shapes from a click: what the lead lets annotators ask, and one request for a point of an image.

A request is answered at once, because a job would wait behind others. So it is bounded: 20 s, no retry, and two at once
in one process. It is sent outside of transactions.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from threading import BoundedSemaphore
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.content.clicks import click_shapes, clicks_for, drafting_shown, keep_clicked
from annotation.content.drawn_on import require_shown
from annotation.content.proposals import locked_drafting
from annotation.drafting import Field
from annotation.imaging.problems import PictureProblem
from annotation.models import Benchmark, ClickedShape, Drafting, Sample
from annotation.task_schema import Shape
from annotation.workflow import Right
from evaluation.common.source_images import source_image
from evaluation.detections import THRESHOLD
from evaluation.endpoints.client import Client
from evaluation.endpoints.errors import CallCancelled, CallFailed
from evaluation.endpoints.exchange import Timeouts
from evaluation.endpoints.presets import PRESETS
from evaluation.experiments.read.connection import settings_of
from evaluation.experiments.read.image_links import click_link
from evaluation.experiments.write.control_share import drafting_for
from evaluation.experiments.write.create import refuse_remote, require_served
from evaluation.experiments.write.drafts import DraftChoices, labels_of, recipe_of_shapes, shapes_of
from evaluation.models import Endpoint
from evaluation.runner.clicks import Click, ClickRecipe, ClickUnread, policy_of
from evaluation.runner.draft_detections import DetectorDraftRecipe
from evaluation.runner.draft_parts import DraftError
from evaluation.runner.images import PolicyError
from evaluation.runner.label_config import click_config
from evaluation.runner.ml_backend import BackendRecipe
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput, TooManyTries, Unavailable

logger = logging.getLogger(__name__)
SECONDS = 20.0
AT_ONCE = 2
_SLOTS = BoundedSemaphore(AT_ONCE)


@dataclass(frozen=True)
class ClickChoices:
    """The choices for shapes from a click, as of ``DraftChoices``."""

    names: str = ""
    threshold: float = THRESHOLD
    label_config: str = ""
    control_share: float | None = None


@transaction.atomic
def set_click(*, actor: User, benchmark: Benchmark, endpoint: Endpoint | None, choices: ClickChoices) -> Drafting:
    """Let annotators ask this endpoint for the shape at a point; None: no endpoint any longer. Raises ``InvalidInput``
    naming the field, ``Conflict`` where images would leave the server without consent."""
    require(actor, benchmark, Right.MANAGE)
    drafting = locked_drafting(benchmark)
    drafting.click = None
    if endpoint is not None:
        require_served(benchmark, endpoint)
        drafting = drafting_for(benchmark, choices.control_share)
        recipe = _recipe(benchmark, endpoint, choices)
        written = {"names": choices.names, "threshold": choices.threshold, "label_config": choices.label_config}
        drafting.click = {"endpoint": endpoint.name, "recipe": recipe.to_json(), "written": written}
    drafting.save(update_fields=["click"])
    name = endpoint.name if endpoint is not None else ""
    audit.record(actor, "benchmark.click", benchmark, benchmark.slug, data={"endpoint": name})
    return drafting


def _recipe(benchmark: Benchmark, endpoint: Endpoint, choices: ClickChoices) -> ClickRecipe:
    preset = PRESETS[endpoint.preset]
    if not (preset.detector or preset.backend):
        raise InvalidInput(gettext("Choose a detector or an ML backend."), field="endpoint")
    config = choices.label_config.strip() or (derived_click(benchmark, choices.names) if preset.backend else "")
    whole = DraftChoices(
        fields=[Field.BOXES.value], names=choices.names, threshold=choices.threshold, label_config=config
    )
    return recipe_of_shapes(benchmark, endpoint, whole)


def derived_click(benchmark: Benchmark, names: str) -> str:
    """The labeling configuration for clicks if the lead states none. Raises ``InvalidInput`` for too many names."""
    return click_config(labels_of(benchmark, names), polygons=Shape.POLYGON in shapes_of(benchmark))


def recipe_of_click(click: Mapping[str, Any]) -> ClickRecipe:
    """The recipe of ``Drafting.click``. Raises ``Conflict`` if this version of the program cannot use it."""
    kind: Any = BackendRecipe if "label_config" in click["recipe"] else DetectorDraftRecipe
    try:
        recipe: ClickRecipe = kind.from_json(click["recipe"])
    except (DraftError, PolicyError) as error:
        raise _gone() from error
    return recipe


def propose_shape(
    *, actor: User, sample: Sample, point: tuple[float, float], image: str = ""
) -> tuple[ClickedShape, dict[str, Any]]:
    """Ask for the shape at a point of the image, in pixels of the original; return what is kept, and the shape with
    label and score. ``image``: the SHA-256 of the image that was clicked, "" if unknown. Call it outside of a
    transaction.

    Raises ``Conflict`` without a model or a shape at the point, or if the image was replaced, ``TooManyTries`` while
    two others are asked for, and ``Unavailable`` without an answer in time.
    """
    require(actor, sample.benchmark, Right.ANNOTATE)
    drafting, allowed = clicks_for(actor, sample, drafting_shown(sample)), click_shapes(sample)
    if drafting is None or drafting.click is None or not allowed:
        raise _gone()
    require_shown(sample, image)
    if not (0 <= point[0] < (sample.width or 0) and 0 <= point[1] < (sample.height or 0)):
        raise InvalidInput(gettext("The point must be in the image."), field="x")
    recipe = recipe_of_click(drafting.click)
    endpoint = Endpoint.objects.named(drafting.click["endpoint"], sample.benchmark)
    if endpoint is None or PRESETS[endpoint.preset].backend is not isinstance(recipe, BackendRecipe):
        raise _gone()
    refuse_remote(sample.benchmark, endpoint)
    with _slot():
        click, shape = _asked(endpoint, recipe, sample, point, allowed)
    if shape is None:
        message = gettext("The model found no shape at this point. Click elsewhere, or draw it.")
        raise Conflict(message, code="no_shape")
    source = f"{endpoint.shown_model} {click.version}".strip()
    kept: dict[str, Any] = {name: shape[name] for name in ("box", "points") if name in shape}
    made = keep_clicked(
        actor=actor, sample=sample, drafting=drafting, point=point, shape=kept, source=source, digest=recipe.digest()
    )
    return made, shape


def _gone() -> Conflict:
    return Conflict(
        gettext("No model proposes shapes here now. Draw the shape, and report it to the lead."), code="no_model"
    )


@contextmanager
def _slot() -> Iterator[None]:
    if not _SLOTS.acquire(blocking=False):
        raise TooManyTries(gettext("The model is answering other clicks."), wait=5)
    try:
        yield
    finally:
        _SLOTS.release()


def _asked(
    endpoint: Endpoint, recipe: ClickRecipe, sample: Sample, point: tuple[float, float], allowed: frozenset[Shape]
) -> tuple[Click, dict[str, Any] | None]:
    """The click, and its shape. All requests together end after ``SECONDS``."""
    ends = time.monotonic() + SECONDS
    late = lambda: time.monotonic() > ends  # noqa: E731
    limits = Timeouts(connect=SECONDS / 2, silence=SECONDS, total=SECONDS)
    settings = replace(settings_of(endpoint), retries=0, timeouts=limits)
    link = partial(click_link, sample.pk, policy_of(recipe).text) if isinstance(recipe, BackendRecipe) else None
    try:
        click = Click(recipe, source_image(sample), point, allowed)
        with Client(settings, link=link) as client:
            if isinstance(recipe, BackendRecipe):
                client.set_up(recipe.project, recipe.label_config, late)
            reply = client.complete(click.request.body, click.request.image, cancelled=late)
        return click, click.shape(reply.text)
    except PictureProblem as problem:
        raise Conflict(gettext("The image can't be read: %(problem)s") % {"problem": problem}) from problem
    except (CallFailed, CallCancelled, ClickUnread) as failure:
        logger.warning("No shape from %s: %s", endpoint.name, failure)
        message = gettext("The model did not answer in %(seconds)s s. Try again, or draw the shape.")
        other = gettext("The model can't answer now. Draw the shape, and report it to the lead.")
        over = isinstance(failure, CallCancelled) or time.monotonic() >= ends - 0.2
        raise Unavailable(message % {"seconds": f"{SECONDS:g}"} if over else other) from failure
