"""Decisions of people on the meaning of answers, and verdicts of judge models, for scoring and for pages."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from evaluation.metrics.columns import Decision
from evaluation.models import Judgement
from evaluation.schema import JudgementKind


def decisions_on(trajectories: Any) -> dict[int, Decision]:
    """The decision on each of these trajectories (primary keys, or the query for them) that has one. One query.

    It may refer to an earlier text or key (``evaluation.metrics.decided.holds``)."""
    rows = Judgement.objects.decisions().filter(trajectory__in=trajectories)
    return {pk: decision(*said) for pk, *said in rows.values_list("trajectory_id", *SAID)}


SAID = ("answer", "verdict", "text_digest", "key_digest")


def decision(answer: str | None, verdict: str | None, text_digest: str, key_digest: str) -> Decision:
    """A decision from the fields ``SAID`` of its row."""
    return Decision(answer or "", verdict or "", text_digest, key_digest)


def judged_on(
    runs: Collection[int], plain: Mapping[tuple[int, int], int], samples: Collection[int] | None = None
) -> dict[int, list[tuple[str | None, str | None]]]:
    """Verdict and answer of each judge model on the answers of these runs, by trajectory. One query.

    The samples can be limited; by default all are used. ``plain``: the trajectory that metrics use, by run and sample.
    A judgment that names no trajectory refers to it."""
    rows = Judgement.objects.filter(run__in=runs, kind=JudgementKind.ANSWER, person=None, decides=False)
    if samples is not None:
        rows = rows.filter(sample__in=samples)
    found: dict[int, list[tuple[str | None, str | None]]] = {}
    for run, sample, trajectory, *said in rows.order_by("judge").values_list(
        "run_id", "sample_id", "trajectory_id", "verdict", "answer"
    ):
        if pk := trajectory or plain.get((run, sample)):
            found.setdefault(pk, []).append((said[0], said[1]))
    return found
