"""A made-up language: every marked text in brackets. What is on a page without them is not marked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from asgiref.local import Local
from django.conf import settings
from django.utils import translation
from django.utils.translation import trans_real

from webapp.common.templatetags import ui
from webapp.common.views import ScriptTexts

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
    ui._quadrant.cache_clear()
    try:
        with translation.override(CODE):
            yield
    finally:
        ui._term.cache_clear()
        ui._quadrant.cache_clear()
        patch.undo()


IN_SCRIPTS = re.compile(r"""(?<![\w.#])(t|tn|tp|gettext_noop)\("([^"]*)"(?:,\s*"([^"]*)")?""")


def script_catalog() -> dict[str, str | list[str]]:
    """Every marked text of scripts in brackets, as the server sends a catalog."""
    found: dict[str, str | list[str]] = {}
    for path in Path(settings.BASE_DIR, "static/js").rglob("*.js"):
        for name, one, other in IN_SCRIPTS.findall(path.read_text()):
            if name == "tn":
                found[one] = [f"{START}{text}{END}" for text in (one, other)]
            elif name == "tp":
                found[f"{one}{trans_real.CONTEXT_SEPARATOR}{other}"] = f"{START}{other}{END}"
            else:
                found[one] = f"{START}{one}{END}"
    return found


@contextmanager
def pseudo_site() -> Iterator[None]:
    """The made-up language in all threads, as for a server: of pages and of their scripts."""
    patch = pytest.MonkeyPatch()
    patch.setattr(trans_real, "_default", Pseudo())
    # Threads of the server that return from English to this language would otherwise keep it for later tests.
    patch.setattr(trans_real, "_active", Local())
    patch.setattr(settings, "LANGUAGE_CODE", CODE)
    patch.setattr(ScriptTexts, "get_catalog", lambda view: script_catalog())
    try:
        with pseudo_locale():
            yield
    finally:
        patch.undo()
