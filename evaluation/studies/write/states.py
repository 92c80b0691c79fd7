"""Pausing and closing human studies. The answers become a run when a study closes. An earlier run would name its
samples to people who have not begun.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.exchange.write.samples import finish_record, keep_issues
from annotation.importers.fields import Report
from annotation.models import ImportRecord
from annotation.workflow import Right
from evaluation.common.saving.batches import RunRegistry, save_trajectories
from evaluation.importers.interface import ReadOptions
from evaluation.importers.native_trajectory import trajectory_from
from evaluation.models import Experiment, Run
from evaluation.models.run import PEOPLE
from evaluation.scoring.queue import queue_scoring
from evaluation.studies.read.answers import taken_times, trajectory_rows
from evaluation.studies.read.conditions import conditions_of
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict

State = Experiment.State
OPEN = (State.RUNNING, State.PAUSED)
FILE = "human study"


def pause(*, actor: User | None, study: Experiment) -> None:
    """Stop assigning samples. People can answer those that they hold."""
    _change(actor, study, (State.RUNNING,), State.PAUSED, "study.pause")


def resume(*, actor: User | None, study: Experiment) -> None:
    _change(actor, study, (State.PAUSED,), State.RUNNING, "study.resume")


def close(*, actor: User | None, study: Experiment) -> None:
    """Close the study: no more answers are accepted, participants regain access to gold, and the answers are saved as a
    run and scored. Those under conditions are no run: they are with their gold already.
    """
    with transaction.atomic():
        _change(actor, study, OPEN, State.DONE, "study.close", finished_at=timezone.now())
        study.participants.filter(finished_at=None).update(finished_at=timezone.now())
        study.human_answers.filter(done_at=None, place__isnull=False).delete()
        if study.human_answers.given().exists() and not conditions_of(study):
            save_run(actor=actor, study=study)


def save_run(*, actor: User | None, study: Experiment) -> ImportRecord:
    """Save the answers of a closed study as trajectories of its run: one import record, and one rollout for each
    person. Can be repeated after its import was undone.
    """
    require(actor, study.benchmark, Right.MANAGE)
    with transaction.atomic():
        study = (
            Experiment.objects.select_for_update(of=("self",), no_key=True).select_related("benchmark").get(pk=study.pk)
        )
        if study.state != State.DONE or not study.human_answers.given().exists():
            raise Conflict(gettext("Only the answers of a closed study can be saved as a run."), code="state")
        if conditions_of(study):
            raise Conflict(gettext("Answers under conditions are no run. See Settings, Evidence tests."), code="state")
        if study.import_record is not None and study.import_record.state == ImportRecord.State.DONE:
            raise Conflict(gettext("The answers of this study are saved already."), code="state")
        record = ImportRecord.objects.create(
            benchmark=study.benchmark, kind=ImportRecord.Kind.RUNS, format="native", file_name=f"{FILE} {study.pk}",
            state=ImportRecord.State.RUNNING, created_by=actor,
            options={"model": study.model, "setting": study.setting, "experiment": study.pk},
        )  # fmt: skip
        registry, report = RunRegistry(study.benchmark, actor), Report(FILE, None)
        taken = taken_times(study)
        read = [trajectory_from(row, ReadOptions(), report) for row in trajectory_rows(study)]
        rows = [replace(row, recorded_at=taken.get((row.rollout, row.sample_id))) for row in read]
        saved = save_trajectories(registry, rows, record)
        counts = Counter(saved.counts)
        keep_issues(record, [*report.issues, *saved.issues], counts)
        run = registry.run(study.model, study.setting)
        Run.objects.filter(pk=run.pk).update(extra={**run.extra, PEOPLE: {"study": study.pk}})
        finish_record(actor, record, counts)
        Experiment.objects.filter(pk=study.pk).update(import_record=record)
        queue_scoring(actor=actor, benchmark=study.benchmark)
    return record


def _change(
    actor: User | None, study: Experiment, states: tuple[str, ...], to: str, action: str, **fields: Any
) -> None:
    """Change the state by one conditional update. The second of two people gets the new state."""
    require(actor, study.benchmark, Right.MANAGE)
    with transaction.atomic():
        if not Experiment.objects.filter(pk=study.pk, state__in=states).update(state=to, **fields):
            raise Conflict(gettext("The study has changed meanwhile. Reload the page."), code="state")
        study.state = to
        audit.record(actor=actor, action=action, subject=study, benchmark=study.benchmark.slug, after=to)
