"""The replays of a whole run: stored by a job trajectory by trajectory, counted, and deleted together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext_noop

from annotation.common.access import require
from annotation.models import Image
from annotation.toolbox.runner import ENGINE
from annotation.workflow import Right
from evaluation.models import Replay, Run, Scoring, Trajectory
from evaluation.replay.run import Outcome, Replayed
from evaluation.scoring.replays.keep import store_replay
from evaluation.scoring.replays.trajectory import replay_trajectory
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict
from webapp.jobs.actions import enqueue_on_commit
from webapp.jobs.context import JobContext
from webapp.jobs.models import Job

KIND = "evaluation.replay_run"
BATCH = 20
"""Trajectories stored in one transaction. A stopped job keeps its finished batches."""
MOST_REASONS = 20
REASON = 160

KEPT, ALREADY, NO_PICTURE, NO_CALL = "kept", "already", "no_picture", "no_call"
"""Outcomes of a trajectory: replay stored now; stored before, with this image and library; image missing; no call can
be replayed."""


@dataclass
class Receipt:
    """``of``: trajectories by outcome; ``calls``: calls by outcome; ``reasons``: why calls were not replayed or
    trajectories were skipped, the most frequent."""

    of: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    @classmethod
    def read(cls, state: dict[str, Any]) -> Receipt:
        return cls(*(Counter(state.get(name, {})) for name in ("of", "calls", "reasons")))

    def as_dict(self) -> dict[str, Any]:
        return {
            "of": dict(self.of),
            "calls": dict(self.calls),
            "reasons": dict(self.reasons.most_common(MOST_REASONS)),
        }


@transaction.atomic
def queue_run_replays(*, actor: User, run: Run) -> Job:
    """Replay every call of a run and store the results. Return the running job if there is one.

    Raises ``NotAllowed`` for people who may not score.
    """
    require(actor, run.benchmark, Right.SCORE)
    return enqueue_on_commit(
        KIND, payload={"run_id": run.pk}, actor=actor, benchmark=run.benchmark.slug, key=f"{KIND}:{run.pk}",
        values={"run": str(run), "benchmark": run.benchmark.title},
    )  # fmt: skip


def keep_run_replays(context: JobContext, *, run_id: int) -> dict[str, Any]:
    """The body of the job. Each batch stores its checkpoint and audit entry, and makes scores stale."""
    run = Run.objects.select_related("benchmark").get(pk=run_id)
    waiting = _with_calls(run)
    done, total = int(context.state.get("done", 0)), len(waiting)
    receipt = Receipt.read(context.state)
    context.result_url = reverse("evaluation:run-replays", args=[run.benchmark.slug, run.pk])
    context.progress(done, total, unit=gettext_noop("trajectories"))
    for first in range(done, total, BATCH):
        made = []
        for place, trajectory in enumerate(_load(waiting[first : first + BATCH]), first + 1):
            found = _replayed(trajectory, receipt)
            made += [(trajectory, found)] if found else []
            context.progress(place, total, unit=gettext_noop("trajectories"))
        done = min(first + BATCH, total)
        with transaction.atomic():
            _keep(context.job.created_by, run, made)
            context.save({"done": done, **receipt.as_dict()}, done=done)
    return receipt.as_dict()


def drop_run_replays(*, actor: User, run: Run) -> int:
    """Delete the replays of a run, so that recorded results count again. Return the number of deleted replays."""
    require(actor, run.benchmark, Right.SCORE)
    with transaction.atomic():
        kept = Replay.objects.filter(trajectory__run=run)
        count = kept.count()
        if count:
            kept.delete()
            Scoring.objects.filter(run=run).update(stale=True)
            audit.record(
                actor=actor, action="replay.drop_run", subject=run, benchmark=run.benchmark.slug,
                before="replayed", after="recorded", data={"trajectories": count},
            )  # fmt: skip
    return count


def last_job(run: Run) -> Job | None:
    """The latest job that replayed this run, running or finished."""
    return Job.objects.filter(kind=KIND, payload__run_id=run.pk).order_by("-created", "-id").first()


def _with_calls(run: Run) -> list[int]:
    """Trajectories with calls, sorted by image, so that each image is read once."""
    found = Trajectory.objects.filter(run=run, steps__isnull=False).distinct()
    return list(found.order_by("sample_id", "pk").values_list("pk", flat=True))


def _load(numbers: Sequence[int]) -> Iterator[Trajectory]:
    rows = Trajectory.objects.select_related("sample__image", "replay", "run__benchmark").in_bulk(numbers)
    return (rows[number] for number in numbers if number in rows)


def _replayed(trajectory: Trajectory, receipt: Receipt) -> tuple[Replayed, ...]:
    """The results of its calls to store; empty if there is nothing to store. The receipt gives the reason."""
    kept, image = getattr(trajectory, "replay", None), trajectory.sample.image
    if kept and image and image.state == Image.State.READY and (kept.image, kept.opencv) == (image.sha256, ENGINE):
        receipt.of[ALREADY] += 1
        return ()
    try:
        found = replay_trajectory(trajectory)
    except Conflict as problem:
        receipt.of[NO_PICTURE] += 1
        receipt.reasons[str(problem).split(": ", 1)[-1][:REASON]] += 1
        return ()
    receipt.calls.update(one.outcome.value for one in found)
    receipt.reasons.update(one.reason[:REASON] for one in found if one.outcome is Outcome.LOST)
    if all(one.ok is None for one in found):
        receipt.of[NO_CALL] += 1
        return ()
    receipt.of[KEPT] += 1
    return found


def _keep(actor: User | None, run: Run, made: Sequence[tuple[Trajectory, tuple[Replayed, ...]]]) -> None:
    if not made:
        return
    for trajectory, found in made:
        store_replay(actor, trajectory, found)
    Scoring.objects.filter(run=run).update(stale=True)
    outcomes = Counter(one.outcome.value for _, found in made for one in found)
    audit.record(
        actor, "replay.keep_run", run, run.benchmark.slug, before="recorded", after="replayed",
        data={"trajectories": [one.pk for one, _ in made], "outcomes": dict(sorted(outcomes.items()))},
    )  # fmt: skip
