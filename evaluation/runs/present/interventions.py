"""The intervention table of a paper: accuracy of each run without and under each condition, out of its scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from annotation.models import Benchmark
from evaluation.common.provenance import settings_words, state_words
from evaluation.exporters.documents import Band, Document
from evaluation.metrics.faithfulness import ARMS
from evaluation.models import Metric, Run, Scoring
from evaluation.schema import Condition
from evaluation.scoring.settings import settings_of
from webapp.common.formatting import NOT_AVAILABLE, decimal, p_value, percent, percentage_points

NONE = "accuracy"
COLUMNS = (
    "benchmark", "run", "model", "setting", "slice_by", "slice", "metric", "condition", "against", "n", "accuracy",
    "accuracy_against", "effect", "ci_low", "ci_high", "ci_method", "lost", "gained", "p_value", "p_cluster", "p_holm",
    "pairs_recorded", "pairs_trajectories", "pairs_arms", "unpaired",
)  # fmt: skip
HEADS = ("Model", "Condition", "n", "Accuracy, %", "Against, %", "Effect, pp", "Lost", "Gained", "p", "p image", "Holm")
_KEPT = ("lost", "gained", "p_cluster", "p_holm", "pairs_recorded", "pairs_trajectories", "pairs_arms", "unpaired")


def intervention_rows(benchmark: Benchmark, runs: Sequence[Run], slice_by: str = "") -> Iterator[dict[str, Any]]:
    """One row for each run, slice and condition with pairs, after one without an intervention; shares are 0 to 1. Runs
    without any effect have none. One query."""
    rows = Metric.objects.of(benchmark).filter(scoring__run__in=runs, metric__in=(NONE, *ARMS), slice_by=slice_by)
    for _, found in groupby(rows.for_export().values(), _place):
        by_name = {row["metric"]: row for row in found}
        effects = [_effect(by_name[name]) for name in ARMS if name in by_name and by_name[name]["n"]]
        if effects:
            yield from (_plain(by_name[NONE]), *effects) if NONE in by_name else effects


def _place(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["model"], row["setting"], row["run"], row["slice"]


def _shared(row: Mapping[str, Any]) -> dict[str, Any]:
    kept = ("run", "model", "setting", "slice_by", "slice", "metric", "n", "ci_low", "ci_high", "ci_method")
    return {"benchmark": row["benchmark"], **{name: row[name] for name in kept}}


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    return _shared(row) | {"condition": Condition.NONE.value, "against": "", "accuracy": row["value"]}


def _effect(row: Mapping[str, Any]) -> dict[str, Any]:
    detail, contrast = row["detail"], ARMS[row["metric"]]
    before = detail.get("accuracy_none", detail.get("accuracy_placebo"))
    return _shared(row) | {
        "condition": str(contrast.second), "against": str(contrast.first), "effect": row["value"],
        "accuracy": detail.get("accuracy_intervened"), "accuracy_against": before, "p_value": row["p_value"],
        **{name: detail.get(name) for name in _KEPT},
    }  # fmt: skip


def intervention_document(benchmark: Benchmark, runs: Sequence[Run], slice_by: str = "") -> Document:
    """The same rows as texts, a band for each slice."""
    rows = sorted(intervention_rows(benchmark, runs, slice_by), key=lambda row: str(row["slice"]))
    bands = [Band(value, [_texts(row) for row in found]) for value, found in groupby(rows, lambda row: row["slice"])]
    settings = settings_of(benchmark)
    sham = "the first draw of the sham arm" if settings.ate_reference == "sham" else "the recorded trajectory"
    made = sorted({state_words(one) for one in Scoring.objects.filter(run__in=runs).select_related("version")})
    notes = [
        "Effect: accuracy under the condition minus accuracy without it, on the same samples, with Newcombe's 95% "
        f"interval. Arms of the lab are compared with {sham}; visual is noise, text a mistake in the reasoning, and "
        "placebo a random crop of the same size.",
        "p: exact two-sided McNemar. p image: exact sign flip over images. Holm: p image adjusted over the conditions.",
        f"{'; '.join(made)}; {', '.join(settings_words(settings))}.",
    ]
    caption = f"Interventions on {benchmark.title}"
    return Document(caption, list(HEADS), [""] * len(HEADS), bands, notes, frozenset({0, 1}))


def _texts(row: Mapping[str, Any]) -> list[str]:
    who = f"{row['model']}, {row['setting']}" if row["setting"] else str(row["model"])
    if not row["against"]:
        return [who, row["condition"], decimal(row["n"]), _rate(row), *[""] * 7]
    name = row["condition"] if row["against"] == Condition.NONE else f"{row['condition']} against {row['against']}"
    return [
        who, name, decimal(row["n"]), percent(row["accuracy"]), percent(row["accuracy_against"]), _points(row),
        decimal(row["lost"]), decimal(row["gained"]), *(_p(row[name]) for name in ("p_value", "p_cluster", "p_holm")),
    ]  # fmt: skip


def _rate(row: Mapping[str, Any]) -> str:
    ends = "" if row["ci_low"] is None else f" [{percent(row['ci_low'])}, {percent(row['ci_high'])}]"
    return f"{percent(row['accuracy'])}{ends}"


def _points(row: Mapping[str, Any]) -> str:
    if row["ci_low"] is None or row["ci_high"] is None:
        return percentage_points(row["effect"])
    ends = f"{percentage_points(row['ci_low'])} to {percentage_points(row['ci_high'])}"
    return f"{percentage_points(row['effect'])} [{ends}]"


def _p(value: float | None) -> str:
    return NOT_AVAILABLE if value is None else p_value(value)
