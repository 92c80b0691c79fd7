"""Questions and labels of judging as rows, for the API and the command. Neither the model nor the image is named."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import numpy as np
from django.urls import reverse

from annotation.images.serving import region_of
from annotation.models import Benchmark
from annotation.schema import Box
from evaluation.common.links import Count, cases, named_list
from evaluation.common.trajectory.answer import answer_of
from evaluation.judging.read.judges import Verdict
from evaluation.judging.read.labels import Labels
from evaluation.judging.read.queues import Question
from evaluation.models import JudgingItem

SIDE = 960
"""The longer side of a crop on pages and in the API."""
LONGEST_SHOWN = 50_000
"""Characters of an answer that its question shows."""


@dataclass(frozen=True)
class VerdictLists:
    """The lists behind numbers of judges: their trajectories, and where these are too many to name or not recorded, the
    verdicts themselves. ``kind`` "": only the first."""

    benchmark: Benchmark
    kind: str = ""

    def of(self, verdicts: Sequence[Verdict], **terms: str) -> Count:
        """``terms``: what ``chosen_verdicts`` has to be asked for these verdicts."""
        found = cases(self.benchmark, (one.trajectory for one in verdicts))
        if found.href or not found.n or not self.kind:
            return found
        address = reverse("evaluation:judge-verdicts", args=[self.benchmark.slug])
        return Count(found.n, f"{address}?{urlencode({'kind': self.kind, **terms})}")


def shown_answer(question: Question) -> str:
    """The answer of the trajectory, as the question about its crops shows it."""
    answer = answer_of(question.trajectory, question.detail)
    return answer.said if answer.said not in ("", "unread") else answer.text.start


def question_row(question: Question) -> dict[str, Any]:
    """A question with all that its page shows."""
    kind, content = question.item.kind, question.detail.record.content
    row: dict[str, Any] = {
        "item": question.item.key, "kind": kind, "question": content.question, "options": dict(content.choices),
    }  # fmt: skip
    if kind == JudgingItem.Kind.ANSWER:
        row |= {"answer": (question.trajectory.answer or "")[:LONGEST_SHOWN], "accepted": list(content.answers)}
        return row
    if kind == JudgingItem.Kind.RELIABILITY:
        row["answer"] = shown_answer(question)
    if (image := question.trajectory.sample.image) is not None:
        row["crops"] = [b64encode(region_of(image, Box(*box), SIDE)).decode() for box in question.crops]
    return row


def label_row(known: Labels) -> dict[str, Any]:
    """The estimate from the labels of a judge; nothing of it while questions wait for people."""
    rate, (raw, n, _) = known.rate, known.voted.raw
    undecided = int(known.voted.undecided.sum())
    if known.waiting:
        raw, n, undecided = None, 0, 0
    return {
        "waiting": known.waiting, "rate": raw, "n": n, "undecided": undecided, "labeled": known.labeled,
        "unsure": known.unsure, "left": 0 if known.waiting else known.left, "weight": known.weight,
        "corrected": rate.value if rate else None, "ci_low": rate.interval.low if rate else None,
        "ci_high": rate.interval.high if rate else None,
        "halfwidth_with_ten_more": rate.half_with_more if rate else None,
    }  # fmt: skip


def cases_of(benchmark: Benchmark, known: Labels) -> dict[str, Count]:
    """Counts of trajectories with their lists: decided and undecided by the judge, labeled, and not drawn yet."""
    place, undecided = np.array(known.voted.trajectories, np.int64), known.voted.undecided
    drawn = np.concatenate([np.zeros(0, np.int64), *(batch.items for batch in known.batches)])
    labels = np.concatenate([np.zeros(0), *(batch.labels for batch in known.batches)])
    found = {
        "decided": place[~undecided],
        "undecided": place[undecided],
        "labeled": place[drawn[~np.isnan(labels)]],
        "unsure": place[drawn[np.isnan(labels)]],
        "left": np.delete(place, drawn),
    }
    return {name: Count(len(pks), named_list(benchmark, pks.tolist())) for name, pks in found.items()}
