"""The attempts of an experiment that a person may read."""

from __future__ import annotations

from typing import Any

from evaluation.common.judging.known import withheld_samples
from evaluation.models import Experiment
from evaluation.models.querysets.experiments import AttemptQuerySet


def attempts_known_to(user: Any, experiment: Experiment) -> AttemptQuerySet:
    """All attempts; of a judge, those on the samples of a judging queue that this person has not finished are left out,
    as its verdicts are everywhere. ``user`` None: a command run by who runs the server."""
    rows: AttemptQuerySet = experiment.attempts.all()
    if user is None or experiment.kind != Experiment.Kind.JUDGE:
        return rows
    return rows.exclude(sample__in=withheld_samples(user, experiment.benchmark))
