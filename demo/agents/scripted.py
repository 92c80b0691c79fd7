"""A scripted agent: looks where its rule says, compares pixels, and answers what it made out, or guesses."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.imaging.crops import Picture
from annotation.schema import ORIGINAL, Box, ToolCall
from annotation.toolbox.runner import run_chain
from demo.agents.planning import Order, choose, names_of, recognise, tell_apart
from demo.agents.reading import answer_of, clearest, possible_answers
from demo.agents.sample import AgentSample, ToolBank
from demo.agents.views import View, crop_view, whole_view
from demo.agents.zoom_strategies import Rule, ZoomProposal
from evaluation.schema import Condition, Coordinates, Step, Trajectory


@dataclass(frozen=True)
class Run:
    """A trajectory with the views behind it, which a judge may look at."""

    trajectory: Trajectory
    crops: tuple[View, ...]


@dataclass(frozen=True)
class ScriptedAgent:
    """``rule`` says where to look, ``order`` how a plan is ordered. ``conditions`` are those it can run under."""

    name: str
    description: str
    rule: Rule
    order: Order
    conditions: tuple[str, ...] = (Condition.NONE, Condition.VISUAL, Condition.PLACEBO)

    def run(
        self,
        picture: Picture,
        sample: AgentSample,
        condition: str = Condition.NONE,
        seed: int = 7,
        whole: View | None = None,
    ) -> Run:
        """One trajectory. ``whole`` is the whole view where the caller has it already.

        The dice depend on the seed, the agent and the sample, not on the condition: the same places are looked at and
        the same guess is drawn, so that a changed answer comes from what was shown.
        """
        whole = whole or whole_view(picture)
        key = f"{seed}:{self.name}:{sample.id}"
        looks = self.rule(sample, whole, random.Random(f"look:{key}"))
        steps, crops = _look(picture, looks, condition, key)
        draft = Trajectory(self.name, sample.id, "scripted", condition=condition, steps=steps)
        if steps:
            draft = replace(draft, final_image=steps[-1].image_out)
        guess = random.Random(f"guess:{key}")
        views = (whole, *crops)
        if sample.tools:
            return Run(self._planned(draft, sample, sample.tools, views, guess), crops)
        return Run(_answered(draft, sample, views, guess), crops)

    def _planned(
        self, draft: Trajectory, sample: AgentSample, tools: ToolBank, views: Sequence[View], guess: random.Random
    ) -> Trajectory:
        """The kinds of tool the task needs, of alike ones the one with the right mark, or any that may be it."""
        task = sample.question
        seen = recognise(views, tools)
        # What one zoomed into counts before what is seen from afar.
        close = recognise(views[1:], tools)
        kinds = choose({**close, **{n: s for n, s in seen.items() if n not in close}}, task)
        open_to = [tell_apart(kind, task, views, tools) for kind in kinds]
        plan = tuple(self.order([guess.choice(names) for names in open_to], task))
        return replace(
            draft,
            recognition=tuple(names_of(seen, views, tools)),
            plan=plan,
            answer=", ".join(plan) or None,
            extra={"guessed": True} if any(len(names) > 1 for names in open_to) else {},
        )


def _answered(draft: Trajectory, sample: AgentSample, views: Sequence[View], guess: random.Random) -> Trajectory:
    drawn = guess.choice(possible_answers(sample))
    read = [clearest(views, piece) for piece in sample.pieces]
    if all(read):
        values = [pair[0].value for pair in read if pair]
        answer = answer_of(sample, values)
        where = ", ".join(sorted({pair[1].name for pair in read if pair}))
        if answer:
            return replace(draft, answer=_said(sample, answer), extra={"read": values, "seen_in": where})
    return replace(draft, answer=_said(sample, drawn), extra={"guessed": True})


def _said(sample: AgentSample, answer: str) -> str:
    return f"The answer is {answer}." if sample.options else answer


def _look(
    picture: Picture, looks: Sequence[ZoomProposal], condition: str, key: str
) -> tuple[tuple[Step, ...], tuple[View, ...]]:
    """Makes the zooms and enhancements of a rule: the recorded steps, and what was seen."""
    steps: list[Step] = []
    crops: list[View] = []
    for look in looks:
        before = crops[-1] if look.inside and crops and condition == Condition.NONE else None
        view = crop_view(picture, look.box, f"crop{len(crops) + 1}", condition, key)
        steps.append(_zoom_step(picture, look, view, before, condition))
        crops.append(view)
        if look.enhance:
            made, view = _enhanced(view, look)
            steps += made
            crops.append(view)
    return tuple(steps), tuple(crops)


def _zoom_step(picture: Picture, look: ZoomProposal, view: View, before: View | None, condition: str) -> Step:
    """The record of a zoom, in pixels of its input image.

    A zoom inside a crop is asked for in the pixels of that crop (under an intervention, in those of the original).
    What was returned is recorded where it differs: cut at the border, or replaced by the placebo.
    """
    height, width = picture.shape[:2]
    frame = before.box if before else (0, 0, width, height)
    scale = before.size[0] / (frame[2] - frame[0]) if before else 1.0
    asked, got = _within(look.box, frame, scale), _within(Box(*view.box), frame, scale)
    noise = condition == Condition.VISUAL
    return Step(
        tool=look.tool,
        arguments={"bbox_2d": list(asked)},
        bbox=asked,
        coords=Coordinates.PIXEL,
        image_in=before.name if before else ORIGINAL,
        image_out=view.name,
        out_size=view.size,
        text=look.why,
        observation=f"A picture of {view.size[0]} × {view.size[1]} pixels.",
        executed_bbox=got if got != asked else None,
        extra={"shown": "noise" if noise else "another region"} if condition != Condition.NONE else {},
    )


def _within(box: Box, frame: tuple[int, int, int, int], scale: float) -> tuple[float, float, float, float]:
    left, top = frame[:2]
    x1, y1, x2, y2 = (round((v - o) * scale, 1) for v, o in zip(box.as_list(), (left, top, left, top), strict=True))
    return x1, y1, x2, y2


def _enhanced(view: View, look: ZoomProposal) -> tuple[list[Step], View]:
    """The toolbox calls on a crop, really run, and what the last one shows."""
    calls: list[ToolCall] = []
    name = view.name
    for tool, arguments in look.enhance:
        made = f"{name}_{tool}"
        calls.append(ToolCall(tool, arguments, ORIGINAL if not calls else name, made))
        name = made
    result = run_chain(view.pixels, calls)
    steps: list[Step] = []
    for k, call in enumerate(calls):
        done = k < len(result.steps)
        shown = view.name if k == 0 else calls[k - 1].image_out
        error = "" if done or result.error is None else result.error.message
        steps.append(_tool_step(call, shown, view.size, done, error))
    last = result.last
    pixels = last.image if last is not None and last.image is not None else view.pixels
    return steps, View(steps[-1].image_out or view.name, pixels, view.scale, view.size, view.box)


def _tool_step(call: ToolCall, shown: str | None, size: tuple[int, int], done: bool, error: str) -> Step:
    arguments: dict[str, Any] = dict(call.arguments)
    return Step(
        tool=call.tool,
        arguments=arguments,
        image_in=shown,
        image_out=call.image_out if done else None,
        out_size=size if done else None,
        ok=done,
        text="The print is faint; I try to bring it out.",
        observation=f"A picture of {size[0]} × {size[1]} pixels." if done else error,
    )
