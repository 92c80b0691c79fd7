"""Keyboard shortcuts that a person may change: the available ones, the allowed keys, and a person's choices.

A page with such keys registers its table. A key is written as people read it: ``B``, ``Shift+S``, ``Ctrl+Enter``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from django.utils.translation import gettext, gettext_lazy

from webapp.common.translation import Text

NAMED = ("Enter", "Space", "Delete", "Backspace", "Insert", "Home", "End", "PageUp", "PageDown")
KEY = re.compile(rf"(Ctrl\+)?(Alt\+)?(Shift\+)?(?:[^\W_a-z]|[!-/:-@\[-`{{-~]|{'|'.join(NAMED)}|F(?:[1-9]|1[0-2]))")
BROWSER = frozenset(f"Ctrl+{letter}" for letter in "ACFLNPQRTVWX") | {"F1", "F5", "F6", "F11", "F12"}
"""Keys that the browser uses itself, or does not pass to a page."""
SITE: Mapping[str, Text] = {"Ctrl+K": gettext_lazy("search")}
"""Keys with the same function on every page."""
PRESSES = frozenset({"Enter", "Space", "Shift+Enter", "Shift+Space"})
"""Keys that press the focused button."""


@dataclass(frozen=True, slots=True)
class Key:
    """A function of a page with a key: its name in code, its description, its default key, and further keys that do the
    same unless the person changes it.
    """

    name: str
    words: Text
    default: str
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeyTable:
    """The keys of one page. ``fixed``: keys that can't be changed, with their functions."""

    name: str
    title: Text
    keys: tuple[Key, ...]
    fixed: Mapping[str, Text] = field(default_factory=dict)

    def used(self, key: Key, own: Mapping[str, str]) -> tuple[str, ...]:
        """Return the keys of this function for a person who chose ``own`` (by name), the one to show first."""
        chosen = own.get(key.name, key.default)
        return (chosen,) if chosen != key.default else (key.default, *key.also)


TABLES: dict[str, KeyTable] = {}


def add_keys(table: KeyTable) -> None:
    """Let people change the keys of a page; called once, when the app with the page is ready."""
    TABLES[table.name] = table


def problems_of(table: KeyTable, own: Mapping[str, str]) -> dict[str, str]:
    """Return the problems of a person's choices, by name of the function: an invalid key, or a key with two functions.
    The latter is reported for both.
    """
    found = {name: problem for name, chosen in own.items() if (problem := _problem(table, chosen))}
    doers: dict[str, list[Key]] = {}
    for key in table.keys:
        for used in table.used(key, own):
            doers.setdefault(used, []).append(key)
    for used, keys in doers.items():
        for key in keys:
            others = [one.words for one in keys if one is not key]
            if others and key.name not in found:
                message = gettext("%(key)s is also used for “%(other)s”. Choose another key for one of them.")
                found[key.name] = message % {"key": used, "other": others[0]}
    return found


def _problem(table: KeyTable, chosen: str) -> str:
    if done := table.fixed.get(chosen) or SITE.get(chosen):
        return gettext("%(key)s is reserved for “%(other)s”. Choose another key.") % {"key": chosen, "other": done}
    if chosen in BROWSER:
        return gettext("%(key)s is used by the browser. Choose another key.") % {"key": chosen}
    if chosen in PRESSES:
        return gettext("%(key)s activates the focused button. Choose another key.") % {"key": chosen}
    if not KEY.fullmatch(chosen):
        return gettext("Press one key. You can hold Ctrl, Alt or Shift.")
    return ""


def changed(table: KeyTable, own: Mapping[str, str]) -> dict[str, str]:
    """A person's choices that differ from the default. Unknown names are omitted."""
    return {key.name: own[key.name] for key in table.keys if own.get(key.name, key.default) != key.default}
