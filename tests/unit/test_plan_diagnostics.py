"""Omissions, spurious picks, order by chance and ΔF1: worked examples, laws, and a second script of our own that
counts with plain loops and lists."""

from __future__ import annotations

import itertools
import math
import random
import re
import statistics
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.schema import Target, ToolPlan
from evaluation.metrics.aggregate import aggregate
from evaluation.metrics.columns import Outcome
from evaluation.metrics.intervals import t_quantile
from evaluation.metrics.matching import normalised
from evaluation.metrics.plan_diagnostics import (
    chance_of_disorder,
    missing_targets,
    plan_errors,
    recognized_targets,
    spurious_picks,
)
from evaluation.metrics.plans import query_of
from evaluation.metrics.records import run_columns, sample_columns
from evaluation.metrics.score import score_run
from evaluation.metrics.settings import MetricSettings
from evaluation.schema import Trajectory
from tests.unit.metrics_cases import sample

PLAN = ToolPlan((Target("Hammer", 1), Target("Nail", 2), Target("Level", 2), Target("Knife", 3)), ("Saw", "Clamp"))
QUERY = query_of(PLAN)
WORDS = ("hammer", "nails", "level", "knife", "knives", "saw", "clamps", "laser", "hammers")


def names(text: str) -> tuple[str, ...]:
    return normalised(text.split(","))


def test_omissions_are_missing_targets_that_the_model_recognized():
    lacks = missing_targets(names("hammer, saw"), QUERY, {})
    assert lacks == {1, 2, 3}
    assert recognized_targets(names("knives, saw, level, spade"), QUERY, {}) == {2, 3}
    assert recognized_targets(names("nai, knif"), QUERY, {}, fuzzy=True) == {1, 3}
    assert recognized_targets(names("pointed thing"), QUERY, {"pointed thing": "nail"}) == {1}


@pytest.mark.parametrize(
    ("predicted", "judge", "found"),
    [
        ("hammer, saw, clamps", {}, (2, 0, 0)),
        ("hammer, hammer, hammers", {}, (0, 2, 0)),
        ("knife, tool, laser", {"tool": "knife"}, (0, 1, 1)),
        ("saw, saw", {}, (2, 0, 0)),
        ("saws", {"saws": None}, (1, 0, 0)),
        ("cutter", {"cutter": "saw"}, (1, 0, 0)),
        ("cutter", {"cutter": "crane"}, (0, 0, 1)),
        ("", {}, (0, 0, 0)),
    ],
)
def test_a_spurious_pick_is_in_the_scene_a_repeat_or_hallucinated(predicted, judge, found):
    assert spurious_picks(names(predicted), QUERY, judge) == found


@pytest.mark.parametrize(
    ("steps", "chance"), [((1, 2, 2, 3), 1 - 2 / 24), ((1,), 0.0), ((1, 1, 1), 0.0), ((1, 2), 0.5), ((3, 1, 2), 5 / 6)]
)
def test_the_chance_of_disorder(steps, chance):
    assert chance_of_disorder(steps) == pytest.approx(chance, abs=1e-12)


def test_without_targets_nothing_is_defined():
    assert math.isnan(chance_of_disorder(()))


@given(st.lists(st.integers(1, 4), min_size=1, max_size=6))
def test_the_chance_of_disorder_is_the_share_of_orders_that_go_back(steps):
    orders = list(itertools.permutations(steps))
    back = sum(any(a > b for a, b in itertools.pairwise(order)) for order in orders)
    assert chance_of_disorder(steps) == pytest.approx(back / len(orders), abs=1e-12)


def made(seed: int, queries: int = 60, settings: MetricSettings | None = None):
    """A run with plans, lists, judge mappings, unordered queries and gaps, two queries to an image."""
    rng = random.Random(seed)
    tools = ["Hammer", "Nail", "Level", "Knife", "Saw", "Clamp", "Box", "Brush"]
    records, rows = [], []
    for i in range(queries):
        rng.shuffle(tools)
        size = rng.randint(0, 5)
        plan = ToolPlan(
            tuple(Target(tool, rng.randint(1, 3)) for tool in tools[:size]),
            tuple(tools[size:7]),
            rng.choice([None, None, False]),
        )
        records.append(replace(sample(f"q{i}", question="?", plan=plan), image_group=f"g{i // 2}"))
        offered = [*tools, "Laser", "hammers", "KNIVES", "box of nails"]
        maps = {"box of nails": rng.choice(["Nail", None])}
        rows.append(
            Trajectory(
                "m",
                f"q{i}",
                plan=rng.choice([None, *[tuple(rng.choices(offered, k=rng.randint(0, 7))) for _ in range(5)]]),
                recognition=rng.choice([None, *[tuple(rng.choices(offered, k=rng.randint(0, 9))) for _ in range(4)]]),
                plan_map=maps,
                recognition_map=maps,
            )
        )
    samples = sample_columns(records)
    run = run_columns(rows, samples)
    settings = settings or MetricSettings()
    return records, rows, samples, run, score_run(samples, run, settings), settings


