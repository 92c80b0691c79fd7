"""What people decided that answers say: for scoring, and for the pages that list it."""

from __future__ import annotations

from typing import Any

from evaluation.metrics.columns import Decision
from evaluation.models import Judgement


def decisions_on(trajectories: Any) -> dict[int, Decision]:
    """The decision on each of these trajectories (primary keys, or the query that gives them) that has one. It may be
    about another text or key than those of today: see ``evaluation.metrics.decided.holds``. One query."""
    rows = Judgement.objects.decisions().filter(trajectory__in=trajectories)
    return {pk: decision(*said) for pk, *said in rows.values_list("trajectory_id", *SAID)}


SAID = ("answer", "verdict", "text_digest", "key_digest")


def decision(answer: str | None, verdict: str | None, text_digest: str, key_digest: str) -> Decision:
    """A decision out of the fields ``SAID`` of its row."""
    return Decision(answer or "", verdict or "", text_digest, key_digest)
