"""The menu of orders above the list of trajectories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext, gettext_lazy

from evaluation.store.trajectory_list import OFFERED, SORT
from evaluation.trajectories.present.facets import Terms, address
from evaluation.trajectories.present.shown import label

ENDS = (("", gettext_lazy("lowest")), ("-", gettext_lazy("highest")))


@dataclass(frozen=True, slots=True)
class End:
    """The list with one end of an order first."""

    words: str
    href: str
    current: bool


@dataclass(frozen=True, slots=True)
class Orders:
    """``chosen``: the current order, as text; ``own``: the list in its default order; ``by``: name and both directions
    of other orders."""

    chosen: str
    own: End
    by: Sequence[tuple[str, Sequence[End]]]


def orders_of(terms: Terms) -> Orders:
    now = terms.get(SORT, "")
    name = now.removeprefix("-")
    end = dict(ENDS)[now.removesuffix(name)]
    return Orders(
        chosen=gettext("%(field)s, %(end)s first") % {"field": label(name), "end": end} if now else gettext("sample"),
        own=End(gettext("sample, then run"), address(terms, **{SORT: ""}), not now),
        by=[
            (label(one), [End(str(of), address(terms, **{SORT: sign + one}), sign + one == now) for sign, of in ENDS])
            for one in OFFERED
        ],
    )
