"""Rows of the native format for results of models; ``annotation.exporters.native.write_native`` writes them.

Each is the inverse of its reader in ``evaluation.importers``. Default values are omitted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.exporters.native import compact, with_extra
from evaluation.schema import (
    ANSWER_KEYS,
    ARGS_RAW,
    GROUP_KEYS,
    INTERVENTION_KEYS,
    JUDGEMENT_KEYS,
    STEP_KEYS,
    TRAJECTORY_KEYS,
    Condition,
    Coordinates,
    Intervention,
    Judgement,
    RolloutGroup,
    Step,
    Trajectory,
    Usage,
)


def trajectory_row(trajectory: Trajectory) -> dict[str, Any]:
    """Return one row of ``trajectories``. An empty prediction is written, because it differs from a missing one."""
    row = {
        "model": trajectory.model,
        "sample_id": trajectory.sample_id,
        "setting": trajectory.setting,
        "rollout": trajectory.rollout or None,
        "condition": None if trajectory.condition == Condition.NONE else str(trajectory.condition),
        "steps": [step_row(step) for step in trajectory.steps],
        "final_image": trajectory.final_image,
        "image_size": _listed(trajectory.image_size),
        "image_sha256": trajectory.image_sha256,
        "judge_correct": trajectory.judge_correct,
        "match_map_recognition": dict(trajectory.recognition_map),
        "match_map_plan": dict(trajectory.plan_map),
        "error": trajectory.error,
        "usage": _usage_row(trajectory.usage),
    }
    kept = {
        "answer": trajectory.answer,
        "predicted_tools_recognition": _listed(trajectory.recognition),
        "predicted_tools_plan": _listed(trajectory.plan),
    }
    return with_extra({**compact(row), **_given(kept)}, trajectory.extra, TRAJECTORY_KEYS)


def step_row(step: Step) -> dict[str, Any]:
    """Return one step. A box that is not four numbers is written in its original form."""
    inputs = _listed(step.image_in) if isinstance(step.image_in, tuple) else step.image_in
    row = {
        "tool": step.tool,
        "args": dict(step.arguments),
        "coords": None if step.coords is Coordinates.PIXEL else step.coords.value,
        "image_in": inputs,
        "image_out": step.image_out,
        "out_size": _listed(step.out_size),
        "ok": None if step.ok else False,
        "text": step.text,
        "observation": step.observation,
        "label": step.label,
        "flag": step.flag.value,
    }
    extra = dict(step.extra)
    unread = extra.pop("executed_bbox_raw", None)
    boxes = {
        "bbox": step.bbox_raw if step.bbox is None else list(step.bbox),
        "executed_bbox": unread if step.executed_bbox is None else list(step.executed_bbox),
    }
    if ARGS_RAW in extra and not step.arguments:
        row["args"] = None
        boxes["args"] = extra.pop(ARGS_RAW)
    return with_extra({**compact(row), **_given(boxes)}, extra, STEP_KEYS)


def intervention_row(intervention: Intervention) -> dict[str, Any]:
    """Return one row of ``interventions``."""
    row = {
        "model": intervention.model,
        "sample_id": intervention.sample_id,
        "condition": str(intervention.condition),
        "correct": intervention.correct,
        "answer": intervention.answer,
        "setting": intervention.setting or None,
    }
    return with_extra(_given(row), intervention.extra, INTERVENTION_KEYS)


def judgement_row(judgement: Judgement) -> dict[str, Any]:
    """Return one row of ``judgements``."""
    row: dict[str, Any] = {
        "model": judgement.model,
        "sample_id": judgement.sample_id,
        "kind": judgement.kind.value,
        "verdict": judgement.verdict,
        "answer": judgement.answer,
        "judge": judgement.judge or None,
        "setting": judgement.setting or None,
    }
    if about := judgement.about:
        row |= {
            "rollout": about.rollout or None,
            "condition": None if about.condition == Condition.NONE else str(about.condition),
            "text_digest": about.text_digest,
            "key_digest": about.key_digest or None,
            "decides": about.decides or None,
        }
    return with_extra(_given(row), judgement.extra, ANSWER_KEYS if judgement.about else JUDGEMENT_KEYS)


def rollout_group_row(group: RolloutGroup) -> dict[str, Any]:
    """Return one row of ``rollout_groups``."""
    rollouts = [
        {"image_tokens": r.image_tokens, "acc": r.acc, "format": r.format, "sufficient": r.sufficient}
        for r in group.rollouts
    ]
    row = {"group_id": group.group_id, "alpha": group.alpha, "rollouts": rollouts}
    return with_extra(_given(row), group.extra, GROUP_KEYS)


def _usage_row(usage: Usage) -> dict[str, Any]:
    names = ("input_tokens", "output_tokens", "seconds", "usd")
    return _given({name: getattr(usage, name) for name in names})


def _listed(values: tuple[Any, ...] | None) -> list[Any] | None:
    return None if values is None else list(values)


def _given(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if value is not None}
