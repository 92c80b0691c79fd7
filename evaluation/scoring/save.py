"""The results of scoring in the format of the store, and metrics as database rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.metrics.chains import Chains, confusion_words, transition_words
from evaluation.metrics.columns import Bools, MetricRow, ScoreColumns
from evaluation.metrics.failures import failures_of
from evaluation.metrics.reading import REASONS
from evaluation.models import Metric, Scoring
from evaluation.scoring.load.columns import LoadedRun
from evaluation.store.build import CHOICES, NUMBERS, Written
from evaluation.store.schema import MEASURES
from webapp.common.bulk import as_json, insert_rows

LONGEST_READING = 200
_WORDS = ("reading_where", "reading_rule", "reading_class")
"""Choices stored as texts among the columns, "" for none."""


def written_scores(loaded: LoadedRun, scores: ScoreColumns, chains: Chains, copied: Bools) -> Written:
    """The scores of some trajectories by the names of the store. ``copied``: of ``copied_results``."""
    placed = {f"crop_{corner}": scores.crop_box[:, at] for at, corner in enumerate(("x1", "y1", "x2", "y2"))}
    placed["crop_index"] = _positions(loaded, scores)
    codes = {
        "quadrant": scores.quadrant, "outcome": scores.plan_outcome, "chain_status": scores.chain_status,
        "verdict_by": scores.verdict_by, "failure": failures_of(scores, copied),
        "no_grounding": scores.no_grounding,
    }  # fmt: skip
    words = {name: _objects(word or None for word in getattr(scores, name)) for name in _WORDS}
    reasons: Mapping[str, str] = dict(zip(REASONS, CHOICES["unread_reason"], strict=True))
    return {
        "pk": np.array(loaded.pks, np.int64),
        **{
            name: placed[name] if name in placed else _number(getattr(scores, MEASURES.get(name, name)))
            for name in NUMBERS
        },
        **{name: _named(values, CHOICES[name]) for name, values in codes.items()},
        **words,
        "unread_reason": _objects(reasons.get(word) for word in scores.unread_reason),
        "reading": _objects(text[:LONGEST_READING] for text in scores.letter),
        "reading_flags": _objects(scores.reading_flags),
        "answer_group": _objects(scores.answer_group),
        "aligned": _objects(confusion_words(chains)),
        "followed": _objects(transition_words(chains)),
    }


def _number(values: NDArray[Any]) -> NDArray[np.float64]:
    """NaN where a whole number or a truth value is undefined (-1)."""
    if values.dtype.kind == "f":
        return values
    return np.where(values < 0, np.nan, values)


def _named(codes: NDArray[np.int64], names: Sequence[str]) -> NDArray[Any]:
    found: NDArray[Any] = np.array([*names, None], np.object_)[np.where(codes < 0, len(names), codes)]
    return found


def _objects(values: Any) -> NDArray[Any]:
    return np.array(list(values), np.object_)


def _positions(loaded: LoadedRun, scores: ScoreColumns) -> NDArray[np.float64]:
    """The step position that ``crop_index`` means; steps after the answer are not in the columns."""
    index = scores.crop_index
    rows = np.flatnonzero(index >= 0)
    positions = np.full(len(index), np.nan)
    positions[rows] = loaded.positions[loaded.columns.step_start[rows] + index[rows]]
    return positions


def save_metrics(scoring: Scoring, rows: Sequence[MetricRow]) -> None:
    """One Metric row per metric and slice."""
    insert_rows(
        Metric,
        ["scoring", "metric", "slice_by", "slice", "value", "n", "numerator", "ci_low", "ci_high", "ci_method",
         "p_value", "detail"],
        [
            (scoring.pk, r.metric, r.slice_by, r.slice[:200], r.value, r.n, r.numerator, r.ci_low, r.ci_high,
             r.ci_method, r.p_value, as_json(dict(r.detail)))
            for r in rows
        ],
    )  # fmt: skip
