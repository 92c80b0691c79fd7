"""Writing what scoring computed: one row per trajectory, one per metric and slice. Old rows of the run go first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.metrics.chains import Chains, confusion_words, transition_words
from evaluation.metrics.columns import UNKNOWN, MetricRow, ScoreColumns
from evaluation.metrics.failures import failures_of
from evaluation.metrics.reading import CLASSES, REASONS, RULES, WHERES
from evaluation.models import Metric, Score, Scoring
from evaluation.scoring.load.columns import LoadedRun
from evaluation.store.build import Written
from webapp.common.bulk import as_json, insert_rows

BATCH = 20_000

_TRUTHS = ("undecided", "unread", "missing_answer", "invoked", "in_population", "visual_evidence")
_THREE_VALUED = ("correct", "file_verdict", "reading_correct", "grounded", "center_hit", "plan_in_order")
_FLOATS = (
    "coverage",
    "concentration",
    "ioa",
    "iou",
    "union_coverage",
    "zoom_factor",
    "cropped_region_size",
    "kendall_tau",
)
_COUNTS = ("reference_chain", "reference_calls", "edit_distance", "lcs", "plan_missing", "plan_extra", "plan_prefix")
"""Whole numbers that may be undefined (-1 in the columns)."""
_ALWAYS = (
    "quadrant", "usable_crops", "unusable_crops", "calls", "unique_tools", "effective_calls",
    "effective_unique_tools", "chain_status", "plan_outcome", "verdict_by",
)  # fmt: skip
_NAMED = {"reading_where": WHERES, "reading_rule": RULES, "reading_class": CLASSES, "unread_reason": REASONS}
"""Words that are stored as their places in a list, -1 where there is none."""
_TEXTS = ("reading_flags", "answer_group")
_FIELDS = [
    "trajectory", "scoring", "letter", "crop_index", "crop_x1", "crop_y1", "crop_x2", "crop_y2",
    *_TRUTHS, *_THREE_VALUED, *_FLOATS, *_COUNTS, *_ALWAYS, *_NAMED, *_TEXTS, "failure", "aligned", "followed",
]  # fmt: skip


def save_scores(scoring: Scoring, loaded: LoadedRun, scores: ScoreColumns, chains: Chains) -> Written:
    """One Score row per trajectory. Returns what was written, field by field."""
    columns = [*_columns(scoring, loaded, scores), confusion_words(chains), transition_words(chains)]
    for first in range(0, len(scores), BATCH):
        insert_rows(Score, _FIELDS, zip(*(column[first : first + BATCH] for column in columns), strict=True))
    return dict(zip(_FIELDS, columns, strict=True))


def _columns(scoring: Scoring, loaded: LoadedRun, scores: ScoreColumns) -> Iterator[Sequence[Any]]:
    yield loaded.pks
    yield [scoring.pk] * len(scores)
    yield [letter[:200] for letter in scores.letter]
    yield _positions(loaded, scores)
    for corner in range(4):
        yield _or_null(scores.crop_box[:, corner])
    # Truths are 0 and 1: SQLite's driver looks for an adapter for every True.
    for name in _TRUTHS:
        yield getattr(scores, name).astype(np.int8).tolist()
    for name in _THREE_VALUED:
        yield [None if value == UNKNOWN else value for value in getattr(scores, name).tolist()]
    for name in _FLOATS:
        yield _or_null(getattr(scores, name))
    for name in _COUNTS:
        yield [None if value < 0 else value for value in getattr(scores, name).tolist()]
    for name in _ALWAYS:
        yield getattr(scores, name).tolist()
    for name, words in _NAMED.items():
        places = {word: place for place, word in enumerate(words)}
        yield [places.get(word, -1) for word in getattr(scores, name)]
    for name in _TEXTS:
        yield list(getattr(scores, name))
    yield failures_of(scores).tolist()


def _positions(loaded: LoadedRun, scores: ScoreColumns) -> list[int | None]:
    """The step position that ``crop_index`` means; steps after the answer are not in the columns."""
    index = scores.crop_index
    rows = np.flatnonzero(index >= 0)
    positions: list[int | None] = [None] * len(index)
    for row in rows.tolist():
        positions[row] = int(loaded.positions[loaded.columns.step_start[row] + index[row]])
    return positions


def _or_null(values: NDArray[np.float64]) -> list[float | None]:
    return [None if value != value else value for value in values.tolist()]


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
