"""Saving what a file says of single trajectories: each must be here, with the text and the boxes that it was about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from annotation.models import ImportRecord
from evaluation.common.judging.digests import judged_digests
from evaluation.common.judging.known import judges_are_asked
from evaluation.models import Judgement, Run, Scoring, Trajectory
from evaluation.schema import AboutAnswer, DecisionWord, Issue, JudgementKind, Severity, shortened
from evaluation.schema import Judgement as JudgementRecord


def save_judgement(
    run: Run, sample: int, record: JudgementRecord, about: AboutAnswer, source: ImportRecord | None
) -> tuple[Counter[str], Issue | None]:
    """Save a judgment of one trajectory. Return counts by outcome, or the reason for its rejection.

    Verdicts of people are kept."""
    place = place_of(run, sample, record, about)
    if isinstance(place, Issue):
        return Counter(), place
    trajectory, there = place
    said = said_of(record, about)
    if there is not None and _says(there, said):
        return Counter(unchanged=1), None
    if there is None:
        Judgement.objects.create(
            run=run, sample_id=sample, kind=record.kind.value, trajectory=trajectory, source=source,
            decides=about.decides, **said,
        )  # fmt: skip
    else:
        Judgement.objects.filter(pk=there.pk).update(**said, source=source)
    if about.decides:
        Scoring.objects.filter(run=run).update(stale=True)
    return Counter({"changed" if there else "new": 1}), None


def place_of(
    run: Run | None, sample: int, record: JudgementRecord, about: AboutAnswer
) -> tuple[Trajectory, Judgement | None] | Issue:
    """Return the trajectory that a record judges with the judgment stored there, or the reason for a rejection.

    The preview and the import reject by this. ``run``: None if it does not exist yet."""
    place = {"run": run, "sample": sample, "rollout": about.rollout, "condition": about.condition}
    trajectory = Trajectory.objects.filter(**place).only("pk", "answer").first() if run else None
    if run is None or trajectory is None:
        done = "The run has no such trajectory. Import the runs first."
        return _refused(record, "no-such-answer", "sample_id", record.sample_id, done)
    if judged_digests(record.kind, [trajectory.pk])[trajectory.pk] != about.text_digest:
        what = "text" if record.kind == JudgementKind.ANSWER else "text or other boxes"
        done = f"The stored answer has another {what}, so the judgment doesn't apply. Judge the stored answer."
        return _refused(record, "other-text", "text_digest", about.text_digest, done)
    there = Judgement.objects.filter(trajectory=trajectory, **about_of(record, about)).first()
    said = said_of(record, about)
    if there is not None and _says(there, said):
        return trajectory, there
    if there is not None and there.person_id:
        done = "A person has given another verdict here, which is kept. Undo that verdict first."
        return _refused(record, "said-here", "judge", record.judge, done)
    if about.decides and record.verdict != DecisionWord.LEAVE and _judges_first(run, sample, said):
        done = "A judging queue asks about these answers. Import the file again when the queue is finished or deleted."
        return _refused(record, "judges-asked", "sample_id", record.sample_id, done)
    return trajectory, there


def _says(judgment: Judgement, said: Mapping[str, Any]) -> bool:
    return all(getattr(judgment, name) == value for name, value in said.items())


def _judges_first(run: Run, sample: int, said: Mapping[str, Any]) -> bool:
    """Whether a decision has to wait for judges. One that is here already does not: a file that replaces another one
    brings it again."""
    about = {name: said[name] for name in ("answer", "verdict", "text_digest", "key_digest")}
    there = Judgement.objects.settling().filter(run__benchmark=run.benchmark_id, sample=sample, **about)
    return judges_are_asked(run.benchmark) and not there.exists()


def about_of(record: JudgementRecord, about: AboutAnswer) -> dict[str, Any]:
    """Return the identity of a judgment: one decision per trajectory, else one of each kind by each judge."""
    of: dict[str, Any] = {
        "trajectory__rollout": about.rollout,
        "trajectory__condition": about.condition,
        "decides": about.decides,
    }
    return of if about.decides else of | {"kind": record.kind.value, "judge": record.judge}


def said_of(record: JudgementRecord, about: AboutAnswer) -> Mapping[str, Any]:
    """Return the content of a record, as the fields of its row."""
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
