"""Maps addresses of the application to files of the copy."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import parse_qs, parse_qsl, quote, urlencode, urlsplit

from django.urls import Resolver404, ResolverMatch, resolve

BOARD, DATA_CARD, RUN, LIST, CASE, CASE_TEXT, SAMPLE, GLOSSARY = (
    "leaderboard", "data-card", "run", "trajectories", "trajectory", "trajectory-text", "sample", "glossary",
)  # fmt: skip
PICTURES = {"thumbnail", "tile", "region"}
_LONGEST_NAME = 60
_OF_ONE_BOARD = ({"by", "slice"}, {"reference"}, {"published"}, {"group"}, {"intervals"})
"""The views of the board that are copied: each slice, reference and group of columns, intervals in digits, all
published rows. Not their products."""
_VIEWS = {RUN: {"slice_by"}, SAMPLE: {"crops"}, CASE: {"tab", "whole", "from"}}
"""Terms that make another page of these. Other terms in their address only identify the page they were opened from."""
_NOT_COPIED = {RUN: {"slice"}}
"""Terms of pages that are omitted: a run on each slice."""


@dataclass(frozen=True, slots=True)
class Place:
    """One address: the name of its URL pattern, its parts of the path, and its query."""

    kind: str
    path: str
    query: str
    parts: tuple[tuple[str, str], ...]

    @property
    def address(self) -> str:
        return f"{self.path}?{self.query}" if self.query else self.path

    @property
    def asks(self) -> frozenset[str]:
        return frozenset(parse_qs(self.query, keep_blank_values=True))

    def part(self, name: str) -> str:
        return dict(self.parts)[name]

    @property
    def file(self) -> str:
        """The file relative to the folder of the copy; the same address always has the same file."""
        if self.kind == BOARD:
            return f"board-{_named(self.query)}.html" if self.query else "index.html"
        if self.kind in {DATA_CARD, GLOSSARY}:
            return f"{self.kind}.html"
        if self.kind == LIST:
            return f"lists/{_named(self.query)}.html"
        if self.kind == CASE_TEXT:
            return f"trajectories/{self.part('pk')}-{self.part('part')}.html"
        if self.kind in PICTURES:
            return self._picture_file()
        folder, name = {RUN: ("runs", "pk"), CASE: ("trajectories", "pk"), SAMPLE: ("samples", "key")}[self.kind]
        view = f"-{_named(self.query)}" if self.query else ""
        return f"{folder}/{_named(self.part(name))}{view}.html"

    def _picture_file(self) -> str:
        start = f"pictures/{self.part('sha256')[:16]}"
        if self.kind == "thumbnail":
            return f"{start}/thumbnail.jpg"
        if self.kind == "tile":
            return f"{start}/tiles/{self.part('level')}/{self.part('column')}_{self.part('row')}.jpg"
        return f"{start}/regions/{self.part('box').replace(',', '_')}-{self.part('side')}.jpg"


@lru_cache(maxsize=65_536)
def place_of(address: str, benchmark: str) -> Place | None:
    """Return the place for an address (a path with its query); None if a copy of this benchmark does not contain it.

    A trajectory has the same pages, regardless of the list it was opened from; so have samples and runs.
    """
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return None
    found = _resolved(parts.path)
    if found is None:
        return None
    values = {name: str(value) for name, value in found.kwargs.items()}
    kind = found.url_name or ""
    if kind == GLOSSARY:
        return Place(kind, parts.path, "", ())
    if values.pop("slug", "") != benchmark or kind not in {
        BOARD,
        DATA_CARD,
        RUN,
        LIST,
        CASE,
        CASE_TEXT,
        SAMPLE,
        *PICTURES,
    }:
        return None
    terms = parse_qsl(parts.query)
    if any(name in _NOT_COPIED.get(kind, ()) for name, _ in terms):
        return None
    own = urlencode(sorted(pair for pair in terms if pair[0] in _VIEWS.get(kind, ())))
    query = parts.query if kind in {BOARD, LIST} else own
    return Place(kind, parts.path, query, tuple(values.items()))


@lru_cache(maxsize=16_384)
def _resolved(path: str) -> ResolverMatch | None:
    """Resolve a path. Cached, because most addresses of a copy are one path with different terms."""
    try:
        return resolve(path)
    except Resolver404:
        return None


def is_a_view_of_the_board(place: Place) -> bool:
    """Return whether a board is copied: the entire one, a slice, one with another reference, or with all published
    rows.
    """
    return place.kind == BOARD and (not place.asks or set(place.asks) in _OF_ONE_BOARD)


def _named(text: str) -> str:
    """Return a file name of letters, digits, dots, hyphens and underscores, which every server and system accepts.

    A digest is added if the text had to be changed.
    """
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.") or "all"
    if plain == text and len(plain) <= _LONGEST_NAME:
        return plain
    return f"{plain[:_LONGEST_NAME]}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def link(target: str, page: str) -> str:
    """Return the relative link from one file of the copy to another, ready to use in a page."""
    up = "../" * page.count("/")
    return quote(up + target, safe="/._-{}~")
