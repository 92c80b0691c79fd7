"""The columns that lists of trajectories are filtered and counted by: made from the rows of a run when it is scored,
kept with its scores, and taken away when something is imported into the run."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.metrics.settings import MetricSettings
from evaluation.models import ListColumn, ListValue, Run, Scoring, Trajectory
from evaluation.query.masks import UNSCORED
from webapp.common.bulk import bare, insert_rows

Arrays = dict[str, NDArray[Any]]
Written = Mapping[str, Sequence[Any]]
"""The scores of some trajectories by field, ``trajectory`` among them, as ``save_scores`` wrote them."""
CHUNK = 5000
SIDES = (" above", " below")
"""Ends of the names of columns that hold what a trajectory adds to a metric: numerator and denominator."""
CONDITIONS = "conditions"
"""The column that holds names, as JSON; all others hold numbers."""
_OWN = ("pk", "sample_id", "rollout", "usd", "seconds", "input_tokens", "output_tokens")
_FLOATS = (
    "usd", "seconds", "input_tokens", "output_tokens", "coverage", "concentration", "ioa", "iou",
    "union_coverage", "zoom_factor",    "cropped_region_size", "kendall_tau",
)  # fmt: skip
_COUNTS = (
    "usable_crops", "calls", "unique_tools", "effective_calls", "reference_calls", "edit_distance", "plan_missing",
    "plan_extra", "plan_prefix",
)  # fmt: skip
_FLAGS = {
    "undecided": "undecided", "unread": "unread", "unanswered": "missing_answer", "population": "in_population",
    "grounded": "grounded", "zoomed": "invoked", "evidence": "visual_evidence", "center_hit": "center_hit",
}  # fmt: skip
_CODES = {
    "quadrant": "quadrant", "outcome": "plan_outcome", "failure": "failure", "chain_status": "chain_status",
    "reading_where": "reading_where", "reading_rule": "reading_rule", "reading_class": "reading_class",
    "unread_reason": "unread_reason",
}  # fmt: skip
_SCORED = (*_FLOATS[4:], *_COUNTS, *_CODES.values(), "unusable_crops")
_TRUTHS = (*_FLAGS.values(), "correct")


def build_columns(run: Run, settings: MetricSettings, written: Sequence[Written] | None = None) -> Arrays:
    """The columns of all trajectories of a run, from their rows. One query.

    ``written``: the scores of the run where they were just written; read where it is None.
    """
    own = [*_OWN, "condition", "error"]
    names = own if written is not None else [*own, *_SCORED, *_TRUTHS]
    fields = [name if name in own else bare(f"score__{name}") for name in names]
    rows = Trajectory.objects.filter(run=run).order_by("pk").values_list(*fields).iterator(chunk_size=CHUNK)
    of = dict(zip(names, list(zip(*rows, strict=True)) or [()] * len(names), strict=True))
    conditions = ("none", *sorted(set(of["condition"]) - {"none"}))
    found: Arrays = {
        "pk": np.array(of["pk"], np.int64),
        "sample": np.array(of["sample_id"], np.int64),
        "rollout": np.array(of["rollout"], np.int32),
        "condition": np.array([conditions.index(name) for name in of["condition"]], np.int8),
        "failed": np.array([bool(error) for error in of["error"]], np.int8),
        CONDITIONS: np.frombuffer(json.dumps(conditions).encode(), np.uint8),
    }
    score = _numbered(of) if written is None else _placed(found["pk"], written)
    scored = score["calls"] >= 0
    found["scored"] = scored.astype(np.int8)
    found |= {name: _numbers(of[name]) for name in _FLOATS[:4]} | {name: score[name] for name in _FLOATS[4:]}
    found |= {name: _or_else(-1, score[name], np.int32) for name in _COUNTS}
    found |= {name: _or_else(-1, score[path]) for name, path in _FLAGS.items()}
    found |= {name: _or_else(UNSCORED, score[path]) for name, path in _CODES.items()}
    unusable = _or_else(-1, score["unusable_crops"], np.int32)
    found["unusable"] = np.minimum(unusable, 1).astype(np.int8)
    return found | _derived(found, _or_else(-1, score["correct"]), scored, settings)


def _numbered(of: Mapping[str, Sequence[float | None]]) -> dict[str, NDArray[np.float64]]:
    return {name: _numbers(of[name]) for name in (*_SCORED, *_TRUTHS)}


def _placed(pks: NDArray[np.int64], written: Sequence[Written]) -> dict[str, NDArray[np.float64]]:
    """Scores in the order of the trajectories ``pks``, NaN for those without."""
    order = np.argsort(pks)
    of = [np.array(part["trajectory"], np.int64) for part in written]
    places = order[np.searchsorted(pks, np.concatenate([*of, order[:0]]), sorter=order)]
    found = {name: np.full(len(pks), np.nan) for name in (*_SCORED, *_TRUTHS)}
    for name, values in found.items():
        values[places] = np.concatenate([*(_numbers(part[name]) for part in written), places[:0]])
    return found


def _numbers(values: Sequence[float | None]) -> NDArray[np.float64]:
    """NaN where there is none."""
    return np.array(values, np.float64)


def _or_else(missing: int, numbers: NDArray[np.float64], kind: type[np.integer[Any]] = np.int8) -> NDArray[Any]:
    """Whole numbers and truths, ``missing`` where there is none."""
    return np.where(np.isnan(numbers), missing, numbers).astype(kind)


def _derived(
    found: Mapping[str, NDArray[Any]], correct: NDArray[np.int8], scored: NDArray[np.bool_], settings: MetricSettings
) -> Arrays:
    """What follows from the others: verdicts with "undecided", "undefined" and "not scored" told apart, and who metrics
    are made of."""
    verdict = np.where(found["undecided"] == 1, 2, correct)
    left_out = (found["undecided"] == 1) & (settings.undecided_answer == "exclude")
    return {
        "correct": np.where(scored, verdict, UNSCORED).astype(np.int8),
        "right": np.where(scored & (verdict >= 0), correct == 1, -1).astype(np.int8),
        "wrong": (scored & ((verdict == 0) | (verdict == 2)) & ~left_out).astype(np.int8),
        "reference": np.where(scored, found["reference_calls"] >= 0, -1).astype(np.int8),
        "planned": np.where(scored, found["outcome"] >= 0, -1).astype(np.int8),
        "evaluated": _lowest(found["sample"], found["rollout"], found["condition"] == 0).astype(np.int8),
    }


def _lowest(sample: NDArray[Any], rollout: NDArray[Any], plain: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Without an intervention, the lowest rollout of its sample: see ``TrajectoryQuerySet.evaluated``."""
    order = np.lexsort((rollout, ~plain, sample))
    first = np.ones(len(order), np.bool_)
    first[1:] = sample[order][1:] != sample[order][:-1]
    lowest = np.zeros(len(order), np.bool_)
    lowest[order] = first
    return lowest & plain


