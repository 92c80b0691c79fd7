"""Whether a recipe fits what the test of its endpoint found. What was not tested is unknown, and stops nothing."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext

from evaluation.endpoints.findings import NO
from evaluation.endpoints.frames import FrameFound
from evaluation.endpoints.probe import Report
from evaluation.experiments.write.plan import recipe_of_row
from evaluation.models import Endpoint, Experiment
from evaluation.runner.dialects.zoom import Frame
from evaluation.runner.dialects.zooms import zoom_dialect
from evaluation.runner.offers import offer_of
from evaluation.runner.protocols import Tools
from evaluation.runner.recipe import Recipe
from webapp.common.errors import Conflict


def refuse_misfit(experiment: Experiment, *, confirm_frame: bool) -> None:
    """Raise ``Conflict`` if the endpoint lacks what the recipe needs, or if its boxes count something else and
    no person has confirmed it."""
    endpoint = experiment.endpoint
    if endpoint is None or not endpoint.capabilities or experiment.kind != Experiment.Kind.RUN:
        return
    recipe, report = recipe_of_row(experiment), Report.from_json(endpoint.capabilities)
    _refuse_missing(endpoint, recipe, report)
    if not confirm_frame and (sentence := frame_warning(experiment)):
        raise Conflict(sentence, code="frame", field="confirm_frame")


def frame_warning(experiment: Experiment) -> str:
    """What to say of an endpoint whose boxes count something else than the recipe reads; "" if there is nothing."""
    endpoint = experiment.endpoint
    if endpoint is None or not endpoint.capabilities or experiment.kind != Experiment.Kind.RUN:
        return ""
    report, used = Report.from_json(endpoint.capabilities), _frame_of(recipe_of_row(experiment))
    found = report.frame.value
    frame = FrameFound.from_json(found).frame if isinstance(found, Mapping) else ""
    if used is None or not frame or report.agrees(used.value):
        return ""
    return gettext(
        "The test of %(endpoint)s found boxes in the frame %(found)s, but the recipe reads them in the frame %(used)s. "
        "Choose another dialect or frame, or confirm the start."
    ) % {"endpoint": endpoint, "found": frame, "used": used.value}


def _frame_of(recipe: Recipe) -> Frame | None:
    """What the recipe takes the numbers of boxes to count; None where the model writes no boxes."""
    match recipe.task.tools:
        case Tools.ZOOM:
            return zoom_dialect(recipe.dialect, recipe.frame).frame
        case Tools.TOOLBOX:
            return Frame.PIXELS
    return None


def _refuse_missing(endpoint: Endpoint, recipe: Recipe, report: Report) -> None:
    if report.vision.value == NO:
        raise Conflict(
            gettext(
                "The test of %(endpoint)s found that its model does not see images, which every protocol sends. "
                "If that has changed, test it again. %(note)s"
            )
            % {"endpoint": endpoint, "note": report.vision.note},
            code="capability",
        )
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
