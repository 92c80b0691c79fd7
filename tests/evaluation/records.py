"""A small benchmark and what two models did on it, as records: every kind of thing that is stored, once."""

from __future__ import annotations

from dataclasses import replace

from annotation.schema import AnswerType, Box, SampleContent, SampleRecord, Target, ToolCall, ToolPlan
from evaluation.schema import Coordinates, Step, StepFlag, Trajectory, Usage

OPTIONS = {"A": "black", "B": "white"}


def samples() -> list[SampleRecord]:
    """Four samples: two on one picture, one open without gold, one tool plan."""
    mug = SampleContent(
        "Which colour is the mug?", AnswerType.MULTIPLE_CHOICE, OPTIONS, ("B",), (Box(100, 100, 200, 150),),
        (ToolCall("Crop", {"x": 100, "y": 100}, "original", "a"), ToolCall("Resize", {}, "a", "b")),
    )  # fmt: skip
    cup = SampleContent(
        "Which colour is the cup?", AnswerType.MULTIPLE_CHOICE, OPTIONS, ("A",),
        (Box(500, 400, 560, 460), Box(700, 400, 760, 460)),
    )  # fmt: skip
    sign = SampleContent("What does the sign say?", AnswerType.OPEN, {}, ("Quay", "Quay – Mill Rd"))
    plan = ToolPlan((Target("hammer", 1), Target("nail", 1), Target("level", 2)), ("saw",), None)
    wall = SampleContent("Hang the picture.", plan=plan)
    facets = {"category": ("Color",), "dimension": ("perception",), "segment": ("kitchen", "table")}
    return [
        SampleRecord("cup", cup, "kitchen.jpg", "kitchen", 1000, 800, {**facets, "tier": (2,)}),
        SampleRecord("mug", mug, "kitchen.jpg", "kitchen", 1000, 800, facets, {"note": "kept as it came"}),
        SampleRecord("sign", sign, facets={"dimension": ("reasoning",), "night": (True,)}),
        SampleRecord("wall", wall, "wall.jpg", None, 640, 480),
    ]


def zoom(*box: float, **fields: object) -> Step:
    step = Step("zoom_in", {"bbox": list(box)}, (box[0], box[1], box[2], box[3]), None, image_in="original")
    return replace(step, **fields)  # type: ignore[arg-type]


def trajectories() -> list[Trajectory]:
    """Model A zooms, nests, fails and plans; model B never looks, once under noise."""
    seen = (
        zoom(50, 50, 450, 450, image_out="a", out_size=(800, 800), text="Look left."),
        zoom(0.1, 0.1, 0.4, 0.3, image_in="a", image_out="b", coords=Coordinates.NORM1),
        zoom(1, 2, 3, 4, ok=False, observation="too small"),
        zoom(90, 90, 210, 160, image_out="late", flag=StepFlag.POST_ANSWER),
    )
    odd = Step("Binarize", {}, None, "here", image_in=("original", "x"), image_out="c")
    planned = {"recognition": ("saw", "hammer"), "plan": ("nail", "hammer", "level"), "plan_map": {"nails": "nail"}}
    a = "Model A"
    return [
        Trajectory(a, "cup", "base", steps=(odd, zoom(505, 405, 555, 455, executed_bbox=(480, 380, 580, 480),
                                                      image_out="d")), answer="A. black", final_image="d"),
        Trajectory(a, "mug", "base", steps=seen, answer="The answer is B.", usage=Usage(120, 30, 2.5, 0.01)),
        Trajectory(a, "mug", "base", rollout=1, answer="A"),
        Trajectory(a, "sign", "base", answer="something else", judge_correct=True),
        Trajectory(a, "wall", "base", **planned),  # type: ignore[arg-type]
        Trajectory("Model B", "cup", answer=None, error="timeout", extra={"tries": 3}),
        Trajectory("Model B", "mug", answer="A"),
        Trajectory("Model B", "mug", condition="visual", answer="B"),
    ]  # fmt: skip