def keep_columns(
    scoring: Scoring,
    pks: Sequence[int] = (),
    added: Mapping[str, NDArray[Any]] | None = None,
    written: Sequence[Written] | None = None,
) -> NDArray[np.int64]:
    """Store the columns of a run beside its scores; the trajectories in their order. Call in the transaction that wrote
    the scores.

    ``added``: of ``added_columns``, of the trajectories ``pks``. ``written``: of ``build_columns``.
    """
    found = build_columns(scoring.run, MetricSettings.from_mapping(scoring.settings), written)
    order = np.argsort(found["pk"])
    places = order[np.searchsorted(found["pk"], np.array(pks, np.int64), sorter=order)] if len(pks) else order[:0]
    for name, values in (added or {}).items():
        found[name] = np.zeros(len(order), values.dtype)
        found[name][places] = values
    rows = [(scoring.pk, name, values.dtype.str, values.tobytes()) for name, values in found.items()]
    insert_rows(ListColumn, ["scoring", "name", "kind", "data"], rows)
    order_of: NDArray[np.int64] = found["pk"]
    return order_of


def added_columns(measures: Iterable[tuple[str, NDArray[np.float64], NDArray[np.float64]]]) -> Arrays:
    """What each trajectory adds to metrics, numerator and denominator, as columns: small whole numbers as such, and
    nothing where all are 0, as what a run does not have is."""
    found: Arrays = {}
    for name, *sides in measures:
        for side, values in zip(SIDES, sides, strict=True):
            with np.errstate(invalid="ignore"):
                small = values.astype(np.int8)
            if not (small == values).all():
                found[f"{name}{side}"] = values.copy()
            elif small.any():
                found[f"{name}{side}"] = small
    return found


def forget_columns(runs: Collection[int]) -> None:
    """The trajectories of these runs change. Call in the transaction that changes them."""
    ListColumn.objects.filter(scoring__run__in=runs).delete()
    ListValue.objects.filter(scoring__run__in=runs).delete()


def with_columns(scorings: Collection[int]) -> set[int]:
    """Those whose columns are kept. One query."""
    return set(ListColumn.objects.filter(scoring__in=scorings, name="pk").values_list("scoring_id", flat=True))


def read_columns(scorings: Collection[int], names: Collection[str]) -> dict[int, Arrays]:
    """Kept columns by scoring. One query."""
    found: dict[int, Arrays] = {scoring: {} for scoring in scorings}
    rows = ListColumn.objects.filter(scoring__in=scorings, name__in=names)
    for scoring, name, kind, data in rows.values_list("scoring_id", "name", "kind", "data").iterator(chunk_size=100):
        found[scoring][name] = np.frombuffer(data, np.dtype(kind))
    return found
