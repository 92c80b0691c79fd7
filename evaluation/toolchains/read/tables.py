"""The tables of the analysis of toolchains as rows: all of them, including those that the page omits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy

from annotation.statistics import Interval
from evaluation.metrics.chain_lengths import Group, Lengths, lengths_by, pass_rate_by
from evaluation.metrics.chains import Choice, Pair, choices, confusion, transitions, uses
from evaluation.toolchains.read.analysis import RUN_METRICS, ChainAnalysis
from webapp.common.translation import Text

Rows = Iterator[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ChainTable:
    title: Text
    columns: tuple[str, ...]
    rows: Callable[[ChainAnalysis], Rows]


def rate_groups(found: ChainAnalysis, name: str, most: int | None = None) -> list[Group]:
    """Return the groups. ``most``: larger numbers are counted as this one."""
    values = getattr(found, name)
    values = values if most is None else np.minimum(values, most)
    return pass_rate_by(values, found.right, found.counted, found.cluster, found.open)


def tool_choices(found: ChainAnalysis) -> list[Choice]:
    """Return the tools to choose from, the most important first."""
    return sorted(choices(found.chains, found.cluster), key=lambda row: (-row.tp - row.fn, -row.fp, row.tool))


def length_groups(found: ChainAnalysis) -> list[Lengths]:
    """Return the lengths of all trajectories, then, unless the page is about one facet value, those of each value of
    the facet."""
    groups = [("", np.arange(len(found.chains))), *(() if found.value else found.values.items())]
    return lengths_by(groups, found.reference, found.calls, found.effective, found.cluster)


def _ends(name: str, interval: Interval | None) -> dict[str, Any]:
    low, high = (interval.low, interval.high) if interval else (None, None)
    return {f"{name}_ci_low": low, f"{name}_ci_high": high, f"{name}_ci_method": interval.method if interval else ""}


def _runs(found: ChainAnalysis) -> Rows:
    for place, run in enumerate(found.runs):
        row: dict[str, Any] = {"run": run.pk, "model": run.model.name, "setting": run.setting}
        row["trajectories"] = int((found.run == place).sum())
        for name, metric in found.metrics.get(run.pk, {}).items():
            row |= {name: metric.value, f"{name}_ci_low": metric.ci_low, f"{name}_ci_high": metric.ci_high}
        yield row


def _tools(found: ChainAnalysis) -> Rows:
    for row in tool_choices(found):
        counts = {name: getattr(row, name) for name in ("tool", "tp", "fp", "fn", "precision", "recall")}
        yield counts | _ends("precision", row.precision_interval) | _ends("recall", row.recall_interval)


def _pairs(pairs: list[Pair]) -> Rows:
    sums: dict[str, int] = {}
    for pair in pairs:
        sums[pair.first] = sums.get(pair.first, 0) + pair.times
    for pair in pairs:
        yield {
            "first": pair.first, "second": pair.second, "times": pair.times, "trajectories": pair.trajectories,
            "share": pair.times / sums[pair.first],
        }  # fmt: skip


def _shares(found: ChainAnalysis) -> Rows:
    for place, run in enumerate(found.runs):
        for use in uses(found.of_run(place)):
            yield {
                "run": run.pk, "model": run.model.name, "setting": run.setting, "tool": use.tool, "calls": use.calls,
                "share": use.share, "trajectories": use.trajectories,
            }  # fmt: skip


def _lengths(found: ChainAnalysis) -> Rows:
    for group in length_groups(found):
        row: dict[str, Any] = {"slice_by": found.by if group.name else "", "slice": group.name, "n": group.n}
        for name in LENGTHS:
            one = getattr(group, name)
            row |= {name: one.value, **_ends(name, one.interval)}
        yield row


def _length_pairs(found: ChainAnalysis) -> Rows:
    counts: dict[tuple[int, int], int] = {}
    for pair in zip(found.reference.tolist(), found.calls.tolist(), strict=True):
        counts[pair] = counts.get(pair, 0) + 1
    for (reference, calls), n in sorted(counts.items()):
        if reference >= 0:
            yield {"reference_calls": reference, "calls": calls, "trajectories": n}


def _rates(name: str) -> Callable[[ChainAnalysis], Rows]:
    def rows(found: ChainAnalysis) -> Rows:
        for group in rate_groups(found, name):
            counts = {one: getattr(group, one) for one in ("value", "n", "counted", "right")}
            low, high = group.range
            rate = {"pass_rate": group.rate, "pass_rate_low": low, "pass_rate_high": high}
            yield counts | rate | _ends("pass_rate", group.interval)

    return rows


LENGTHS = ("reference", "calls", "effective", "error", "effective_error")
_PAIR = ("first", "second", "times", "trajectories", "share")
_RATE = (
    "value", "n", "counted", "right", "pass_rate", "pass_rate_ci_low", "pass_rate_ci_high", "pass_rate_ci_method",
    "pass_rate_low", "pass_rate_high",
)  # fmt: skip
_WHO = ("run", "model", "setting")


def _with_ends(*names: str, method: bool = True) -> tuple[str, ...]:
    ends = ("", "_ci_low", "_ci_high", "_ci_method") if method else ("", "_ci_low", "_ci_high")
    return tuple(f"{name}{end}" for name in names for end in ends)


CHAIN_TABLES: Mapping[str, ChainTable] = {
    "runs": ChainTable(gettext_lazy("Runs"), (*_WHO, "trajectories", *_with_ends(*RUN_METRICS, method=False)), _runs),
    "tools": ChainTable(
        gettext_lazy("Tool selection"), ("tool", "tp", "fp", "fn", *_with_ends("precision", "recall")), _tools
    ),
    "shares": ChainTable(gettext_lazy("Tool share"), (*_WHO, "tool", "calls", "share", "trajectories"), _shares),
    "confusion": ChainTable(gettext_lazy("Confusion"), _PAIR, lambda found: _pairs(confusion(found.chains))),
    "transitions": ChainTable(gettext_lazy("Transitions"), _PAIR, lambda found: _pairs(transitions(found.chains))),
    "lengths": ChainTable(
        gettext_lazy("Lengths by facet"), ("slice_by", "slice", "n", *_with_ends(*LENGTHS)), _lengths
    ),
    "length_pairs": ChainTable(
        gettext_lazy("Length vs reference"), ("reference_calls", "calls", "trajectories"), _length_pairs
    ),
    "pass_by_calls": ChainTable(gettext_lazy("Pass rate by calls"), _RATE, _rates("calls")),
    "pass_by_tools": ChainTable(gettext_lazy("Pass rate by distinct tools"), _RATE, _rates("tools")),
    "pass_by_reference": ChainTable(gettext_lazy("Pass rate by reference length"), _RATE, _rates("reference")),
}
"""In ``first`` and ``second``, "" means none: an added call, a missing one, or the beginning or end of a toolchain."""
