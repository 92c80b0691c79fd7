"""Invented samples and runs: alike in size and shape to what models leave behind, and the same on every machine."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotation.schema import AnswerType, Box, SampleContent, SampleRecord, Target, ToolCall, ToolPlan

WIDTH, HEIGHT = 3840, 2160
OPTIONS = {"A": "red", "B": "green", "C": "blue", "D": "yellow"}
CATEGORIES = ("attribute", "counting", "text", "relation", "position", "material", "comparison", "state")
TOOLS = ("hammer", "nail", "level", "saw", "drill", "ruler")
CALLS = ("zoom_in", "Canny Edge", "zoom_in")


def samples(count: int) -> Iterator[SampleRecord]:
    """Two questions on each image; every fourth has a reference toolchain, every eighth a tool plan."""
    for i in range(count):
        x, y, width, height = _gold(i)
        content = SampleContent(
            f"Which colour has the thing numbered {i} that stands behind the others?",
            AnswerType.MULTIPLE_CHOICE,
            OPTIONS,
            ("ABCD"[i % 4],),
            (Box(x, y, x + width, y + height),),
            tuple(ToolCall(tool, {}, "original", None) for tool in CALLS) if i % 4 == 0 else (),
            ToolPlan((Target("hammer", 1), Target("nail", 1), Target("level", 2)), ("saw",))
            if i % 8 == 0
            else ToolPlan(),
        )
        facets = {
            "category": (CATEGORIES[i % 8],),
            "tier": (i % 3,),
            "dimension": ("perception" if i % 2 else "reasoning",),
        }
        yield SampleRecord(key(i), content, f"picture-{i // 2}.jpg", None, WIDTH, HEIGHT, facets)


def key(i: int) -> str:
    return f"sample-{i:07d}"


def write_run(path: Path, count: int, samples: int, model: str = "Model") -> int:
    """``count`` trajectories of three steps as JSONL, rollout after rollout over the samples. Returns the bytes."""
    with path.open("w", encoding="utf-8") as file:
        for i in range(count):
            file.write(json.dumps(trajectory(i % samples, i // samples, model), separators=(",", ":")) + "\n")
    return path.stat().st_size


def trajectory(i: int, rollout: int = 0, model: str = "Model") -> dict[str, Any]:
    """A zoom near the evidence, an edge filter on what it showed, a closer zoom; one call in twenty fails."""
    rng = random.Random(f"{i} {rollout} {model}")
    x, y, _, _ = _gold(i)
    left, top = max(0, x + rng.randint(-300, 100)), max(0, y + rng.randint(-200, 80))
    wide, high = min(WIDTH - left, rng.randint(200, 700)), min(HEIGHT - top, rng.randint(150, 500))
    low = rng.randint(0, 400)
    right = rng.random() < 0.6
    row: dict[str, Any] = {
        "model": model,
        "sample_id": key(i),
        "steps": [
            _step(
                CALLS[0], [left, top, left + wide, top + high], "original", "view1", rng, out_size=[2 * wide, 2 * high]
            ),
            _step(CALLS[1], None, "view1", "view2", rng, out_size=[2 * wide, 2 * high]),
            _step(CALLS[2], [low, low, low + 500, low + 550], "view2", "view3", rng, coords="norm1000"),
        ],
        "answer": f"The answer is {'ABCD'[i % 4] if right else rng.choice('ABCD')}.",
        "usage": {"input_tokens": rng.randint(1500, 9000), "output_tokens": rng.randint(80, 700), "usd": 0.0125},
    }
    if rollout:
        row["rollout"] = rollout
    if i % 8 == 0:
        row["predicted_tools_recognition"] = rng.sample(TOOLS, 3)
        row["predicted_tools_plan"] = rng.sample(TOOLS, 3)
    return row


def _step(
    tool: str, box: list[int] | None, source: str, result: str, rng: random.Random, **more: Any
) -> dict[str, Any]:
    place = rng.choice(("left", "right", "top", "bottom"))
    step: dict[str, Any] = {
        "tool": tool,
        "args": {"bbox_2d": box, "label": place} if box else {"low": 50, "high": 150},
        "image_in": source,
        "image_out": result,
        "text": f"The thing should be near the {place} of this picture, but it is too small to tell its colour.",
        "observation": "Returned a picture.",
        **more,
    }
    if box:
        step["bbox"] = box
    if rng.random() < 0.05:
        step["ok"] = False
    return step


def _gold(i: int) -> tuple[int, int, int, int]:
    rng = random.Random(i)
    return rng.randint(0, WIDTH - 400), rng.randint(0, HEIGHT - 300), rng.randint(40, 400), rng.randint(30, 300)


def submission(i: int) -> dict[str, Any]:
    """What an annotator sends of the sample numbered ``i``, as the studio's script sends it."""
    x, y, width, height = _gold(i)
    return {
        "question": f"Which colour has the thing numbered {i} that stands behind the others?",
        "answer_type": "mc",
        "options": OPTIONS,
        "answer": ["ABCD"[i % 4]],
        "gold_boxes": [{"box": [x, y, x + width, y + height], "label": "evidence"}],
        "facets": {"category": [CATEGORIES[i % 8]], "tier": [i % 3]},
    }
