"""The turns of a trajectory as its page shows them: in the frame, in the timeline and in the transcript."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.text import Truncator
from django.utils.translation import gettext, gettext_lazy

from annotation.schema import ORIGINAL, ToolCall
from evaluation.common.frame import Frame
from evaluation.common.trajectory.read import Corners, TrajectoryDetail, TurnMeasures
from webapp.common.formatting import decimal

TEXT_CAP = 2000
"""Characters of a text that the page contains. The rest is fetched on request."""
CALL_CAP = 300
BLOCK = 20_000
SHOWN_SIDE, SEEN_SIDE, LARGE_SIDE = 240, 480, 960

NOT_EVIDENCE = {
    "post_answer": gettext_lazy("after the answer, not counted"),
    "unused": gettext_lazy("with the answer: the image came too late"),
}


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The beginning of a text, and how many characters it has in all. ``mark``: start and end of what is highlighted,
    in characters of the text."""

    start: str
    length: int
    mark: tuple[int, int] = (0, 0)

    @property
    def cut(self) -> bool:
        return self.length > len(self.start)

    @property
    def parts(self) -> list[tuple[str, str, str]]:
        """The text in blocks, split at line ends if possible. A browser lays out only visible blocks.

        Each block has the text before, inside and after the mark."""
        found, begin = [], 0
        while begin < len(self.start):
            line_end = self.start.rfind("\n", begin + BLOCK // 2, begin + BLOCK) + 1
            block = self.start[begin : line_end or begin + BLOCK]
            first, last = (min(max(place - begin, 0), len(block)) for place in self.mark)
            found.append((block[:first], block[first:last], block[last:]))
            begin += len(block)
        return found


@dataclass(frozen=True, slots=True)
class Seen:
    """A crop as the model saw it: size in original pixels, the size it came at, and the gold inside."""

    small: str
    large: str
    src: str
    width: float
    height: float
    out: tuple[float, float] | None
    gold: Sequence[Sequence[float]]

    @property
    def enlarged(self) -> float | None:
        """The factor by which the longer side of the image was enlarged; below 1 it was reduced."""
        return None if self.out is None else max(self.out) / max(self.width, self.height)

    @property
    def gold_size(self) -> tuple[float, float] | None:
        """The size at which the model saw the one gold box; None with several, or without a known size."""
        if len(self.gold) != 1 or self.out is None:
            return None
        x1, y1, x2, y2 = self.gold[0]
        return (x2 - x1) * self.out[0] / self.width, (y2 - y1) * self.out[1] / self.height


@dataclass(frozen=True, slots=True)
class Turn:
    """One call with the text before it and its result. ``state``: why it is not evidence, "" if it may be.
    ``replayed``: box, size and success are those of a replay.
    """

    number: int
    position: int
    tool: str
    call: str
    label: str
    state: str
    failed: bool
    text: Excerpt
    observation: Excerpt
    measures: TurnMeasures | None
    seen: Seen | None
    replayed: bool = False

    @property
    def mark(self) -> dict[str, Any]:
        """For static/js/elements/frame.js."""
        return {"turn": self.number, "tool": self.tool} | measures_mark(self.measures)


def measures_mark(measures: TurnMeasures | None) -> dict[str, Any]:
    if measures is None:
        return {"executed": None, "requested": None}
    names = ("executed", "requested", "coverage", "concentration", "iou")
    return {name: getattr(measures, name) for name in names}


def turns_of(steps: Sequence[Any], detail: TrajectoryDetail, frame: Frame | None, *, cap: int | None) -> list[Turn]:
    """Steps from ``read_turns``, with their crops."""
    gold = [(box.x1, box.y1, box.x2, box.y2) for box in detail.record.content.gold_boxes]
    return [_turn(step, detail.turns.get(step.position), gold, frame, cap) for step in steps]


def _turn(
    step: Any, measures: TurnMeasures | None, gold: Sequence[Corners], frame: Frame | None, cap: int | None
) -> Turn:
    executed = measures.executed if measures else None
    # The result of a replay replaces the recorded one.
    source = step.replayed or step
    return Turn(
        number=step.position + 1,
        position=step.position,
        tool=step.tool,
        call=call_words(step, CALL_CAP if cap else None),
        label=step.label,
        state=gettext("failed") if not source.ok else str(NOT_EVIDENCE.get(step.flag, "")),
        failed=not source.ok,
        text=Excerpt(step.text_start or "", step.text_length or 0),
        observation=Excerpt(step.observation_start or "", step.observation_length or 0),
        measures=measures,
        seen=_seen(executed, _out_size(source), gold, frame) if executed and frame else None,
        replayed=step.replayed is not None,
    )


def call_words(step: Any, cap: int | None) -> str:
    """The arguments as given, "name value, name value"; of a call that recorded only a box, the box and its space."""
    arguments: Mapping[str, Any] = step.arguments if isinstance(step.arguments, dict) else {}
    if arguments:
        words = ", ".join(f"{name} {json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
    elif step.x1 is not None:
        corners = ", ".join(f"{corner:g}" for corner in (step.x1, step.y1, step.x2, step.y2))
        words = corners + {"norm1": " of 1", "norm1000": " / 1000"}.get(step.coords, " px")
    else:
        words = "" if step.bbox_raw is None else json.dumps(step.bbox_raw, ensure_ascii=False)
    return Truncator(words).chars(cap) if cap else words


def _out_size(step: Any) -> tuple[float, float] | None:
    known = step.out_width and step.out_height and min(step.out_width, step.out_height) > 0
    return (step.out_width, step.out_height) if known else None


def _seen(box: Corners, out: tuple[float, float] | None, gold: Sequence[Corners], frame: Frame) -> Seen:
    x1, y1, x2, y2 = box
    inside = [
        (max(g[0], x1) - x1, max(g[1], y1) - y1, min(g[2], x2) - x1, min(g[3], y2) - y1)
        for g in gold
        if min(g[2], x2) > max(g[0], x1) and min(g[3], y2) > max(g[1], y1)
    ]
    small, src, large = (frame.region(box, side) for side in (SHOWN_SIDE, SEEN_SIDE, LARGE_SIDE))
    return Seen(small, large, src, x2 - x1, y2 - y1, out, inside)


def excerpt(text: str | None, cap: int, mark: tuple[int, int] = (0, 0)) -> Excerpt:
    whole = text or ""
    return Excerpt(whole[:cap], len(whole), mark)


VALUE_LENGTH = 40


def argument_difference(reference: ToolCall, arguments: Mapping[str, Any], executed: Corners | None) -> str:
    """Describe how a call differs from its pair: a region by its corner and size, other arguments by name."""
    wanted = reference.arguments
    region = [wanted.get(name) for name in ("x", "y", "width", "height")]
    if executed and reference.image_in == ORIGINAL and all(isinstance(value, int | float) for value in region):
        x1, y1, x2, y2 = executed
        have = {"x": x1, "y": y1, "w": x2 - x1, "h": y2 - y1}
        moved = {name: value - float(old or 0) for (name, value), old in zip(have.items(), region, strict=True)}
        return ", ".join(f"{name} {decimal(by, sign=True)}" for name, by in moved.items() if abs(by) >= 0.5) or gettext(
            "same place"
        )
    changed = [
        f"{name} {_value(wanted[name])} → {_value(arguments[name])}"
        for name in wanted
        if name in arguments and arguments[name] != wanted[name]
    ]
    return ", ".join(changed)


def _value(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= VALUE_LENGTH else text[: VALUE_LENGTH - 1] + "…"
