"""The results of a closed study: the estimates of its run, and the runs it is compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.metrics.people import ENOUGH_PEOPLE, FAMILIAR, FAMILIARITY
from evaluation.models import Experiment, Metric, Run

LEADING = (
    "accuracy", "tool_ratio", "grounded_score", "valid_grounded_reasoning", "recognition_f1", "selection_f1",
    "exact_match", "task_completable_rate",
)  # fmt: skip
"""The metrics of the page; the leaderboard has all."""


@dataclass(frozen=True)
class Difference:
    """People minus a run, on the samples that both answered."""

    run: Run
    difference: float
    low: float | None
    high: float | None
    n: int
    method: str


@dataclass(frozen=True)
class Result:
    """``metrics``: the defined ones of ``LEADING``, over all answers; ``familiar``: accuracy by familiarity;
    ``over_people``: the intervals also cover the selection of people.
    """

    run: Run
    scored: bool
    metrics: Sequence[Metric]
    familiar: Sequence[tuple[str, Metric]]
    differences: Sequence[Difference]
    over_people: bool

    @property
    def accuracy(self) -> Mapping[str, Any]:
        return next((one.detail for one in self.metrics if one.metric == "accuracy"), {})


def result_of(study: Experiment) -> Result | None:
    """Return the result; None without a run: there are no answers, or its import was undone. Three queries."""
    run = Run.objects.of(study.benchmark).filter(model__name=study.model, setting=study.setting).first()
    if run is None:
        return None
    rows = Metric.objects.filter(scoring__run=run, metric__in=LEADING, slice_by__in=["", FAMILIARITY])
    found = {(one.metric, one.slice): one for one in rows}
    metrics = [one for name in LEADING if (one := found.get((name, ""))) is not None and one.value is not None]
    familiar = [(value, found["accuracy", value]) for value in FAMILIAR if ("accuracy", value) in found]
    detail = metrics[0].detail if metrics else {}
    against = detail.get("against", {})
    runs = Run.objects.of(study.benchmark).filter(pk__in=[int(pk) for pk in against])
    differences = [Difference(one, **against[str(one.pk)]) for one in runs]
    return Result(
        run, hasattr(run, "scoring"), metrics, familiar,
        sorted(differences, key=lambda one: (one.difference, str(one.run))),
        detail.get("people", 0) >= ENOUGH_PEOPLE,
    )  # fmt: skip
