"""Saving what a file says of single answers: the trajectory must be here, with the text that it was about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from annotation.models import ImportRecord
from evaluation.metrics.decided import text_digest
from evaluation.models import Judgement, Run, Scoring, Trajectory
from evaluation.schema import AboutAnswer, Issue, Severity, shortened
from evaluation.schema import Judgement as JudgementRecord


def save_judgement(
    run: Run, sample: int, record: JudgementRecord, about: AboutAnswer, source: ImportRecord | None
) -> tuple[Counter[str], Issue | None]:
    """Keep a judgement on one answer: counts by outcome, or why it is refused. What people said here stays theirs."""
    place = {"run": run, "sample": sample, "rollout": about.rollout, "condition": about.condition}
    trajectory = Trajectory.objects.filter(**place).only("pk", "answer").first()
    if trajectory is None:
        done = "No trajectory is here that it is about. Import the runs first."
        return Counter(), _refused(record, "no-such-answer", "sample_id", record.sample_id, done)
    if text_digest(trajectory.answer) != about.text_digest:
        done = "The answer has another text here, of which this says nothing."
        return Counter(), _refused(record, "other-text", "text_digest", about.text_digest, done)
    there = Judgement.objects.filter(trajectory=trajectory, **about_of(record, about)).first()
    said = said_of(record, about)
    if there is None:
        Judgement.objects.create(
            run=run, sample_id=sample, kind=record.kind.value, trajectory=trajectory, source=source,
            decides=about.decides, **said,
        )  # fmt: skip
    elif all(getattr(there, name) == value for name, value in said.items()):
        return Counter(unchanged=1), None
    elif there.person_id:
        done = "A person has said otherwise here, and theirs stays. Take it back here first."
        return Counter(), _refused(record, "said-here", "judge", record.judge, done)
    else:
        Judgement.objects.filter(pk=there.pk).update(**said, source=source)
    if about.decides:
        Scoring.objects.filter(run=run).update(stale=True)
    return Counter({"changed" if there else "new": 1}), None


def about_of(record: JudgementRecord, about: AboutAnswer) -> dict[str, Any]:
    """What there is one judgement of: of a trajectory one decision, else one of each kind by each judge."""
    of: dict[str, Any] = {
        "trajectory__rollout": about.rollout,
        "trajectory__condition": about.condition,
        "decides": about.decides,
    }
    return of if about.decides else of | {"kind": record.kind.value, "judge": record.judge}


def said_of(record: JudgementRecord, about: AboutAnswer) -> Mapping[str, Any]:
    """What a record says, as the fields of its row."""
    return {
        "judge": record.judge,
        "verdict": record.verdict,
        "answer": record.answer,
        "extra": dict(record.extra),
        "text_digest": about.text_digest,
        "key_digest": about.key_digest,
    }


def _refused(record: JudgementRecord, rule: str, field: str, found: str, done: str) -> Issue:
    return Issue(Severity.REFUSED, rule, record.file, record.line, field, shortened(found), done, record.row)
