"""Answers with what is to be read in them: ``dev`` and ``own`` sets of ``tests/data/answers``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from evaluation.metrics.columns import AnswerKey

DATA = Path(__file__).parents[1] / "data" / "answers"


class Case(NamedTuple):
    """An answer to a question with options; ``letter``: what it says, "" where nothing may be read."""

    group: str
    options: Mapping[str, str]
    text: str
    letter: str

    @property
    def key(self) -> AnswerKey:
        return AnswerKey(True, self.options, ("A",))


@cache
def dev() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((DATA / "dev.json").read_text())
    return found


@cache
def own() -> list[Case]:
    given = json.loads((DATA / "own.json").read_text())
    return [
        Case(group, given["options"][options], text, letter)
        for group, rows in given["cases"].items()
        for options, letter, texts in rows
        for text in texts
    ]


@cache
def choices() -> list[Case]:
    """All answers to questions with options."""
    of_dev = [Case(one["class"], one["options"], one["text"], one["expected"]) for one in dev() if "options" in one]
    return [*of_dev, *own()]
