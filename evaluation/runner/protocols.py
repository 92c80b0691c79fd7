"""The tasks that a model is given: which tools, how many rounds, which prompts, and how the result is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Tools(StrEnum):
    """What a model can call: nothing, the zoom tool of its dialect, the toolbox, or Python."""

    NONE = "none"
    ZOOM = "zoom"
    TOOLBOX = "toolbox"
    CODE = "code"


class Result(StrEnum):
    """What a response contains: an answer, the tools that the model recognized, or those that it plans to use."""

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
    """A task. ``system`` and ``user`` are slugs of prompts, ``dialects`` the names of those that it can be run with;
    the first is the default."""

    name: str
    tools: Tools
    limits: Limits
    system: str
    user: str
    setting: str
    dialects: tuple[str, ...]
    result: Result = Result.ANSWER


_PLAIN = ("tools",)
_ZOOM = ("tools", "qwen3-vl", "qwen2.5-vl", "pixel-reasoner", "json")

PROTOCOLS: Mapping[str, Protocol] = {
    protocol.name: protocol
    for protocol in (
        Protocol("base", Tools.NONE, Limits(1, 0), "", "direct", "base", _PLAIN),
        Protocol("zoom", Tools.ZOOM, Limits(7, 6), "zoom", "user", "zoom", _ZOOM),
        Protocol("interface", Tools.TOOLBOX, Limits(20, 100), "strong", "user", "interface", ("tools", "vtc")),
        Protocol("code", Tools.CODE, Limits(20, 100), "code", "user", "code", ("thyme",)),
        Protocol("recognition", Tools.NONE, Limits(1, 0), "", "recognition", "plan", _PLAIN, Result.RECOGNITION),
        Protocol("plan", Tools.NONE, Limits(1, 0), "", "plan", "plan", _PLAIN, Result.PLAN),
    )
}
"""Name to protocol. ``zoom`` has one round more than calls, for the answer."""
