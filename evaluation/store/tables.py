"""The tables behind the charts of a run's page, and the report on its answers, from the columns of its file.

They are of the whole run, or of what some terms of a list select of it; made when asked for, and kept by the content
that they are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from evaluation.metrics.accuracy_gap import grounded_difference
from evaluation.metrics.chains import choices
from evaluation.metrics.columns import Bools, Floats, Ints, Quadrant
from evaluation.metrics.columns import Outcome as PlanOutcome
from evaluation.metrics.extraction import BLANK, NOT_ASKED, READ, Outcome, report_of
from evaluation.metrics.heatmap import COLUMNS, NO_CELL, crop_cells, heat_map, in_units
from evaluation.metrics.ragged import starts_of
from evaluation.metrics.reading import REASONS
from evaluation.metrics.repeats import OpenRollouts, Rollouts, repeated, rollout_statistics
from evaluation.metrics.selection import AMONG, QUADRANTS, open_of
from evaluation.metrics.slices import MOST_TARGETS, TARGETS
from evaluation.metrics.tables import coverage_curve, length_histogram, outcomes_by_targets, tool_distribution
from evaluation.metrics.thresholds import quadrant_intervals, quadrants_by_threshold, undecided_by_threshold
from evaluation.metrics.undecided import ENDS, Range, difference_range
from evaluation.models import Run
from evaluation.query.fields import READING_REASONS
from evaluation.store.chains import read_chains
from evaluation.store.snapshot import Snapshot
from evaluation.store.terms import query_of
from webapp.common.lru_cache import LRUCache

T = TypeVar("T")
Report = Mapping[str, Any]
Tables = Mapping[str, Any]
_TABLES: LRUCache[Tables] = LRUCache(128)
_REPORTS: LRUCache[Report | None] = LRUCache(512)
_REPORTS_BY: LRUCache[Mapping[str, Report]] = LRUCache(128)
_THRESHOLDS: LRUCache[Mapping[int, Ints]] = LRUCache(16)
_REASON = dict(zip(READING_REASONS, REASONS, strict=True))


def tables_of(snapshot: Snapshot, run: Run, terms: Mapping[str, str], *, canonical: bool) -> Tables:
    """Compute the tables, as JSON, of the trajectories of a run that metrics use and these terms list. Tables about
    single calls are None if the run changed since it was scored. ``canonical``: distinguish tools by canonical
    name."""

    def make() -> Tables:
        return _tables(snapshot, run, canonical=canonical)

    return _kept(_TABLES, snapshot, run, terms, make, canonical)


def report_on(snapshot: Snapshot, run: Run, terms: Mapping[str, str]) -> Report | None:
    """Return how the answers of the same trajectories were read; None if the run changed since it was scored."""
    return _kept(_REPORTS, snapshot, run, terms, lambda: _report(snapshot))


def reports_by(snapshot: Snapshot, run: Run, facet: str) -> Mapping[str, Report]:
    """The same of all trajectories of a run that metrics are made of, on each value of a facet."""
    return _kept(_REPORTS_BY, snapshot, run, {}, lambda: _reports_by(snapshot, facet), facet)


def _kept(
    kept: LRUCache[T], snapshot: Snapshot, run: Run, terms: Mapping[str, str], make: Callable[[], T], *more: Hashable
) -> T:
    where = snapshot.conditions.listed(query_of(terms))
    key = snapshot.key_of(where)

    def picked() -> T:
        _pick(snapshot, run, where)
        return make()

    return picked() if key is None else kept.get((key, run.pk, *more), picked)


def quadrants_of_runs(snapshot: Snapshot) -> Mapping[int, Ints]:
    """Return, by run, its quadrants at every threshold (``quadrants_by_threshold``). Runs without a population are
    omitted."""
    return _THRESHOLDS.get(snapshot.key_of("TRUE"), lambda: _quadrants_of_runs(snapshot))


def _quadrants_of_runs(snapshot: Snapshot) -> Mapping[int, Ints]:
    rows = snapshot.columns(
        "SELECT run, ioa, verdict = 'yes' AS correct FROM rows WHERE evaluated AND quadrant IS NOT NULL ORDER BY run"
    )
    ioa, correct = np.asarray(rows["ioa"], np.float64), np.asarray(rows["correct"], np.bool_)
    runs, begins = np.unique(rows["run"], return_index=True)
    parts = [np.split(column, begins[1:]) for column in (ioa, correct)]
    return {
        int(run): quadrants_by_threshold(one, right, np.ones(len(one), np.bool_))
        for run, one, right in zip(runs, *parts, strict=False)
    }


def _pick(snapshot: Snapshot, run: Run, where: str) -> None:
    """Define ``picked``: one row for each sample, with the properties of the sample."""
    one = f"run = {int(run.pk)} AND evaluated AND scored"
    snapshot.register("chosen", snapshot.columns(f"SELECT sample FROM rows WHERE {one} AND {where}"))
    snapshot.view(
        "picked",
        "SELECT c.*, samples.* EXCLUDE (sample) FROM contributions c JOIN samples USING (sample) "
        f"WHERE {one} AND sample IN (SELECT sample FROM chosen)",
    )
    snapshot.view(
        "rollouts",
        "SELECT rows.*, samples.cluster FROM rows JOIN samples USING (sample) "
        f"WHERE run = {int(run.pk)} AND condition = 'none' AND verdict IS NOT NULL "
        "AND sample IN (SELECT sample FROM chosen)",
    )


def _code(column: str, names: Sequence[str]) -> str:
    """A choice as its place in these names, -1 for none."""
    listed = ", ".join(f"'{name}'" for name in names)
    return f"coalesce(list_position([{listed}], {column}), 0) - 1 AS {column}"


_ENDS = tuple(f"{side}_{name}_{end}" for name in QUADRANTS for side in "nd" for end in ENDS)
_ROWS = f"""
SELECT sample, cluster, targets, coalesce(ioa, 0) AS ioa, coalesce(verdict = 'yes', FALSE) AS correct,
    {_code("quadrant", Quadrant.NAMES)}, {_code("outcome", PlanOutcome.NAMES)},
    verdict = 'undecided' AS undecided, coalesce(verdict = 'undecided' AND NOT counted, FALSE) AS left_out,
    {", ".join(_ENDS)},
    calls, effective_calls, coalesce(reference_calls, -1) AS reference_calls,
    coalesce({COLUMNS} * split_part(crop_cell, '-', 2)::INTEGER + split_part(crop_cell, '-', 1)::INTEGER, {NO_CELL})
        AS cell,
    call_tools IS NOT NULL AS known
