"""The lists of tools in responses to the protocols ``recognition`` and ``plan``."""

from __future__ import annotations

import re

from evaluation.importers.dialogue import answer_in
from evaluation.runner.dialects.zoom import spoken

_BEFORE = re.compile(r"\A(?:[-*•]|\d{1,3}[.)])\s+")
_AROUND = " \t*_`\"'."


def names_in(text: str) -> list[str]:
    """Return the names on the last line that has any, in order: separated by commas, without marks of lists.

    >>> names_in("I see two tools.\\nhammer, **cross-head screwdriver**.")
    ['hammer', 'cross-head screwdriver']
    """
    said = spoken(text)
    lines = [line.strip() for line in (answer_in(said) or said).splitlines() if line.strip()]
    parts = (_BEFORE.sub("", part.strip()).strip(_AROUND) for part in (lines[-1] if lines else "").split(","))
    return [part for part in parts if part]