def plain(name: str) -> str:
    return re.sub(r"\s+", " ", name.strip()).lower()


def plural(one: str) -> set[str]:
    forms = {one + "s"}
    if re.search(r"(s|x|z|ch|sh|o)$", one):
        forms.add(one + "es")
    if one[-1] == "y":
        forms.add(one[:-1] + "ies")
    if one[-1] == "f":
        forms.add(one[:-1] + "ves")
    if one[-2:] == "fe":
        forms.add(one[:-2] + "ves")
    return forms


def meant(name: str, wanted: list[str], judge: dict[str, str | None]) -> str | None:
    if name in wanted:
        return name
    if name in judge:
        return judge[name] if judge[name] in wanted else None
    return next((one for one in wanted if name in plural(one) or one in plural(name)), None)


def by_hand(record, row, *, collapse: bool = False):
    """Omitted, not recognized, in scene, repeated, hallucinated, chance, ΔF1 of one query; None where undefined."""
    plan = record.content.plan
    targets, others = [plain(t.tool) for t in plan.targets], [plain(tool) for tool in plan.distractors]
    none = [None] * 7
    if not targets:
        return none
    judge = {plain(k): v and plain(v) for k, v in row.plan_map.items()}
    entries = None if row.plan is None else [plain(name) for name in row.plan]
    listed = None if row.recognition is None else list(dict.fromkeys(map(plain, row.recognition)))
    seen: list[str] = []
    for name in listed or ():
        found = meant(name, targets + others, judge)
        if found is not None and found not in seen:
            seen.append(found)
    if entries is None:
        return none
    if collapse:
        entries = list(dict.fromkeys(entries))
    taken: list[str] = []
    counts = [0, 0, 0]
    for name in entries:
        target = meant(name, targets, judge)
        if target is not None and target not in taken:
            taken.append(target)
        elif target is not None:
            counts[1] += 1
        elif meant(name, others, {k: v for k, v in judge.items() if v}) is not None:
            counts[0] += 1
        else:
            counts[2] += 1
    left = [target for target in targets if target not in taken]
    lost = [None, None] if listed is None else [sum(t in seen for t in left), sum(t not in seen for t in left)]
    chance = None
    if not left:
        steps = [1 if plan.ordered is False else t.step for t in plan.targets]
        orders = list(itertools.permutations(steps))
        chance = sum(list(order) != sorted(order) for order in orders) / len(orders)
    change = None
    if listed is not None:
        distinct = list(dict.fromkeys(entries))
        got = {target for name in distinct if (target := meant(name, targets, judge)) is not None}
        selection = 2 * len(got) / (len(distinct) + len(targets)) if distinct else 0.0
        recognition = 2 * len(seen) / (len(listed) + len(targets) + len(others)) if listed else 0.0
        change = selection - recognition
    return [*lost, *counts, chance, change]


COLUMNS = ("plan_omitted", "plan_unrecognized", "plan_in_scene", "plan_repeated", "plan_hallucinated", "plan_chance",
           "f1_difference")  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("repeats", ["extra", "collapse"])
def test_every_row_equals_an_independent_count(seed, repeats):
    records, rows, _, _, scores, _ = made(seed, settings=MetricSettings(plan_repeats=repeats))
    for at, (record, row) in enumerate(zip(records, rows, strict=True)):
        wanted = by_hand(record, row, collapse=repeats == "collapse")
        for name, value in zip(COLUMNS, wanted, strict=True):
            found = float(getattr(scores, name)[at])
            undefined = math.isnan(found) if name in ("plan_chance", "f1_difference") else found == -1
            assert undefined if value is None else found == pytest.approx(value, abs=1e-12), (record.id, name)


@pytest.mark.parametrize("seed", range(6))
def test_parts_sum_to_the_outcome_of_each_plan(seed):
    scores = made(seed)[4]
    both = scores.plan_omitted >= 0
    assert (scores.plan_omitted + scores.plan_unrecognized)[both].tolist() == scores.plan_missing[both].tolist()
    planned = scores.plan_outcome != Outcome.NONE
    picks = scores.plan_in_scene + scores.plan_repeated + scores.plan_hallucinated
    assert picks[planned].tolist() == scores.plan_extra[planned].tolist()
    assert np.array_equal(np.isfinite(scores.plan_chance), planned & (scores.plan_missing == 0))
    out = scores.plan_outcome == Outcome.OUT_OF_ORDER
    assert (scores.plan_chance[out] > 0).all(), "an order that can be violated can also be violated by chance"


