"""The words of the site, each explained once: pages, popovers and docs/glossary.md show these entries.

Each half registers its own (``add_terms``), as it does its tabs and keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from django.utils.translation import gettext

Row = tuple[str, str, str] | tuple[str, str, str, str]
"""Name, sign and definition of a term and, if there is one, the heading that specifies it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One entry.

    slug: its name in templates and in the address of the glossary. sign: symbol, code or name in files. definition: one
    or two sentences. formula, range, direction (which values are better), undefined (when there is no value): for
    measures. document: its specification, as ``docs/metrics.md#ioa``. source: the paper that defines it, with the
    section.
    """

    slug: str
    name: str
    group: str
    definition: str
    sign: str = ""
    formula: str = ""
    range: str = ""
    direction: str = ""
    undefined: str = ""
    document: str = ""
    source: str = ""

    @property
    def facts(self) -> list[tuple[str, str, str]]:
        """Facts in addition to the definition: heading, fact, and the name of the field."""
        found = (
            (gettext("Formula"), self.formula, "formula"),
            (gettext("Range"), self.range, "range"),
            (gettext("Better"), self.direction, "direction"),
            (gettext("n/a if"), self.undefined, "undefined"),
            (gettext("Source"), self.source, "source"),
        )
        return [row for row in found if row[1]]


def translated(term: Term) -> Term:
    """The entry in the language of the page. Registered entries are English: files and the documentation show them."""
    return replace(term, **{name: gettext(getattr(term, name)) for name in TEXTS})


def words(group: str, *rows: Row) -> list[Term]:
    """The entries of a group of words. The slug is the name: "p (clustered)" has ``p-clustered``, "n/a" has ``n-a``."""
    return [
        Term(
            slug="-".join(re.findall(r"[a-z0-9]+", name.lower())),
            name=name,
            sign=sign,
            group=group,
            definition=definition,
            document=document[0] if document else "",
        )
        for name, sign, definition, *document in rows
    ]


TEXTS = ("name", "group", "sign", "definition", "formula", "range", "direction", "undefined")
"""The fields of an entry that are translated; who registers it marks them with ``gettext_noop``."""
_TERMS: dict[str, Term] = {}


def add_terms(terms: Iterable[Term]) -> None:
    """Register entries. A slug names one entry: registering another under it is an error."""
    for term in terms:
        if _TERMS.setdefault(term.slug, term) != term:
            raise ValueError(f"The glossary has two entries {term.slug!r}.")


def find_term(slug: str) -> Term:
    """Return the entry of this slug, in the language of the page.

    Raises ``LookupError`` if there is none, so that every term on a page is explained.
    """
    try:
        return translated(_TERMS[slug])
    except KeyError:
        raise LookupError(f"The glossary has no entry {slug!r}.") from None


def all_terms() -> Mapping[str, Term]:
    """Every entry by its slug, in English, in the order of registration."""
    return MappingProxyType(_TERMS)


def by_group(terms: Iterable[Term]) -> dict[str, list[Term]]:
    """The entries under their groups, groups in the order of their first entry."""
    groups: dict[str, list[Term]] = {}
    for term in terms:
        groups.setdefault(term.group, []).append(term)
    return groups
