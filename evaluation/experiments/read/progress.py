"""How far an experiment is: attempts, failures, tokens, money, time left, and the accuracy so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Max, Min, Sum
from django.utils.translation import gettext

from annotation.statistics import Interval, wilson
from evaluation.common.extraction.read import answer_keys
from evaluation.metrics.answers import judge_answer
from evaluation.metrics.columns import TRUE, UNKNOWN
from evaluation.models import Attempt, Exchange, Experiment, Step, Trajectory
from evaluation.scoring.settings import settings_of

CROPS = 12
MOST_READ = 2000
"""Answers from which the accuracy so far is read; more would make the page slow. The leaderboard has all."""


@dataclass(frozen=True)
class Accuracy:
    """Correct answers so far: mean over samples of the share of their rollouts. ``n``: samples with a decided answer.
    ``interval``: Wilson, 95%."""

    mean: float
    n: int
    interval: Interval | None


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
    """What the attempts that are left may cost, from the trial. USD, None where the price is unknown."""

    low: float | None
    high: float | None
    seconds: float | None
    attempts: int

    @property
    def sentence(self) -> str:
        if self.low is None or self.high is None:
            return gettext("The price is unknown.")
        return gettext("About %(low)s to %(high)s USD.") % {"low": f"{self.low:.2f}", "high": f"{self.high:.2f}"}


def progress_of(experiment: Experiment) -> Progress:
    """A fixed number of queries."""
    attempts = experiment.attempts.all()
    counts, tokens = attempts.counted(), attempts.tokens()
    span = attempts.exclude(finished_at=None).aggregate(first=Min("finished_at"), last=Max("finished_at"))
    answered = Exchange.objects.filter(attempt__experiment=experiment).aggregate(first=Min("started_at"))
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
    """The accuracy of the answers so far, by the metric settings of the benchmark; None without a decided answer."""
    rows = Trajectory.objects.filter(attempts__experiment=experiment, error="").order_by("-pk")
    answers = list(rows.values_list("sample__key", "answer", "judge_correct")[:MOST_READ])
    keys = answer_keys(experiment.benchmark, {key for key, *_ in answers})
    settings, shares = settings_of(experiment.benchmark), defaultdict(list)
    for sample, answer, verdict in answers:
        if sample in keys:
            given = UNKNOWN if verdict is None else int(verdict)
            result = judge_answer(answer, keys[sample], given, settings)
            if result.correct != UNKNOWN:
                shares[sample].append(result.correct == TRUE)
    if not shares:
        return None
    means = [sum(one) / len(one) for one in shares.values()]
    return Accuracy(sum(means) / len(means), len(means), wilson(sum(means), len(means)))


def last_crops(experiment: Experiment) -> list[Any]:
    """The newest steps with a box whose image can be shown, with their samples."""
    steps = Step.objects.filter(trajectory__attempts__experiment=experiment, ok=True, x1__isnull=False)
    return list(steps.select_related("trajectory__sample__image").order_by("-trajectory_id", "-position")[:CROPS])
