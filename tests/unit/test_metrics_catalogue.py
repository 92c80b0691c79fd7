"""The one table of metrics, the columns of the exports, and the papers' rows in the same names."""

import json
from collections import Counter
from pathlib import Path

import pytest

from evaluation.common.rewards import REWARD_COLUMNS
from evaluation.metrics.aggregate import aggregate
from evaluation.metrics.catalogue import (
    COMPARISON_COLUMNS,
    METRIC_COLUMNS,
    METRICS,
    ROLLOUT_METRICS,
    SAMPLE_COLUMNS,
)
from evaluation.metrics.definitions import DEFINITIONS
from evaluation.metrics.published import FOLDER, published_values
from evaluation.metrics.settings import MetricSettings
from tests.unit.score_cases import random_scores

VALUES = published_values()


def test_aggregation_gives_exactly_the_metrics_of_the_catalogue_in_its_order():
    rows = aggregate(*random_scores(1), None, MetricSettings(), slices=[])
    assert [row.metric for row in rows] == [name for name in METRICS if name not in ROLLOUT_METRICS]


def test_every_metric_is_defined_in_one_sentence():
    assert set(DEFINITIONS) == set(METRICS)
    for metric in METRICS.values():
        assert metric.definition.endswith(".")
        assert metric.definition[0].isupper() or metric.definition[0].isdigit()
        assert metric.label
        assert metric.source.startswith("[") or metric.extra


def test_groups_hold_the_metrics_of_the_papers():
    sizes = Counter(metric.group for metric in METRICS.values() if not metric.extra)
    assert [sizes[group] for group in ("grounding", "toolchain", "planning", "rewards")] == [10, 9, 20, 3]


@pytest.mark.parametrize("columns", [METRIC_COLUMNS, SAMPLE_COLUMNS, COMPARISON_COLUMNS])
def test_export_columns_are_all_different(columns):
    assert len(set(columns)) == len(columns)


def test_the_specification_names_the_same_columns():
    text = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")
    for columns in (METRIC_COLUMNS, SAMPLE_COLUMNS, COMPARISON_COLUMNS, REWARD_COLUMNS):
        assert f"`{', '.join(columns)}`" in text


def value_of(**wanted):
    found = [v for v in VALUES if all(getattr(v, name) == value for name, value in wanted.items())]
    assert len(found) == 1
    return found[0]


def test_published_values_use_our_names_and_are_fractions():
    for value in VALUES:
        assert value.metric in METRICS
        if METRICS[value.metric].unit == "share":
            assert 0 <= value.value <= 1


def test_published_rows_are_found_where_they_are_printed():
    thyme = value_of(benchmark="ViEBench", model="Thyme", metric="grounded_score", slice="perception")
    assert (thyme.value, thyme.n, thyme.unit) == (0.38, 16, "% (integer)")
    gemini = value_of(benchmark="VTC-Bench", model="Gemini-3.0-Pro", metric="tool_efficiency")
    assert (gemini.value, gemini.n) == (pytest.approx(0.3651), 680)
    chart = value_of(benchmark="VTC-Bench", model="GPT-o3", setting="code", slice="Chart")
    assert (chart.value, chart.n, chart.metric) == (0.4, 100, "pass_rate")
    plan = value_of(benchmark="PhysTool-Bench", model="GPT-4o", metric="exact_match")
    assert (plan.value, plan.halfwidth) == (pytest.approx(0.0562), pytest.approx(0.009))
    effect = value_of(benchmark="V*", model="DeepEyes", metric="ate_text", slice="")
    assert (effect.value, effect.p_value) == (pytest.approx(-0.1309), 0.0001)
    size = value_of(benchmark="HR-Bench 4K", model="DeepEyes", metric="cropped_region_size", table="A6")
    assert size.value == 0.0371


def test_dimensions_are_pooled_only_where_their_n_is_equal():
    pooled = value_of(model="Thyme", metric="accuracy", slice_by="", benchmark="ViEBench")
    assert (pooled.value, pooled.n, pooled.pooled) == (pytest.approx(0.73), 200, True)
    assert [v for v in VALUES if v.model == "Thyme" and v.metric == "grounded_score" and v.pooled] == []
    assert value_of(model="DeepEyes", metric="dual_failure", pooled=True).n == 200


def test_published_effects_are_differences_of_the_published_accuracies():
    arms = {
        (v.benchmark, v.model, v.slice, v.setting): v.value for v in VALUES if v.metric == "accuracy" and v.table == "1"
    }
    for effect in (v for v in VALUES if v.metric.startswith("ate_")):
        place = (effect.benchmark, effect.model, effect.slice)
        condition = effect.metric.removeprefix("ate_")
        assert effect.value == pytest.approx(arms[(*place, condition)] - arms[(*place, "")], abs=2.5e-4)


def test_a_broken_table_is_said(tmp_path):
    for table in FOLDER.glob("*.json"):
        (tmp_path / table.name).write_text(table.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "vtc_pass_rate.json").write_text("{", encoding="utf-8")
    with pytest.raises(json.JSONDecodeError):
        published_values(tmp_path)
