"""Agreement of annotators, or of a judge and people, on labels and on boxes.

Labels are codes 0..q−1 with −1 for "missing". Every coefficient is a function of a q × q table summed over items, so
its interval is a cluster bootstrap of those tables. An undefined coefficient is None, never 1. Source:
docs/metrics.md#statistics, #judges.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.regions import has_outlines, overlap
from annotation.schema import AnswerType, Box, SampleContent
from annotation.statistics import Z95, Floats, Interval, Ints, bootstrap_interval, cluster_totals, wilson

MISSING = -1
CANNOT = "\0"
"""The answer for an unanswerable question. No text has this character."""


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One measure of agreement: its value (None = undefined), the items it is based on, its 95% interval."""

    value: float | None
    n: int
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two raters on the same items: raw agreement po, Cohen's kappa, Gwet's AC1, Krippendorff's alpha, the q × q table
    (rows: first rater) behind them, and how many items lacked a label of either."""

    raw: Coefficient
    kappa: Coefficient
    ac1: Coefficient
    alpha: Coefficient
    table: tuple[tuple[int, ...], ...]
    missing: int


@dataclass(frozen=True, slots=True)
class Chance:
    """The observed agreement in a table of two raters, and the chance agreement that kappa and AC1 each expect: shares
    of the items, 0..1.
    """

    observed: float
    kappa: float
    ac1: float


@dataclass(frozen=True, slots=True)
class JudgeQuality:
    """A judge as a test against people: share of true cases it calls true, and of false cases it calls false."""

    sensitivity: Coefficient
    specificity: Coefficient


@dataclass(frozen=True, slots=True)
class BoxAgreement:
    """Two sets of boxes as regions (overlaps counted once): IoU, and the shared part of each. All 0..1."""

    iou: float
    ioa_first: float
    ioa_second: float


def agree(first: Ints, second: Ints, categories: int, cluster: Ints | None = None) -> Agreement:
    """Agreement of two raters. ``first``, ``second``: (n,) codes 0..categories−1 or −1; ``cluster``: (n,) codes of what
    is resampled as one (default: every item alone). Items without both labels count in ``missing`` only.

    Raises ``ValueError`` on a code outside −1..categories−1.
    """
    labels = np.column_stack([first, second])
    kept = (labels != MISSING).all(axis=1)
    tables = _pair_tables(labels[kept], categories)
    groups = (np.arange(len(labels)) if cluster is None else cluster)[kept]
    total = tables.sum(axis=0).reshape(categories, categories)
    n = int(kept.sum())
    return Agreement(
        raw=_coefficient(tables, groups, _raw, n),
        kappa=_coefficient(tables, groups, _kappa, n),
        ac1=_coefficient(tables, groups, _ac1, n),
        alpha=krippendorff_alpha(labels, categories, cluster),
        table=tuple(tuple(int(v) for v in row) for row in total),
        missing=int((~kept).sum()),
    )


def chance(table: Sequence[Sequence[int]]) -> Chance | None:
    """Raw agreement po of a q × q table, and the pe of kappa and of AC1; None without items or with one category.

    Example: 46, 1 / 2, 1 of 50: po .94, kappa expects .905, AC1 .095.
    """
    flat = np.asarray([[float(count) for row in table for count in row]])
    if len(table) < 2 or not flat.sum():
        return None
    shares = _square(flat)
    return Chance(float(_raw(flat)[0]), float(_kappa_chance(shares)[0]), float(_ac1_chance(shares)[0]))


def one_against_rest(codes: Ints, category: int) -> Ints:
    """(n,) codes as 0 (this category), 1 (any other) or −1 (missing)."""
    return np.where(codes == MISSING, MISSING, (codes != category).astype(np.int64))


def same_answer(first: SampleContent, second: SampleContent) -> bool | None:
    """Whether two contents share an accepted answer, apart from case and spaces; None when either has none.

    A chosen letter counts as the text of its option, since two people may have ordered their options differently.
    "Unanswerable" is a separate answer, for any reason.
    """
    said, heard = answer_texts(first), answer_texts(second)
    return bool(said & heard) if said and heard else None


def answer_texts(content: SampleContent) -> set[str]:
    """The accepted answers in lower case with single spaces; a letter as the text of its option, and ``CANNOT`` where
    the question cannot be answered."""
    if content.unanswerable is not None:
        return {CANNOT}
    chosen = content.answer_type is AnswerType.MULTIPLE_CHOICE
    texts = [content.options.get(answer, answer) if chosen else answer for answer in content.answers]
    return {plain for text in texts if (plain := " ".join(text.casefold().split()))}


def cohen_kappa(first: Ints, second: Ints, categories: int) -> float | None:
    """(po − pe) / (1 − pe), at most 1; None without items or when pe = 1.

    Example: 10 items, 8 agree, both raters 5 yes: po .8, pe .5, kappa .6.
    """
    return agree(first, second, categories).kappa.value


def krippendorff_alpha(labels: Ints, categories: int, cluster: Ints | None = None) -> Coefficient:
    """Krippendorff's nominal alpha, 1 − Do / De, of ``labels`` (items, raters) with −1 for missing.

    Items with fewer than two labels are omitted. Undefined (None) without a pair or when all labels are equal.
    """
    kept = (labels != MISSING).sum(axis=1) >= 2
    counts = _label_counts(labels[kept], categories)
    size = np.maximum(counts.sum(axis=1) - 1, 1)[:, None, None]
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(categories)
    tables = (pairs / size).reshape(len(counts), -1)
    groups = (np.arange(len(labels)) if cluster is None else cluster)[kept]
    return _coefficient(tables, groups, _alpha, len(counts))


def judge_quality(judge: Ints, people: Ints) -> JudgeQuality:
    """Sensitivity and specificity with Wilson intervals of ``judge`` against ``people``, (n,) codes 1, 0 or −1."""
    both = (judge != MISSING) & (people != MISSING)

    def rate(label: int) -> Coefficient:
        n = int((both & (people == label)).sum())
        hits = int((both & (people == label) & (judge == label)).sum())
        return Coefficient(hits / n if n else None, n, wilson(hits, n))

    return JudgeQuality(rate(1), rate(0))


def corrected_rate(yes: int, n: int, quality: JudgeQuality) -> Coefficient:
    """Return the rate people would find, from a judge's rate ``yes / n`` and its quality: Rogan-Gladen, clipped to
    0..1.

    (p + TNR − 1) / (TPR + TNR − 1), with TPR the sensitivity and TNR the specificity. None where the judge is no better
    than chance (TPR + TNR ≤ 1), where either is undefined, or without items. The interval is that of Lang and Reiczigel
    (2014), which carries the uncertainty of all three rates. Example: 60 of 100, TPR .9, TNR .8: .4 / .7 = .571.
    """
    tpr, tnr = quality.sensitivity, quality.specificity
    if not n or tpr.value is None or tnr.value is None or tpr.value + tnr.value <= 1:
        return Coefficient(None, n)
    value = _rogan_gladen(yes / n, tpr.value, tnr.value)
    more = Z95 * Z95
    p, a, b = (yes + more / 2) / (n + more), _plus_one(tpr), _plus_one(tnr)
    if a + b <= 1:
        return Coefficient(min(max(value, 0.0), 1.0), n)
    middle = _rogan_gladen(p, a, b)
    of_a, of_b = a * (1 - a) / tpr.n, b * (1 - b) / tnr.n
    shift = 2 * more * (middle * of_a - (1 - middle) * of_b)
    half = Z95 * math.sqrt(p * (1 - p) / (n + more) + middle**2 * of_a + (1 - middle) ** 2 * of_b) / (a + b - 1)
    low, high = (min(max(middle + shift + side * half, 0.0), 1.0) for side in (-1, 1))
    return Coefficient(min(max(value, 0.0), 1.0), n, Interval(low, high, "lang-reiczigel"))


def _rogan_gladen(rate: float, sensitivity: float, specificity: float) -> float:
    return (rate + specificity - 1) / (sensitivity + specificity - 1)


def _plus_one(rate: Coefficient) -> float:
    """A rate with one success and one failure more, so that 0 and 1 are not taken for certain."""
    return ((rate.value or 0.0) * rate.n + 1) / (rate.n + 2)


def box_agreement(first: Sequence[Box], second: Sequence[Box]) -> BoxAgreement | None:
    """IoU and IoA of two people's evidence as regions: |A∩B| over |A∪B|, |A| and |B|; None when either set is empty.
    Polygons count by their areas, and a point as the square around it (``annotation.regions``)."""
    if not first or not second:
        return None
    if has_outlines((*first, *second)):
        shared, one, other = overlap(first, second)
        return BoxAgreement(shared / (one + other - shared), shared / one, shared / other) if one and other else None
    if len(first) == len(second) == 1:
        return _two_boxes(first[0], second[0])
    xs = np.unique([v for box in (*first, *second) for v in (box.x1, box.x2)])
    ys = np.unique([v for box in (*first, *second) for v in (box.y1, box.y2)])
    area = np.diff(ys)[:, None] * np.diff(xs)[None, :]
    a, b = _covered(first, xs, ys), _covered(second, xs, ys)
    shared = float(area[a & b].sum())
    return BoxAgreement(shared / float(area[a | b].sum()), shared / float(area[a].sum()), shared / float(area[b].sum()))


def _two_boxes(first: Box, second: Box) -> BoxAgreement:
    """The usual case, without a grid."""
    across = max(0.0, min(first.x2, second.x2) - max(first.x1, second.x1))
    shared = across * max(0.0, min(first.y2, second.y2) - max(first.y1, second.y1))
    return BoxAgreement(shared / (first.area + second.area - shared), shared / first.area, shared / second.area)


def _covered(boxes: Sequence[Box], xs: Floats, ys: Floats) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Return which cells of the grid of all box edges are in one of ``boxes``."""
    cells = np.zeros((len(ys) - 1, len(xs) - 1), dtype=np.bool_)
    for box in boxes:
        left, right = np.searchsorted(xs, (box.x1, box.x2))
        top, bottom = np.searchsorted(ys, (box.y1, box.y2))
        cells[top:bottom, left:right] = True
    return cells


