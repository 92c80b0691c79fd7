"""Whether this server runs code of models."""

from __future__ import annotations

from django.conf import settings
from django.utils.translation import gettext

from evaluation.models import Experiment
from evaluation.runner.protocols import PROTOCOLS, Tools
from evaluation.sandbox import Refusal, available
from webapp.common.errors import Conflict


def code_refusal() -> str:
    """Return why code is not run here, "" if it is: the administrator has not allowed it, or it cannot be isolated."""
    if not settings.RUN_CODE:
        return gettext(
            "Code of models is not run on this server. An administrator can allow it with SIGHTLINE_RUN_CODE=yes."
        )
    found = available()
    if isinstance(found, Refusal):
        return gettext("Code of models can't be run on this server: %(reason)s") % {"reason": found.message}
    return ""


def refuse_code(experiment: Experiment) -> None:
    """Raise ``Conflict`` if the experiment runs code and this server does not, or no longer."""
    protocol = PROTOCOLS.get(str(experiment.recipe.get("protocol")))
    if protocol is not None and protocol.tools is Tools.CODE and (why := code_refusal()):
        raise Conflict(why, code="code")
