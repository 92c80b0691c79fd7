"""The body of the job of an experiment: plan, run in one or several parts, end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import ceil
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import allowed
from annotation.workflow import Right
from evaluation.experiments.read.connection import client_of, limits_of, price_of
from evaluation.experiments.read.image_links import image_link
from evaluation.experiments.write.arms import ArmWorker, plan_arms
from evaluation.experiments.write.board import AuditWorker, DescribeWorker, RenderWorker, close_audit, plan_items
from evaluation.experiments.write.code import refuse_code
from evaluation.experiments.write.detectors import DetectorWorker, plan_detection
from evaluation.experiments.write.drafts import DraftWorker, plan_drafts
from evaluation.experiments.write.evidence import EvidenceWorker, plan_evidence
from evaluation.experiments.write.judges import JudgeWorker, plan_judge
from evaluation.experiments.write.plan import plan_attempts
from evaluation.experiments.write.states import KIND, skip_queued
from evaluation.experiments.write.work import Worker, close_record, release_lost
from evaluation.models import Attempt, Experiment
from evaluation.models.querysets.experiments import LIVE
from evaluation.scoring.queue import queue_scoring
from webapp.common.errors import Conflict
from webapp.jobs.context import JobContext
from webapp.jobs.registry import Part, Parts

MOST_THREADS = 32
PER_PART, MOST_PARTS = 64, 8
"""Attempts from which an experiment is divided, and into how many parts at most."""
State, Kind = Experiment.State, Experiment.Kind
WITHOUT_RUN = (Kind.DRAFT, Kind.AUDIT, Kind.RENDER, Kind.DESCRIBE, Kind.EVIDENCE)
"""The kinds that fill no run."""
PLANS: Mapping[str, Callable[[Experiment], int]] = {
    Kind.RUN: plan_attempts,
    Kind.ARMS: plan_arms,
    Kind.JUDGE: plan_judge,
    Kind.DETECT: plan_detection,
    Kind.DRAFT: plan_drafts,
    Kind.AUDIT: plan_items,
    Kind.RENDER: plan_items,
    Kind.DESCRIBE: plan_items,
    Kind.EVIDENCE: plan_evidence,
}
WORKERS: Mapping[str, type[Worker]] = {
    Kind.RUN: Worker,
    Kind.ARMS: ArmWorker,
    Kind.JUDGE: JudgeWorker,
    Kind.DETECT: DetectorWorker,
    Kind.DRAFT: DraftWorker,
    Kind.AUDIT: AuditWorker,
    Kind.RENDER: RenderWorker,
    Kind.DESCRIBE: DescribeWorker,
    Kind.EVIDENCE: EvidenceWorker,
}
"""The function that creates the attempts of each kind of experiment, and the class that runs them."""


def run_experiment(context: JobContext, *, experiment_id: int, part: int = 0) -> dict[str, Any] | Parts | None:
    """Run the attempts that are queued; in parts if there are many, so that several workers share them.

    A part takes attempts from the common queue until it is empty. The job that assigned the parts ends the experiment.
    """
    found = Experiment.objects.select_related("benchmark", "endpoint", "created_by", "import_record", "source__model")
    experiment = found.filter(pk=experiment_id).first()
    if experiment is None:
        return {}
    context.result_url = f"{experiment.benchmark.get_absolute_url()}experiments/{experiment.pk}/"
    release_lost(experiment)
    if experiment.state in LIVE:
        PLANS[experiment.kind](experiment)
        left = _left(experiment).count()
        if not part and not context.parts and left > PER_PART:
            parts = min(MOST_PARTS, ceil(left / PER_PART))
            return Parts(
                KIND, "parts",
                tuple(Part(f"part {n}", {"experiment_id": experiment.pk, "part": n}) for n in range(1, parts + 1)),
            )  # fmt: skip
    # A person can resume an experiment while its job is about to end.
    while experiment.state in LIVE and _left(experiment).exists():
        _work(context, experiment, part)
        experiment.refresh_from_db(fields=["state"])
    if part:
        return None
    return _end(experiment)


def _left(experiment: Experiment) -> Any:
    queued = Attempt.objects.filter(experiment=experiment, state=Attempt.State.QUEUED)
    return queued.filter(trial=True) if experiment.state == State.TRIAL else queued


def _work(context: JobContext, experiment: Experiment, part: int) -> None:
    # The setting may have changed since the start, and a worker can run on another machine.
    refuse_code(experiment)
    endpoint = experiment.endpoint
    if endpoint is None:
        raise Conflict(
            gettext("The endpoint %(endpoint_name)s was deleted. Create the experiment again.")
            % {"endpoint_name": experiment.endpoint_name}
        )
    shares = context.job.parent.parts.live().count() if context.job.parent else 1
    threads = min(MOST_THREADS, limits_of(endpoint).in_flight)
    again = context.job.attempts > 1
    link = partial(image_link, experiment.pk)
    with client_of(endpoint, max(1, shares), spent=bool(part) or again, again=again, link=link) as client:
        make = WORKERS[experiment.kind]
        worker = make(context, experiment, client, price=price_of(endpoint), family=endpoint.family, threads=threads)
        worker.run()


@transaction.atomic
def _end(experiment: Experiment) -> dict[str, Any]:
    """Move on once no attempt is left: from a trial to ready, from running to done; scores follow."""
    release_lost(experiment)
    experiment.refresh_from_db(fields=["state"])
    counts = experiment.attempts.all().counted()
    if experiment.state == State.STOPPED:
        skip_queued(experiment)
    elif experiment.state in LIVE and not _left(experiment).exists():
        whole = not counts.get("queued") and not counts.get("running")
        Experiment.objects.filter(pk=experiment.pk, state=experiment.state).update(
            state=State.DONE if whole else State.READY, finished_at=timezone.now() if whole else None
        )
    close_audit(experiment)
    if experiment.kind not in WITHOUT_RUN and (counts.get("done") or counts.get("failed")):
        close_record(experiment)
        actor = experiment.created_by
        if actor is None or allowed(actor, experiment.benchmark, Right.SCORE):
            queue_scoring(actor=actor, benchmark=experiment.benchmark)
    return {name: counts.get(name, 0) for name in ("done", "failed", "skipped")}