def _label_counts(labels: Ints, categories: int) -> Floats:
    """Return how often each category was given to each item, as (items, categories)."""
    if labels.size and (labels.max() >= categories or labels.min() < MISSING):
        raise ValueError(f"Labels must be codes from -1 to {categories - 1}.")
    return np.asarray((labels[:, :, None] == np.arange(categories)).sum(axis=1), dtype=np.float64)


def _pair_tables(labels: Ints, categories: int) -> Floats:
    """One q × q table with a single 1 for each item, flattened: (items, q²)."""
    _label_counts(labels, categories)
    return np.asarray(np.eye(categories * categories)[labels[:, 0] * categories + labels[:, 1]])


def _coefficient(tables: Floats, cluster: Ints, measure: Callable[[Floats], Floats], n: int) -> Coefficient:
    value = float(measure(tables.sum(axis=0, keepdims=True))[0])
    if not np.isfinite(value):
        return Coefficient(None, n)
    return Coefficient(value, n, bootstrap_interval(cluster_totals(tables, cluster), measure))


def _square(tables: Floats) -> Floats:
    """Tables (draws, q²) as shares (draws, q, q); NaN where a table is empty."""
    side = round(tables.shape[1] ** 0.5)
    total = tables.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(tables.reshape(-1, side, side) / total[:, None, None])


