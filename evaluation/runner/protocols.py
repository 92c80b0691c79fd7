"""The tasks that a model is given: which tools, how many rounds, which prompts, and how the result is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from evaluation.runner.dialects.catalogue import CODE_DIALECTS, TOOLBOX_DIALECTS
from evaluation.runner.dialects.zooms import ZOOM_DIALECTS


class Tools(StrEnum):
    """The tools that a model can call: none, the zoom tool of its dialect, the toolbox, or Python."""

    NONE = "none"
    ZOOM = "zoom"
    TOOLBOX = "toolbox"
    CODE = "code"


class Result(StrEnum):
    """The content of a response: an answer, the tools that the model recognized, or those that it plans to use."""

    ANSWER = "answer"
    RECOGNITION = "recognition"
    PLAN = "plan"


@dataclass(frozen=True, slots=True)
class Limits:
    """Most responses (``rounds``) and most calls of an attempt. Raises ``ValueError`` outside of 1 to 200 rounds and 0
    to 1,000 calls."""

    rounds: int
    calls: int

    def __post_init__(self) -> None:
        if not (1 <= self.rounds <= 200 and 0 <= self.calls <= 1000):
            raise ValueError(f"Limits are 1 to 200 rounds and 0 to 1000 calls, not {self.rounds} and {self.calls}.")


@dataclass(frozen=True, slots=True)
class Protocol:
    """A task. ``system`` and ``user`` are slugs of prompts."""

    name: str
    tools: Tools
    limits: Limits
    system: str
    user: str
    setting: str
    result: Result = Result.ANSWER

    @property
    def dialects(self) -> tuple[str, ...]:
        """The dialects that it can be run with; the first is the default."""
        return tuple(_DIALECTS[self.tools])


_DIALECTS: Mapping[Tools, Iterable[str]] = {
    Tools.NONE: ("tools",),
    Tools.ZOOM: ZOOM_DIALECTS,
    Tools.TOOLBOX: TOOLBOX_DIALECTS,
    Tools.CODE: CODE_DIALECTS,
}

PROTOCOLS: Mapping[str, Protocol] = {
    protocol.name: protocol
    for protocol in (
        Protocol("base", Tools.NONE, Limits(1, 0), "", "direct", "base"),
        Protocol("zoom", Tools.ZOOM, Limits(7, 6), "zoom", "user", "zoom"),
        Protocol("interface", Tools.TOOLBOX, Limits(20, 100), "strong", "user", "interface"),
        Protocol("code", Tools.CODE, Limits(20, 100), "code", "user", "code"),
        Protocol("recognition", Tools.NONE, Limits(1, 0), "", "recognition", "plan", Result.RECOGNITION),
        Protocol("plan", Tools.NONE, Limits(1, 0), "", "plan", "plan", Result.PLAN),
    )
}
"""Name to protocol. ``zoom`` has one round more than calls, for the answer."""
