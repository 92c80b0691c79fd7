"""Proposals for the word that is being typed: fields first, then the values of the field."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from annotation.marking import gettext_noop
from evaluation.query.check import Vocabulary
from evaluation.query.fields import FIELDS, FLAGS, Kind, described
from evaluation.query.tokens import quoted

MOST = 12
_WORD = re.compile(r'(?:([^\W\d][\w.]*):)?("[^"]*|[^\s()":]*)\Z')


@dataclass(frozen=True, slots=True)
class Proposal:
    """``text`` replaces the text from ``start`` to the caret; ``about`` describes it."""

    text: str
    about: str
    start: int


def complete(text: str, caret: int, vocabulary: Vocabulary) -> list[Proposal]:
    """Suggestions for the caret: at most ``MOST``, first those with the typed beginning."""
    before = text[:caret]
    word = _WORD.search(before)
    if word is None or (word[2].startswith('"') and word[1] is None):
        return []
    name, typed = word[1], word[2].lstrip('"').casefold()
    found = _values(name, vocabulary) if name else _names(vocabulary)
    start = word.start(2)
    fitting = sorted(
        (not value.casefold().startswith(typed), place, value, shown, about)
        for place, (value, shown, about) in enumerate(found)
        if typed in value.casefold()
    )
    return [Proposal(shown, about, start) for _, _, _, shown, about in fitting[:MOST]]


_BETWEEN = (
    ("and", gettext_noop("both terms match")),
    ("or", gettext_noop("one of both matches")),
    ("not", gettext_noop("the term doesn't match")),
)


def _names(vocabulary: Vocabulary) -> Iterator[tuple[str, str, str]]:
    """Flags as words, other fields with a colon or sign, facets, and the words between."""
    for field in described():
        if field.name in FLAGS:
            yield field.name, f"{field.name} ", field.about
        else:
            yield field.name, field.name + (" > " if field.kind is Kind.NUMBER else ":"), field.about
    for facet in vocabulary.facets:
        plain = facet if facet.casefold() not in FIELDS and re.fullmatch(r"[^\W\d]\w*", facet) else ""
        yield facet, f"{plain}:" if plain else f"facet.{quoted(facet)}:", gettext_noop("facet of the samples")
    for word, about in _BETWEEN:
        yield word, f"{word} ", about


def _values(name: str, vocabulary: Vocabulary) -> Iterator[tuple[str, str, str]]:
    field = FIELDS.get(name.casefold())
    values: Collection[str]
    if field is None:
        facets = {facet.casefold(): facet for facet in vocabulary.facets}
        facet = facets.get(name.removeprefix("facet.").casefold())
        values, about = (vocabulary.facets[facet] if facet else ()), name
    else:
        values, about = field.choices or vocabulary.names.get(field.name, ()), field.about
        if field.kind is Kind.NUMBER:
            values = ("none", "any")
    for value in values:
        yield value, f"{quoted(value)} ", about
