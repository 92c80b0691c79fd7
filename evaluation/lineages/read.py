"""The checkpoints of a lineage as records: the numbers of the leaderboard at each step, and what happened between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from django.db.models import Count, Sum
from django.utils.translation import gettext

from annotation.models import Benchmark, ContentChange, ImportRecord
from evaluation.common.arm_cases import cases
from evaluation.common.arms import LEADING, effect_of, load_labs
from evaluation.common.board_metrics import BoardMetric, metrics_by_scoring, sliced_metrics
from evaluation.common.links import Count as Links
from evaluation.common.links import RunLinks
from evaluation.common.slices import QUERY, read_slice
from evaluation.metrics.columns import Floats
from evaluation.metrics.intervals import mean_interval
from evaluation.metrics.lab import ArmEffect
from evaluation.metrics.separation import Flips, Separation, flips, separation
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.slices import COUNTED_BY
from evaluation.models import Experiment, Lineage, Metric, Rollout, Run, Scoring, Trajectory
from evaluation.query.fields import facet_of
from evaluation.query.syntax import Node, Text, terms_in
from evaluation.runner.arms.catalogue import Arm, Estimand
from evaluation.scoring.freshness import StalenessChecker
from evaluation.scoring.live import live_metrics
from evaluation.scoring.queue import scoring_under_way
from evaluation.scoring.settings import settings_of
from evaluation.store.slices import populations_by_run
from evaluation.store.snapshot import Snapshot
from evaluation.store.steps import SeenSamples, seen_samples
from evaluation.store.terms import query_of
from webapp.common.errors import NotFound
from webapp.common.lru_cache import LRUCache

QUADRANTS = (
    "valid_grounded_reasoning", "ground_success_answer_failure", "ungrounded_correct_answer", "dual_failure",
)  # fmt: skip
EFFECTS = ("ate_visual", "ate_text", "ate_placebo")
"""Effects of recorded interventions. Where arms of the lab take their place, ``LAB_EFFECTS`` are shown instead, which
are over all draws."""
LAB_EFFECTS: Mapping[Estimand, Sequence[Sequence[str]]] = {
    Estimand.PREFIX: (LEADING, ("mistake-judge", "mistake-rule-4", "mistake-rule-2", "mistake-rule-1"), ("random",)),
    Estimand.TURN: (LEADING, ("question",), ("random",)),
}
"""By estimand, up to three arms that are drawn over the steps: of each row the first one that any checkpoint has."""
SCORED = (
    "accuracy", "grounded_score", "mean_coverage", *QUADRANTS, "tool_ratio", "reliability", "sufficiency",
    "cropped_region_size", "tool_call_count", *EFFECTS,
)  # fmt: skip
"""Metrics of the leaderboard that a lineage shows."""
REWARDS = ("reward_final", "reward_sufficiency", "reward_minimality")
"""Means over the rollout groups that name the model of the run."""
MEASURED = (*SCORED, *REWARDS)
"""All of them, but the effects of the lab, which are named as their arms (``Series.arms``)."""
OF_SAMPLES = frozenset({"sample", "id", "type", "boxes", "area", "evidence_share", "targets", "question"})
"""Fields of queries that say nothing about a run. With others, two steps would be compared on samples chosen by their
outcome."""


@dataclass(frozen=True)
class Point:
    """A checkpoint. ``metrics``: by name, none before it is scored. ``listed``: the trajectories that count in each of
    them and can be listed; ``cases``: the samples of the effects of arms, by name. ``stale``: scored before its
    trajectories, gold or settings changed. ``arriving``: its trajectories so far, while they come; of the run with the
    most of them, metrics are then those of now."""

    run: Run
    step: int
    scoring: Scoring | None
    metrics: Mapping[str, BoardMetric]
    stale: bool = False
    arriving: int | None = None
    listed: Mapping[str, int] = field(default_factory=dict)
    cases: Mapping[str, Links] = field(default_factory=dict)

    def value(self, metric: str) -> float | None:
        found = self.metrics.get(metric)
        return found.value if found else None


@dataclass(frozen=True)
class Series:
    """The checkpoints of a lineage under one setting, in the order of their steps.

    Attributes:
        settings: settings to choose from where runs share a step; () where none do.
        paired: whether steps can be compared on the same samples; ``separation`` is None otherwise.
        between: the two runs whose differences ``flips`` counts.
        live: rows arrive, or scores are computed.
    """

    lineage: Lineage
    points: Sequence[Point]
    settings: Sequence[str]
    setting: str
    query: str
    paired: bool
    separation: Separation | None
    between: tuple[Point, Point] | None
    flips: Flips | None
    live: bool
    others: Sequence[Point] = field(default_factory=tuple)
    """The points with other metric settings than the first."""
    arms: Sequence[Arm] = field(default_factory=tuple)
    """The arms whose effects the points have, as metrics of their names."""

    @property
    def measured(self) -> Sequence[str]:
        """The metrics of the points, in order."""
        at = MEASURED.index(REWARDS[0])
        return (*MEASURED[:at], *map(str, self.arms), *MEASURED[at:])

    def known(self, metric: str) -> bool:
        return any(point.value(metric) is not None for point in self.points)


def content_number(benchmark: Benchmark) -> int:
    """Another number after each change of samples, facets or gold."""
    return ContentChange.objects.numbers([benchmark.pk])[benchmark.pk]


def runs_of(lineage: Lineage) -> list[Run]:
    """The runs of a lineage in the order of their steps. One query."""
    return list(Run.objects.of(lineage.benchmark).filter(lineage=lineage).order_by("step", "setting", "pk"))


def chosen_setting(runs: Sequence[Run], wanted: str) -> tuple[list[str], str, list[Run]]:
    """The settings to choose from, the chosen one, and its runs. Where no two runs share a step, there is nothing to
    choose: all are one series. Raises ``NotFound`` for a setting that no run has."""
    steps = Counter(run.step for run in runs)
    if max(steps.values(), default=0) < 2:
        return [], "", list(runs)
    by_size = sorted(Counter(run.setting for run in runs).items(), key=lambda one: (-one[1], one[0]))
    names = [name for name, _ in by_size]
    if wanted and wanted not in names:
        raise NotFound(gettext("No run of this lineage has the setting %(setting)s.") % {"setting": wanted[:60]})
    setting = wanted or names[0]
    return sorted(names), setting, [run for run in runs if run.setting == setting]


def load_series(
    lineage: Lineage,
    *,
    setting: str = "",
    query: str = "",
    between: tuple[int | None, int | None] = (None, None),
    person: Any = None,
    runs: Sequence[Run] | None = None,
) -> Series:
    """The series of a lineage, on the samples that a query lists. ``between``: numbers of two of its runs, default the
    first and the last scored one. ``runs``: of ``runs_of``, if loaded. A fixed number of queries.

    Raises ``NotFound`` for an unknown setting or run, ``InvalidInput`` for an invalid query.
    """
    benchmark = lineage.benchmark
    names, setting, shown = chosen_setting(runs_of(lineage) if runs is None else runs, setting)
    live = live_runs(benchmark, shown)
    points = _points(benchmark, shown, query, person, live)
    compared = [point for point in points if point.scoring is not None and point.arriving is None]
    node = query_of({"q": query})
    paired = says_nothing_of_runs(node)
    stored = _stored(benchmark, compared, node, person) if compared else _NOTHING
    seen, separated = stored.seen, stored.separation
    arms = shown_arms(stored.effects)
    pair = _pair(compared, between)
    return Series(
        lineage=lineage,
        points=[_with_effects(point, stored, arms) for point in points],
        settings=names,
        setting=setting,
        query=query,
        paired=paired,
        separation=separated if paired else None,
        between=pair,
        flips=flips(seen.of([point.run.pk for point in pair])) if seen and pair and paired else None,
        live=bool(live) or scoring_under_way(benchmark) is not None,
        others=_scored_otherwise(compared),
        arms=arms,
    )


def shown_arms(effects: Mapping[int, Mapping[Arm, ArmEffect]]) -> list[Arm]:
    """Of each row of ``LAB_EFFECTS`` the first arm with an effect at any checkpoint."""
    known = {arm for of in effects.values() for arm, effect in of.items() if effect.delta is not None}
    labels = {(arm.estimand, arm.label): arm for arm in known}
    rows = [(estimand, row) for estimand, rows in LAB_EFFECTS.items() for row in rows]
    first = (next((labels[estimand, one] for one in row if (estimand, one) in labels), None) for estimand, row in rows)
    return [arm for arm in first if arm is not None]


def _with_effects(point: Point, stored: Stored, arms: Sequence[Arm]) -> Point:
    """A point with the effects of its lab, and without those of the first draws of arms."""
    effects = stored.effects.get(point.run.pk, {})
    own = {name: one for name, one in point.metrics.items() if name not in EFFECTS or not _is_of_arms(one)}
    shown = {str(arm): _lab_metric(arm, effects[arm]) for arm in arms if arm in effects}
    return replace(
        point,
        metrics={**own, **shown},
        listed=stored.listed.get(point.run.pk, {}) if point.arriving is None else {},
        cases={str(arm): cases for arm, cases in stored.cases.get(point.run.pk, {}).items()},
    )


def _is_of_arms(one: BoardMetric) -> bool:
    """Whether all pairs of an effect are of arms."""
    return bool(one.n) and (one.detail or {}).get("pairs_arms") == one.n


def _lab_metric(arm: Arm, effect: ArmEffect) -> BoardMetric:
    ends, method = (effect.low, effect.high), "" if effect.low is None else "cluster-t"
    return BoardMetric(str(arm), effect.delta, effect.n, None, *ends, method, effect.p, None, None, None, None)


def says_nothing_of_runs(node: Node) -> bool:
    """Whether a query chooses samples by what they are, and not by what a run did on them."""
    return all(
        not isinstance(term, Text) and (facet_of(term.field) is not None or term.field in OF_SAMPLES)
        for term in terms_in(node)
    )


def live_runs(benchmark: Benchmark, runs: Sequence[Run]) -> set[int]:
    """The runs that an experiment or an import fills now. Two queries."""
    named = set(Experiment.objects.filter(benchmark=benchmark, kind=Experiment.Kind.RUN).live().values_list(
        "model", "setting"
    ))  # fmt: skip
    filled = {run.pk for run in runs if (run.model.name, run.setting) in named}
    at_work = benchmark.imports.filter(kind=ImportRecord.Kind.RUNS, state=ImportRecord.State.RUNNING)
    of_files = at_work.filter(experiments=None).exclude(options__has_key="session")
    began = of_files.order_by("created_at").first()
    if began is not None:
        filled |= {run.pk for run in runs if run.created_at >= began.created_at}
    return filled


def _points(benchmark: Benchmark, runs: Sequence[Run], query: str, person: Any, live: set[int]) -> list[Point]:
    if query:
        _, metrics = sliced_metrics(read_slice(benchmark, runs, QUERY, query, {*SCORED, COUNTED_BY}, person))
    else:
        rows = Metric.objects.of(benchmark).on_slice().filter(scoring__run__in=[run.pk for run in runs])
        metrics = metrics_by_scoring(rows.filter(metric__in=SCORED), detailed=EFFECTS)
    rewards = {} if query else reward_means(benchmark, runs)
    freshness = StalenessChecker(benchmark)
    arrived = Trajectory.objects.filter(run__in=live, condition="none").order_by().values_list("run")
    counts = dict(arrived.annotate(n=Count("pk"))) if live else {}
    busiest = max((run.pk for run in runs if run.pk in live), key=lambda pk: counts.get(pk, 0), default=None)
    found = []
    for run in runs:
        scoring = getattr(run, "scoring", None)
        stale = scoring is not None and freshness.stale(scoring)
        own: dict[str, BoardMetric] = dict(metrics.get(scoring.pk, {})) if scoring else {}
        arriving = counts.get(run.pk, 0) if run.pk in live else None
        if run.pk == busiest and not query and (stale or scoring is None):
            own = {name: _as_board(row) for name, row in live_metrics(run, SCORED).items()}
        found.append(Point(run, run.step or 0, scoring, {**own, **rewards.get(run.pk, {})}, stale, arriving))
    return found


def _as_board(row: Any) -> BoardMetric:
    ends = row.detail.get("low"), row.detail.get("high")
    interval = row.ci_low, row.ci_high, row.ci_method
    return BoardMetric(
        row.metric, row.value, row.n, row.numerator, *interval, row.p_value, row.detail.get("n_eff"), *ends, row.detail
    )


def reward_means(benchmark: Benchmark, runs: Sequence[Run]) -> dict[int, dict[str, BoardMetric]]:
    """Mean rewards of the rollouts of groups that name the model of a run, and its setting if they name one, with a
    clustered t interval over groups. One query."""
    of_run = {run.pk: run for run in runs}
    rows = (
        Rollout.objects.filter(group__benchmark=benchmark, group__extra__model__in=[r.model.name for r in runs])
        .order_by()
        .values_list("group__extra__model", "group__extra__setting", "group")
        .annotate(n=Count("reward_final"), **{name: Sum(name) for name in REWARDS})
    )
    groups: dict[tuple[str, str | None], list[tuple[Any, ...]]] = {}
    for model, setting, _, n, *sums in rows:
        if n:
            groups.setdefault((model, setting), []).append((n, *sums))
    found: dict[int, dict[str, BoardMetric]] = {}
    for pk, run in of_run.items():
        own = [*groups.get((run.model.name, run.setting), ()), *groups.get((run.model.name, None), ())]
        if own:
            columns = np.array(own, np.float64).T
            found[pk] = {name: _mean(name, columns[0], columns[at]) for at, name in enumerate(REWARDS, 1)}
    return found


def _mean(name: str, counts: Floats, sums: Floats) -> BoardMetric:
    """The mean over all rollouts; a group is a cluster."""
    interval = mean_interval(sums, None, counts)
    low, high, method = (interval.low, interval.high, interval.method) if interval else (None, None, "")
    n, total = int(counts.sum()), float(sums.sum())
    return BoardMetric(name, total / n, n, total, low, high, method, None, None, None, None, None)


@dataclass(frozen=True)
class Stored:
    """What the score store has of compared runs: results on the same samples, where grounding separates, by run the
    effects of its arms with their samples, and how many trajectories count in each metric."""

    seen: SeenSamples | None = None
    separation: Separation | None = None
    effects: Mapping[int, Mapping[Arm, ArmEffect]] = field(default_factory=dict)
    cases: Mapping[int, Mapping[Arm, Links]] = field(default_factory=dict)
    listed: Mapping[int, Mapping[str, int]] = field(default_factory=dict)


_NOTHING = Stored()
_KEPT: LRUCache[Stored] = LRUCache(32)


def _stored(benchmark: Benchmark, points: Sequence[Point], node: Node, person: Any) -> Stored:
    """Cached by content."""
    snapshot = Snapshot(benchmark, [point.run for point in points], person)
    where = snapshot.conditions.listed(node)
    order, settings = [point.run.pk for point in points], settings_of(benchmark)

    def made() -> Stored:
        seen = seen_samples(snapshot, where)
        listed = populations_by_run(snapshot, {name: (name,) for name in SCORED}, where)
        return Stored(seen, separation(seen.of(order)), *_effects(snapshot, where, settings), listed)

    key: Hashable = snapshot.key_of(where)
    return made() if key is None else _KEPT.get((key, tuple(order), settings), made)


def _effects(
    snapshot: Snapshot, where: str, settings: MetricSettings
) -> tuple[dict[int, dict[Arm, ArmEffect]], dict[int, dict[Arm, Links]]]:
    """By run the effects that a series may show, those of its lab (``evaluation.common.arms``), and their samples."""
    effects: dict[int, dict[Arm, ArmEffect]] = {}
    found: dict[int, dict[Arm, Links]] = {}
    for estimand, rows in LAB_EFFECTS.items():
        wanted = {label for row in rows for label in row}
        for run, data in load_labs(snapshot, estimand, settings, where).items():
            links = RunLinks(snapshot.benchmark.slug, run)
            for arm in data.arms:
                if arm.label in wanted and (effect := effect_of(data, arm)) is not None:
                    effects.setdefault(run, {})[arm] = effect
                    found.setdefault(run, {})[arm] = cases(data, arm, links)
    return effects, found


def _pair(points: Sequence[Point], between: tuple[int | None, int | None]) -> tuple[Point, Point] | None:
    by_run = {point.run.pk: point for point in points}
    for wanted in between:
        if wanted is not None and wanted not in by_run:
            raise NotFound(gettext("Run %(run)s is no scored run of this series.") % {"run": wanted})
    if len(points) < 2:
        return None
    first, last = between
    pair = by_run[first] if first is not None else points[0], by_run[last] if last is not None else points[-1]
    return None if pair[0] is pair[1] else pair


def _scored_otherwise(points: Sequence[Point]) -> list[Point]:
    of = [MetricSettings.from_mapping(point.scoring.settings) for point in points if point.scoring]
    return [point for point, settings in zip(points, of, strict=True) if settings != of[0]]
