"""The terms of a list of samples as its address holds them: read, named for people, added and taken away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy

from annotation.common.words import ANSWERS, AREAS, PICTURES, STATE_WORDS, WAITING_WORDS, WORK_WORDS
from annotation.models import Benchmark
from annotation.models.querysets.samples import SAMPLE_FILTERS, TOOL_FILTERS
from annotation.models.querysets.waiting import WAITING
from webapp.common.translation import Text

VIEWS = ("grid", "table")
SORTS = {"key": ("key",), "-changed": ("-changed_at", "-pk"), "share": ("share_place", "key")}
"""The values of ``?sort=`` with their order; the first is the default."""

_NAMES = {
    "missing_from": gettext_lazy("not submitted by"),
    "picture": gettext_lazy("picture"),
    "priority": gettext_lazy("priority"),
    "problem": gettext_lazy("problem"),
    "q": gettext_lazy("says"),
}


@dataclass(frozen=True)
class Token:
    """A term as ``ui/_query_bar.html`` draws it: ``without`` is the address with the term removed."""

    name: str
    value: str
    without: str


@dataclass(frozen=True)
class Terms:
    """The filters of a list of samples, and its display. ``values`` by name, the last of several; ``chosen`` ids."""

    values: Mapping[str, str] = field(default_factory=dict)
    chosen: tuple[str, ...] = ()
    view: str = "grid"
    sort: str = "key"

    @classmethod
    def read(cls, query: QueryDict, *, lead: bool = False) -> Terms:
        """Read the terms of an address. Blank and unknown terms are dropped, as are terms about other people's work
        unless ``lead`` is true."""
        known = _KNOWN | {"work", "problem", "priority"} if lead else _KNOWN
        values = {
            name: value.strip()
            for name in query
            if (value := str(query.get(name) or "")).strip() and (name in known or name.startswith("facet."))
        }
        view, sort = query.get("view", ""), query.get("sort", "")
        chosen = tuple(dict.fromkeys(key for key in query.getlist("id") if key))
        return cls(values, chosen, view if view in VIEWS else "grid", sort if sort in SORTS else "key")

    def pairs(self, *, leave: str = "") -> list[tuple[str, str]]:
        """Names and values for an address or a form, without the term ``leave`` (or what is chosen: "id")."""
        pairs = [(name, value) for name, value in self.values.items() if name != leave]
        pairs += [("id", key) for key in self.chosen if leave != "id"]
        pairs += [("view", self.view)] if self.view != "grid" else []
        return pairs + ([("sort", self.sort)] if self.sort != "key" else [])

    def address(self) -> str:
        return f"?{urlencode(self.pairs())}"

    def having(self, name: str, value: str) -> Terms:
        return replace(self, values={**self.values, name: value})

    def without(self, name: str) -> Terms:
        left = {key: value for key, value in self.values.items() if key != name}
        return replace(self, values=left, chosen=() if name == "id" else self.chosen)

    def shown(self, *, view: str = "", sort: str = "") -> str:
        """The address of the same samples in another view or order."""
        return replace(self, view=view or self.view, sort=sort or self.sort).address()

    def toggled(self, name: str, value: str) -> str:
        """Return the URL of a click on this value: with the term or, if it is already set, without it."""
        return (self.without(name) if self.values.get(name) == value else self.having(name, value)).address()

    def tokens(self, benchmark: Benchmark) -> list[Token]:
        """The terms that the query bar shows as tokens; the typed text stays text."""
        found = [
            Token(str(_NAMES.get(name, name.removeprefix("facet."))), _worded(benchmark, name, value), self._less(name))
            for name, value in self.values.items()
            if name != "q"
        ]
        if self.chosen:
            several = gettext("%(count)s selected") % {"count": len(self.chosen)}
            said = self.chosen[0] if len(self.chosen) == 1 else several
            found.append(Token("id", said, self._less("id")))
        return found

    def _less(self, name: str) -> str:
        return self.without(name).address()


_KNOWN = frozenset(SAMPLE_FILTERS) | {"missing_from", "waiting", *TOOL_FILTERS}
_WORDS: Mapping[str, Mapping[str, Text]] = {
    "state": {state: word for state, (_, word) in STATE_WORDS.items()},
    "area": dict(AREAS),
    "answer": ANSWERS,
    "picture": PICTURES,
    "waiting": {kind: WAITING_WORDS[kind] for kind in WAITING},
}
_WITHIN = ("state", "waiting")
"""Terms with labels that begin with a capital letter if they are alone."""


def _worded(benchmark: Benchmark, name: str, value: str) -> str:
    if name == "missing_from" and value.isdecimal():
        run = benchmark.runs.filter(pk=value[:18]).first()
        return str(run) if run else gettext("run %(number)s") % {"number": value}
    if name in TOOL_FILTERS and value.isdecimal():
        tool = benchmark.tools.shown_to_annotators().filter(pk=value[:18]).first()
        return tool.name if tool else gettext("tool %(number)s") % {"number": value}
    if name == "work":
        return _work_words(benchmark, value)
    if name == "area" and value not in _WORDS["area"]:
        return f"{value}%"
    words = str(_WORDS.get(name, {}).get(value, value))
    return words.lower() if name in _WITHIN and value in _WORDS[name] else words


def _work_words(benchmark: Benchmark, value: str) -> str:
    number, _, kind = value.partition(":")
    person = int(number) if number.isdecimal() and len(number) < 19 else 0
    found = benchmark.memberships.filter(user=person).select_related("user").first()
    who = str(found.user) if found else gettext("former member")
    return f"{who}: {WORK_WORDS.get(kind, kind)}"
