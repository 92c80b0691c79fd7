"""Everyone with everyone, and with gold: how close their boxes are, and how often their answers are the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import median

from django.utils.translation import gettext, gettext_lazy

from annotation.quality.read.agreement import ALL, GOLD, Audience, Pair, Rater, Work, in_order, pairs_of, swapped
from webapp.common.translation import all_of

STEPS = 10
"""A cell's ink has this many steps."""
MEASURES = {
    "boxes": (gettext_lazy("Boxes"), gettext_lazy("median IoU")),
    "answers": (gettext_lazy("Answers"), gettext_lazy("same answer, %")),
}

Chosen = tuple[Rater, Rater]
AllPairs = dict[Chosen, list[Pair]]


@dataclass(frozen=True)
class Cell:
    """One field of a matrix. ``ink`` 0 to 10; None: nothing to compare. ``own``: the person with themselves."""

    a: Rater = ""
    b: Rater = ""
    value: float | None = None
    n: int = 0
    ink: int = 0
    own: bool = False
    chosen: bool = False
    span: int = 1
    words: str = ""


@dataclass(frozen=True)
class Matrix:
    """A measure over every pair: heads of the columns, and rows of a name with its cells (the last is with gold)."""

    measure: str
    title: str
    unit: str
    heads: list[str]
    rows: list[tuple[str, list[Cell]]]


def all_pairs(work: Work, audience: Audience, user: int) -> AllPairs:
    """The pairs behind every cell that this audience sees, by rater and rater; each two people are compared once."""
    if audience is Audience.TOGETHER:
        return {(ALL, other): pairs_of(work, ALL, other) for other in (ALL, GOLD)}
    found: AllPairs = {}
    columns: list[Rater] = [*work.people, GOLD]
    for one in [one for one in work.people if audience is Audience.EVERYONE or one == user]:
        for other in columns:
            if (other, one) in found:
                found[one, other] = [swapped(pair) for pair in found[other, one]]
            elif one != other:
                found[one, other] = pairs_of(work, one, other)
    if audience is Audience.EVERYONE:
        found[ALL, ALL] = in_order(pair for two in combinations(work.people, 2) for pair in found[two])
        found[ALL, GOLD] = in_order(pair for one in work.people for pair in found[one, GOLD])
    return found


def first_choice(found: AllPairs) -> Chosen | None:
    """The cell with the most samples: two people before a person and gold, before all of them together."""
    order = sorted(found, key=lambda c: (c[0] == ALL, c[1] == GOLD, -len(found[c])))
    return next((chosen for chosen in order if found[chosen]), None)


def matrices(work: Work, found: AllPairs, chosen: Chosen, measure: str) -> list[Matrix]:
    """One matrix, or both when no measure is asked for."""
    names = [name for name in MEASURES if measure in ("", name)]
    return [_matrix(work, found, chosen, name) for name in names]


def _matrix(work: Work, found: AllPairs, chosen: Chosen, measure: str) -> Matrix:
    title, unit = MEASURES[measure]
    rows: list[tuple[str, list[Cell]]] = []
    columns: list[Rater] = [*work.people, GOLD]
    alone = not any(one != ALL for one, _ in found)
    for one in dict.fromkeys(one for one, _ in found if one != ALL):
        cells = [
            Cell(own=True) if one == other else _cell(work, measure, (one, other), found, chosen) for other in columns
        ]
        rows.append((name_of(work, one), cells))
    if (ALL, ALL) in found:
        span = 1 if alone else len(work.people)
        cells = [_cell(work, measure, (ALL, other), found, chosen) for other in (ALL, GOLD)]
        rows.append((gettext("all"), [replace(cells[0], span=span), cells[1]]))
    heads = [gettext("each other")] if alone else list(work.people.values())
    return Matrix(measure, str(title), str(unit), heads, rows)


def _cell(work: Work, measure: str, place: Chosen, found: AllPairs, chosen: Chosen) -> Cell:
    value, n = value_of(measure, found[place])
    words = all_of([name_of(work, place[0]), name_of(work, place[1])])
    ink = round(STEPS * value) if value is not None else 0
    return Cell(place[0], place[1], value, n, ink, chosen=place == chosen, words=words)


def value_of(measure: str, pairs: Sequence[Pair]) -> tuple[float | None, int]:
    """The median IoU, or the share of the same answers; and of how many pairs."""
    if measure == "boxes":
        ious = [pair.boxes.iou for pair in pairs if pair.boxes is not None]
        return (median(ious) if ious else None), len(ious)
    same = [pair.same for pair in pairs if pair.same is not None]
    return (sum(same) / len(same) if same else None), len(same)


def name_of(work: Work, rater: Rater | None) -> str:
    if rater is None or rater == GOLD:
        return "gold"
    return "everyone" if rater == ALL else work.people[int(rater)]
