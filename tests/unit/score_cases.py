"""Scores made directly as columns, for tests of aggregation: a few by hand, or many at random that fit together."""

from __future__ import annotations

from typing import Any

import numpy as np

from annotation.schema import Target, ToolPlan
from evaluation.metrics.columns import AnswerKey, Outcome, SampleColumns, ScoreColumns

LETTERS = AnswerKey(multiple_choice=True, options={"A": "black", "B": "white"}, accepted=("A",))


def make_samples(count: int, **columns: Any) -> SampleColumns:
    """``count`` multiple-choice samples, each its own cluster, without references or plans unless given."""
    given: dict[str, Any] = {
        "keys": [f"s{i}" for i in range(count)],
        "size": np.full((count, 2), 100.0),
        "cluster": np.arange(count),
        "gold_start": np.zeros(count + 1, np.int64),
        "gold_boxes": np.zeros((0, 4)),
        "answers": [LETTERS] * count,
        "references": [None] * count,
        "plans": [ToolPlan()] * count,
    }
    return SampleColumns(**(given | columns))


TEXTS = ("letter", "reading_where", "reading_rule", "reading_class", "reading_flags", "unread_reason", "answer_group")


def make_scores(count: int, **columns: Any) -> ScoreColumns:
    """``count`` trajectories of samples 0, 1, ..., wrong, without calls, crops or plans unless given."""
    flags = ("undecided", "unread", "missing_answer", "invoked", "in_population", "scorable", "grounded")
    flags += ("visual_evidence", "failed")
    zeros = ("correct", "usable_crops", "unusable_crops", "calls", "unique_tools", "effective_calls")
    zeros += ("effective_unique_tools", "chain_status", "verdict_by")
    unknown = ("quadrant", "crop_index", "center_hit", "reference_chain", "edit_distance", "lcs", "plan_outcome")
    unknown += (
        "file_verdict",
        "reading_correct",
        "reference_calls",
        "plan_missing",
        "plan_extra",
        "plan_in_order",
        "plan_prefix",
        "plan_omitted",
        "plan_unrecognized",
        "plan_in_scene",
        "plan_repeated",
        "plan_hallucinated",
        "no_grounding",
    )
    floats = (
        "coverage",
        "concentration",
        "ioa",
        "iou",
        "union_coverage",
        "zoom_factor",
        "kendall_tau",
        "cost",
        "plan_chance",
    )
    given: dict[str, Any] = {
        **{name: np.zeros(count, bool) for name in flags},
        **{name: np.zeros(count, np.int64) for name in zeros},
        **{name: np.full(count, -1) for name in unknown},
        **{name: np.full(count, np.nan) for name in floats},
        "sample": np.arange(count),
        **{name: [""] * count for name in TEXTS},
        "cropped_region_size": np.zeros(count),
        "crop_box": np.full((count, 4), np.nan),
        "effective": np.zeros(0, bool),
        "paired": np.zeros(0, np.int64),
        "step_crops": np.zeros((0, 4)),
        "step_coverage": np.zeros(0),
        "recognition_prf": np.full((count, 3), np.nan),
        "selection_prf": np.full((count, 3), np.nan),
        "plan_order": np.full((count, 2), -1),
    }
    columns = {name: np.asarray(value) for name, value in columns.items()}
    inside = columns.get("in_population", given["in_population"])
    given["grounded_anyway"] = np.where(inside, columns.get("grounded", given["grounded"]), -1)
    return ScoreColumns(**(given | columns))


