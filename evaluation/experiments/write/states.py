"""Starting, pausing and ending experiments. Each change is one conditional update: of two people, the second one
learns what the experiment is doing now."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.board.write.audits import close_batch
from annotation.common.access import require
from annotation.workflow import Right
from evaluation.experiments.write.code import refuse_code
from evaluation.experiments.write.fit import require_fit
from evaluation.models import Attempt, Experiment
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput
from webapp.jobs.actions import enqueue_on_commit

KIND = "evaluation.experiment"
MOST_RUNNING = 4
"""Experiments of one person that run at once."""
MOST_USD, MOST_CALLS = 100_000.0, 10_000_000
State, Reason = Experiment.State, Experiment.Reason


def start_trial(*, actor: User | None, experiment: Experiment, confirm: Collection[str] = ()) -> None:
    """Run the first samples, which price the others. Raises ``Conflict`` like ``start_all``."""
    _start(actor, experiment, (State.DRAFT,), State.TRIAL, "experiment.trial", confirm)


def start_all(*, actor: User | None, experiment: Experiment, confirm: Collection[str] = ()) -> None:
    """Run all samples, after a trial or without one. Raises ``Conflict`` if the recipe does not fit what the test of
    the endpoint found; ``confirm``: what of it a person overrules (``fit.CONFIRMABLE``)."""
    _start(actor, experiment, (State.DRAFT, State.READY), State.RUNNING, "experiment.start", confirm)


def resume(*, actor: User | None, experiment: Experiment, confirm: Collection[str] = ()) -> None:
    """Continue a paused experiment. Requests that were answered are not sent again. Raises ``Conflict`` like
    ``start_all``: the endpoint may have been tested again."""
    _start(actor, experiment, (State.PAUSED,), State.RUNNING, "experiment.resume", confirm)


def retry_failed(*, actor: User | None, experiment: Experiment, confirm: Collection[str] = ()) -> int:
    """Run the failed attempts of an ended experiment again; return their number. Their answered requests stay. Raises
    ``Conflict`` like ``resume``."""
    require(actor, experiment.benchmark, Right.IMPORT_RUNS)
    with transaction.atomic():
        failed = Attempt.objects.filter(experiment=experiment, state=Attempt.State.FAILED)
        number = failed.update(state=Attempt.State.QUEUED, claim="", error_kind="", error="", finished_at=None)
        if not number:
            raise Conflict(gettext("No attempt of this experiment failed."))
        _start(actor, experiment, (State.DONE, State.PAUSED, State.STOPPED), State.RUNNING, "experiment.retry", confirm)
    return number


def pause(*, actor: User | None, experiment: Experiment) -> None:
    """Stop before the next request of each attempt. Requests in flight are awaited, everything answered is kept."""
    require(actor, experiment.benchmark, Right.IMPORT_RUNS)
    with transaction.atomic():
        _change(experiment, (State.TRIAL, State.RUNNING), State.PAUSED, pause_reason=Reason.PERSON, pause_note="")
        _note(actor, experiment, "experiment.pause")


def stop(*, actor: User | None, experiment: Experiment) -> None:
    """End the experiment. Attempts that were not started are skipped, and requests in flight are awaited."""
    require(actor, experiment.benchmark, Right.IMPORT_RUNS)
    with transaction.atomic():
        states = (State.DRAFT, State.TRIAL, State.READY, State.RUNNING, State.PAUSED)
        _change(experiment, states, State.STOPPED, pause_reason="", pause_note="", finished_at=timezone.now())
        skip_queued(experiment)
        if experiment.kind == Experiment.Kind.AUDIT:
            close_batch(experiment.design["batch"])
        _note(actor, experiment, "experiment.stop")


def skip_queued(experiment: Experiment) -> None:
    """End the attempts of a stopped experiment that no worker runs."""
    queued = experiment.attempts.filter(state=Attempt.State.QUEUED)
    queued.update(state=Attempt.State.SKIPPED, claim="", finished_at=timezone.now())


def change_budget(
    *, actor: User | None, experiment: Experiment, budget_usd: float | None = None, budget_calls: int | None = None
) -> None:
    """Change what the experiment may spend; what is not given stays. It takes effect with the next request."""
    require(actor, experiment.benchmark, Right.IMPORT_RUNS)
    with transaction.atomic():
        # Two people may change one half each.
        now = Experiment.objects.select_for_update(of=("self",), no_key=True).get(pk=experiment.pk)
        experiment.budget_usd, experiment.budget_calls = now.budget_usd, now.budget_calls
        usd = experiment.budget_usd if budget_usd is None else budget_usd
        calls = experiment.budget_calls if budget_calls is None else budget_calls
        check_budget(usd, calls)
        Experiment.objects.filter(pk=experiment.pk).update(budget_usd=usd, budget_calls=calls)
        data = {"before": [experiment.budget_usd, experiment.budget_calls], "after": [usd, calls]}
        _note(actor, experiment, "experiment.budget", data)
    experiment.budget_usd, experiment.budget_calls = usd, calls


def check_budget(usd: float, calls: int) -> None:
    """Raise ``InvalidInput`` unless both budgets are in their ranges."""
    if not 0 <= usd <= MOST_USD:
        raise InvalidInput(
            gettext("The budget must be from 0 to %(most_usd)s USD.") % {"most_usd": f"{MOST_USD:,.0f}"},
            field="budget_usd",
        )
    if not 1 <= calls <= MOST_CALLS:
        raise InvalidInput(
            gettext("The number of requests must be from 1 to %(most_calls)s.") % {"most_calls": f"{MOST_CALLS:,}"},
            field="budget_calls",
        )


def note_job_stopped(sentence: str, *, experiment_id: int, **_: Any) -> None:
    """Pause an experiment whose job ended early; "": its job is tried again."""
    found = Experiment.objects.filter(pk=experiment_id)
    if sentence:
        found.live().update(state=State.PAUSED, pause_reason=Reason.FAILED, pause_note=sentence)
    else:
        found.filter(state=State.PAUSED, pause_reason=Reason.FAILED).update(
            state=State.RUNNING, pause_reason="", pause_note=""
        )


def _start(
    actor: User | None,
    experiment: Experiment,
    states: tuple[str, ...],
    to: str,
    action: str,
    confirm: Collection[str],
) -> None:
    require(actor, experiment.benchmark, Right.IMPORT_RUNS)
    refuse_code(experiment)
    overruled = require_fit(experiment, confirm)
    with transaction.atomic():
        if actor is not None:
            running = Experiment.objects.live().filter(created_by=actor).exclude(pk=experiment.pk).count()
            if running >= MOST_RUNNING:
                raise Conflict(
                    gettext("You have %(running)s running experiments, the maximum. Wait, or pause one of them.")
                    % {"running": running}
                )
        fields: dict[str, Any] = {"pause_reason": "", "pause_note": "", "finished_at": None, "failures_in_row": 0}
        if experiment.started_at is None:
            fields["started_at"] = timezone.now()
        if overruled:
            fields["design"] = {**experiment.design, "overruled": overruled}
        _change(experiment, states, to, **fields)
        job = enqueue_on_commit(
            KIND,
            payload={"experiment_id": experiment.pk},
            actor=actor,
            values={"experiment": str(experiment)},
            benchmark=experiment.benchmark.slug,
            key=f"{KIND}:{experiment.pk}",
        )
        Experiment.objects.filter(pk=experiment.pk).update(job_id=str(job.pk))
        experiment.job_id = str(job.pk)
        _note(actor, experiment, action, {"overruled": overruled})


def _change(experiment: Experiment, states: tuple[str, ...], to: str, **fields: Any) -> None:
    if experiment.kind == Experiment.Kind.SESSION and to != State.STOPPED:
        raise Conflict(gettext("Agents elsewhere run this experiment. You can only stop it."), code="state")
    if not Experiment.objects.filter(pk=experiment.pk, state__in=states).update(state=to, **fields):
        now = Experiment.objects.filter(pk=experiment.pk).values_list("state", flat=True).first()
        raise Conflict(
            gettext("The experiment is %(state)s now. Reload the page.") % {"state": now or gettext("deleted")},
            code="state",
        )
    for name, value in {"state": to, **fields}.items():
        setattr(experiment, name, value)


def _note(actor: User | None, experiment: Experiment, action: str, data: dict[str, Any] | None = None) -> None:
    audit.record(
        actor=actor, action=action, subject=experiment, benchmark=experiment.benchmark.slug, after=experiment.state,
        data={"experiment": str(experiment)} | (data or {}),
    )  # fmt: skip
