"""The texts that models are sent, as versioned templates: ``prompts/<slug>/<version>.md``.

A template contains fields in double braces, such as ``{{ question }}``. Values are inserted as text and never expanded
again, so a question that contains braces stays unchanged.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

_FIELD = re.compile(r"\{\{[ \t]*([a-z_][a-z0-9_]*)[ \t]*\}\}")
_VERSION = re.compile(r"[0-9]{1,6}")
LONGEST = 20_000
"""Characters of a template at most."""


class PromptError(ValueError):
    """A template that does not exist, or that has a field without a value. The message states what is allowed."""


class Role(StrEnum):
    """The purpose of a template: the system message, the user message of a task, a question to a judge, a change of a
    model's reasoning, the drafts of a sample, or the draft or the check of a text of the building board.
    """

    SYSTEM = "system"
    USER = "user"
    RECOGNITION = "recognition"
    PLAN = "plan"
    RELIABILITY = "reliability"
    SUFFICIENCY = "sufficiency"
    ANSWER_JUDGE = "answer-judge"
    TOOL_MAP = "tool-map"
    INJECTOR = "injector"
    PARAPHRASE = "paraphrase"
    DRAFT = "draft"
    DESCRIBE = "describe"
    AUDIT_TOOLS = "audit-tools"
    AUDIT_STEPS = "audit-steps"


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields that a template must contain, and those that it can contain."""

    required: frozenset[str]
    optional: frozenset[str]

    @property
    def allowed(self) -> frozenset[str]:
        return self.required | self.optional


def _fields(required: str, optional: str = "") -> Fields:
    return Fields(frozenset(required.split()), frozenset(optional.split()))


FIELDS: Mapping[Role, Fields] = {
    Role.SYSTEM: _fields("", "tool toolchain path operations"),
    Role.USER: _fields("question", "options image width height"),
    Role.RECOGNITION: _fields("", "image width height"),
    Role.PLAN: _fields("question", "image width height"),
    Role.RELIABILITY: _fields("question answer", "options"),
    Role.SUFFICIENCY: _fields("question", "options"),
    Role.ANSWER_JUDGE: _fields("question first second"),
    Role.TOOL_MAP: _fields("predicted targets", "distractors"),
    Role.INJECTOR: _fields("reasoning", "question"),
    Role.PARAPHRASE: _fields("reasoning", "question"),
    Role.DRAFT: _fields("fields", "width height"),
    Role.DESCRIBE: _fields("instruction tools"),
    Role.AUDIT_TOOLS: _fields("instruction description tools"),
    Role.AUDIT_STEPS: _fields("steps", "instruction description tools"),
}
"""The fields of each role."""
SLUGS: Mapping[str, Role] = {
    **dict.fromkeys(("weak", "strong", "strong-reference", "zoom", "code"), Role.SYSTEM),
    **dict.fromkeys(("direct", "user", "evidence"), Role.USER),
    **{role.value: role for role in Role if role not in (Role.SYSTEM, Role.USER)},
}
"""The templates of Sightline, with their roles."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A version of a template. Raises ``PromptError`` if its text has a field that its role does not have, or lacks one
    that its role needs. The message names the field and its line."""

    slug: str
    version: str
    role: Role
    text: str

    def __post_init__(self) -> None:
        fields, name = FIELDS[self.role], f"{self.slug}@{self.version}"
        if not self.text.strip() or len(self.text) > LONGEST:
            raise PromptError(f"{name} must have from 1 to {LONGEST:,} characters, and some that are not spaces.")
        if "\0" in self.text or any("\ud800" <= character <= "\udfff" for character in self.text):
            raise PromptError(f"{name} contains a character that can't be sent.")
        for number, line in enumerate(self.text.split("\n"), 1):
            for field in _FIELD.findall(line):
                if field not in fields.allowed:
                    allowed = ", ".join(sorted(fields.allowed)) or "none"
                    raise PromptError(f"{name}, line {number}: unknown field {field!r}. Allowed: {allowed}.")
            if "{{" in _FIELD.sub("", line):
                said = "write a field as {{ question }}, in lowercase letters"
                raise PromptError(f"{name}, line {number}: {said}.")
        if missing := sorted(fields.required - self.fields):
            raise PromptError(f"{name} needs the field {{{{ {missing[0]} }}}}.")

    @property
    def fields(self) -> frozenset[str]:
        """The fields in the text."""
        return frozenset(_FIELD.findall(self.text))

    @property
    def digest(self) -> str:
        """SHA-256 of the text, as hexadecimal digits."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def rendered(self, values: Mapping[str, str | None]) -> str:
        """Return the text with its values. Raises ``PromptError`` if a field has none."""
        missing = sorted(name for name in self.fields if values.get(name) is None)
        if missing:
            raise PromptError(f"{self.slug}@{self.version} needs a value for {missing[0]!r}, and this sample has none.")
        return _FIELD.sub(lambda match: str(values[match[1]]), self.text)

    def to_json(self) -> dict[str, str]:
        return {"slug": self.slug, "version": self.version, "role": self.role, "text": self.text}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Prompt:
        """Return the prompt of ``to_json``. Raises ``PromptError``."""
        try:
            return cls(str(data["slug"]), str(data["version"]), Role(data["role"]), str(data["text"]))
        except (KeyError, ValueError) as error:
            raise PromptError(f"A prompt needs slug, version, role and text: {error}") from error


@lru_cache(maxsize=64)
def load_prompt(slug: str, version: str = "1") -> Prompt:
    """Return a template of Sightline. Raises ``PromptError`` if there is none with this slug and version."""
    if slug not in SLUGS:
        raise PromptError(f"There is no prompt {slug!r}. Allowed: {', '.join(SLUGS)}.")
    file = files(__package__) / "prompts" / slug / f"{version}.md"
    if not _VERSION.fullmatch(version) or not file.is_file():
        raise PromptError(f"The prompt {slug} has no version {version!r}.")
    return Prompt(slug, version, SLUGS[slug], file.read_text("utf-8").strip())


@lru_cache(maxsize=1)
def built_in() -> Mapping[str, tuple[Prompt, ...]]:
    """Return all versions of the templates of Sightline by slug, oldest first."""
    folder = files(__package__) / "prompts"
    return {
        slug: tuple(load_prompt(slug, version) for version in sorted(_versions(folder / slug), key=int))
        for slug in SLUGS
    }


def _versions(folder: Traversable) -> list[str]:
    return [file.name.removesuffix(".md") for file in folder.iterdir() if file.name.endswith(".md")]
