"""The texts that models are sent, as versioned templates: ``prompts/<slug>/<version>.md``.

A template contains names in double braces, such as ``{{ question }}``. Values are inserted as text and never expanded
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
from typing import Any

_NAME = re.compile(r"\{\{[ \t]*([a-z_][a-z0-9_]*)[ \t]*\}\}")
_VERSION = re.compile(r"[0-9]{1,6}")


class PromptError(ValueError):
    """A template that does not exist, or that has a name without a value. The message states what is allowed."""


class Role(StrEnum):
    """Who says the text: the system, the user, or the judge of a trajectory."""

    SYSTEM = "system"
    USER = "user"
    JUDGE = "judge"


NAMES: Mapping[Role, frozenset[str]] = {
    Role.SYSTEM: frozenset({"tool", "toolchain", "path", "operations"}),
    Role.USER: frozenset({"question", "options", "image", "width", "height"}),
    Role.JUDGE: frozenset(
        {"question", "options", "answer", "reasoning", "first", "second", "predicted", "targets", "distractors"}
    ),
}
"""The names that a template of each role can contain."""
SLUGS: Mapping[str, Role] = {
    **dict.fromkeys(("weak", "strong", "strong-reference", "zoom", "code"), Role.SYSTEM),
    **dict.fromkeys(("direct", "user", "recognition", "plan"), Role.USER),
    **dict.fromkeys(("injector", "paraphrase", "reliability", "sufficiency", "answer-judge", "tool-map"), Role.JUDGE),
}
"""The templates of Sightline, with their roles."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A version of a template. Raises ``PromptError`` if its text contains a name that its role does not have."""

    slug: str
    version: str
    role: Role
    text: str

    def __post_init__(self) -> None:
        unknown = sorted(self.names - NAMES[self.role])
        if unknown:
            allowed = ", ".join(sorted(NAMES[self.role]))
            raise PromptError(f"{self.slug}@{self.version}: unknown name {unknown[0]!r}. Allowed: {allowed}.")
        if "{{" in _NAME.sub("", self.text):
            raise PromptError(f"{self.slug}@{self.version}: write a name as {{{{ question }}}}, in small letters.")

    @property
    def names(self) -> frozenset[str]:
        """The names in the text."""
        return frozenset(_NAME.findall(self.text))

    @property
    def digest(self) -> str:
        """SHA-256 of the text, as hexadecimal digits."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def rendered(self, values: Mapping[str, str | None]) -> str:
        """Return the text with its values. Raises ``PromptError`` if a name has none."""
        missing = sorted(name for name in self.names if values.get(name) is None)
        if missing:
            raise PromptError(f"{self.slug}@{self.version} needs a value for {missing[0]!r}, and this sample has none.")
        return _NAME.sub(lambda match: str(values[match[1]]), self.text)

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