def random_scores(
    seed: int, count: int = 40, *, trajectories: int | None = None, per_cluster: int = 1, categories: int = 3
) -> tuple[SampleColumns, ScoreColumns]:
    """Samples and scores in which every identity of docs/metrics.md#identities can be checked; some samples lack a
    trajectory."""
    rng = np.random.default_rng(seed)
    targets = rng.integers(1, 8, count)
    samples = make_samples(
        count,
        cluster=np.arange(count) // per_cluster,
        references=[None if rng.random() < 0.1 else ("crop",) * int(rng.integers(1, 6)) for _ in range(count)],
        plans=[ToolPlan(tuple(Target(f"t{i}", i + 1) for i in range(k))) for k in targets.tolist()],
        facets={
            "category": [(str(v),) for v in rng.integers(0, categories, count)],
            "segment": [tuple(str(v) for v in range(3) if rng.random() < 0.4) for _ in range(count)],
        },
    )
    n = max(count * 4 // 5, 1) if trajectories is None else trajectories
    sample = rng.permutation(count)[:n] if n <= count else rng.integers(0, count, n)
    lengths = np.array([-1 if names is None else len(names) for names in samples.references])
    return samples, _random_rows(rng, n, sample, targets[sample], lengths[sample])


def _random_rows(rng: np.random.Generator, n: int, sample: Any, targets: Any, reference: Any) -> ScoreColumns:
    calls = rng.integers(0, 12, n)
    unique = np.minimum(calls, rng.integers(1, 5, n))
    effective = rng.binomial(calls, 0.6)
    undecided = rng.random(n) < 0.1
    correct = np.where(undecided, -1, rng.random(n) < 0.6)
    invoked = (calls > 0) & (rng.random(n) < 0.9)
    scorable = rng.random(n) < 0.9
    population = invoked & scorable
    coverage, concentration = rng.random(n), rng.random(n)
    ioa = np.maximum(coverage, concentration)
    grounded = population & (ioa > 0.5)
    prefix = np.minimum(targets, rng.integers(0, 5, n))
    precision, recall = rng.integers(1, 5, n) / 5, rng.integers(1, 5, n) / 5
    prf = np.column_stack([precision, recall, 2 * precision * recall / (precision + recall)])
    pairs = rng.integers(0, 6, n)
    outcome = rng.integers(0, 5, n)
    lost, picks = rng.multinomial(2, [0.4, 0.6], n), rng.multinomial(3, [0.5, 0.2, 0.3], n)
    lost = np.where(np.isin(outcome, (Outcome.MISSING_ONLY, Outcome.SUBSTITUTE))[:, None], lost, 0)
    picks = np.where(np.isin(outcome, (Outcome.EXTRA_ONLY, Outcome.SUBSTITUTE))[:, None], picks, 0)
    return make_scores(
        n,
        sample=sample,
        correct=correct,
        undecided=undecided,
        unread=(correct == 0) & (rng.random(n) < 0.2),
        invoked=invoked,
        scorable=scorable,
        in_population=population,
        grounded=grounded,
        quadrant=np.where(population, 2 * ~grounded + ~(correct == 1), -1),
        coverage=np.where(population, coverage, np.nan),
        concentration=np.where(population, concentration, np.nan),
        ioa=np.where(population, ioa, np.nan),
        cropped_region_size=np.where(calls > 0, coverage, 0.0),
        visual_evidence=calls > 0,
        calls=calls,
        unique_tools=unique,
        effective_calls=effective,
        reference_calls=reference,
        effective_unique_tools=np.minimum(unique, effective),
        unusable_crops=rng.integers(0, 2, n),
        plan_outcome=outcome,
        plan_missing=lost.sum(axis=1),
        plan_extra=picks.sum(axis=1),
        plan_omitted=lost[:, 0],
        plan_unrecognized=lost[:, 1],
        plan_in_scene=picks[:, 0],
        plan_repeated=picks[:, 1],
        plan_hallucinated=picks[:, 2],
        plan_chance=np.where(lost.sum(axis=1) == 0, rng.random(n), np.nan),
        plan_prefix=prefix,
        recognition_prf=np.roll(prf, 1, axis=0),
        selection_prf=prf,
        plan_order=np.column_stack([rng.binomial(pairs, 0.2), pairs]),
    )
