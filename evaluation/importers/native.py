"""The native format: ``trajectories``, ``interventions``, ``judgements``, ``rollout_groups`` and ``settings``.

Also accepted: ``condition`` of a trajectory, ``flag`` of a step, ``setting`` of an intervention or a judgment. Samples
in the same file are skipped; the importers of benchmarks read them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotation.importers import fields
from annotation.importers.fields import Report
from annotation.importers.reading import RowStream, begins_json
from evaluation.importers.interface import Detection, Read, ReadOptions, SampleIndex, Settings
from evaluation.importers.matching import unknown_sample
from evaluation.importers.native_trajectory import trajectory_from
from evaluation.importers.rows import Record, read_rows
from evaluation.importers.unchanged_rows import UnchangedRowDetector
from evaluation.schema import (
    ANSWER_KEYS,
    GROUP_KEYS,
    INTERVENTION_KEYS,
    JUDGEMENT_KEYS,
    AboutAnswer,
    Condition,
    DecisionWord,
    Intervention,
    Judgement,
    JudgementKind,
    Rollout,
    RolloutGroup,
)

KEYS = ("trajectories", "interventions", "judgements", "rollout_groups", "settings")


def detect(head: bytes, name: str) -> Detection:
    """A native run names its lists, or its rows have ``sample_id`` and a key that only native rows have."""
    reasons = []
    if name.rsplit(".", 1)[0] in KEYS and begins_json(head):
        reasons.append(f"The file is called {name.rsplit('.', 1)[0]}.")
    if found := re.search(rb'"(trajectories|interventions|judgements|rollout_groups)"\s*:\s*\[', head):
        reasons.append(f'It contains a list "{found[1].decode()}".')
    own = [k for k in ("steps", "condition", "kind", "predicted_tools_plan") if f'"{k}"'.encode() in head]
    if b'"sample_id"' in head and own:
        reasons.append(f"Its rows have the keys sample_id and {own[0]}.")
    elif b'"group_id"' in head and b'"rollouts"' in head:
        reasons.append("Its rows have the keys group_id and rollouts.")
    return Detection("native", (0.0, 0.8, 0.95, 1.0)[len(reasons)], tuple(reasons))


def read(path: Path, options: ReadOptions, samples: SampleIndex, known: UnchangedRowDetector | None = None) -> Read:
    """All records of ``path``. Raises ``ImportProblem`` when there is no row at all."""

    def convert(data: dict[str, Any], key: str, report: Report) -> Record:
        record = _READERS[key or kind_of(data)](data, options, report)
        if not isinstance(record, RolloutGroup | Settings) and record.sample_id not in samples:
            if not (accepted := samples.accepted(record.sample_id)):
                unknown_sample(record.sample_id, samples, report)
            return replace(record, sample_id=accepted)
        return record

    wanted = "a list named trajectories, interventions, judgements or rollout_groups, or such JSONL files"
    stream = RowStream(path, KEYS, options.start)
    return read_rows(stream, convert, f"{path.name} contains no runs. It needs {wanted}.", known)


def kind_of(data: Mapping[str, Any]) -> str:
    """The list a row of an unnamed file belongs to, by the keys only its kind has."""
    if "rollouts" in data:
        return "rollout_groups"
    if "kind" in data and "verdict" in data:
        return "judgements"
    if "correct" in data and "condition" in data and "steps" not in data:
        return "interventions"
    return "trajectories"


def intervention_from(data: Mapping[str, Any], options: ReadOptions, report: Report) -> Intervention:
    """One row of ``interventions``. Raises ``RowRefused``."""
    return Intervention(
        model=fields.name(data.get("model"), "model", report, default=options.model),
        sample_id=fields.name(data.get("sample_id"), "sample_id", report),
        condition=fields.name(data.get("condition"), "condition", report),
        correct=fields.truth(data.get("correct"), "correct", report),
        answer=_text_or_none(data.get("answer"), "answer", report),
        setting=fields.label(data.get("setting"), "setting", report, default=options.setting),
        extra=fields.extra(data, INTERVENTION_KEYS),
        file=report.file,
        line=report.line,
    )


def judgement_from(data: Mapping[str, Any], options: ReadOptions, report: Report) -> Judgement:
    """One row of ``judgements``. Raises ``RowRefused``, also for a kind that is not known."""
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in {known.value for known in JudgementKind}:
        done = f"The row was rejected because kind must be one of {', '.join(JudgementKind)}."
        report.refuse("unknown-kind", "kind", kind, done)
    about = _about(data, kind, report)
    return Judgement(
        model=fields.name(data.get("model"), "model", report, default=options.model),
        sample_id=fields.name(data.get("sample_id"), "sample_id", report),
        kind=JudgementKind(kind),
        verdict=_text_or_none(data.get("verdict"), "verdict", report),
        answer=_text_or_none(data.get("answer"), "answer", report),
        judge=fields.label(data.get("judge"), "judge", report),
        setting=fields.label(data.get("setting"), "setting", report, default=options.setting),
        extra=fields.extra(data, ANSWER_KEYS if about else JUDGEMENT_KEYS),
        about=about,
        file=report.file,
        line=report.line,
    )


def _about(data: Mapping[str, Any], kind: str, report: Report) -> AboutAnswer | None:
    """Return the trajectory that a row refers to, if it has the digest of what was judged."""
    digest = data.get("text_digest")
    if digest is None:
        return None
    rollout = data.get("rollout") or 0
    decides = bool(fields.truth(data.get("decides"), "decides", report))
    if decides and kind != JudgementKind.ANSWER:
        done = f"The row was rejected because a decision refers to an answer, not to {kind}."
        report.refuse("unknown-decision", "kind", kind, done)
    if decides and not data.get("answer") and data.get("verdict") not in list(DecisionWord):
        done = f"The row was rejected: a decision needs an option as answer, or the verdict {', '.join(DecisionWord)}."
        report.refuse("unknown-decision", "verdict", data.get("verdict"), done)
    digests = [str(one or "") for one in (digest, data.get("key_digest"))]
    if isinstance(rollout, bool) or not isinstance(rollout, int) or not all(map(_is_digest, digests)):
        done = "The row was rejected: rollout must be a whole number, and a digest 32 characters 0 to 9 and a to f."
        report.refuse("not-about-an-answer", "text_digest", digest, done)
    return AboutAnswer(
        rollout,
        fields.label(data.get("condition"), "condition", report, default=Condition.NONE),
        text_digest=digests[0],
        key_digest=digests[1],
        decides=decides,
    )


def _is_digest(text: str) -> bool:
    return re.fullmatch(r"([0-9a-f]{32})?", text) is not None


def rollout_group_from(data: Mapping[str, Any], options: ReadOptions, report: Report) -> RolloutGroup:
    """One row of ``rollout_groups``. Raises ``RowRefused``; a group is whole or it is not kept."""
    alpha = data.get("alpha")
    if alpha is not None and not (fields.is_number(alpha) and 0 <= alpha <= 1):
        report.repaired("alpha-out-of-range", "alpha", alpha, "alpha is not from 0 to 1. The metric setting is used.")
        alpha = None
    given = fields.items(data.get("rollouts"), "rollouts", report)
    return RolloutGroup(
        group_id=fields.name(data.get("group_id"), "group_id", report),
        rollouts=tuple(_rollout(item, f"rollouts[{index}]", report) for index, item in enumerate(given)),
        alpha=alpha,
        extra=fields.extra(data, GROUP_KEYS),
        file=report.file,
        line=report.line,
    )


def _rollout(value: object, field: str, report: Report) -> Rollout:
    data = fields.mapping(value, field, report)
    numbers = [data.get(key) for key in ("image_tokens", "acc", "format")]
    sufficient = fields.truth(data.get("sufficient"), f"{field}.sufficient", report)
    numbers = [int(v) if isinstance(v, bool) else v for v in numbers]
    if sufficient is None or not all(fields.is_number(v) for v in numbers) or float(numbers[0] or 0) < 0:
        done = (
            "A rollout needs the numbers image_tokens, acc and format, and sufficient true or false. image_tokens is 0 "
        )
        done += "or more. The group was rejected."
        report.refuse("rollout-incomplete", field, value, done)
    tokens, acc, shape = (float(v) if isinstance(v, int | float) else 0.0 for v in numbers)
    return Rollout(tokens, acc, shape, sufficient)


def _settings_from(data: Mapping[str, Any], options: ReadOptions, report: Report) -> Settings:
    return Settings(data, report.file, report.line)


def _text_or_none(value: object, field: str, report: Report) -> str | None:
    return None if value is None else fields.text(value, field, report)


_READERS: Mapping[str, Callable[[dict[str, Any], ReadOptions, Report], Record]] = {
    "trajectories": trajectory_from,
    "interventions": intervention_from,
    "judgements": judgement_from,
    "rollout_groups": rollout_group_from,
    "settings": _settings_from,
}