FROM picked ORDER BY sample
"""


def _tables(snapshot: Snapshot, run: Run, *, canonical: bool) -> Tables:
    rows = snapshot.columns(_ROWS)
    quadrant, cluster = _ints(rows["quadrant"]), _ints(rows["cluster"])
    measured = np.asarray(rows["ioa"], np.float64), np.asarray(rows["correct"], np.bool_), quadrant != Quadrant.OUTSIDE
    lengths = [_ints(rows[name]) for name in ("calls", "effective_calls", "reference_calls")]
    outcomes = outcomes_by_targets(_ints(rows["outcome"]), _ints(rows["targets"]))
    found = rollout_statistics(*_rollouts(snapshot))
    known = bool(np.asarray(rows["known"], np.bool_).all())
    return {
        "lengths": [asdict(row) for row in length_histogram(*lengths)],
        "outcomes": {size: counts.tolist() for size, counts in outcomes.items()},
        "thresholds": quadrants_by_threshold(*measured).tolist(),
        "threshold_intervals": [[one and list(one) for one in four] for four in quadrant_intervals(*measured, cluster)],
        "thresholds_open": _open_thresholds(rows, *measured[::2]),
        "grounded_difference": asdict(grounded_difference(quadrant, cluster, _open_difference(rows))),
        "crop_cells": crop_cells(_ints(rows["cell"])).tolist(),
        "repeats": None if found is None else asdict(found),
        **(_of_calls(snapshot, run, canonical=canonical) if known else dict.fromkeys(OF_CALLS)),
    }


def _open_thresholds(rows: Mapping[str, NDArray[Any]], ioa: Floats, population: Bools) -> list[list[int]]:
    """At each threshold the undecided answers among the grounded and the ungrounded; none if they are omitted, because
    they have no IoA then."""
    if np.asarray(rows["left_out"], np.bool_).any():
        return []
    undecided = np.ma.filled(rows["undecided"], False).astype(np.bool_)
    found: list[list[int]] = undecided_by_threshold(ioa, undecided, population).tolist()
    return found


def _open_difference(rows: Mapping[str, NDArray[Any]]) -> Range:
    """The differences by grounding that undecided answers allow; none where rows changed since they were scored."""
    if any(np.ma.getmaskarray(rows[name]).any() for name in _ENDS):
        return None, None
    ends = {name: np.asarray(rows[name], np.float64) for name in _ENDS}
    grounded, ungrounded = (open_of(name, ends).range() for name in AMONG)
    return difference_range(ungrounded, grounded)


OF_CALLS = ("tools", "tool_choices", "tool_names", "coverage", "heat")
"""The tables about single calls."""


def _of_calls(snapshot: Snapshot, run: Run, *, canonical: bool) -> Tables:
    stored = read_chains(snapshot, [run.pk], ["calls"], samples=snapshot.columns("SELECT sample FROM chosen")["sample"])
    called = "call_tools" if canonical else "call_names"
    calls = snapshot.ask(f"SELECT name, count(*) FROM (SELECT unnest({called}) AS name FROM picked) GROUP BY 1")
    return {
        "tools": [asdict(row) for row in tool_distribution(dict(calls))],
        "tool_choices": [
            {name: getattr(row, name) for name in ("tool", "tp", "fp", "fn")} for row in choices(stored.chains, None)
        ],
        "tool_names": {tool: list(names) for tool, names in stored.called.items()},
        **_looked_at(snapshot),
    }


ON_AREAS = "call_coverage IS NOT NULL AND len(gold_boxes) > 0"


def _looked_at(snapshot: Snapshot) -> Tables:
    """The share of the gold that is visible after each call, and the places of crops, for scorable trajectories whose
    gold has an area: a share of points is none of an area."""
    rows = snapshot.columns(
        "SELECT width, height, len(call_coverage) AS calls, len(crop_boxes) // 4 AS crops, "
        f"len(gold_boxes) // 4 AS golds FROM picked WHERE {ON_AREAS} ORDER BY sample"
    )
    size = np.stack([np.ma.filled(rows[name].astype(np.float64), np.nan) for name in ("width", "height")], axis=1)
    start = starts_of(_ints(rows["calls"]))
    seen = coverage_curve(_flat(snapshot, "call_coverage"), start, np.ones(len(size), np.bool_))
    crops, golds = (
        in_units(_flat(snapshot, column).reshape(-1, 4), np.repeat(size, _ints(rows[counts]), axis=0))
        for column, counts in (("crop_boxes", "crops"), ("gold_boxes", "golds"))
    )
    heat = heat_map(crops, golds, len(size))
    return {
        "coverage": seen.tolist(),
        "heat": None if heat is None else asdict(heat) | {"difference": heat.difference.round(6).tolist()},
    }


def _flat(snapshot: Snapshot, column: str) -> Floats:
    """The numbers of a list of each scorable trajectory, one after the other."""
    found = snapshot.columns(
        f"SELECT value FROM (SELECT sample, generate_subscripts({column}, 1) AS place, unnest({column}) AS value "
        f"FROM picked WHERE {ON_AREAS}) ORDER BY sample, place"
    )
    return np.asarray(found["value"], np.float64)


def _rollouts(snapshot: Snapshot) -> tuple[Rollouts, OpenRollouts]:
    """Return the rollouts that count, of samples with several of them, and all rollouts with a known verdict."""
    rows = snapshot.columns(
        "SELECT sample, verdict = 'yes' AS correct, verdict = 'undecided' AS undecided, counted, evaluated, cluster "
        "FROM rollouts ORDER BY sample, rollout, pk"
    )
    sample, cluster = _ints(rows["sample"]), _ints(rows["cluster"])
    right, undecided = (np.asarray(rows[name], np.float64) for name in ("correct", "undecided"))
    counted, first = (np.asarray(rows[name], np.bool_) for name in ("counted", "evaluated"))
    found = Rollouts(sample[counted], right[counted], first[counted], cluster[counted])
    return repeated(found), OpenRollouts(sample, right, right + undecided, first)


_READ_AS = (
    "answer_state", "reading_where", "reading_rule", "reading_class", "unread_reason", "reading_flags",
    "file_verdict", "reading_correct", "unread_text",
)  # fmt: skip


def _report(snapshot: Snapshot) -> Report | None:
    rows = snapshot.ask(f"SELECT {', '.join(_READ_AS)}, count(*) FROM picked GROUP BY ALL")
    return None if any(row[0] is None for row in rows) else report_of(_counted(row) for row in rows)


def _reports_by(snapshot: Snapshot, facet: str) -> Mapping[str, Report]:
    """A facet of the samples, or the computed one of their plans."""
    source, name = "picked JOIN facets USING (sample)", f"name = {snapshot.conditions.arg(facet)}"
    value = "value"
    if facet == TARGETS and facet not in snapshot.facets:
        most = f"WHEN targets >= {MOST_TARGETS} THEN '{MOST_TARGETS}+'"
        source, name, value = "picked", "targets > 0", f"CASE {most} ELSE targets::VARCHAR END"
    rows = snapshot.ask(
        f"SELECT {value}, {', '.join(_READ_AS)}, count(*) FROM {source} WHERE {name} GROUP BY ALL ORDER BY 1"
    )
    if any(row[1] is None for row in rows):
        return {}
    parts: dict[str, list[tuple[Outcome, str, int]]] = {}
    for of, *row in rows:
        parts.setdefault(of, []).append(_counted(row))
    return {of: report_of(part) for of, part in parts.items()}


def _counted(row: Sequence[Any]) -> tuple[Outcome, str, int]:
    """An outcome of answers, the undecided text, and the number of answers."""
    state, where, rule, strength, reason, flags, file, reading, text, n = row
    if state in (NOT_ASKED, BLANK):
        return Outcome(state), "", n
    both = state == READ and file is not None and reading is not None
    said = where or "", rule or "", strength or "", _REASON.get(reason, ""), tuple(flags)
    return Outcome(state, *said, both, both and file == reading), text or "", n


def _ints(values: NDArray[Any]) -> Ints:
    found: Ints = np.asarray(values, np.int64)
    return found
