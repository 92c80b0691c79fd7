"""A made-up language: every marked text in brackets. What stands on a page without them is not marked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.utils import translation
from django.utils.translation import trans_real

from webapp.common.templatetags import ui

CODE = "eo"
"""A language that Django knows: it has formats of dates and numbers."""
START, END = "⟦", "⟧"


class Pseudo:
    """What Django asks of a catalog. A context, before its separator, is no part of the text."""

    def gettext(self, message: str) -> str:
        return f"{START}{message.rpartition(trans_real.CONTEXT_SEPARATOR)[2]}{END}" if message else ""

    def ngettext(self, singular: str, plural: str, number: float) -> str:
        return self.gettext(singular if number == 1 else plural)

    def language(self) -> str:
        return CODE

    to_language = language


@contextmanager
def pseudo_locale() -> Iterator[None]:
    """Pages are in the made-up language. What a process keeps of pages is forgotten before and after."""
    patch = pytest.MonkeyPatch()
    patch.setitem(trans_real._translations, CODE, Pseudo())
    ui._term.cache_clear()
    try:
        with translation.override(CODE):
            yield
    finally:
        ui._term.cache_clear()
        patch.undo()
