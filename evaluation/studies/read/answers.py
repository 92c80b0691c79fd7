"""The answers of people in a study as rows: for exports, and as trajectories."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from evaluation.models import Experiment
from evaluation.studies.read.conditions import condition_of

CHUNK = 1000
TOOL = "zoom"
"""The name of a person's zoom in a trajectory."""


def export_name(study: Experiment) -> str:
    return f"{study.benchmark.slug}-study-{study.pk}.jsonl"


def answer_rows(study: Experiment) -> Iterator[dict[str, Any]]:
    """One row for each answer, by person and time. People are numbers. Two queries."""
    numbers = dict(study.participants.values_list("person", "number"))
    strata = [" | ".join(one["groups"]) for one in study.design["strata"]]
    drawn = dict(study.study_samples.order_by().values_list("sample", "stratum"))
    fields = (
        "person", "sample", "sample__key", "answer", "recognition", "plan", "familiarity", "unsure", "seconds", "steps",
        "done_at",
    )  # fmt: skip
    rows = study.human_answers.given().order_by("done_at", "pk").values(*fields)
    for row in sorted(rows.iterator(chunk_size=CHUNK), key=lambda row: numbers[row["person"]]):
        condition = condition_of(study, numbers[row["person"]], row["sample"])
        yield {
            "study": study.pk, "person": numbers[row["person"]] + 1, "sample_id": row["sample__key"],
            "stratum": strata[drawn[row["sample"]]], "answer": row["answer"], "recognition": row["recognition"],
            "plan": row["plan"], "familiarity": row["familiarity"], "unsure": row["unsure"],
            "seconds": row["seconds"], "zooms": row["steps"], "done_at": row["done_at"].isoformat(),
            **({"condition": condition.value} if condition else {}),
        }  # fmt: skip


def answer_lines(study: Experiment) -> Iterator[bytes]:
    for row in answer_rows(study):
        yield json.dumps(row, ensure_ascii=False).encode() + b"\n"


def taken_times(study: Experiment) -> dict[tuple[int, str], datetime]:
    """When each person got each sample, by rollout and ID of the sample: their zooms are on the image of then."""
    numbers = dict(study.participants.values_list("person", "number"))
    rows = study.human_answers.given().values_list("person", "sample__key", "taken_at")
    return {(numbers[person], key): at for person, key, at in rows}


def trajectory_rows(study: Experiment) -> Iterator[dict[str, Any]]:
    """The answers as rows of the native format; each person is one rollout. A zoom is a call whose box is in pixels of
    the original."""
    for row in answer_rows(study):
        steps = [
            {"tool": TOOL, "args": {"seconds": zoom["seconds"]}, "bbox": zoom["box"], "coords": "pixel",
             "image_in": "original", "image_out": f"zoom-{place}", "ok": True}
            for place, zoom in enumerate(row["zooms"], start=1)
        ]  # fmt: skip
        yield {
            "model": study.model, "setting": study.setting, "sample_id": row["sample_id"],
            "rollout": row["person"] - 1, "steps": steps, "answer": row["answer"],
            "predicted_tools_recognition": row["recognition"], "predicted_tools_plan": row["plan"],
            "usage": {"seconds": row["seconds"]}, "familiarity": row["familiarity"], "unsure": row["unsure"],
        }  # fmt: skip
