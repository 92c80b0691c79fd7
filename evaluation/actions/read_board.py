"""The leaderboard of a benchmark as records: for the page, the command and the API. Four queries, whatever its size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from annotation.models import Benchmark
from evaluation.metrics.catalogue import METRICS
from evaluation.metrics.published import PublishedValue, published_values
from evaluation.metrics.tests import holm
from evaluation.models import Comparison, Metric, Run, Scoring, Standing

SORTED_BY = "valid_grounded_reasoning"


@dataclass(frozen=True)
class BoardRow:
    """One run on the board: its metrics by name on the slice, its place, and its difference to the reference row."""

    run: Run
    scoring: Scoring | None
    metrics: dict[str, Metric]
    standing: Standing | None = None
    against: Difference | None = None

    @property
    def baseline(self) -> bool:
        return bool(self.run.model.baseline)

    @property
    def failed(self) -> bool:
        """Every record is an error: the run failed, and has no values."""
        return self.scoring is not None and 0 < self.scoring.trajectories_n == self.scoring.failed_n

    @property
    def missing(self) -> int:
        """Samples of the benchmark without a trajectory of this run."""
        return self.scoring.samples_n - self.scoring.trajectories_n if self.scoring else 0

    def value(self, name: str) -> float | None:
        metric = self.metrics.get(name)
        return metric.value if metric else None


@dataclass(frozen=True)
class Difference:
    """Accuracy of a row minus that of the reference row, on the samples both have; p adjusted by Holm over the view."""

    difference: float | None
    low: float | None
    high: float | None
    n: int
    reference_only: int
    row_only: int
    p_value: float | None
    p_cluster: float | None
    p_holm: float | None
    detectable: float | None

    @property
    def tie(self) -> bool:
        """Not told apart: the adjusted p is 0.05 or more."""
        return self.p_holm is None or self.p_holm >= 0.05


@dataclass(frozen=True)
class PublishedRow:
    """A model of a paper: never ranked, never compared. ``values`` by metric name."""

    model: str
    setting: str
    benchmark: str
    source: str
    values: dict[str, PublishedValue]


@dataclass(frozen=True)
class Board:
    """The rows of a slice, best first by ``sorted_by``; baselines, published and unscored rows apart."""

    slice_by: str
    slice: str
    sorted_by: str
    ranked: list[BoardRow] = field(default_factory=list)
    baselines: list[BoardRow] = field(default_factory=list)
    unscored: list[BoardRow] = field(default_factory=list)
    published: list[PublishedRow] = field(default_factory=list)
    reference: BoardRow | None = None

    def rows(self) -> Iterator[BoardRow]:
        yield from self.ranked
        yield from self.baselines


def read_board(
    benchmark: Benchmark,
    *,
    slice_by: str = "",
    slice: str = "",
    sorted_by: str = SORTED_BY,
    reference: int | None = None,
) -> Board:
    """The board on one slice. ``reference``: a run to which the others' accuracy is compared (whole benchmark only);
    without it the best ranked row."""
    sorted_by = sorted_by if sorted_by in METRICS else SORTED_BY
    runs = list(Run.objects.of(benchmark))
    metrics: dict[int, dict[str, Metric]] = {}
    for metric in Metric.objects.of(benchmark).on_slice(slice_by, slice):
        metrics.setdefault(metric.scoring_id, {})[metric.metric] = metric
    standings = {
        standing.scoring_id: standing
        for standing in Standing.objects.filter(scoring__run__benchmark=benchmark, metric=sorted_by)
        if not slice_by
    }
    rows = [_row(run, metrics, standings) for run in runs]
    scored = sorted((row for row in rows if row.scoring), key=lambda row: _place(row, sorted_by))
    ranked = [row for row in scored if not row.baseline]
    chosen = next((row for row in scored if row.run.pk == reference), next(iter(ranked or scored), None))
    differences = _differences(chosen) if chosen and not slice_by else {}
    ranked, baselines = (
        [_with(row, differences) for row in scored if row.baseline is baseline] for baseline in (False, True)
    )
    return Board(
        slice_by=slice_by,
        slice=slice,
        sorted_by=sorted_by,
        ranked=ranked,
        baselines=baselines,
        unscored=[row for row in rows if not row.scoring],
        published=published_rows(slice_by, slice),
        reference=chosen,
    )


def _row(run: Run, metrics: dict[int, dict[str, Metric]], standings: dict[int, Standing]) -> BoardRow:
    scoring = getattr(run, "scoring", None)
    if scoring is None:
        return BoardRow(run, None, {})
    return BoardRow(run, scoring, metrics.get(scoring.pk, {}), standings.get(scoring.pk))


def _place(row: BoardRow, sorted_by: str) -> tuple[bool, float, str]:
    """Best first; a row without a value comes last."""
    value = row.value(sorted_by)
    sign = 1 if METRICS[sorted_by].better == "lower" else -1
    return value is None, 0.0 if value is None else sign * value, str(row.run)


def _with(row: BoardRow, differences: dict[int, Difference]) -> BoardRow:
    against = differences.get(row.scoring.pk) if row.scoring else None
    return BoardRow(row.run, row.scoring, row.metrics, row.standing, against)


def _differences(reference: BoardRow) -> dict[int, Difference]:
    """Every other run against the reference, by scoring. A comparison is stored once per pair, so half are turned."""
    own = reference.scoring.pk if reference.scoring else 0
    pairs = list(Comparison.objects.touching(own))
    found = {}
    for pair, adjusted in zip(pairs, holm([pair.p_value for pair in pairs]), strict=True):
        forward = pair.a_id == own
        sign = 1 if forward else -1
        ends = [None if v is None else sign * v for v in (pair.ci_low, pair.ci_high)]
        low, high = ends if forward else ends[::-1]
        found[pair.b_id if forward else pair.a_id] = Difference(
            difference=None if pair.difference is None else sign * pair.difference,
            low=low,
            high=high,
            n=pair.n,
            reference_only=pair.a_only if forward else pair.b_only,
            row_only=pair.b_only if forward else pair.a_only,
            p_value=pair.p_value,
            p_cluster=pair.p_cluster,
            p_holm=adjusted,
            detectable=pair.detectable,
        )
    return found


@cache
def _published() -> tuple[PublishedValue, ...]:
    return tuple(published_values())


def published_rows(slice_by: str = "", slice: str = "") -> list[PublishedRow]:
    """The papers' rows on this slice, in the order of the tables."""
    rows: dict[tuple[str, str, str, str], PublishedRow] = {}
    for value in _published():
        if (value.slice_by, value.slice) == (slice_by, slice):
            key = (value.source, value.benchmark, value.model, value.setting)
            row = rows.setdefault(key, PublishedRow(value.model, value.setting, value.benchmark, value.source, {}))
            row.values[value.metric] = value
    return list(rows.values())


def slices_of(benchmark: Benchmark, slice_by: str) -> list[str]:
    """The values of a facet that there are metrics for, in the order the metrics were made."""
    rows = Metric.objects.of(benchmark).filter(slice_by=slice_by).order_by("pk").values_list("slice", flat=True)
    return list(dict.fromkeys(rows))
