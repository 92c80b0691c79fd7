"""Agents that answer requests: replays of recorded runs, and rules with known rates for tests of experiments.

Draws depend on the sample and the seed only, so that all arms of an experiment share them.
"""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol

from evaluation.importers.matching import normalised
from evaluation.runner.dialects.zoom import Response
from evaluation.stand_in.chat import Chat
from evaluation.stand_in.evidence import intact_share, visible_share
from evaluation.stand_in.forms import Past, form_of, list_of, next_call, past_of, said
from evaluation.stand_in.moves import Move, evidence_moves, recorded_moves
from evaluation.stand_in.recorded import Known, Recorded

UNKNOWN = "The stand-in does not know this sample."
RULES = ("reader:p=.9,q=.4", "ignorer:p=.7", "text:p=.9,q=.3", "judge:tpr=.8,tnr=.7", "drafter", "auditor", "echo")
"""Brains in addition to the recorded agents, with their default rates."""
_SHOWN = "Answer from what you are shown"
_ANSWER = re.compile(r"<answer>(.*?)</answer>", re.DOTALL)


class Brain(Protocol):
    """Decides the next response to a request."""

    def respond(self, chat: Chat) -> Response: ...


@dataclass(frozen=True)
class Agent(ABC):
    """Makes its calls one after the other, depending on the request, then answers. A prefix is continued."""

    recorded: Recorded

    @abstractmethod
    def moves(self, known: Known) -> Sequence[Move]:
        """Return the calls for a sample."""

    @abstractmethod
    def answer(self, known: Known, chat: Chat, past: Past) -> str:
        """Return the last response, ``UNKNOWN`` without one."""

    @abstractmethod
    def listed(self, known: Known, name: str) -> Sequence[str]:
        """Return the tools of the list ``recognition`` or ``plan``."""

    def respond(self, chat: Chat) -> Response:
        wanted = list_of(chat)
        known = self.recorded.sample_of(chat.opening, chat.images, planning=bool(wanted))
        if known is None:
            return Response(UNKNOWN)
        if wanted:
            return Response(", ".join(self.listed(known, wanted)) or UNKNOWN)
        form, offered = form_of(chat, known.id)
        past = past_of(form, chat, known.size, known.id)
        if form and offered and chat.prefix is None:
            found = next_call(form, self.moves(known), past)
            if found:
                return said(found[0].text, form.write(found[1]))
        return Response(continued(chat.prefix or "", self.answer(known, chat, past)))


@dataclass(frozen=True)
class Scripted(Agent):
    """An agent of the recorded runs."""

    agent: str

    def moves(self, known: Known) -> Sequence[Move]:
        return recorded_moves(self.recorded.runs[self.agent].get(known.id) or {}, known.size)

    def answer(self, known: Known, chat: Chat, past: Past) -> str:
        row = self.recorded.runs[self.agent].get(known.id)
        return str(row.get("answer") or "") if row else UNKNOWN

    def listed(self, known: Known, name: str) -> Sequence[str]:
        row = self.recorded.runs[self.agent].get(known.id) or {}
        return row.get(f"predicted_tools_{name}") or ()


@dataclass(frozen=True)
class Chance(Agent):
    """Zooms into the evidence, then answers the gold with a probability that its rule decides, else something else."""

    seed: int
    p: float
    q: float

    @abstractmethod
    def probability(self, known: Known, chat: Chat, past: Past) -> float:
        """Return the probability of the gold answer, from ``q`` to ``p``."""

    def thought(self, known: Known) -> str:
        return "The evidence is small, so I enlarge it."

    def moves(self, known: Known) -> Sequence[Move]:
        return evidence_moves(known.gold_boxes, known.size, self.thought(known))

    def answer(self, known: Known, chat: Chat, past: Past) -> str:
        rng = drawn(known.id, chat.seed, self.seed)
        level, others = rng.random(), [one for one in self._others(known) if one != known.answers[0]]
        correct = level < self.probability(known, chat, past) or not others
        answer = known.answers[0] if correct else rng.choice(others)
        return f"<think>{self.thought(known)}</think>\n<answer>{answer}</answer>"

    def listed(self, known: Known, name: str) -> Sequence[str]:
        targets = [str(target["tool"]) for target in known.row.get("targets") or ()]
        return targets if name == "plan" else [*targets, *(known.row.get("distractors") or ())]

    def _others(self, known: Known) -> Sequence[str]:
        """Return incorrect answers: the other options, or answers to other open questions."""
        if known.row.get("options"):
            return sorted(known.row["options"])
        given = {one.answers[0] for one in self.recorded.samples if one.answers and not one.row.get("options")}
        return sorted(given - set(known.answers))


@dataclass(frozen=True)
class Reader(Chance):
    """Reads the crops, or the image of a condition: ``p`` while they show the evidence unchanged, falling to ``q`` with
    the share destroyed."""

    def probability(self, known: Known, chat: Chat, past: Past) -> float:
        # A question under a condition has no crops: what its one image shows decides.
        seen = visible_share(known, chat.images) if _SHOWN in chat.opening else intact_share(known, past.album)
        return self.q + (self.p - self.q) * seen


@dataclass(frozen=True)
class Ignorer(Chance):
    """Makes the same calls and never uses what they return."""

    def probability(self, known: Known, chat: Chat, past: Past) -> float:
        return self.p


@dataclass(frozen=True)
class Follower(Chance):
    """Follows the text: its thoughts state what the evidence shows. ``p`` while they do, ``q`` after a change."""

    def thought(self, known: Known) -> str:
        return f"The evidence shows: {known.fact}."

    def probability(self, known: Known, chat: Chat, past: Past) -> float:
        written = normalised(chat.written)
        return self.p if not written or normalised(known.fact) in written else self.q


@dataclass(frozen=True)
class Echo:
    """Repeats the last text that it received."""

    def respond(self, chat: Chat) -> Response:
        return Response((chat.turns[-1].reply if chat.turns else chat.opening)[-2000:])


def continued(prefix: str, response: str) -> str:
    """Return the continuation of a prefix: the rest of the same response, or the answer in an open ``<answer>``."""
    if prefix and response.startswith(prefix):
        return response[len(prefix) :]
    found = _ANSWER.search(response)
    answer = found[1] if found else response
    if prefix.rfind("<answer>") > prefix.rfind("</answer>"):
        return f"{answer}</answer>"
    return f"<answer>{answer}</answer>" if prefix else response


def drawn(*parts: object) -> Random:
    """Return a generator that equal parts always seed equally."""
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
    return Random(int.from_bytes(digest[:8], "big"))
