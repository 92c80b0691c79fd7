"""The tables of the diagnostics as rows, for files, API and command. Shares are 0 to 1, null where undefined."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy

from annotation.statistics import Interval
from evaluation.diagnostics.read.analysis import (
    CALLS,
    CURVES,
    ERROR_METRICS,
    PAIRS,
    TASKS,
    Diagnostics,
    published_points,
)
from evaluation.models import Metric, Run
from webapp.common.records import plain
from webapp.common.translation import Text

Rows = Iterator[dict[str, Any]]
_WHO = ("run", "model", "setting")
_ENDS = ("", "_n", "_ci_low", "_ci_high")
_COUNTS = ("omitted", "unrecognized", "occluded", "in_scene", "repeated", "hallucinated")
_SHARES = ("benefit", "harm", "needless", "futile")


@dataclass(frozen=True, slots=True)
class DiagnosticTable:
    title: Text
    columns: tuple[str, ...]
    rows: Callable[[Diagnostics], Rows]


def _who(run: Run) -> dict[str, Any]:
    return {"run": run.pk, "model": run.model.name, "setting": run.setting}


def _metric(name: str, row: Metric | None) -> dict[str, Any]:
    if row is None:
        return dict.fromkeys(f"{name}{end}" for end in _ENDS)
    return {name: row.value, f"{name}_n": row.n, f"{name}_ci_low": row.ci_low, f"{name}_ci_high": row.ci_high}


def _ends(name: str, interval: Interval | None) -> dict[str, Any]:
    low, high = (interval.low, interval.high) if interval else (None, None)
    return {f"{name}_ci_low": low, f"{name}_ci_high": high}


def _errors(found: Diagnostics) -> Rows:
    for run in found.planners:
        counts, row = found.plans[run.pk], _who(run)
        row |= {"plans": counts.populations["planned"], "missing": counts.missing, "extra": counts.extra}
        row |= {name: None if (one := counts.errors.get(name)) is None else one.n for name in _COUNTS}
        for name in ERROR_METRICS:
            row |= _metric(name, found.metric(run, name))
        yield row


def _tasks(found: Diagnostics) -> Rows:
    for run in found.planners:
        row = _who(run)
        for name in TASKS:
            row |= _metric(name, found.metric(run, name))
        last = found.metric(run, TASKS[-1])
        yield row | {"p_value": last.p_value if last else None}


def _curves(found: Diagnostics) -> Rows:
    for run in found.planners:
        for size in found.sizes:
            for name in CURVES:
                row = found.curves[run.pk].get(size, {}).get(name)
                yield _who(run) | {"targets": size, "metric": name} | _metric("value", row)


def _segments(found: Diagnostics) -> Rows:
    for (name, cells), mean in zip(found.heat.rows, found.heat.means, strict=True) if found.heat else ():
        for run, cell in zip(found.heat.runs, cells, strict=True) if found.heat else ():
            yield {"slice_by": found.by, "slice": name, "mean": mean} | _who(run) | _metric("value", cell)


def _calling(found: Diagnostics) -> Rows:
    for pair in found.calling:
        effect = pair.effect
        row = _who(pair.tools) | {"without": pair.without.pk, "n": effect.n, "clusters": effect.clusters}
        for name in _SHARES:
            row |= {name: getattr(effect, name), f"{name}_share": effect.share(name)}
        row |= {"net": effect.net, **_ends("net", effect.interval), **_ends("net_cluster", effect.clustered)}
        row |= {"p_value": effect.p_value, "p_cluster": effect.p_cluster, "uncalled": effect.uncalled}
        yield row | {
            "unmet": effect.unmet, "unmet_share": effect.unmet_share, **_ends("unmet_share", effect.unmet_interval),
        }  # fmt: skip


def _points(found: Diagnostics) -> Rows:
    for run in found.runs:
        row = _who(run)
        for name in CALLS:
            row |= _metric(name, found.metric(run, name))
        yield row | {"provisional": run.scoring.provisional}


def _published(found: Diagnostics) -> Rows:
    for one in published_points():
        row: dict[str, Any] = {"model": one.model, "setting": one.setting, "benchmark": one.benchmark}
        row |= {name: one.values[name].value for name in CALLS}
        yield row | {"n": one.values[CALLS[0]].n, "table": one.values[CALLS[0]].table, "source": one.source}


def _correlations(found: Diagnostics) -> Rows:
    for pair, one in zip(PAIRS, found.correlations, strict=True):
        yield {"first": pair[0], "second": pair[1], "n": one.n, "rho": one.rho, **_ends("rho", one.interval)}


def _with_ends(*names: str) -> tuple[str, ...]:
    return tuple(f"{name}{end}" for name in names for end in _ENDS)


TABLES: Mapping[str, DiagnosticTable] = {
    "errors": DiagnosticTable(
        gettext_lazy("Why plans fail"),
        (*_WHO, "plans", "missing", "extra", *_COUNTS, *_with_ends(*ERROR_METRICS)),
        _errors,
    ),
    "tasks": DiagnosticTable(
        gettext_lazy("Recognition and selection"), (*_WHO, *_with_ends(*TASKS), "p_value"), _tasks
    ),
    "curves": DiagnosticTable(
        gettext_lazy("By number of targets"), (*_WHO, "targets", "metric", *_with_ends("value")), _curves
    ),
    "segments": DiagnosticTable(
        gettext_lazy("Segments by runs"), ("slice_by", "slice", "mean", *_WHO, *_with_ends("value")), _segments
    ),
    "calling": DiagnosticTable(
        gettext_lazy("What calling did"),
        (
            *_WHO, "without", "n", "clusters", *(f"{name}{end}" for name in _SHARES for end in ("", "_share")), "net",
            "net_ci_low", "net_ci_high", "net_cluster_ci_low", "net_cluster_ci_high", "p_value", "p_cluster",
            "uncalled", "unmet", "unmet_share", "unmet_share_ci_low", "unmet_share_ci_high",
        ),
        _calling,
    ),
    "points": DiagnosticTable(
        gettext_lazy("Pass rate, calls and efficiency"), (*_WHO, *_with_ends(*CALLS), "provisional"), _points
    ),
    "correlations": DiagnosticTable(
        gettext_lazy("Correlations"), ("first", "second", "n", "rho", "rho_ci_low", "rho_ci_high"), _correlations
    ),
    "published": DiagnosticTable(
        gettext_lazy("Published, on other samples"), ("model", "setting", "benchmark", *CALLS, "n", "table", "source"),
        _published,
    ),
}  # fmt: skip
"""Of the segments only those with enough plans."""


def document(found: Diagnostics) -> dict[str, Any]:
    """All tables, and what they are about, as the API and the command give them."""
    return {
        "runs": [run.pk for run in found.runs],
        "by": found.by,
        "bases": [run.pk for run in found.bases],
        "agreement": plain(found.heat.agreement) if found.heat else None,
        "tables": {name: plain(list(table.rows(found))) for name, table in TABLES.items()},
    }
