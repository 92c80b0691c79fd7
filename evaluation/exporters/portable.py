"""Rows of runs in a portable file: those of the native format, without what belongs to one server."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evaluation.exporters.native import intervention_row, judgement_row, rollout_group_row, trajectory_row
from evaluation.schema import Intervention, Judgement, RolloutGroup, Step, Trajectory

Row = dict[str, Any]
OF_A_SERVER = re.compile(
    r"(?:base_?url|end_?points?(?:_.*)?|api_?(?:base|key|url)|authorization|headers|secret|access_?token|api_?token)",
    re.IGNORECASE,
)
"""Names of fields that hold addresses of endpoints or keys."""
PATH = re.compile(r"(?:file://)?(?:/|~/|[A-Za-z]:[\\/]|\\\\)(?:[^/\\\n]+[\\/])+([^/\\\n]+)")
"""An absolute path of at least two parts, and its last part."""
FACTS = ("protocol", "dialect", "profile", "frame", "images", "tool_images", "offer")
"""Of a recipe, as texts. The model name, the address and the weights of an endpoint can name a machine."""


def portable_trajectory(trajectory: Trajectory) -> Row:
    """One row of ``trajectories``. Paths are shortened to the names of their files."""
    cleaned = replace(
        trajectory,
        final_image=without_path(trajectory.final_image),
        steps=tuple(_step(step) for step in trajectory.steps),
        extra=of_no_server(trajectory.extra),
    )
    return trajectory_row(cleaned)


def portable_intervention(intervention: Intervention) -> Row:
    return intervention_row(replace(intervention, extra=of_no_server(intervention.extra)))


def portable_judgement(judgement: Judgement, person: int | None = None) -> Row:
    """One row of ``judgements``. ``person``: the number of the person in the file, who is not named then."""
    row = judgement_row(replace(judgement, extra=of_no_server(judgement.extra)))
    if person is not None:
        row = {name: value for name, value in row.items() if name != "judge"} | {"person": person}
    return row


def portable_group(group: RolloutGroup) -> Row:
    """One row of ``rolloutgroups``, without rewards, which are computed where it arrives."""
    return rollout_group_row(replace(group, extra=of_no_server(group.extra)))


def portable_recipe(recipe: Mapping[str, Any]) -> Row:
    """How a model was run: protocol, dialect, images, limits, numbers of the sampling, and prompts by name and version.
    Without the endpoint."""
    found: Row = {name: recipe[name] for name in FACTS if recipe.get(name) is not None}
    for name in ("limits", "sampling"):
        given = recipe.get(name)
        if isinstance(given, Mapping):
            found[name] = {key: value for key, value in given.items() if isinstance(value, bool | int | float)}
    for name in ("system", "user"):
        prompt = recipe.get(name)
        if isinstance(prompt, Mapping):
            found[name] = {key: prompt[key] for key in ("slug", "version") if key in prompt}
    return found


def of_no_server(extra: Mapping[str, Any]) -> Row:
    """The fields without those of a server, at any depth, and with the names of files instead of paths."""
    return {name: _cleaned(value) for name, value in extra.items() if not OF_A_SERVER.fullmatch(name)}


def _step(step: Step) -> Step:
    return replace(step, extra=of_no_server(step.extra))


def _cleaned(value: Any) -> Any:
    if isinstance(value, Mapping):
        return of_no_server(value)
    if isinstance(value, list | tuple):
        return [_cleaned(one) for one in value]
    return without_path(value) if isinstance(value, str) else value


def without_path(text: str | None) -> str | None:
    """The name of the file if a text is an absolute path; any other text unchanged."""
    found = PATH.fullmatch(text) if text else None
    return found[1] if found else text
