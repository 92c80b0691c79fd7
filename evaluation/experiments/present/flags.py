"""The precision of flags of checking models as the page and the API of drafts show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from evaluation.common.checking import Checking
from evaluation.metrics.flags import Rate


@dataclass(frozen=True)
class FlagRow:
    """``any``: whether a model flagged a submission. ``changed``: of the ``n`` decided flags that were not shown."""

    any: bool
    changed: int
    n: int
    rate: str
    interval: str


def flag_row(found: Checking) -> FlagRow:
    rate = found.blind
    share = gettext("n/a") if rate.share is None else f"{100 * rate.share:.1f}%"
    ends = "" if rate.low is None or rate.high is None else f"{100 * rate.low:.1f}% … {100 * rate.high:.1f}%"
    return FlagRow(bool(found.flags.hits), rate.hits, rate.n, share, ends)


def flags_json(found: Checking) -> dict[str, Any]:
    """The precision of flags that were not shown, and of those that were: null where undefined."""
    return {"blind": _rate_json(found.blind), "shown": _rate_json(found.precision)}


def _rate_json(rate: Rate) -> dict[str, Any]:
    return {"precision": rate.share, "changed": rate.hits, "n": rate.n, "low": rate.low, "high": rate.high}
