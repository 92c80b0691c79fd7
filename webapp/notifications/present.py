"""Entries as sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from webapp.notifications.kinds import SENTENCES, Kind, in_language, many_words
from webapp.notifications.models import Notification


@dataclass(frozen=True, slots=True)
class Shown:
    """An entry for a page or an email, in its language."""

    entry: Notification
    words: str
    kind: str
    path: str


def words_of(entry: Notification) -> str:
    """The sentence of an entry. A value that is missing is shown as …, and never breaks the page."""
    values = _Values({name: in_language(name, value) for name, value in entry.data.items()})
    values["actor"] = str(entry.actor) if entry.actor else gettext("Sightline")
    values.setdefault("title", entry.benchmark)
    if entry.count > 1:
        values["n"] = entry.count
        return many_words(entry.kind, entry.count) % values
    known = SENTENCES.get(entry.sentence)
    return gettext(known.text) % values if known else entry.sentence


def shown(entry: Notification) -> Shown:
    path = entry.list_path if entry.count > 1 and entry.list_path else entry.path
    return Shown(entry, words_of(entry), str(Kind(entry.kind).label), path)


class _Values(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return "…"
