"""Marking text of pure packages for translation: ``make messages`` finds it, and presenters translate it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Self


def gettext_noop(message: str) -> str:
    """The message unchanged: the English that files, the API and commands show."""
    return message


class Sentence(str):
    """English text that remembers how it was made, so that a presenter can say it in another language.

    ``template``: marked with ``gettext_noop``, with named placeholders. ``values``: what these represent, which may be
    sentences too. Example: ``Sentence(gettext_noop("Step %(step)s has no tool."), step=2)``.
    """

    template: str
    values: Mapping[str, object]

    def __new__(cls, template: str, **values: object) -> Self:
        made = super().__new__(cls, template % values if values else template)
        made.template, made.values = template, values
        return made


def any_of(names: Sequence[str]) -> str:
    """The names as one text: "a or b or c"; "" of none."""
    pair = gettext_noop("%(one)s or %(other)s")
    return reduce(lambda one, other: Sentence(pair, one=one, other=other), names) if names else ""
