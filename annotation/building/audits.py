"""The check of texts (QC-I) by a model, which people confirm on a share of the items drawn by a stored seed."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil

from annotation.building.rules import Finding
from annotation.statistics import Interval, wilson

LEAST_SHARE = 0.1
"""Of the items of a batch that people check at least [P 3.2.3]."""


class BatchState(StrEnum):
    """``ASKING``: the model is not done. ``DRAWN``: people check the draw. ``PASSED``: they agreed with the model on
    all of it, and its findings count for the rest. ``PEOPLE``: people check the rest."""

    ASKING = "asking"
    DRAWN = "drawn"
    PASSED = "passed"
    PEOPLE = "people"


@dataclass(frozen=True, slots=True)
class Checked:
    """The findings of a model about an item. ``agrees``: whether a person found the same; None: not checked yet."""

    item: int
    agrees: bool | None


def drawn(items: Iterable[int], share: float, seed: str) -> list[int]:
    """The items that people check: those with the smallest hashes of seed and item, ⌈share · n⌉ of them and at least
    one. An item that leaves is replaced by the next one, and no other changes. Empty without items."""
    known = sorted(set(items), key=lambda item: hashlib.sha256(f"{seed}/{item}".encode()).digest())
    # 0.1 · 30 is a little more than 3 in floating point.
    return known[: max(1, ceil(round(share * len(known), 9)))]


def state_after(checked: Sequence[Checked], share: float, seed: str) -> BatchState:
    """The state of a batch whose model is done. One disagreement is enough to send the rest to people, and so is a
    batch without any item that a person could confirm."""
    if not checked or any(one.agrees is False for one in checked):
        return BatchState.PEOPLE
    agreed = {one.item for one in checked if one.agrees}
    return (
        BatchState.PASSED if agreed.issuperset(drawn([one.item for one in checked], share, seed)) else BatchState.DRAWN
    )


@dataclass(frozen=True, slots=True)
class Disagreement:
    """People and a model on the items of the draw that people checked. ``interval``: Wilson's, 95 %, of the share of
    items on which they disagree; None: none was checked."""

    items: int
    checked: int
    interval: Interval | None


def disagreement(drawn: Iterable[Checked]) -> Disagreement:
    """The disagreement on the items of the draw. An item disagrees if any finding of any tool differs, or that of the
    sequence."""
    known = [one for one in drawn if one.agrees is not None]
    against = sum(not one.agrees for one in known)
    return Disagreement(against, len(known), wilson(against, len(known)))


def same_findings(
    first: Collection[Finding], first_valid: bool, second: Collection[Finding], second_valid: bool
) -> bool:
    """Whether two checks say the same of every tool and of the sequence."""
    return set(first) == set(second) and first_valid == second_valid


def proposed_moves(targets: Collection[str], findings: Iterable[Finding]) -> list[Finding]:
    """The findings that contradict the role of their tool: each proposes to move it to the other role."""
    return [one for one in findings if one.essential != (one.tool in targets)]
