"""Marks text of pure packages for translation: ``make messages`` finds it, and presenters translate it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Self


def gettext_noop(message: str) -> str:
    """Return the message unchanged: the English for files, the API and commands."""
    return message


class Sentence(str):
    """English text that keeps its template and values, so that a presenter can translate it.

    ``template``: marked with ``gettext_noop``, with named placeholders. ``values``: the values of the placeholders,
    which may also be sentences. Example: ``Sentence(gettext_noop("Step %(step)s has no tool."), step=2)``.
    """

    template: str
    values: Mapping[str, object]

    def __new__(cls, template: str, **values: object) -> Self:
        made = super().__new__(cls, template % values if values else template)
        made.template, made.values = template, values
        return made


def any_of(names: Sequence[str]) -> str:
    """Return the names as one text: "a or b or c"; "" without any."""
    pair = gettext_noop("%(one)s or %(other)s")
    return reduce(lambda one, other: Sentence(pair, one=one, other=other), names) if names else ""
