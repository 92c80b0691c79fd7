"""Answers under conditions as the page and the API show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from annotation.evidence import NOTHING, YES, Condition, Tally
from annotation.templatetags.work import decision_words
from evaluation.common.checking import ADJUDICATED, Checking
from evaluation.common.evidence import CONDITION_WORDS
from evaluation.evidence.read.necessity import Necessity, Tested
from evaluation.metrics.flags import Rate


@dataclass(frozen=True)
class RateRow:
    """A rate as text; ``value`` "n/a" without a case."""

    label: str
    value: str
    hits: int
    n: int
    interval: str


@dataclass(frozen=True)
class CheckRow:
    """The answers of models under one condition."""

    label: str
    mismatch: RateRow
    undecided: int
    unread: int


@dataclass(frozen=True)
class Cell:
    """The answers under one condition: correct ones of the decided ones. ``condition``: in the address of its image,
    "" without one."""

    label: str
    text: str
    open: int
    condition: str


@dataclass(frozen=True)
class TestedRow:
    key: str
    cells: tuple[Cell, ...]
    needs: str
    unreadable: str


def check_rows(found: Checking) -> list[CheckRow]:
    return [
        CheckRow(str(CONDITION_WORDS[name]), _rate(str(CONDITION_WORDS[name]), rate), tally.undecided, tally.unread)
        for name, tally, rate in found.conditions
    ]


def flag_rows(found: Checking) -> list[RateRow]:
    return [
        _rate(gettext("Questions with a flag"), found.flags),
        _rate(gettext("Precision: flags in view that the decision confirmed"), found.precision),
        _rate(gettext("Precision, blind: the same, of flags that were not shown"), found.blind),
        _rate(gettext("Changed by the review without a flag"), found.others),
    ]


def flagged_rows(found: Checking) -> list[dict[str, Any]]:
    return [
        {
            "key": one.key,
            "models": ", ".join(one.models),
            "decision": gettext("adjudicated") if one.decision == ADJUDICATED else decision_words(one.decision),
            "confirmed": one.confirmed,
        }
        for one in found.flagged
    ]


def tested_row(one: Tested) -> TestedRow:
    return TestedRow(
        one.key, tuple(_cell(name, one.tallies.get(name, NOTHING)) for name in Condition), word_of(one.needs),
        word_of(one.unreadable),
    )  # fmt: skip


def word_of(value: bool | None) -> str:
    return gettext("n/a") if value is None else gettext("yes") if value else gettext("no")


def _cell(name: Condition, tally: Tally) -> Cell:
    text = gettext("n/a") if not tally.decided else f"{tally.right}/{tally.decided}"
    shown = name.value if name is not Condition.QUESTION else ""
    return Cell(str(CONDITION_WORDS[name]), text, tally.undecided + tally.unread, shown)


def _rate(label: str, rate: Rate) -> RateRow:
    if rate.share is None:
        return RateRow(label, gettext("n/a"), rate.hits, rate.n, "")
    interval = "" if rate.low is None or rate.high is None else f"{100 * rate.low:.1f}% … {100 * rate.high:.1f}%"
    return RateRow(label, f"{100 * rate.share:.1f}%", rate.hits, rate.n, interval)


def checking_json(found: Checking) -> dict[str, Any]:
    return {
        "asked": found.asked,
        "conditions": [
            {"condition": name.value, "mismatch": _rate_json(rate), **_counts(tally)}
            for name, tally, rate in found.conditions
        ],
        "flags": _rate_json(found.flags),
        "precision": _rate_json(found.precision),
        "precision_blind": _rate_json(found.blind),
        "changed_without_flag": _rate_json(found.others),
        "waiting": found.waiting,
        "flagged": [
            {"sample": one.key, "models": list(one.models), "decision": one.decision, "confirmed": one.confirmed}
            for one in found.flagged
        ],
    }


def necessity_json(found: Necessity) -> dict[str, Any]:
    return {
        "samples": found.tested,
        "needed": found.needed,
        "not_needed": found.not_needed,
        "undefined": found.undefined,
        "unreadable_at_1024": found.unreadable,
        "readable_at_1024": found.readable,
        "changes": len(found.changes),
    }


def tested_json(one: Tested) -> dict[str, Any]:
    return {
        "sample": one.key,
        "conditions": {name.value: _counts(tally) for name, tally in _ordered(one.tallies)},
        "needs_evidence": one.needs,
        "unreadable_at_1024": one.unreadable,
    }


def change_counts(found: Necessity) -> dict[str, int]:
    """How many samples would get each value, and how many of them have another one now."""
    needed = sum(one.after == YES for one in found.changes)
    return {
        "yes": needed,
        "no": len(found.changes) - needed,
        "replaced": sum(bool(one.before) for one in found.changes),
        "all": len(found.changes),
    }


def _ordered(tallies: Mapping[Condition, Tally]) -> list[tuple[Condition, Tally]]:
    return [(name, tallies[name]) for name in Condition if name in tallies]


def _counts(tally: Tally) -> dict[str, int]:
    return {
        "correct": tally.right,
        "incorrect": tally.wrong,
        "undecided": tally.undecided,
        "unread": tally.unread,
    }


def _rate_json(rate: Rate) -> dict[str, Any]:
    return {"value": rate.share, "hits": rate.hits, "n": rate.n, "low": rate.low, "high": rate.high}