def by_metric(samples, run, scores, settings):
    return {row.metric: row for row in aggregate(samples, scores, run, settings, slices=[])}


@pytest.mark.parametrize("seed", range(4))
def test_every_estimate_and_variance_equals_an_independent_script(seed):
    records, rows, samples, run, scores, settings = made(seed, queries=120)
    found = by_metric(samples, run, scores, settings)
    values = [by_hand(*pair) for pair in zip(records, rows, strict=True)]
    lost = [v for v in values if v[0] is not None and v[0] + v[1]]
    assert found["functional_omission"].n == len(lost)
    assert found["functional_omission"].value == pytest.approx(sum(v[0] for v in lost) / sum(v[0] + v[1] for v in lost))
    extra = [v for v in values if v[2] is not None and sum(v[2:5])]
    for metric, place in (("spurious_in_scene", 2), ("spurious_repeat", 3), ("spurious_hallucinated", 4)):
        assert found[metric].n == len(extra)
        assert found[metric].value == pytest.approx(sum(v[place] for v in extra) / sum(sum(v[2:5]) for v in extra))
    chance = [v[5] for v in values if v[5] is not None]
    assert (found["chance_out_of_order"].n, found["complete_out_of_order"].n) == (len(chance), len(chance))
    assert found["chance_out_of_order"].value == pytest.approx(statistics.fmean(chance))
    assert found["complete_out_of_order"].value == pytest.approx(
        sum(o == Outcome.OUT_OF_ORDER for o in scores.plan_outcome) / len(chance)
    )
    for metric, place, least in (("f1_difference", 6, -1.0), ("chance_out_of_order", 5, 0.0)):
        low, high = clustered_t([(i // 2, v[place]) for i, v in enumerate(values) if v[place] is not None])
        assert found[metric].ci_low == pytest.approx(max(low, least))
        assert found[metric].ci_high == pytest.approx(min(high, 1.0))
    changes = [(i // 2, v[6]) for i, v in enumerate(values) if v[6] is not None]
    assert found["f1_difference"].n == len(changes)
    assert found["f1_difference"].value == pytest.approx(statistics.fmean(change for _, change in changes))
    assert found["f1_difference"].p_value == pytest.approx(flipped(changes), abs=0.02)


def clustered_t(rows):
    """mean ± t·SE, SE = (1/n)·√(C/(C−1)·Σ_g (Σ (x − mean))²), with plain loops."""
    mean = statistics.fmean(x for _, x in rows)
    groups: dict[int, float] = {}
    for group, x in rows:
        groups[group] = groups.get(group, 0.0) + x - mean
    count = len(groups)
    se = math.sqrt(count / (count - 1) * sum(s * s for s in groups.values())) / len(rows)
    reach = t_quantile(0.975, count - 1) * se
    return mean - reach, mean + reach


def flipped(rows, draws=20_000):
    sums: dict[int, float] = {}
    for group, x in rows:
        sums[group] = sums.get(group, 0.0) + x
    observed, rng = abs(sum(sums.values())) - 1e-12, np.random.default_rng(99)
    signs = rng.choice([-1.0, 1.0], (draws, len(sums)))
    return float((np.abs(signs @ np.array(list(sums.values()))) >= observed).mean())


def test_a_run_without_lists_has_no_omissions_and_no_difference():
    records = [sample(f"q{i}", question="?", plan=PLAN) for i in range(4)]
    samples = sample_columns(records)
    run = run_columns([Trajectory("m", one.id, plan=("saw",)) for one in records], samples)
    found = by_metric(samples, run, score_run(samples, run, MetricSettings()), MetricSettings())
    for metric in ("functional_omission", "f1_difference", "chance_out_of_order"):
        assert (found[metric].value, found[metric].n, found[metric].p_value) == (None, 0, None)
    assert (found["spurious_in_scene"].value, found["spurious_hallucinated"].value) == (1.0, 0.0)
    errors = plan_errors(samples, run, MetricSettings())
    assert errors.plan_omitted.tolist() == [-1] * 4


@given(st.lists(st.sampled_from(WORDS), max_size=8), st.lists(st.sampled_from(WORDS), max_size=8))
def test_more_recognized_tools_never_lower_the_number_of_omissions(planned, listed):
    lacks = missing_targets(planned, QUERY, {})
    fewer, more = recognized_targets(listed[:4], QUERY, {}), recognized_targets(listed, QUERY, {})
    assert len(lacks & fewer) <= len(lacks & more) <= len(lacks)
    assert sum(spurious_picks(planned, QUERY, {})) == len(planned) - (4 - len(lacks))
