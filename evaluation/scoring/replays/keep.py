"""Storing replays, so that scores use them, and restoring the recorded results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from django.db import transaction
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.toolbox.runner import ENGINE
from annotation.workflow import Right
from evaluation.models import Replay, ReplayedStep, Scoring, Trajectory
from evaluation.replay.run import Replayed
from evaluation.scoring.replays.trajectory import replay_trajectory
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput


def keep_replay(*, actor: User | None, trajectory: Trajectory) -> Replay:
    """Replay the calls of a trajectory and store the result. An earlier replay is replaced.

    Scores then use the boxes, sizes and success of the replay. Calls that can't be replayed keep the recorded results,
    and the record itself does not change. The run's scores become stale.

    Raises ``NotAllowed`` for people who may not score, ``Conflict`` without an image, ``InvalidInput`` if no call can
    be replayed.
    """
    require(actor, trajectory.run.benchmark, Right.SCORE)
    found = replay_trajectory(trajectory)
    if not any(one.ok is not None for one in found):
        raise InvalidInput(gettext("None of its calls can be run again here: what was recorded holds for all of them."))
    with transaction.atomic():
        replay = store_replay(actor, trajectory, found)
        Scoring.objects.filter(run=trajectory.run_id).update(stale=True)
        _record(actor, "replay.keep", trajectory, Counter(one.outcome.value for one in found))
    return replay


def store_replay(actor: User | None, trajectory: Trajectory, found: Sequence[Replayed]) -> Replay:
    """Store a replay, replacing an earlier one. Call inside a transaction, and record the action."""
    Trajectory.objects.select_for_update(of=("self",), no_key=True).get(pk=trajectory.pk)
    Replay.objects.filter(trajectory=trajectory).delete()
    image = trajectory.sample.image
    replay = Replay.objects.create(
        trajectory=trajectory, image=image.sha256 if image else "", opencv=ENGINE, person=actor
    )
    ReplayedStep.objects.bulk_create(_row(replay, one) for one in found)
    return replay


def drop_replay(*, actor: User | None, trajectory: Trajectory) -> None:
    """Delete the replay, so that the recorded results count again. Without a replay nothing happens."""
    require(actor, trajectory.run.benchmark, Right.SCORE)
    with transaction.atomic():
        outcomes = Counter(
            ReplayedStep.objects.filter(replay__trajectory=trajectory).order_by().values_list("outcome", flat=True)
        )
        if not Replay.objects.filter(trajectory=trajectory).delete()[0]:
            return
        Scoring.objects.filter(run=trajectory.run_id).update(stale=True)
        _record(actor, "replay.drop", trajectory, outcomes)


def _row(replay: Replay, one: Replayed) -> ReplayedStep:
    x1, y1, x2, y2 = one.executed or (None, None, None, None)
    width, height = one.size or (None, None)
    return ReplayedStep(
        replay=replay, position=one.number - 1, outcome=one.outcome.value, reason=one.reason, ok=one.ok,
        x1=x1, y1=y1, x2=x2, y2=y2, out_width=width, out_height=height, digest=one.digest,
    )  # fmt: skip


def _record(actor: User | None, action: str, trajectory: Trajectory, outcomes: Counter[str]) -> None:
    kept = action == "replay.keep"
    audit.record(
        actor, action, trajectory, trajectory.run.benchmark.slug, before="recorded" if kept else "replayed",
        after="replayed" if kept else "recorded", data={"outcomes": dict(sorted(outcomes.items()))},
    )  # fmt: skip
