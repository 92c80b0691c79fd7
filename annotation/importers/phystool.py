"""PhysTool-Bench's ground truth: tool plans with steps and distractors.

A row is one query: ``id`` and ``slot`` give the id ``12_0``; ``refined_taxonomy`` has ``target_tools`` with their
``target_steps`` (equal steps are interchangeable) and ``negative_tools``; ``ordered`` is the benchmark's own mark.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.importers import fields
from annotation.importers.converting import read_rows
from annotation.importers.fields import Report
from annotation.importers.interface import Detection, Read, ReadOptions
from annotation.importers.reading import RowStream

_READ = frozenset({"id", "slot", "task_instruct", "ordered", "refined_taxonomy", "image_path"})


def detect(head: bytes, name: str) -> Detection:
    """Rows with ``refined_taxonomy`` and ``target_tools``."""
    found = b'"refined_taxonomy"' in head and b'"target_tools"' in head
    return Detection(
        "phystool", 0.95 if found else 0.0, ("It has refined_taxonomy and target_tools.",) if found else ()
    )


def read(path: Path, options: ReadOptions) -> Read:
    """All samples of ``path``. Raises ``ImportProblem`` when there is none."""
    stream = RowStream(path, (), options.start, wanted="one JSON list or JSONL file")
    empty = f"{path.name} contains no rows with refined_taxonomy. Choose the ground truth with the plans."
    return read_rows(stream, _native, empty)


def _native(row: Mapping[str, Any], report: Report) -> dict[str, Any]:
    taxonomy = fields.mapping(row.get("refined_taxonomy"), "refined_taxonomy", report)
    tools = fields.names(taxonomy.get("target_tools"), "target_tools", report)
    steps = fields.items(taxonomy.get("target_steps"), "target_steps", report)
    if len(steps) != len(tools):
        done = (
            f"The row was rejected: it has {len(tools)} target_tools, but {len(steps)} target_steps. Give each a step."
        )
        report.refuse("steps-do-not-fit", "target_steps", steps, done)
    name, slot = fields.name(row.get("id"), "id", report), row.get("slot")
    known = name if slot is None or name.endswith(f"_{slot}") else f"{name}_{slot}"
    report.stands_for("targets", "target_tools")
    for index, step in enumerate(steps):
        report.stands_for(f"targets[{index}].step", f"target_steps[{index}]", step)
        report.stands_for(f"targets[{index}].tool", f"target_tools[{index}]")
    return {
        **fields.extra(row, _READ),
        "id": known,
        "image": row.get("image_path") or f"images/{known}.png",
        "image_group": name,
        "question": row.get("task_instruct"),
        "answer_type": "open",
        "targets": [{"tool": tool, "step": step} for tool, step in zip(tools, steps, strict=True)],
        "distractors": list(fields.names(taxonomy.get("negative_tools"), "negative_tools", report)),
        "ordered": row.get("ordered"),
    }
