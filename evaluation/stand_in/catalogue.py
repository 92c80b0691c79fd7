"""The brains by their model ids."""

from __future__ import annotations

from evaluation.stand_in.board import Auditor
from evaluation.stand_in.brains import RULES, Brain, Echo, Follower, Ignorer, Reader, Scripted
from evaluation.stand_in.chat import BadRequest
from evaluation.stand_in.drafts import Drafter
from evaluation.stand_in.judges import Judge
from evaluation.stand_in.recorded import Recorded

_DEFAULTS = {
    "reader": {"p": 0.9, "q": 0.4},
    "ignorer": {"p": 0.7},
    "text": {"p": 0.9, "q": 0.3},
    "judge": {"tpr": 0.8, "tnr": 0.7},
    "drafter": {},
    "auditor": {},
    "echo": {},
}


def brain_of(name: str, recorded: Recorded, seed: int) -> Brain:
    """Return the brain of a model id: an agent, also with hyphens, or one of ``RULES`` with other rates.

    Raises ``BadRequest``, with status 404 for an unknown name.
    """
    kind, _, given = name.partition(":")
    agent = kind.replace("-", " ")
    if agent in recorded.runs:
        return Scripted(recorded, agent)
    if kind not in _DEFAULTS:
        known = ", ".join([*recorded.runs, *RULES])
        raise BadRequest(f"There is no model {name!r}. Models: {known}.", "model", status=404, code="model_not_found")
    rates = _DEFAULTS[kind] | _rates(kind, given)
    match kind:
        case "reader":
            return Reader(recorded, seed, **rates)
        case "ignorer":
            return Ignorer(recorded, seed, rates["p"], rates["p"])
        case "text":
            return Follower(recorded, seed, **rates)
        case "judge":
            return Judge(recorded, seed, **rates)
        case "drafter":
            return Drafter(recorded)
        case "auditor":
            return Auditor()
    return Echo()


def _rates(kind: str, text: str) -> dict[str, float]:
    """The rates in ``p=.9,q=.4``, each a known one from 0 to 1."""
    names = ", ".join(_DEFAULTS[kind]) or "none"
    try:
        rates = {name: float(value) for name, _, value in (part.partition("=") for part in text.split(",") if part)}
    except ValueError:
        raise BadRequest(f"{text!r} is not a list such as p=.9,q=.4.", "model") from None
    if any(name not in _DEFAULTS[kind] or not 0 <= value <= 1 for name, value in rates.items()):
        raise BadRequest(f"{kind} has these rates from 0 to 1: {names}.", "model")
    return rates
