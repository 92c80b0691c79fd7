"""Experiments as plain data: the same rows for the API and the command."""

from __future__ import annotations

from typing import Any

from evaluation.experiments.read.progress import accuracy_of, progress_of
from evaluation.models import Experiment

_FIELDS = (
    "kind", "design", "model", "setting", "samples", "rollouts", "recipe", "recipe_digest", "state", "pause_reason",
    "pause_note", "budget_usd", "budget_calls", "spent_usd", "calls", "created_at", "finished_at",
)  # fmt: skip


def experiment_row(experiment: Experiment) -> dict[str, Any]:
    """Return the choices of an experiment, its state, and its spending. No query."""
    return {
        "id": experiment.pk,
        "endpoint": experiment.endpoint_name,
        "run": experiment.source_id,
        **{name: getattr(experiment, name) for name in _FIELDS},
        "import": experiment.import_record_id,
        "job": experiment.job_id,
    }


def progress_row(experiment: Experiment, user: Any = None) -> dict[str, Any]:
    """Return its progress, as far as this person may know, with the accuracy so far; None if undefined."""
    progress, accuracy = progress_of(experiment, user), accuracy_of(experiment)
    return {
        "experiment": experiment_row(experiment),
        "attempts": progress.counts,
        "failures": dict(progress.failures),
        "tokens": progress.tokens,
        "seconds_left": progress.seconds_left,
        "accuracy": accuracy.value if accuracy else None,
        "accuracy_n": accuracy.n if accuracy else 0,
    }