def _raw(tables: Floats) -> Floats:
    return np.asarray(np.trace(_square(tables), axis1=1, axis2=2))


def _chance_corrected(observed: Floats, expected: Floats) -> Floats:
    """(po − pe) / (1 − pe), NaN where pe is 1."""
    room = np.where(np.isclose(expected, 1.0, rtol=0, atol=1e-12), np.nan, 1 - expected)
    return np.asarray((observed - expected) / room)


def _kappa(tables: Floats) -> Floats:
    return _chance_corrected(_raw(tables), _kappa_chance(_square(tables)))


def _kappa_chance(shares: Floats) -> Floats:
    """Σ of the products of the two raters' shares of each category, of tables (draws, q, q)."""
    return np.asarray((shares.sum(axis=2) * shares.sum(axis=1)).sum(axis=1))


def _ac1(tables: Floats) -> Floats:
    shares = _square(tables)
    if shares.shape[1] < 2:
        return np.full(len(tables), np.nan)
    return _chance_corrected(_raw(tables), _ac1_chance(shares))


def _ac1_chance(shares: Floats) -> Floats:
    """Σ π_c (1 − π_c) / (q − 1), π_c the mean share of category c, of tables (draws, q, q)."""
    prevalence = (shares.sum(axis=2) + shares.sum(axis=1)) / 2
    return np.asarray((prevalence * (1 - prevalence)).sum(axis=1) / (shares.shape[1] - 1))


def _alpha(tables: Floats) -> Floats:
    """1 − Do / De from coincidence tables (draws, q²): De = 1 − Σ n_c (n_c − 1) / (n (n − 1))."""
    n = tables.sum(axis=1)
    margin = _square(tables).sum(axis=2) * n[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = 1 - (margin * (margin - 1)).sum(axis=1) / (n * (n - 1))
        disagreement = np.where(expected > 1e-12, (1 - _raw(tables)) / expected, np.nan)
    return np.asarray(1 - disagreement)
