"""Checks whether a recipe fits the results of the last test of its endpoint. Untested features are unknown and don't
block.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext

from evaluation.endpoints.findings import NO, YES
from evaluation.endpoints.frames import FrameFound
from evaluation.endpoints.presets import PRESETS, Prefix
from evaluation.endpoints.probe import Report
from evaluation.experiments.write.plan import recipe_of_row
from evaluation.models import Endpoint, Experiment
from evaluation.runner.arms.catalogue import Estimand
from evaluation.runner.dialects.zoom import Frame
from evaluation.runner.dialects.zooms import zoom_dialect
from evaluation.runner.judges import WITH_CROPS
from evaluation.runner.offers import offer_of
from evaluation.runner.protocols import Tools
from evaluation.runner.recipe import Recipe
from webapp.common.errors import Conflict

FRAME, VISION = "frame", "vision"
CONFIRMABLE = (FRAME, VISION)
"""Test results that a person can overrule."""
Kind = Experiment.Kind


@dataclass(frozen=True)
class Misfit:
    """A test result that does not fit the recipe: one of ``CONFIRMABLE``, its value, and a message."""

    name: str
    found: str
    sentence: str

    @property
    def field(self) -> str:
        return f"confirm_{self.name}"


def require_fit(experiment: Experiment, confirm: Collection[str]) -> dict[str, str]:
    """Return the overruled test results, including those of ``confirm``: name to the measured value. They are saved
    with the experiment, and are valid until a test measures another value.

    Raises ``Conflict`` if the endpoint lacks a feature that the recipe needs, or if there is an unconfirmed misfit.
    """
    endpoint = experiment.endpoint
    if endpoint is None:
        return {}
    _refuse_missing(experiment, endpoint)
    overruled = dict(experiment.design.get("overruled", {}))
    for misfit in misfits_of(experiment):
        if misfit.name not in confirm:
            raise Conflict(misfit.sentence, code=misfit.name, field=misfit.field)
        overruled[misfit.name] = misfit.found
    return overruled


def misfits_of(experiment: Experiment) -> list[Misfit]:
    """Return the test results that a person must confirm before the experiment sends a request."""
    endpoint = experiment.endpoint
    if endpoint is None or not endpoint.capabilities:
        return []
    report, overruled = Report.from_json(endpoint.capabilities), experiment.design.get("overruled", {})
    found = (_blindness(experiment, endpoint, report), _other_frame(experiment, endpoint, report))
    return [one for one in found if one is not None and overruled.get(one.name) != one.found]


def can_continue(endpoint: Endpoint) -> bool:
    """Return whether the endpoint continues a last message of the assistant: by its test, else by its preset."""
    if endpoint.capabilities:
        found = Report.from_json(endpoint.capabilities).prefix.value
        if found in (YES, NO):
            return bool(found == YES)
    return PRESETS[endpoint.preset].prefix in (Prefix.FLAGS, Prefix.MESSAGE)


def refuse_prefix(endpoint: Endpoint) -> None:
    """Raise ``Conflict`` if arms of the estimand prefix cannot be run on this endpoint."""
    if not can_continue(endpoint):
        raise Conflict(
            gettext(
                "%(endpoint)s cannot continue a response, which the estimand prefix needs. Choose turn, or another "
                "endpoint."
            )
            % {"endpoint": endpoint.name},
            code="prefix", field="estimand",
        )  # fmt: skip


def _blindness(experiment: Experiment, endpoint: Endpoint, report: Report) -> Misfit | None:
    seen = experiment.kind != Kind.JUDGE or experiment.recipe.get("question") in WITH_CROPS
    seen = seen and experiment.kind not in (Kind.AUDIT, Kind.RENDER, Kind.DESCRIBE)
    if report.vision.value != NO or not seen:
        return None
    sentence = gettext(
        "The test of %(endpoint)s found that its model does not see images, which this experiment sends. If you know "
        "better, test it again, or confirm the start. %(note)s"
    )
    return Misfit(VISION, NO, (sentence % {"endpoint": endpoint, "note": report.vision.note}).strip())


def _other_frame(experiment: Experiment, endpoint: Endpoint, report: Report) -> Misfit | None:
    found = report.frame.value
    frame = FrameFound.from_json(found).frame if isinstance(found, Mapping) else ""
    used = _frame_of(recipe_of_row(experiment)) if frame and experiment.kind == Kind.RUN else None
    if used is None or report.agrees(used.value):
        return None
    sentence = gettext(
        "The test of %(endpoint)s found boxes in the frame %(found)s, but the recipe reads them in the frame %(used)s. "
        "Choose another dialect or frame, or confirm the start."
    )
    return Misfit(FRAME, frame, sentence % {"endpoint": endpoint, "found": frame, "used": used.value})


def _frame_of(recipe: Recipe) -> Frame | None:
    """Return the box coordinates that the recipe assumes; None if the model writes no boxes."""
    match recipe.task.tools:
        case Tools.ZOOM:
            return zoom_dialect(recipe.dialect, recipe.frame).frame
        case Tools.TOOLBOX:
            return Frame.PIXELS
    return None


def _refuse_missing(experiment: Experiment, endpoint: Endpoint) -> None:
    if experiment.kind == Kind.ARMS and experiment.recipe.get("estimand") == Estimand.PREFIX:
        refuse_prefix(endpoint)
    if experiment.kind != Kind.RUN or not endpoint.capabilities:
        return
    recipe, report = recipe_of_row(experiment), Report.from_json(endpoint.capabilities)
    offer = offer_of(recipe.protocol, recipe.dialect, recipe.profile, recipe.frame, recipe.omit)
    if offer.tools and report.tools.value == NO:
        raise Conflict(
            gettext(
                "The test of %(endpoint)s found that it does not call tools, which the dialect %(dialect)s needs. "
                "Choose a dialect that writes calls as text, or test it again. %(note)s"
            )
            % {"endpoint": endpoint, "dialect": recipe.dialect, "note": report.tools.note},
            code="capability",
        )
