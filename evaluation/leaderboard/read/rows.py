"""The records of a leaderboard: rows, differences, neighbors, available slices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.models import Benchmark
from evaluation.common.board_metrics import BoardMetric
from evaluation.common.exports import Row
from evaluation.leaderboard.read.published import PublishedRow
from evaluation.metrics.catalogue import METRIC_COLUMNS
from evaluation.metrics.families import family_words
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.slices import COUNTED_BY
from evaluation.metrics.undecided import could_turn
from evaluation.models import Run, Scoring, Standing

PLACE = ("rank", "low", "high", "p_best", "p_top3")
"""The rank of a run, from its standing."""


@dataclass(frozen=True)
class LeaderboardRow:
    """One run on the board: its metrics by name on the slice, its place, and its difference to the reference row.

    ``stale``: the scores are of other trajectories, another gold or other settings than those of today.
    ``familiarity``: of people, the answers whose subject they said they are so familiar with; "" for all.
    """

    run: Run
    scoring: Scoring | None
    metrics: dict[str, BoardMetric]
    standing: Standing | None = None
    against: Difference | None = None
    stale: bool = False
    familiarity: str = ""

    @property
    def baseline(self) -> bool:
        return bool(self.run.model.baseline)

    @property
    def detector(self) -> bool:
        return bool(self.run.by_detector)

    @property
    def by_people(self) -> bool:
        return bool(self.run.by_people)

    @property
    def failed(self) -> bool:
        """Every record is an error: the run failed, and has no values."""
        return self.scoring is not None and 0 < self.scoring.trajectories_n == self.scoring.failed_n

    @property
    def settings(self) -> MetricSettings:
        """Return the settings that the run was scored with."""
        return MetricSettings.from_mapping(self.scoring.settings if self.scoring else {})

    @property
    def provisional(self) -> bool:
        """Return whether it has too many unread answers, so that ranges replace values and it has no rank."""
        return self.scoring is not None and self.scoring.provisional

    @property
    def missing(self) -> int:
        """Samples of the benchmark without a trajectory of this run; of people, drawn samples without an answer."""
        if self.by_people:
            return int(self.counts.get("missing", 0))
        return self.scoring.samples_n - self.scoring.trajectories_n if self.scoring else 0

    @property
    def image_replaced(self) -> int:
        """Trajectories on the slice whose grounding is undefined, because their image was replaced."""
        return int(self.counts.get("image_replaced", 0))

    @property
    def counts(self) -> Mapping[str, Any]:
        """The counts that are always shown on this slice: samples, missing, trajectories, failed, unread, undecided."""
        found = self.metrics.get(COUNTED_BY)
        return (found.detail if found else None) or {}

    def value(self, name: str) -> float | None:
        metric = self.metrics.get(name)
        return metric.value if metric else None

    def least(self, name: str) -> float | None:
        """Return the value that the row is sorted by: for a provisional one the lower end of its range, if
        it has one.
        """
        metric = self.metrics.get(name)
        if metric is None:
            return None
        return metric.low if self.provisional and metric.low is not None else metric.value


@dataclass(frozen=True)
class Difference:
    """Accuracy of a row minus that of the reference row, on the samples both have. ``p_value``: McNemar's exact test;
    ``p_cluster``: the exact sign flip over images, the same where each has one sample; ``p_holm``: that one, adjusted
    over ``p_family_size`` comparisons of ``p_family``, see ``evaluation.metrics.families``. ``difference_low``,
    ``difference_high``: what undecided answers allow."""

    difference: float | None
    low: float | None
    high: float | None
    n: int
    reference_only: int
    row_only: int
    p_value: float | None
    p_cluster: float | None
    p_holm: float | None
    p_family: str
    p_family_size: int
    detectable: float | None
    difference_low: float | None
    difference_high: float | None

    @property
    def could_turn(self) -> bool:
        """Whether the undecided answers could give the difference the other sign."""
        return could_turn(self.difference, self.difference_low, self.difference_high)

    @property
    def family_words(self) -> str:
        return family_words(self.p_family, self.p_family_size)

    @property
    def tie(self) -> bool:
        """Not distinguished: the adjusted p is 0.05 or more."""
        return self.p_holm is None or self.p_holm >= 0.05


@dataclass(frozen=True)
class Neighbours:
    """Two ranked rows next to each other by accuracy: the upper's accuracy minus the lower's, and what it can mean."""

    upper: LeaderboardRow
    lower: LeaderboardRow
    against: Difference


@dataclass(frozen=True)
class Ablation:
    """A model with several settings: one row of it, and how the others differ from it; p adjusted over the model."""

    base: LeaderboardRow
    others: list[tuple[LeaderboardRow, Difference]]


@dataclass(frozen=True)
class Facet:
    """A facet to slice by: its values, each with the number of samples that have it."""

    name: str
    values: list[tuple[str, int]]


@dataclass(frozen=True)
class Leaderboard:
    """The rows of a slice, best first by ``sorted_by``; baselines, detectors, people, failed, published and unscored
    rows apart. ``people``: each study, and the same by familiarity.

    ``ranked_by``: the metric of the standings. ``settings``: those the reference row was scored with. ``query``: of a
    saved slice.
    """

    slice_by: str
    slice: str
    sorted_by: str
    ranked: list[LeaderboardRow] = field(default_factory=list)
    baselines: list[LeaderboardRow] = field(default_factory=list)
    detectors: list[LeaderboardRow] = field(default_factory=list)
    people: list[LeaderboardRow] = field(default_factory=list)
    unscored: list[LeaderboardRow] = field(default_factory=list)
    published: list[PublishedRow] = field(default_factory=list)
    reference: LeaderboardRow | None = None
    failed: list[LeaderboardRow] = field(default_factory=list)
    neighbours: list[Neighbours] = field(default_factory=list)
    ablations: list[Ablation] = field(default_factory=list)
    facets: list[Facet] = field(default_factory=list)
    settings: MetricSettings = field(default_factory=MetricSettings)
    ranked_by: str = ""
    query: str = ""

    def rows(self) -> Iterator[LeaderboardRow]:
        """Every scored run."""
        yield from self.ranked
        yield from self.baselines
        yield from self.detectors
        yield from (row for row in self.people if not row.familiarity)
        yield from self.failed

    @property
    def samples(self) -> int | None:
        """Return the number of samples of the benchmark or slice: that of the run with the most samples."""
        if self.whole:
            return self.reference.scoring.samples_n if self.reference and self.reference.scoring else None
        return max((row.counts["samples"] for row in self.rows() if "samples" in row.counts), default=None)

    @property
    def whole(self) -> bool:
        """Not a slice: ranks and comparisons are made on the whole benchmark only."""
        return not self.slice_by

    @property
    def stale(self) -> list[LeaderboardRow]:
        return [row for row in self.rows() if row.stale]

    @property
    def mixed_settings(self) -> list[LeaderboardRow]:
        """Rows scored with other settings than the reference row: not comparable with it."""
        changed = self.settings.changed()
        return [row for row in self.rows() if row.scoring and row.scoring.settings != changed]

    @property
    def mixed_gold(self) -> list[LeaderboardRow]:
        """Rows scored on another gold, so on another version of the benchmark, than the reference row."""
        gold = self.reference.scoring.gold_digest if self.reference and self.reference.scoring else ""
        return [row for row in self.rows() if row.scoring and row.scoring.gold_digest != gold]


def board_metric_rows(benchmark: Benchmark, board: Leaderboard) -> Iterator[Row]:
    """The same of a board on the list of a query, whose metrics no table holds: for all that it was read with."""
    for row in board.rows():
        who = (benchmark.slug, row.run.pk, row.run.model.name, row.run.setting)
        for metric in row.metrics.values():
            of = {"slice_by": board.slice_by, "slice": board.slice}
            named = dict(zip(METRIC_COLUMNS, who, strict=False)) | metric._asdict() | of
            if metric.low is not None:
                named["detail"] = {**(metric.detail or {}), "low": metric.low, "high": metric.high}
            yield {name: named[name] for name in METRIC_COLUMNS}
