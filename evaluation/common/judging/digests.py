"""Digests of what was judged: a judgment of a text or of crops that have changed since is out of date."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from evaluation.metrics.answers import digest
from evaluation.metrics.decided import text_digest
from evaluation.models import Trajectory
from evaluation.schema import JudgementKind


def judged_digests(kind: str, trajectories: Collection[int]) -> dict[int, str]:
    """128 bits of what a judgment of a kind is about: the text of the answer; of crops, the boxes too. One query."""
    of = Trajectory.everything.filter(pk__in=trajectories)
    if kind == JudgementKind.ANSWER:
        return {pk: text_digest(answer) for pk, answer in of.values_list("pk", "answer")}
    found: dict[int, tuple[str, list[Any]]] = {}
    for pk, answer, step, *box in of.order_by("pk", "steps__position").values_list("pk", "answer", "steps", *_BOX):
        _, boxes = found.setdefault(pk, (answer or "", []))
        boxes += [box] if step else []
    return {pk: digest(json.dumps(said)) for pk, said in found.items()}


_BOX = tuple(
    f"steps__{name}"
    for name in (
        *("x1", "y1", "x2", "y2", "executed_x1", "executed_y1", "executed_x2", "executed_y2"),
        *("coords", "image_in"),
    )
)
