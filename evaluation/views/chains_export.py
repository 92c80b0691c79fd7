"""The tables of the analysis of toolchains to take away: all rows, also those that the page has no room for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import FileResponse

from annotation.statistics import Interval
from evaluation.actions.read_chains import RUN_METRICS, ChainAnalysis
from evaluation.exporters.tables import WRITERS
from evaluation.metrics.chains import Pair, confusion, transitions, uses
from evaluation.views.chains_shown import length_groups, rate_groups, tool_choices
from evaluation.views.exports import download
from webapp.common.errors import InvalidInput

FORMATS = ("csv", "json")
Rows = Iterator[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Export:
    title: str
    columns: tuple[str, ...]
    rows: Callable[[ChainAnalysis], Rows]


def chains_file(slug: str, found: ChainAnalysis, table: str, format: str) -> FileResponse:
    """Raises ``InvalidInput`` for a table or a format that there is not."""
    if table not in TABLES:
        raise InvalidInput(f"There are the tables {', '.join(TABLES)}, and no {table[:40]!r}.", field="table")
    export = TABLES[table]
    name = "-".join([slug, "toolchains", table, *(str(run.pk) for run in found.runs[:6])])
    return rows_file(name, format, export.rows(found), export.columns)


def rows_file(name: str, format: str, rows: Rows, columns: Sequence[str]) -> FileResponse:
    """Raises ``InvalidInput`` for a format that there is not."""
    if format not in FORMATS:
        raise InvalidInput(f"A table is exported as {' or '.join(FORMATS)}, not as {format[:40]!r}.", field="format")
    return download(f"{name}.{format}", lambda out: WRITERS[format](out, rows, columns))


def _ends(name: str, interval: Interval | None) -> dict[str, Any]:
    low, high = (interval.low, interval.high) if interval else (None, None)
    return {f"{name}_low": low, f"{name}_high": high, f"{name}_method": interval.method if interval else ""}


def _runs(found: ChainAnalysis) -> Rows:
    for place, run in enumerate(found.runs):
        row: dict[str, Any] = {"run": run.pk, "model": run.model.name, "setting": run.setting}
        row["trajectories"] = int((found.run == place).sum())
        for name, metric in found.metrics.get(run.pk, {}).items():
            row |= {name: metric.value, f"{name}_low": metric.ci_low, f"{name}_high": metric.ci_high}
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
            yield counts | {"pass_rate": group.rate} | _ends("pass_rate", group.interval)

    return rows


LENGTHS = ("reference", "calls", "effective", "error", "effective_error")
_PAIR = ("first", "second", "times", "trajectories", "share")
_RATE = ("value", "n", "counted", "right", "pass_rate", "pass_rate_low", "pass_rate_high", "pass_rate_method")
_WHO = ("run", "model", "setting")


def _with_ends(*names: str, method: bool = True) -> tuple[str, ...]:
    ends = ("", "_low", "_high", "_method") if method else ("", "_low", "_high")
    return tuple(f"{name}{end}" for name in names for end in ends)


TABLES: Mapping[str, Export] = {
    "runs": Export("Runs", (*_WHO, "trajectories", *_with_ends(*RUN_METRICS, method=False)), _runs),
    "tools": Export("Tool choice", ("tool", "tp", "fp", "fn", *_with_ends("precision", "recall")), _tools),
    "shares": Export("Tool share", (*_WHO, "tool", "calls", "share", "trajectories"), _shares),
    "confusion": Export("Confusion", _PAIR, lambda found: _pairs(confusion(found.chains))),
    "transitions": Export("Transitions", _PAIR, lambda found: _pairs(transitions(found.chains))),
    "lengths": Export("Lengths by facet", ("slice_by", "slice", "n", *_with_ends(*LENGTHS)), _lengths),
    "length_pairs": Export("Length against reference", ("reference_calls", "calls", "trajectories"), _length_pairs),
    "pass_by_calls": Export("Pass rate by calls", _RATE, _rates("calls")),
    "pass_by_tools": Export("Pass rate by distinct tools", _RATE, _rates("tools")),
    "pass_by_reference": Export("Pass rate by reference length", _RATE, _rates("reference")),
}
"""In ``first`` and ``second`` the empty text is none: an added call, one not made, the beginning or end of a chain."""
