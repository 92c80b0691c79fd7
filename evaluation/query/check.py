"""Whether a query means something on a benchmark: its fields and values are there. Errors propose the nearest."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from annotation.marking import Sentence, gettext_noop
from evaluation.query.fields import FIELDS, Field, Kind, nearest
from evaluation.query.numbers import bounds
from evaluation.query.parser import parse
from evaluation.query.syntax import DEFINED, UNDEFINED, Node, QueryError, Term, Text, terms_in
from evaluation.query.tokens import quoted
from evaluation.query.words import phrase_of

SHOWN = 6
"""Values that an error names when none is near."""


@dataclass(frozen=True)
class Vocabulary:
    """The values for comparisons on a benchmark.

    ``names``: values of the fields whose values are names (run, condition, tool, tag, ...); a field that is not in it
    takes any. ``facets``: the values of each facet of the samples.
    """

    names: Mapping[str, Collection[str]] = field(default_factory=dict)
    facets: Mapping[str, Collection[str]] = field(default_factory=dict)


def read(text: str, vocabulary: Vocabulary) -> Node:
    """The tree of a query that means something here. Raises ``QueryError``."""
    node = parse(text)
    try:
        for term in terms_in(node):
            if isinstance(term, Term):
                _check(term, vocabulary)
            else:
                _check_words(term)
    except QueryError as error:
        raise QueryError(error.message, error.column, text, error.proposals) from error
    return node


def _check(term: Term, vocabulary: Vocabulary) -> None:
    known = FIELDS.get(term.field)
    if known is None:
        _check_facet(term, vocabulary)
    elif known.kind is Kind.NUMBER:
        bounds(term)
    elif term.sign != ":":
        raise QueryError(
            Sentence(
                gettext_noop("%(name)s is %(kind)s: compare it with a colon, %(name)s:…"),
                name=known.name,
                kind=known.kind,
            ),
            term.column,
        )
    elif known.kind in (Kind.FLAG, Kind.CHOICE):
        _check_choice(term, known)
    elif known.kind is Kind.TEXT:
        _check_words(term)
    elif known.name in vocabulary.names:
        _among(term, vocabulary.names[known.name])


def _check_words(said: Term | Text) -> None:
    if not phrase_of(said.value):
        raise QueryError(Sentence(gettext_noop("The text contains no words. Enter letters or digits.")), said.column)


def _check_facet(term: Term, vocabulary: Vocabulary) -> None:
    name = term.field.removeprefix("facet.")
    if name not in vocabulary.facets:
        near = nearest(name, [*vocabulary.facets, *FIELDS])
        raise QueryError(
            Sentence(gettext_noop('Unknown field or facet "%(name)s".'), name=name),
            term.column,
            proposals=tuple(f"{n}:" for n in near),
        )
    if term.sign != ":":
        raise QueryError(
            Sentence(gettext_noop("%(name)s is a facet: compare it with a colon, %(name)s:…"), name=name), term.column
        )
    _among(term, vocabulary.facets[name])


def _check_choice(term: Term, known: Field) -> None:
    allowed = known.choices if known.kind is Kind.FLAG else (*known.choices, UNDEFINED, DEFINED)
    if term.value.casefold() not in {choice.casefold() for choice in allowed}:
        near = nearest(term.value, allowed)
        message = Sentence(
            gettext_noop('%(name)s is %(choices)s, and not "%(value)s".'),
            name=known.name,
            choices=_listed(known.choices),
            value=term.value[:40],
        )
        raise QueryError(message, term.column, proposals=tuple(f"{known.name}:{quoted(value)}" for value in near))


def _among(term: Term, values: Collection[str]) -> None:
    if term.value in {*values, UNDEFINED, DEFINED}:
        return
    name, near = term.field.removeprefix("facet."), nearest(term.value, values)
    said: dict[str, object] = {"name": name, "value": term.value[:40]}
    if values and not near:
        several = len(values) > SHOWN
        there = gettext_noop('Unknown %(name)s "%(value)s". There are %(values)s and more.')
        all_there = gettext_noop('Unknown %(name)s "%(value)s". There are %(values)s.')
        message = Sentence(there if several else all_there, **said, values=_listed(sorted(values)[:SHOWN], ALL))
    else:
        message = Sentence(gettext_noop('Unknown %(name)s "%(value)s".'), **said)
    raise QueryError(message, term.column, proposals=tuple(f"{term.field}:{quoted(value)}" for value in near))


ANY, ALL = gettext_noop("%(some)s or %(last)s"), gettext_noop("%(some)s and %(last)s")


def _listed(values: Collection[str], words: str = ANY) -> str:
    few = list(values)
    return few[0] if len(few) == 1 else Sentence(words, some=", ".join(few[:-1]), last=few[-1])
