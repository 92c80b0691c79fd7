"""Rollouts of a trainer: their calls and images, read from completions or boxes, and the rewards of a whole group.

Everything that rewards groups uses ``reward_group``: the API, the barrier, the command, and the adapters of trainers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, isfinite
from typing import Any

import numpy as np

from annotation.importers.fields import Number4
from evaluation.importers.dialogue import text_of
from evaluation.metrics.answers import judge_answer
from evaluation.metrics.columns import TRUE, UNKNOWN, AnswerKey
from evaluation.metrics.gold_rewards import QUADRANT_REWARDS, SUFFICIENT_COVERAGE, RolloutCall, gold_rewards
from evaluation.metrics.rewards import rewards
from evaluation.metrics.settings import MetricSettings
from evaluation.runner.dialects.zoom import DialectError, NativeCall, Response, ZoomCall, ZoomDialect, ZoomImage
from evaluation.runner.dialects.zooms import ZOOM_DIALECTS
from evaluation.runner.tokens import tokens_of_images
from evaluation.schema import Rollout, RolloutGroup

MOST_ROLLOUTS = 256
"""Rollouts of one group."""
MOST_CALLS = 200
"""Calls of one rollout that count."""
MOST_CHARACTERS = 1_000_000
"""Characters of a completion."""
CORRECT = 0.5
"""An r_acc from here on counts as a correct answer."""
_OTHERS = re.compile(r"<\|im_start\|>(?:system|user|tool)\b.*?(?:<\|im_end\|>|\Z)", re.DOTALL)
_RESULTS = re.compile(r"<tool_response>.*?(?:</tool_response>|\Z)", re.DOTALL)
_THOUGHTS = re.compile(r"<think>.*?</think>", re.DOTALL)
_ENDS = re.compile(r"<\|im_end\|>|(?<=</tool_call>)")
_MARKS = re.compile(r"<\|im_start\|>(?:assistant)?\n?")


@dataclass(frozen=True, slots=True)
class RolloutPrompt:
    """The prompt of a group: width and height of the image and (k, 4) gold boxes, all in pixels of the original.
    Without gold boxes, the rewards from gold are undefined.
    """

    size: tuple[int, int]
    gold: Sequence[Number4] = ()


@dataclass(frozen=True, slots=True)
class SentRollout:
    """One rollout as a trainer sends it.

    Either ``completion``, a text or messages in the dialect of the group, or ``calls`` with their executed boxes.
    ``acc`` and ``format`` are r_acc and r_format.
    ``sufficient`` is the verdict of a judge, ``image_tokens`` counts the images that calls returned, where known.
    """

    name: str
    acc: float
    format: float
    completion: str | Sequence[Any] | None = None
    calls: Sequence[RolloutCall] | None = None
    sufficient: bool | None = None
    image_tokens: float | None = None


@dataclass(frozen=True, slots=True)
class Scheme:
    """The reward rules of groups: ``dialect`` of completions, ``family`` of image tokens, metric settings, and the
    table of r_quadrant by code of ``Quadrant``. Raises ``ValueError`` for an unknown dialect or family.
    """

    dialect: str = "qwen2.5-vl"
    family: str = "qwen2.5-vl"
    settings: MetricSettings = field(default_factory=MetricSettings)
    quadrants: Mapping[int, float] = field(default_factory=lambda: dict(QUADRANT_REWARDS))

    def __post_init__(self) -> None:
        tokens_of_images((), self.family)
        if self.dialect not in ZOOM_DIALECTS:
            raise ValueError(f"Unknown dialect {self.dialect[:40]!r}. Choose from {', '.join(ZOOM_DIALECTS)}.")

    def to_json(self) -> dict[str, Any]:
        """Return what the rewards depend on."""
        return {
            "dialect": self.dialect, "family": self.family, "alpha": self.settings.alpha,
            "grim_zero": self.settings.grim_zero, "ioa_threshold": self.settings.ioa_threshold,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class RolloutReward:
    """The rewards of one rollout. Without gold, ``r_box``, ``r_quadrant`` and ``calls`` are None."""

    rollout: str
    image_tokens: float
    r_acc: float
    r_format: float
    r_s: float
    r_m: float
    r_final: float
    r_box: float | None
    r_quadrant: float | None
    calls: tuple[float, ...] | None

    def to_json(self) -> dict[str, Any]:
        """Return the rewards by name, without gold."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return {**values, "calls": None if self.calls is None else list(self.calls)}


