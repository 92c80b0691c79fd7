"""One sample under all arms: the images sent to the model, the changed words, and its answers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from annotation.common.sentences import translated
from evaluation.common.arms import LabData
from evaluation.models import Attempt, Exchange, Run, SentImage
from evaluation.runner.arms.catalogue import Arm
from evaluation.runner.arms.text import Piece, changed_words

_SHA256 = re.compile(r'"sha256:([0-9a-f]{64})"')
LONGEST = 6000
"""The maximum number of characters of an arm's text that are compared and shown."""


@dataclass(frozen=True)
class Answer:
    """One draw. ``verdict``: yes, no, undecided, or "" without one."""

    href: str
    seed: int
    verdict: str
    reading: str


@dataclass(frozen=True)
class Column:
    """``images``: URLs of those that were sent, in order, empty if the reader may not see them. ``pieces``: the text of
    the model as sent, compared with that of the sham arm.
    """

    arm: Arm
    words: str
    images: Sequence[str]
    pieces: Sequence[Piece]
    answers: Sequence[Answer]
    attempt: str = ""


def strip_of(run: Run, data: LabData, at: int, *, sees_images: bool) -> list[Column]:
    """Return the columns of a sample, the sham arm first. Three queries. ``at``: its index in ``data``."""
    slug = run.benchmark.slug
    attempts = Attempt.objects.filter(
        experiment__source=run, sample=data.samples[at], arm__endswith=f"@{data.estimand}"
    )
    first: dict[str, Attempt] = {}
    for row in attempts.exclude(trajectory=None).order_by("rollout", "pk"):
        first.setdefault(row.arm, row)
    sources = {arm: attempt.reused_from_id or attempt.pk for arm, attempt in first.items()}
    asked = Exchange.objects.filter(attempt__in=sources.values(), state=Exchange.State.ANSWERED).order_by("n")
    exchanges = list(asked.select_related("attempt"))
    bodies = {one.attempt_id: _body(one) for one in exchanges}
    owner = {one.attempt_id: one.attempt.experiment_id for one in exchanges}
    sent = set(
        SentImage.objects.filter(experiment__in=set(owner.values())).values_list("experiment", "sha256")
    )  # fmt: skip
    columns, sham = [], ""
    for arm in data.arms:
        mine = data.rows[arm].get(at, ())
        attempt = first.get(str(arm))
        source = sources.get(str(arm), 0)
        body = bodies.get(source, {})
        said = text_of(body)
        sham = sham or said
        images = [
            reverse("evaluation:experiment-image", args=[slug, owner[source], sha256])
            for sha256 in dict.fromkeys(_SHA256.findall(json.dumps(body)))
            if (owner.get(source), sha256) in sent
        ]
        columns.append(
            Column(
                arm=arm,
                words=translated(arm.words),
                images=images if sees_images else [],
                pieces=changed_words(sham, said) if said else [],
                answers=[
                    Answer(
                        reverse("evaluation:trajectory", args=[slug, one.trajectory]),
                        one.seed,
                        one.verdict,
                        one.reading,
                    )
                    for one in mine
                ],
                attempt=reverse("evaluation:attempt", args=[slug, attempt.experiment_id, attempt.pk])
                if attempt is not None and sees_images
                else "",
            )
        )
    return columns


def text_of(body: Mapping[str, Any]) -> str:
    """Return the text of the model that the request repeats."""
    written = [str(one.get("content") or "") for one in body.get("messages", ()) if one.get("role") == "assistant"]
    return "\n\n".join(filter(None, written))[:LONGEST]


def _body(row: Exchange) -> Mapping[str, Any]:
    found = json.loads(bytes(row.request))
    return found if isinstance(found, dict) else {}
