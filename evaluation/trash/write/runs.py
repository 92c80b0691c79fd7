"""Deleting a run: it goes to the trash, from which it is restored, or purged by a job, a batch at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop

from annotation.common.access import require
from annotation.common.trash import deleted_before
from annotation.exchange.write.records import WORKING
from annotation.models import Benchmark, ImportRecord
from annotation.workflow import Right
from evaluation.common.judging.write import Loss, losses, remove_questions, verdicts_of
from evaluation.models import (
    Comparison,
    Experiment,
    FailureLabel,
    Intervention,
    Judgement,
    JudgingItem,
    JudgingSeat,
    Model,
    Note,
    Replay,
    Run,
    Scoring,
    Standing,
    Tagging,
    Trajectory,
)
from evaluation.scoring.queue import queue_ranking
from evaluation.store.files import rows_changed
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict
from webapp.common.locks import lock_rows
from webapp.jobs.actions import enqueue_on_commit
from webapp.jobs.context import JobContext

KIND = "evaluation.delete_run"
BATCH = 500


@dataclass(frozen=True)
class RunLoss:
    """The data deleted with a run: ``goes``, the number of rows of each kind; ``queues``, the losses of
    judging queues.
    """

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


def delete_run(*, actor: User, run: Run) -> None:
    """Put a run in the trash. It is in no list, metric or export from now on, nor are its questions in judging queues.

    Raises ``NotAllowed`` for who imports no runs, ``Conflict`` while an import or experiment may be writing into it.
    """
    require(actor, run.benchmark, Right.IMPORT_RUNS)
    with transaction.atomic():
        # A judge may be submitting a verdict on this run: the lock waits until it is saved. Questions come before runs,
        # as where samples are deleted or imported.
        asked = lock_rows(_questions(run))
        run = _locked(run)
        if run.deleted_at is not None:
            return
        _refuse_writing(run)
        JudgingSeat.objects.filter(item__in=asked, place__isnull=False, done_at=None).delete()
        # A ranking that begins now waits for this transaction, and then leaves this run out.
        lock_rows(Scoring.objects.filter(run=run))
        Run.everything.filter(pk=run.pk).update(deleted_at=Now(), deleted_by=actor)
        Standing.objects.filter(scoring__run=run).delete()
        Comparison.objects.filter(Q(a__run=run) | Q(b__run=run)).delete()
        audit.record(actor, "run.delete", run, run.benchmark.slug, data={"run": str(run), "goes": run_loss(run).goes})
        queue_ranking(actor=actor, benchmark=run.benchmark)


def _refuse_writing(run: Run) -> None:
    writing = run.benchmark.imports.filter(kind=ImportRecord.Kind.RUNS, state__in=WORKING).first()
    if writing:
        raise Conflict(
            gettext("%(file_name)s is being imported. Delete %(run)s when the import is done.")
            % {"file_name": writing.file_name, "run": run}
        )
    filling = Q(model=run.model.name, setting=run.setting) | Q(source=run)
    if Experiment.objects.live().filter(filling, benchmark=run.benchmark).exists():
        raise Conflict(gettext("An experiment of %(run)s is running. Stop it, then delete the run.") % {"run": run})


def restore_run(*, actor: User, run: Run) -> None:
    """Take a run out of the trash, with everything that it had. Raises ``Conflict`` where another has its place now."""
    require(actor, run.benchmark, Right.IMPORT_RUNS)
    with transaction.atomic():
        run = _locked(run)
        if run.deleted_at is None:
            return
        if run.purging:
            raise Conflict(gettext("%(run)s is being deleted permanently.") % {"run": run})
        others = Run.objects.filter(benchmark=run.benchmark)
        if others.filter(model=run.model_id, setting=run.setting).exists():
            raise Conflict(
                gettext("There is another run %(run)s now. Delete it, then restore this one.") % {"run": run}
            )
        if run.lineage_id and others.filter(lineage=run.lineage_id, setting=run.setting, step=run.step).exists():
            raise Conflict(
                gettext("Another run is step %(step)s of this training now. Move it, then restore %(run)s.")
                % {"run": run, "step": run.step}
            )
        Run.everything.filter(pk=run.pk).update(deleted_at=None, deleted_by=None)
        audit.record(actor, "run.restore", run, run.benchmark.slug, data={"run": str(run)})
        queue_ranking(actor=actor, benchmark=run.benchmark)


def empty_trash(*, actor: User, benchmark: Benchmark) -> int:
    """Delete all runs in the trash of a benchmark permanently, each in a job. Return their number."""
    require(actor, benchmark, Right.IMPORT_RUNS)
    with transaction.atomic():
        runs = Run.everything.select_related("benchmark", "model").in_trash().filter(benchmark=benchmark)
        return _purge(actor, runs.order_by("pk").select_for_update(of=("self",), no_key=True))


def purge_old(now: datetime) -> int:
    """Delete runs permanently that were deleted ``SIGHTLINE_TRASH_DAYS`` ago, and those whose job was lost."""
    old = Q(deleted_at__lt=deleted_before(now)) | Q(purging=True)
    with transaction.atomic():
        runs = Run.everything.filter(old, benchmark__deleted_at=None).select_related("benchmark", "model")
        return _purge(None, runs.order_by("pk").select_for_update(of=("self",), no_key=True))


def _purge(actor: User | None, runs: Iterable[Run]) -> int:
    """Begin to delete these runs permanently: none of them can be restored from now on."""
    count = 0
    for run in runs:
        if not run.purging:
            audit.record(actor, "run.purge", run, run.benchmark.slug, data={"run": str(run)})
            Run.everything.filter(pk=run.pk).update(purging=True)
        enqueue_on_commit(
            KIND, payload={"run_id": run.pk}, actor=actor, benchmark=run.benchmark.slug, key=f"{KIND}:{run.pk}",
            values={"run": str(run), "benchmark": run.benchmark.title},
        )  # fmt: skip
        count += 1
    return count


def purge_run(context: JobContext, *, run_id: int) -> dict[str, Any]:
    """The body of the job. Each batch is a separate transaction; when run again, it continues with the rest."""
    run = Run.everything.select_related("benchmark", "model").filter(pk=run_id, purging=True).first()
    done = int(context.state.get("done", 0))
    if run is None:
        return {"trajectories": done}
    context.result_url = reverse("evaluation:runs", args=[run.benchmark.slug])
    mine = Trajectory.everything.filter(run=run)
    total = done + mine.count()
    context.progress(done, total, unit=gettext_noop("trajectories"))
    remove_questions(actor=context.job.created_by, benchmark=run.benchmark, items=_questions(run))
    while batch := list(mine.order_by("pk").values_list("pk", flat=True)[:BATCH]):
        with transaction.atomic():
            rows_changed([run.pk])
            Trajectory.everything.filter(pk__in=batch).delete()
            done += len(batch)
            context.save({"done": done}, done=done)
        context.progress(done, total, unit=gettext_noop("trajectories"))
    with transaction.atomic():
        run = _locked(run)
        run.delete()
        Model.objects.filter(pk=run.model_id, runs=None, baseline=False, url="").delete()
        audit.record(
            actor=context.job.created_by, action="run.deleted", subject=run.benchmark, benchmark=run.benchmark.slug,
            data={"run": str(run), "trajectories": done},
        )  # fmt: skip
    return {"trajectories": done}


def _locked(run: Run) -> Run:
    """Load the current state of the run and lock it until the transaction ends."""
    rows = Run.everything.select_for_update(of=("self",), no_key=True).select_related("benchmark", "model")
    return rows.get(pk=run.pk)


def _questions(run: Run) -> Any:
    return JudgingItem.everything.filter(trajectory__run=run)
