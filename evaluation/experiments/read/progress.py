"""The progress of an experiment: attempts, failures, tokens, money, time left, and the accuracy so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Max, Min, Sum
from django.utils.translation import gettext

from evaluation.experiments.read.attempts import attempts_known_to
from evaluation.metrics.aggregate import aggregate
from evaluation.metrics.measures import answered_rate, evaluated_rows
from evaluation.metrics.score import score_run
from evaluation.models import Attempt, Exchange, Experiment, Run, Step
from evaluation.scoring.freshness import StalenessChecker
from evaluation.scoring.load.columns import load_run, load_samples
from evaluation.scoring.settings import settings_of

CROPS = 12
ACCURACY = "accuracy"
MOST_READ = 2000
"""Trajectories, and samples, from which the accuracy is computed while the experiment runs."""


@dataclass(frozen=True)
class Accuracy:
    """The accuracy of a run as the leaderboard has it (docs/metrics.md#answers): its value and interval, 0 to 1, and
    ``n`` samples."""

    value: float
    n: int
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Progress:
    """``counts``: attempts by state. ``failures``: kinds of errors with their number.
    ``seconds_left`` None: unknown."""

    counts: Mapping[str, int]
    failures: list[tuple[str, int]]
    tokens: Mapping[str, int]
    tokens_per_second: float | None
    seconds_left: float | None

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def ended(self) -> int:
        return self.total - self.counts.get("queued", 0) - self.counts.get("running", 0)

    @property
    def sentence(self) -> str:
        """Counts of attempts in one line."""
        return ", ".join(f"{number} {state}" for state, number in sorted(self.counts.items())) or "no attempts"


@dataclass(frozen=True)
class PriceRange:
    """The range of costs of the remaining attempts, from the trial. USD, None if the price is unknown."""

    low: float | None
    high: float | None
    seconds: float | None
    attempts: int

    @property
    def sentence(self) -> str:
        if self.low is None or self.high is None:
            return gettext("The price is unknown.")
        return gettext("About %(low)s to %(high)s USD.") % {"low": f"{self.low:.2f}", "high": f"{self.high:.2f}"}


def progress_of(experiment: Experiment, user: Any = None) -> Progress:
    """Of the attempts that this person may read (``attempts_known_to``). A fixed number of queries."""
    attempts = attempts_known_to(user, experiment)
    counts, tokens = attempts.counted(), attempts.tokens()
    span = attempts.exclude(finished_at=None).aggregate(first=Min("finished_at"), last=Max("finished_at"))
    answered = Exchange.objects.filter(attempt__in=attempts.order_by().values("pk")).aggregate(first=Min("started_at"))
    seconds = rate = left = None
    if span["last"] and answered["first"]:
        seconds = max(0.001, (span["last"] - answered["first"]).total_seconds())
        rate = tokens["output"] / seconds
        ended = sum(counts.values()) - counts.get("queued", 0) - counts.get("running", 0)
        open_ones = counts.get("queued", 0) + counts.get("running", 0)
        left = seconds / ended * open_ones if ended and open_ones else None
    return Progress(counts, attempts.failures(), tokens, rate, left)


def price_range(experiment: Experiment) -> PriceRange:
    """From the cheapest to the dearest attempt that is done, times the attempts that are left."""
    done = Attempt.objects.filter(experiment=experiment, state=Attempt.State.DONE)
    per = list(done.annotate(usd=Sum("exchanges__usd"), ms=Sum("exchanges__milliseconds")).values_list("usd", "ms"))
    left = experiment.attempts.filter(state__in=("queued", "running")).count()
    known = [usd for usd, _ in per if usd is not None]
    times = [ms for _, ms in per if ms is not None]
    seconds = sum(times) / len(times) / 1000 * left if times else None
    if not known:
        return PriceRange(None, None, seconds, left)
    return PriceRange(min(known) * left, max(known) * left, seconds, left)


def accuracy_of(experiment: Experiment) -> Accuracy | None:
    """The accuracy of the run: the stored one if it is current, else computed by the same functions for a run and a
    benchmark that are small enough; None if it is undefined or not known yet, and for arms and judges."""
    if experiment.kind != Experiment.Kind.RUN:
        return None
    found = Run.objects.filter(benchmark=experiment.benchmark, model__name=experiment.model, setting=experiment.setting)
    run = found.select_related("scoring").first()
    if run is None:
        return None
    scoring = getattr(run, "scoring", None)
    if scoring is not None and not StalenessChecker(experiment.benchmark).stale(scoring):
        row = scoring.metrics.filter(metric=ACCURACY, slice_by="").first()
        return Accuracy(row.value, row.n, row.ci_low, row.ci_high) if row and row.value is not None else None
    if run.trajectories.count() > MOST_READ or experiment.benchmark.samples.count() > MOST_READ:
        return None
    samples, settings = load_samples(experiment.benchmark), settings_of(experiment.benchmark)
    loaded = load_run(run, samples)
    scores = score_run(samples.columns, loaded.columns, settings)
    rows = evaluated_rows(samples.columns, scores, settings)
    measure = answered_rate(ACCURACY, samples.columns, scores, rows, settings)
    made = aggregate(samples.columns, scores, loaded.columns, settings, slices=(), measures=[measure])
    one = next(row for row in made if row.metric == ACCURACY)
    return Accuracy(one.value, one.n, one.ci_low, one.ci_high) if one.value is not None else None


def last_crops(experiment: Experiment) -> list[Any]:
    """The newest steps with a box whose image can be shown, with their samples."""
    steps = Step.objects.filter(trajectory__attempts__experiment=experiment, ok=True, x1__isnull=False)
    return list(steps.select_related("trajectory__sample__image").order_by("-trajectory_id", "-position")[:CROPS])