def reward_group(
    name: str, rollouts: Sequence[SentRollout], prompt: RolloutPrompt, scheme: Scheme
) -> tuple[RolloutReward, ...]:
    """Return the rewards of all rollouts of one prompt, in order (docs/metrics.md#reward-rules).

    r_s: the verdict of a judge if sent, else 1 if the crops cover half of the gold together. Raises ``ValueError`` if a
    rollout has neither a verdict nor gold, because r_s is undefined then.
    """
    rollouts = [read_rollout(one, prompt.size, scheme) for one in rollouts]
    gold = gold_rewards(
        [one.calls or () for one in rollouts], [one.acc >= CORRECT for one in rollouts],
        np.array(prompt.gold, float).reshape(-1, 4), prompt.size, scheme.settings, scheme.quadrants,
    )  # fmt: skip
    records = []
    for number, one in enumerate(rollouts):
        sufficient = one.sufficient
        if sufficient is None:
            if gold is None:
                raise ValueError(f"Rollout {one.name!r} has no verdict, and its sample has no gold boxes.")
            sufficient = gold[number].coverage >= SUFFICIENT_COVERAGE
        records.append(Rollout(one.image_tokens or 0.0, one.acc, one.format, sufficient))
    found = rewards(RolloutGroup(name, tuple(records)), scheme.settings)
    return tuple(
        RolloutReward(
            one.name, record.image_tokens, one.acc, one.format, reward.sufficiency, reward.minimality, reward.final,
            *((None, None, None) if gold is None else (gold[row].box, gold[row].quadrant, gold[row].calls)),
        )
        for row, (one, record, reward) in enumerate(zip(rollouts, records, found, strict=True))
    )  # fmt: skip


def read_rollout(rollout: SentRollout, size: tuple[int, int], scheme: Scheme) -> SentRollout:
    """Return the rollout with its calls and image tokens filled in, for an image of this width and height."""
    if rollout.calls is not None and rollout.image_tokens is not None:
        return rollout
    calls, sizes = calls_of_rollout(rollout, size, scheme.dialect)
    tokens = tokens_of_images(sizes, scheme.family) if rollout.image_tokens is None else rollout.image_tokens
    return replace(rollout, calls=calls, image_tokens=float(tokens))


def rewards_by_rule(completion: str | Sequence[Any], key: AnswerKey, settings: MetricSettings) -> tuple[float, float]:
    """Return r_acc = 1 if the answer in the last response is correct, else 0, and r_format = 1 if an answer can be
    read, else 0."""
    responses = responses_in(completion)
    found = judge_answer(responses[-1].text if responses else "", key, UNKNOWN, settings)
    return float(found.correct == TRUE), float(not found.unread and not found.missing)


def calls_of_rollout(
    rollout: SentRollout, size: tuple[int, int], dialect: str
) -> tuple[tuple[RolloutCall, ...], list[tuple[int, int]]]:
    """Return the calls of a rollout, and the (width, height) of the images that they returned.

    Calls with boxes return images of the size of the box. Calls of a completion return what the tool of their dialect
    returns.
    """
    if rollout.calls is not None:
        calls = tuple(rollout.calls[:MOST_CALLS])
        return calls, [(ceil(b[2] - b[0]), ceil(b[3] - b[1])) for b in (c.box for c in calls) if b and _spans(b)]
    return _executed(responses_in(rollout.completion or ""), ZOOM_DIALECTS[dialect], size)


def calls_at(boxes: Sequence[Number4 | None]) -> tuple[RolloutCall, ...]:
    """Return the calls with these executed boxes in pixels of the original, None for a call that failed."""
    return tuple(RolloutCall(None if box is None else (box[0], box[1], box[2], box[3]), box is None) for box in boxes)


def responses_in(completion: str | Sequence[Any]) -> list[Response]:
    """Return the responses of the model in a completion: the assistant messages, or the parts of a text.

    Of a text, tool responses and messages of others are omitted, and a response ends after each call.
    """
    if not isinstance(completion, str):
        return [_response(one) for one in completion if isinstance(one, Mapping) and one.get("role") == "assistant"]
    own = _THOUGHTS.sub("", _RESULTS.sub("", _OTHERS.sub("", completion)))
    return [Response(text) for part in _ENDS.split(own) if (text := _MARKS.sub("", part).strip())]


def _response(message: Mapping[str, Any]) -> Response:
    calls = []
    for call in message.get("tool_calls") or ():
        function = call.get("function") if isinstance(call, Mapping) else None
        if isinstance(function, Mapping):
            arguments = function.get("arguments")
            written = arguments if isinstance(arguments, str) else json.dumps(arguments)
            calls.append(NativeCall(str(function.get("name", "")), written))
    return Response(text_of(message.get("content")), tuple(calls))


def _executed(
    responses: Sequence[Response], dialect: ZoomDialect, size: tuple[int, int]
) -> tuple[tuple[RolloutCall, ...], list[tuple[int, int]]]:
    images, calls, sizes = [ZoomImage.original(*size)], [], []
    for call in [one for response in responses for one in dialect.parse(response)][:MOST_CALLS]:
        try:
            result = dialect.locate(call, images) if isinstance(call, ZoomCall) else None
        except DialectError:
            result = None
        if result is None:
            calls.append(RolloutCall(None, failed=True))
            continue
        images.append(result.image)
        sizes.append(result.shown)
        calls.append(RolloutCall(result.executed))
    return tuple(calls), sizes


def _spans(box: Number4) -> bool:
    return all(isfinite(edge) for edge in box) and box[2] > box[0] and box[3] > box[1]
