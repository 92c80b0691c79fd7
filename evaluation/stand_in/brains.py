"""Who answers: agents whose recorded runs are replayed, and rules with known rates for tests of experiments.

Draws depend on the sample and the seed only, so that all arms of an experiment share them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

from evaluation.runner.dialects.zoom import Response
from evaluation.stand_in.chat import BadRequest, Chat
from evaluation.stand_in.forms import call_of, form_of, listed, said
from evaluation.stand_in.recorded import Known, Recorded

UNKNOWN = "The stand-in does not know this sample."


class Brain(Protocol):
    """Decides the next response to a request."""

    def respond(self, chat: Chat) -> Response: ...


@dataclass(frozen=True)
class Scripted:
    """An agent of the recorded runs: its calls one after the other, then its answer."""

    recorded: Recorded
    agent: str

    def respond(self, chat: Chat) -> Response:
        form = form_of(chat)
        known = self.recorded.sample_of(chat.opening, chat.images, planning=bool(form.list))
        row = self.recorded.runs[self.agent].get(known.id) if known else None
        if known is None or row is None:
            return Response(UNKNOWN)
        if form.list:
            return Response(listed(row, form.list))
        calls = self._calls(chat, row, known)
        return calls[len(chat.turns)] if len(chat.turns) < len(calls) else Response(str(row.get("answer") or ""))

    @staticmethod
    def _calls(chat: Chat, row: Mapping[str, Any], known: Known) -> list[Response]:
        form, calls = form_of(chat), list[Response]()
        for step in row.get("steps") or ():
            made = call_of(form, step, len(calls), chat, known.size, known.id)
            if made is not None:
                calls.append(said(str(step.get("text") or ""), made))
        return calls


@dataclass(frozen=True)
class Chance:
    """Answers the gold with probability ``p``, else another option. It makes no call."""

    recorded: Recorded
    p: float
    seed: int

    def respond(self, chat: Chat) -> Response:
        known = self.recorded.sample_of(chat.opening, chat.images, planning=False)
        if known is None:
            return Response(UNKNOWN)
        rng = drawn(known.id, chat.seed, self.seed)
        gold, options = str(known.row.get("answer") or ""), dict(known.row.get("options") or {})
        if rng.random() < self.p or not options:
            return Response(f"<answer>{gold}</answer>")
        return Response(f"<answer>{rng.choice(sorted(set(options) - {gold}))}</answer>")


@dataclass(frozen=True)
class Echo:
    """Repeats the last text that it was sent."""

    def respond(self, chat: Chat) -> Response:
        return Response((chat.turns[-1].reply if chat.turns else chat.opening)[-2000:])


def drawn(*parts: object) -> Random:
    """A generator that the same parts always seed in the same way."""
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
    return Random(int.from_bytes(digest[:8], "big"))


def brain_of(name: str, recorded: Recorded, seed: int) -> Brain:
    """The brain of a model id: an agent, also with hyphens; ``ignorer:p=.7``; ``echo``. Raises ``BadRequest``."""
    kind, _, given = name.partition(":")
    agent = kind.replace("-", " ")
    if agent in recorded.runs:
        return Scripted(recorded, agent)
    if kind == "echo":
        return Echo()
    if kind == "ignorer":
        return Chance(recorded, _parameters(given).get("p", 0.7), seed)
    known = ", ".join([*recorded.runs, "ignorer:p=.7", "echo"])
    raise BadRequest(f"There is no model {name!r}. Models: {known}.", "model", status=404, code="model_not_found")


def _parameters(text: str) -> dict[str, float]:
    try:
        return {name: float(value) for name, _, value in (part.partition("=") for part in text.split(",") if part)}
    except ValueError:
        raise BadRequest(f"{text!r} is not a list such as p=.9,q=.4.", "model") from None
