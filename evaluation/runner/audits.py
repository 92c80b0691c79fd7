"""Requests to a model that checks the text of an item of the building board (QC-I), and parsing of its responses.

A first request shows the instruction, the scene and the tools in random order, without their roles. A second one shows
the steps. Source: docs/building.md.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluation.runner.canonical import digest_of
from evaluation.runner.dialects.zoom import spoken
from evaluation.runner.drafts import MALFORMED
from evaluation.runner.replies import Reply
from evaluation.runner.sampling import seeded
from evaluation.runner.single import SingleTurn
from evaluation.runner.templates import Prompt, load_prompt
from evaluation.runner.transcript import Transcript
from evaluation.runner.turns import Request

EARLIER = "2193939ab3488b0cdbe09a29cd991c459b68d369d4d66a2214555c7075010d2d"
"""SHA-256 of the first version of both texts in the recipes that did not contain them yet."""
AUDIT_TOOLS, AUDIT_STEPS = "audit-tools", "audit-steps"
"""The prompts of Sightline for both requests."""
LONGEST_NOTE = 1000
_FENCED = re.compile(r"\A```(?:json)?\s*\n(.*)\n```\Z", re.DOTALL)


def checks_digest(tools: str, steps: str) -> str:
    """Return the SHA-256 of both texts, as 64 hexadecimal digits."""
    return hashlib.sha256(f"{tools}\0{steps}".encode()).hexdigest()


class AuditError(ValueError):
    """A recipe of checks that can't be run."""


@dataclass(frozen=True)
class AuditRecipe:
    """Everything that can change what a model finds, besides the item."""

    model: str
    base_url: str
    tools: Prompt = field(default_factory=lambda: load_prompt(AUDIT_TOOLS, "1"))
    steps: Prompt = field(default_factory=lambda: load_prompt(AUDIT_STEPS, "1"))
    sampling: Mapping[str, Any] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()

    @property
    def checks(self) -> str:
        """SHA-256 of both texts."""
        return checks_digest(self.tools.text, self.steps.text)

    def to_json(self) -> dict[str, Any]:
        """Return the recipe as plain data, the inverse of ``from_json``."""
        return {
            "model": self.model, "base_url": self.base_url, "checks": self.checks,
            "tools_prompt": self.tools.to_json(), "steps_prompt": self.steps.to_json(),
            "sampling": dict(self.sampling), "dropped": sorted(self.dropped),
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> AuditRecipe:
        """Return the recipe of ``to_json``. Raises ``AuditError``."""
        try:
            prompts = {}
            if "tools_prompt" in data:
                prompts = {name: Prompt.from_json(data[f"{name}_prompt"]) for name in ("tools", "steps")}
            made = cls(
                data["model"], data["base_url"], **prompts, sampling=dict(data["sampling"]),
                dropped=tuple(data["dropped"]),
            )  # fmt: skip
        except (KeyError, TypeError, ValueError) as error:
            raise AuditError(f"The recipe can't be read: {error}") from error
        if data["checks"] != (made.checks if prompts else EARLIER):
            raise AuditError("This version asks with other texts.")
        return made

    def digest(self) -> str:
        names = ("tools_prompt", "steps_prompt")
        return digest_of({name: value for name, value in self.to_json().items() if name not in names})

    def attempt_digest(self, text: AuditText) -> str:
        """The digest of an attempt on this text: an equal one is not asked for again."""
        return digest_of([self.digest(), text.instruction, text.description, list(text.tools), text.steps])


@dataclass(frozen=True)
class AuditText:
    """The text of an item. ``tools``: in the order shown; ``steps``: number and tools of each."""

    instruction: str
    description: str
    tools: tuple[str, ...]
    targets: tuple[tuple[str, int], ...]

    @property
    def steps(self) -> str:
        """The steps, one on a line."""
        numbers = sorted({step for _, step in self.targets})
        listed = {number: [tool for tool, step in self.targets if step == number] for number in numbers}
        return "\n".join(f"{number}. {', '.join(tools)}" for number, tools in listed.items())

    @property
    def values(self) -> dict[str, str]:
        """The values of the fields of the prompts. The tools have no roles there; the steps come in the second one."""
        return {
            "instruction": self.instruction, "description": self.description, "steps": self.steps,
            "tools": "\n".join(f"- {tool}" for tool in self.tools),
        }  # fmt: skip


class AuditTurn(SingleTurn):
    """Two requests about one item. Its row has ``findings``, ``valid_sequence`` and ``note``; {} if it failed."""

    def __init__(self, recipe: AuditRecipe, text: AuditText) -> None:
        self._recipe, self._text = recipe, text
        self._findings: list[dict[str, Any]] | None = None
        self._transcript = Transcript()
        self._transcript.say("user", recipe.tools.rendered(text.values))
        super().__init__(self._request())

    def _request(self) -> Request:
        body = {"model": self._recipe.model, "messages": list(self._transcript.messages)}
        return Request(body | seeded(self._recipe.sampling, self._recipe.dropped, 0), {})

    def _finish(self, row: Mapping[str, Any]) -> None:
        if "again" in row:
            self._next = self._request()
        else:
            super()._finish(row)

    def row(self, reply: Reply, *, cut: bool) -> dict[str, Any]:
        if cut:
            return _malformed("The response reached the limit of tokens.")
        said = read_object(reply.text)
        if said is None:
            return _malformed("The response is not one JSON object.")
        if self._findings is None:
            findings = read_findings(said, self._text.tools)
            if isinstance(findings, str):
                return _malformed(findings)
            self._findings = findings
            self._transcript.hear(reply)
            self._transcript.say("user", self._recipe.steps.rendered(self._text.values))
            return {"again": True}
        if not isinstance(said.get("valid"), bool):
            return _malformed("valid must be true or false.")
        note = said.get("note")
        return {
            "findings": self._findings,
            "valid_sequence": said["valid"],
            "note": " ".join(note.split())[:LONGEST_NOTE] if isinstance(note, str) else "",
        }

    def failure(self) -> dict[str, Any]:
        return {}


def _malformed(why: str) -> dict[str, Any]:
    return {"error": f"{MALFORMED}: {why}"}


def read_object(text: str) -> dict[str, Any] | None:
    """The JSON object of a response behind its thoughts, also in a code fence; None if it is anything else."""
    said = spoken(text).strip()
    fenced = _FENCED.match(said)
    try:
        found = json.loads(fenced[1] if fenced else said)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def read_findings(said: Mapping[str, Any], tools: Sequence[str]) -> list[dict[str, Any]] | str:
    """What a response says of each tool, in the order of ``tools``; else why it can't be used. Names are compared
    without case."""
    given = {str(name).strip().casefold(): value for name, value in said.items()}
    findings = []
    for tool in tools:
        one = given.pop(tool.casefold(), None)
        verdicts = [one.get(name) for name in ("essential", "consistent")] if isinstance(one, Mapping) else [None]
        if not all(isinstance(verdict, bool) for verdict in verdicts):
            return f"{tool} needs essential and consistent, each true or false."
        findings.append({"tool": tool, "essential": verdicts[0], "consistent": verdicts[1]})
    return f"The item has no {sorted(given)[0]}." if given else findings
