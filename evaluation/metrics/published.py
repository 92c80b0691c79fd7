"""The papers' tables as typed rows in our metric names, shown next to our own rows in a separate, marked band.

Values are kept as printed, divided by 100 if they are percentages: a rounded value stays rounded, and ``unit`` is the
printed unit.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "published"

VTC_CATEGORIES: Mapping[str, str] = {
    "OCR": "Robust OCR",
    "Attn": "Attention Focusing",
    "Rest": "Perceptual Restoration",
    "Chart": "Chart",
    "Meas": "Measurement",
    "Count": "Counting",
    "Math": "Math",
    "Spat": "Spatial Reasoning",
    "Color": "Color",
}
_VIEBENCH: Mapping[str, str] = {
    "Acc": "accuracy",
    "GS": "grounded_score",
    "G+A+": "valid_grounded_reasoning",
    "G+A-": "ground_success_answer_failure",
    "G-A+": "ungrounded_correct_answer",
    "G-A-": "dual_failure",
    "TR": "tool_ratio",
}
_VTC: Mapping[str, tuple[str, float]] = {
    "TCR": ("tool_call_rate", 100),
    "APR": ("pass_rate", 100),
    "all_avg": ("calls_mean", 1),
    "all_unique": ("unique_tools_mean", 1),
    "all_mae": ("chain_mae", 1),
    "eff_avg": ("effective_calls_mean", 1),
    "eff_unique": ("effective_unique_tools_mean", 1),
    "eff_mae": ("effective_chain_mae", 1),
    "Eff": ("tool_efficiency", 100),
}
_PHYSTOOL: Mapping[str, str] = {
    "Precision": "recognition_precision",
    "Recall": "recognition_recall",
    "F1": "recognition_f1",
    "EM": "exact_match",
    "TCR": "task_completable_rate",
    "SR@1": "success_rate_at_1",
    "SR@2": "success_rate_at_2",
    "SR@3": "success_rate_at_3",
}
_SELECTION: Mapping[str, str] = {
    "II_P": "selection_precision",
    "II_R": "selection_recall",
    "II_F1": "selection_f1",
    "dF1": "f1_difference",
}
_QUANTITY: Mapping[str, str] = {"CRZ": "cropped_region_size", "TCC": "tool_call_count"}
_BENCHMARKS: Mapping[str, str] = {"V*": "V*", "HR-4K": "HR-Bench 4K", "HR-8K": "HR-Bench 8K"}


@dataclass(frozen=True, slots=True)
class PublishedValue:
    """One printed number: where, of which model and setting, as which metric on which slice.

    ``value`` is a fraction for rates and a plain number otherwise; ``unit`` the unit as printed ("% (integer)" is
    rounded to whole percent). ``halfwidth`` and ``p_value`` where printed; ``pooled`` marks a value that the paper does
    not print: the mean of two slices of equal n, whose roundings it carries.
    """

    source: str
    table: str
    benchmark: str
    model: str
    setting: str
    metric: str
    slice_by: str
    slice: str
    value: float
    unit: str
    n: int | None = None
    halfwidth: float | None = None
    p_value: float | None = None
    pooled: bool = False


def published_values(folder: Path = FOLDER) -> list[PublishedValue]:
    """All published rows. Raises ``OSError`` when a table is missing and ``ValueError`` when it is not readable."""
    return [
        *_viebench(_read(folder, "viebench_quadrants")),
        *_viebench_without_tools(_read(folder, "viebench_end_to_end_accuracy")),
        *_vtc_pass_rate(_read(folder, "vtc_pass_rate")),
        *_vtc_invocation(_read(folder, "vtc_tool_invocation")),
        *_phystool(_read(folder, "phystool_main"), _PHYSTOOL),
        *_phystool(_read(folder, "phystool_recognition_vs_selection"), _SELECTION),
        *_split(_read(folder, "faithfulness_accuracy"), "accuracy"),
        *_split(_read(folder, "faithfulness_reliability_sufficiency")),
        *_split(_read(folder, "faithfulness_reward_ablation")),
        *_interventions(_read(folder, "faithfulness_interventions")),
        *_quantity(_read(folder, "faithfulness_visual_quantity")),
        *_quantity(_read(folder, "faithfulness_reward_ablation_visual_quantity")),
    ]


def _read(folder: Path, name: str) -> dict[str, Any]:
    table: dict[str, Any] = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return table


def _value(table: Mapping[str, Any], benchmark: str, model: str, setting: str, **rest: Any) -> PublishedValue:
    return PublishedValue(str(table["source"]), str(table["table"]), benchmark, model, setting, **rest)


def _viebench(table: Mapping[str, Any]) -> Iterator[PublishedValue]:
    """Yield values per dimension, and pooled if both dimensions have the same n. With 100 samples per dimension, the
    printed tool ratio is the size of the grounding population.
    """
    everyone = int(table["n_per_dimension"])
    found: dict[tuple[str, str], list[PublishedValue]] = {}
    for row in table["rows"]:
        for column, metric in _VIEBENCH.items():
            n = everyone if metric in ("accuracy", "tool_ratio") else round(row["TR"] / 100 * everyone)
            place = {"slice_by": "dimension", "slice": row["dimension"], "unit": table["units"][column]}
            value = _value(table, "ViEBench", row["Model"], "", metric=metric, value=row[column] / 100, n=n, **place)
            found.setdefault((value.model, metric), []).append(value)
            yield value
    for values in found.values():
        if len(values) == 2 and values[0].n == values[1].n:
            mean = (values[0].value + values[1].value) / 2
            yield replace(values[0], slice_by="", slice="", value=mean, n=2 * (values[0].n or 0), pooled=True)


def _viebench_without_tools(table: Mapping[str, Any]) -> Iterator[PublishedValue]:
    for row in table["rows"]:
        for column in ("Perception", "Reasoning"):
            place = {"slice_by": "dimension", "slice": column.lower(), "unit": "% (integer)"}
            yield _value(
                table, "ViEBench", row["Model"], "without tools", metric="accuracy", value=row[column] / 100, **place
            )


def _vtc_pass_rate(table: Mapping[str, Any]) -> Iterator[PublishedValue]:
    sizes = table["category_sizes"]
    for row in table["rows"]:
        model = f"{row['Model']} {row['Size']}" if row["Size"] else row["Model"]
        common: dict[str, Any] = {"metric": "pass_rate", "unit": "%"}
        setting, whole = row["Setting"].lower(), sum(sizes.values())
        if row["Overall"] is not None:
            place = {"slice_by": "", "slice": "", "value": row["Overall"] / 100, "n": whole}
            yield _value(table, "VTC-Bench", model, setting, **common, **place)
        for column, value in row["values"].items():
            if value is not None:
                place = {"slice": VTC_CATEGORIES[column], "value": value / 100, "n": sizes[column]}
                yield _value(table, "VTC-Bench", model, setting, slice_by="category", **common, **place)


def _vtc_invocation(table: Mapping[str, Any]) -> Iterator[PublishedValue]:
    for row in table["rows"]:
        for column, (metric, scale) in _VTC.items():
            unit = table["units"].get(column, "calls")
            place = {"slice_by": "", "slice": "", "value": row[column] / scale, "n": table["n"], "unit": unit}
            yield _value(table, "VTC-Bench", row["Model"], "interface", metric=metric, **place)


def _phystool(table: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[PublishedValue]:
    for row in table["rows"]:
        for column, metric in names.items():
            half = row.get(f"{column}_halfwidth")
            place = {"slice_by": "", "slice": "", "value": row[column] / 100, "unit": table["units"][column]}
            halfwidth = None if half is None else half / 100
            yield _value(table, "PhysTool-Bench", row["Model"], "", metric=metric, halfwidth=halfwidth, **place)


def _split(table: Mapping[str, Any], metric: str | None = None) -> Iterator[PublishedValue]:
    for row in table["rows"]:
        for column, value in row["values"].items():
            benchmark, place = _place(column)
            name = metric or row["metric"]
            yield _value(table, benchmark, row["row"], "", metric=name, value=value / 100, unit="%", **place)


def _interventions(table: Mapping[str, Any]) -> Iterator[PublishedValue]:
    """Accuracies of the arms (setting: the condition), and of the intervened ones the effect with its p."""
    for row in table["rows"]:
        for column, value in row["values"].items():
            benchmark, place = _place(column)
            condition = row["condition"]
            arm = "" if condition == "none" else condition
            yield _value(table, benchmark, row["model"], arm, metric="accuracy", value=value / 100, unit="%", **place)
            if arm:
                effect = {"value": row["ate"][column] / 100, "p_value": row["p"][column], "unit": "percentage points"}
                yield _value(table, benchmark, row["model"], "", metric=f"ate_{condition}", **effect, **place)


def _quantity(table: Mapping[str, Any]) -> Iterator[PublishedValue]:
    for row in table["rows"]:
        for column, value in row["values"].items():
            name, _, what = column.rpartition(" ")
            place = {"slice_by": "", "slice": "", "value": value, "unit": table["units"][what]}
            yield _value(table, _BENCHMARKS[name], row["row"], "", metric=_QUANTITY[what], **place)


def _place(column: str) -> tuple[str, dict[str, str]]:
    """Benchmark and slice of a column such as "V* Attr." or "HR-4K Avg."."""
    name, _, part = column.rpartition(" ")
    whole = part == "Avg."
    return _BENCHMARKS[name], {"slice_by": "" if whole else "category", "slice": "" if whole else part}
