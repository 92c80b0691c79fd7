"""Every run of a benchmark with what a list of runs shows: three queries, and two for how fresh the scores are."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count

from annotation.models import Benchmark
from evaluation.common.board_metrics import BoardMetric, metrics_by_scoring
from evaluation.models import Metric, Run, Scoring, Trajectory
from evaluation.scoring.freshness import StalenessChecker

SHOWN = (
    "accuracy",
    "valid_grounded_reasoning",
    "ground_success_answer_failure",
    "ungrounded_correct_answer",
    "dual_failure",
)


@dataclass(frozen=True)
class RunRow:
    """A run, its scoring if there is one, and its metrics on the whole benchmark by name.

    ``trajectories``: how many samples it has a trajectory on, without an intervention.
    """

    run: Run
    scoring: Scoring | None
    metrics: dict[str, BoardMetric]
    trajectories: int
    stale: bool

    @property
    def failed(self) -> bool:
        """Every record is an error."""
        return self.scoring is not None and 0 < self.scoring.trajectories_n == self.scoring.failed_n

    @property
    def missing(self) -> int | None:
        return self.scoring.samples_n - self.scoring.trajectories_n if self.scoring else None


def list_runs(benchmark: Benchmark) -> list[RunRow]:
    """All runs, by model and setting."""
    metrics = metrics_by_scoring(Metric.objects.of(benchmark).on_slice().filter(metric__in=SHOWN), detailed=())
    # The runs first: a join would look at every trajectory of the scored ones.
    waiting = Run.objects.filter(benchmark=benchmark, scoring__isnull=True).order_by().values("pk")
    unscored = Trajectory.objects.filter(run__in=waiting, condition="none")
    counts = dict(unscored.order_by().values_list("run").annotate(n=Count("sample", distinct=True)))
    freshness = StalenessChecker(benchmark)
    return [
        _row(run, metrics, counts, freshness) for run in Run.objects.of(benchmark).order_by("model__name", "setting")
    ]


def _row(
    run: Run, metrics: dict[int, dict[str, BoardMetric]], counts: dict[int, int], freshness: StalenessChecker
) -> RunRow:
    scoring = getattr(run, "scoring", None)
    if scoring is None:
        return RunRow(run, None, {}, counts.get(run.pk, 0), stale=False)
    return RunRow(run, scoring, metrics.get(scoring.pk, {}), scoring.trajectories_n, freshness.stale(scoring))
