"""Links of the numbers of a leaderboard."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.safestring import SafeString

from evaluation.common.slices import SAVED
from evaluation.leaderboard.read.rows import Facet, Leaderboard
from evaluation.query.fields import slice_terms
from webapp.common.formatting import decimal
from webapp.common.markup import fast_format_html, fast_format_html_join

SLICE = '<a href="{}"{}><span class="clip grow">{}</span><span class="faint">{}</span></a>'
CURRENT = fast_format_html(' aria-current="{}"', "true")


class Addresses:
    """The URLs of a board's numbers: trajectories of a run on its slice."""

    def __init__(self, slug: str, slice_by: str = "", slice: str = "", query: str = "") -> None:
        self._slug = slug
        self.content = (slug, slice_by, slice, query)
        self._list, self._compare = (reverse(f"evaluation:{page}", args=[slug]) for page in ("trajectories", "compare"))
        # Made once: a page of fifty runs asks for a hundred of them.
        self._runs = reverse("evaluation:run", args=[slug, 0]).removesuffix("0/")
        self._slice = {"q": query} if query else slice_terms(slice_by, slice)
        self._encoded = urlencode(self._slice)

    def trajectories(self, run: int, **terms: str | int) -> str:
        parts = (f"run={run}", _encoded(tuple(terms.items())), self._encoded)
        return f"{self._list}?{'&'.join(part for part in parts if part)}"

    def compare(self, reference: int, run: int) -> str:
        return f"{self._compare}?run={reference}&run={run}"

    def run(self, run: int) -> str:
        return f"{self._runs}{run}/"

    def missing(self, run: int) -> str:
        """The samples without a trajectory; facets narrow that list, the computed slices do not."""
        if self._slice and not next(iter(self._slice)).startswith("facet."):
            return ""
        return f"{reverse('evaluation:missing', args=[self._slug, run])}?{self._encoded}".rstrip("?")


@lru_cache(maxsize=256)
def _encoded(terms: tuple[tuple[str, str | int], ...]) -> str:
    return urlencode(terms)


def saved_links(names: Sequence[str], board: Leaderboard, rest: str) -> SafeString:
    """The saved slices, each a link to the board on it. How many each lists is not counted here."""
    chosen = board.slice if board.slice_by == SAVED else None
    addresses = (rest + urlencode({"by": SAVED, "slice": name}) for name in names)
    rows = ((href, CURRENT if name == chosen else "", name, "") for href, name in zip(addresses, names, strict=True))
    return fast_format_html_join("\n", SLICE, rows)


def slice_links(facet: Facet, board: Leaderboard, rest: str) -> SafeString:
    """The values of a facet, each a link to the board on it. ``rest``: the address that the slice is added to.

    Markup and not a template: a facet can have hundreds of values.
    """
    chosen = board.slice if facet.name == board.slice_by else None
    links = (
        (rest + urlencode({"by": facet.name, "slice": value}), CURRENT if value == chosen else "", value, decimal(n))
        for value, n in facet.values
    )
    return fast_format_html_join("\n", SLICE, links)
