"""Results of models as frozen records: no I/O, no framework. Boxes and image ids as in ``annotation.schema``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from annotation.schema import Issue as Issue
from annotation.schema import Severity as Severity
from annotation.schema import frozen_record
from annotation.schema import shortened as shortened

TRAJECTORY_KEYS = frozenset({
    "model", "sample_id", "setting", "rollout", "condition", "steps", "final_image", "answer", "judge_correct",
    "predicted_tools_recognition", "predicted_tools_plan", "match_map_recognition", "match_map_plan", "error", "usage",
    "image_size", "image_sha256",
})  # fmt: skip
"""All keys of a row of this kind in the native format, here and below."""
STEP_KEYS = frozenset({
    "tool", "args", "bbox", "coords", "image_in", "image_out", "out_size", "ok", "text", "observation",
    "executed_bbox", "label", "flag",
})  # fmt: skip
INTERVENTION_KEYS = frozenset({"model", "sample_id", "condition", "correct", "answer", "setting"})
JUDGEMENT_KEYS = frozenset({"model", "sample_id", "kind", "verdict", "answer", "judge", "setting"})
ANSWER_KEYS = JUDGEMENT_KEYS | {"rollout", "condition", "text_digest", "key_digest", "decides"}
"""Keys of a judgment on one answer."""
GROUP_KEYS = frozenset({"group_id", "alpha", "rollouts"})
FILE_READINGS = ("file_reading", "extracted_answer", "extraction")
"""Keys in ``extra`` of a trajectory for the answer that the imported file itself has extracted; the first existing one
counts.
"""


class Coordinates(StrEnum):
    """The coordinates of a call's box, always relative to the step's INPUT image."""

    PIXEL = "pixel"
    NORM1 = "norm1"
    NORM1000 = "norm1000"


class Condition(StrEnum):
    """The intervention under which a trajectory was made. Other texts are allowed and kept."""

    NONE = "none"
    TEXT = "text"
    VISUAL = "visual"
    PLACEBO = "placebo"


class StepFlag(StrEnum):
    """The reason why a recorded call is not evidence. A flagged call is kept and shown; see
    ``evaluation.metrics.columns``.

    ``POST_ANSWER``: made after the answer was given. No metric includes it. ``UNUSED``: made in the turn that also gave
    the answer, so its image came too late. It counts as an attempted call without a usable crop.
    """

    NONE = ""
    POST_ANSWER = "post_answer"
    UNUSED = "unused"


class JudgementKind(StrEnum):
    RELIABILITY = "reliability"
    SUFFICIENCY = "sufficiency"
    ANSWER = "answer"


class DecisionWord(StrEnum):
    """The decision of a person on the meaning of an answer, other than an option: none of them; for an open answer, the
    same as an accepted one, or different; or left to a judge, so that it stays undecided.
    """

    NONE = "none"
    SAME = "same"
    DIFFERENT = "different"
    LEAVE = "leave"


ARGS_RAW = "args_raw"
"""Key in ``extra`` of a step: its arguments as written, if they are not an object."""
NOT_RUN = "not_run"
"""Key in ``extra`` of a step: whether the call was recorded but not run, such as one after the last round."""


@frozen_record(frozen=True, slots=True)
class Step:
    """One tool call. ``bbox`` is the box that the model requested, ``executed_bbox`` the pixels it actually received,
    as recorded (four numbers, possibly invalid, never reordered; None = the call has no box), in ``coords`` of the
    input image.

    ``bbox_raw`` is the original value if it is not four numbers. ``out_size`` is ``(width, height)`` of the returned
    image. ``text`` is the reasoning before the call, ``observation`` the text returned.
    """

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    bbox: tuple[float, float, float, float] | None = None
    bbox_raw: Any = None
    coords: Coordinates = Coordinates.PIXEL
    image_in: str | tuple[str, ...] | None = None
    image_out: str | None = None
    out_size: tuple[float, float] | None = None
    ok: bool = True
    text: str = ""
    observation: str = ""
    executed_bbox: tuple[float, float, float, float] | None = None
    label: str = ""
    flag: StepFlag = StepFlag.NONE
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Usage:
    """The cost of a trajectory, as recorded; each None if unknown. Seconds of wall time, US dollars."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    seconds: float | None = None
    usd: float | None = None


@frozen_record(frozen=True, slots=True)
class Trajectory:
    """The result of a run on one sample.

    ``recognition`` and ``plan`` are the predicted tool lists (None = the request failed or was not made), repeats and
    order kept; the maps are a judge's ``predicted -> target`` (target None = "no target"). ``error`` marks a failed
    trajectory. ``file``, ``line`` and ``row`` (its number in a list) are its position, and ``row_digest`` identifies
    its row, so that an unchanged row is recognized (empty: it must be read again). ``half``: it contains only one of
    the two lists, and the other stored one stays. ``image_size``: width and height of the image that it was recorded
    on, and ``image_sha256`` of its file, if the row states them. ``recorded_at``: when that image was read, if it is
    known better than by the file.
    """

    model: str
    sample_id: str
    setting: str = ""
    rollout: int = 0
    condition: str = Condition.NONE
    steps: tuple[Step, ...] = ()
    final_image: str | None = None
    answer: str | None = None
    judge_correct: bool | None = None
    recognition: tuple[str, ...] | None = None
    plan: tuple[str, ...] | None = None
    recognition_map: Mapping[str, str | None] = field(default_factory=dict)
    plan_map: Mapping[str, str | None] = field(default_factory=dict)
    error: str = ""
    usage: Usage = field(default_factory=Usage)
    extra: Mapping[str, Any] = field(default_factory=dict)
    file: str = ""
    line: int | None = None
    row: str = field(default="", compare=False)
    row_digest: bytes = field(default=b"", compare=False)
    half: bool = field(default=False, compare=False)
    image_size: tuple[int, int] | None = None
    image_sha256: str = ""
    recorded_at: datetime | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Intervention:
    """One record of the native ``interventions`` list: whether the model's answer for this sample under this condition
    was correct.
    """

    model: str
    sample_id: str
    condition: str
    correct: bool | None = None
    answer: str | None = None
    setting: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    file: str = ""
    line: int | None = None
    row: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class AboutAnswer:
    """The subject of a judgment: the trajectory (in addition to run and sample), and 128-bit digests of what was
    judged: the text of the answer, or the boxes with it (``text_digest``), and the options or accepted strings.
    ``decides``: scores use it.
    """

    rollout: int = 0
    condition: str = Condition.NONE
    text_digest: str = ""
    key_digest: str = ""
    decides: bool = False


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict by a judge model or a person on an answer, a reliability or a sufficiency question.

    ``about``: its trajectory, with digests; None: the trajectory used by metrics.
    """

    model: str
    sample_id: str
    kind: JudgementKind
    verdict: str | None = None
    answer: str | None = None
    judge: str = ""
    setting: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    file: str = ""
    line: int | None = None
    row: str = field(default="", compare=False)
    about: AboutAnswer | None = None


@dataclass(frozen=True, slots=True)
class Rollout:
    image_tokens: float
    acc: float
    format: float
    sufficient: bool


@dataclass(frozen=True, slots=True)
class RolloutGroup:
    """Rollouts of one prompt, for the rewards of docs/metrics.md#reward-rules. ``alpha`` None = the setting's."""

    group_id: str
    rollouts: tuple[Rollout, ...]
    alpha: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    file: str = ""
    line: int | None = None
    row: str = field(default="", compare=False)
