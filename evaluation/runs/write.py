"""Deleting a run: what goes with it, and the job that removes it, a batch at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop

from annotation.common.access import require
from annotation.exchange.write.records import WORKING
from annotation.models import ImportRecord
from annotation.workflow import Right
from evaluation.common.judging.write import Loss, losses, remove_questions, verdicts_of
from evaluation.models import (
    FailureLabel,
    Intervention,
    Judgement,
    JudgingItem,
    Model,
    Note,
    Replay,
    Run,
    Scoring,
    Tagging,
    Trajectory,
)
from evaluation.scoring.write import rank_again
from evaluation.store.files import rows_changed
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict
from webapp.jobs.actions import enqueue_on_commit
from webapp.jobs.context import JobContext
from webapp.jobs.models import Job

KIND = "evaluation.delete_run"
BATCH = 500


@dataclass(frozen=True)
class RunLoss:
    """What goes with a run: ``goes``, how many rows of each kind; ``queues``, what judging queues lose."""

    goes: dict[str, int]
    queues: tuple[Loss, ...]


def run_loss(run: Run) -> RunLoss:
    """Data that is deleted with a run. A fixed number of queries."""
    mine = Trajectory.objects.filter(run=run)
    items = _questions(run)
    tables: tuple[tuple[str, Any], ...] = (
        ("trajectories", mine),
        ("interventions", Intervention.objects.filter(run=run)),
        ("judgments", Judgement.objects.filter(run=run).exclude(pk__in=verdicts_of(items))),
        ("tags", Tagging.objects.filter(trajectory__run=run)),
        ("notes", Note.objects.filter(trajectory__run=run)),
        ("failures named by people", FailureLabel.objects.filter(trajectory__run=run)),
        ("replays", Replay.objects.filter(trajectory__run=run)),
    )
    counts = {name: rows.count() for name, rows in tables}
    return RunLoss({name: count for name, count in counts.items() if count}, losses(items))


def deletion_under_way(run: Run) -> Job | None:
    """The job that deletes this run now, or is about to."""
    return Job.objects.live().filter(key=_key(run)).first()


def queue_delete_run(*, actor: User, run: Run) -> Job:
    """Delete a run in a job. Its questions leave the judging queues at once, with the verdicts on them.

    Raises ``NotAllowed`` for who imports no runs, ``Conflict`` while an import may be writing into it.
    """
    require(actor, run.benchmark, Right.IMPORT_RUNS)
    with transaction.atomic():
        # Who judges at this moment may still say that their verdict is of this run, and is waited for.
        run = (
            Run.objects.select_for_update(of=("self",), no_key=True).select_related("benchmark", "model").get(pk=run.pk)
        )
        writing = run.benchmark.imports.filter(kind=ImportRecord.Kind.RUNS, state__in=WORKING).first()
        if writing:
            raise Conflict(
                gettext("%(file_name)s is being imported. Delete %(run)s when the import is done.")
                % {"file_name": writing.file_name, "run": run}
            )
        loss = run_loss(run)
        remove_questions(actor=actor, benchmark=run.benchmark, items=_questions(run))
        audit.record(actor, "run.delete", run, run.benchmark.slug, data={"run": str(run), "goes": loss.goes})
        return enqueue_on_commit(
            KIND, payload={"run_id": run.pk}, actor=actor, benchmark=run.benchmark.slug, key=_key(run),
            values={"run": str(run), "benchmark": run.benchmark.title},
        )  # fmt: skip


def delete_run(context: JobContext, *, run_id: int) -> dict[str, Any]:
    """The body of the job: each batch in a transaction of its own; run again, it goes on with the rest."""
    run = Run.objects.select_related("benchmark", "model").filter(pk=run_id).first()
    if run is None:
        return {"trajectories": int(context.state.get("done", 0))}
    context.result_url = reverse("evaluation:runs", args=[run.benchmark.slug])
    done = int(context.state.get("done", 0))
    total = done + run.trajectories.count()
    context.progress(done, total, unit=gettext_noop("trajectories"))
    while batch := list(run.trajectories.order_by("pk").values_list("pk", flat=True)[:BATCH]):
        with transaction.atomic():
            Scoring.objects.filter(run=run).update(stale=True)
            rows_changed([run.pk])
            Trajectory.objects.filter(pk__in=batch).delete()
            done += len(batch)
            context.save({"done": done}, done=done)
        context.progress(done, total, unit=gettext_noop("trajectories"))
    with transaction.atomic():
        rows_changed([run.pk])
        run.delete()
        Model.objects.filter(pk=run.model_id, runs=None, baseline=False, url="").delete()
        rank_again(run.benchmark)
        audit.record(
            actor=context.job.created_by, action="run.deleted", subject=run.benchmark, benchmark=run.benchmark.slug,
            data={"run": str(run), "trajectories": done},
        )  # fmt: skip
    return {"trajectories": done}


def _questions(run: Run) -> Any:
    return JudgingItem.objects.filter(trajectory__run=run)


def _key(run: Run) -> str:
    return f"{KIND}:{run.pk}"
