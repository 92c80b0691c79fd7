"""The menu of columns: visible and available columns, their order and pins. Every action is a link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from evaluation.leaderboard.present.address import View
from evaluation.leaderboard.present.columns import CHOICE, GROUPS
from evaluation.metrics.catalogue import METRICS


@dataclass(frozen=True)
class Standing:
    """A visible column. Addresses are "" for impossible actions, such as moving the first column forward."""

    metric: str
    label: str
    pinned: bool
    pin: str
    earlier: str
    later: str
    away: str


@dataclass(frozen=True)
class Addition:
    metric: str
    label: str
    href: str


@dataclass(frozen=True)
class Menu:
    standing: Sequence[Standing]
    additions: Sequence[tuple[str, Sequence[Addition]]]
    usual: str


def column_menu(view: View) -> Menu:
    additions = [
        (str(GROUPS[group]), [_addition(name, view) for name in CHOICE if _could(name, group, view)])
        for group in GROUPS
    ]
    changed = view.terms.get("columns") or view.pinned
    return Menu(
        [_standing(name, view) for name in view.chosen],
        [(label, found) for label, found in additions if found],
        view.choosing((), ()) if changed else "",
    )


def _could(name: str, group: str, view: View) -> bool:
    return METRICS[name].group == group and name not in view.chosen


def _addition(name: str, view: View) -> Addition:
    return Addition(name, gettext(METRICS[name].label), view.choosing((*view.chosen, name)))


def _standing(name: str, view: View) -> Standing:
    at, last = view.chosen.index(name), len(view.chosen) - 1
    pinned = name in view.pinned
    others = tuple(one for one in view.pinned if one != name)
    rest = tuple(one for one in view.chosen if one != name)
    return Standing(
        metric=name,
        label=gettext(METRICS[name].label),
        pinned=pinned,
        pin=view.choosing(view.chosen, others if pinned else (*view.pinned, name)),
        earlier=view.choosing(_moved(view.chosen, at, at - 1)) if at else "",
        later=view.choosing(_moved(view.chosen, at, at + 1)) if at < last else "",
        away=view.choosing(rest, others) if rest else "",
    )


def _moved(names: Sequence[str], place: int, to: int) -> list[str]:
    found = list(names)
    found.insert(to, found.pop(place))
    return found
