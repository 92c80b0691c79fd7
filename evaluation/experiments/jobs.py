"""Bodies of the background jobs of experiments."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils.translation import gettext_noop

from evaluation.experiments.write import probe, run
from evaluation.experiments.write.endpoints import PROBE
from evaluation.experiments.write.images import sweep_sent_images
from evaluation.experiments.write.states import KIND, note_job_stopped
from webapp.jobs.context import JobContext
from webapp.jobs.registry import Parts, each_hour, job


@job(KIND, title=gettext_noop("Run %(experiment)s"), stopped=note_job_stopped)
def experiment(context: JobContext, experiment_id: int, part: int = 0) -> dict[str, Any] | Parts | None:
    return run.run_experiment(context, experiment_id=experiment_id, part=part)


@job(PROBE, title=gettext_noop("Test the endpoint %(endpoint)s"))
def test_endpoint(context: JobContext, endpoint_id: int) -> dict[str, Any]:
    return probe.probe_endpoint(context, endpoint_id=endpoint_id)


@each_hour
def unnamed_images(now: datetime) -> int:
    return sweep_sent_images(now)
