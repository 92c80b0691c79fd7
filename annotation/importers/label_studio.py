"""Label Studio's JSON export: tasks with the annotations and predictions that people and models made for them.

``data`` of a task can contain a sample as written by our exporter; of other tasks, ``image`` and ``question`` are used
if present. The chosen annotation overrides ``data``, except for controls that it leaves empty. The choice is the ground
truth, else the latest accepted annotation, else the latest one that was neither skipped nor rejected. All others are
reported. Predictions never become gold: their shapes are kept separately with the sample.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from annotation.importers import fields
from annotation.importers.converting import made_of_row, read_each
from annotation.importers.fields import Report
from annotation.importers.interface import Detection, Read, ReadOptions
from annotation.importers.label_studio_predictions import PREDICTIONS, predicted_shapes
from annotation.importers.reading import RawRow, RowStream
from annotation.importers.samples import sample_from
from annotation.importers.storable import storable
from annotation.importers.task_results import apply_results
from annotation.schema import SAMPLE_KEYS, SampleRecord

KEYS = ("tasks",)
_OWN = frozenset({"sample_id", "image_name", "plan", "extra"})
LABELS = "box_labels"
"""The key of the labels of the boxes: a list parallel to ``gold_boxes``, "" for a box without a label of its own."""
_PATH = re.compile(r"[?&]d=([^&#]+)")


def detect(head: bytes, name: str) -> Detection:
    """Detect an export of Label Studio: rows with ``data`` and ``annotations`` or ``predictions``, whose results name
    their controls in ``from_name``.
    """
    reasons = []
    if re.search(rb'"data"\s*:\s*\{', head) and re.search(rb'"(annotations|predictions)"\s*:\s*\[', head):
        reasons.append("Its rows have data with annotations or predictions.")
        if b'"from_name"' in head and b'"to_name"' in head:
            reasons.append("Its results name their controls (from_name, to_name).")
        if re.search(rb'"(sample_id|original_width|completed_by)"\s*:', head):
            reasons.append("It has keys that only tasks of Label Studio have.")
    return Detection("label-studio", (0.0, 0.6, 0.9, 1.0)[len(reasons)], tuple(reasons))


def read(path: Path, options: ReadOptions) -> Read:
    """Yield the samples and issues of an export. Raises ``ImportProblem`` if it has no tasks."""
    empty = f"{path.name} contains no tasks. Export from Label Studio as JSON, a list of tasks."
    return read_each(RowStream(path, KEYS, options.start), partial(_converted, polygons=options.polygons), empty)


def _converted(data: dict[str, Any], row: RawRow, *, polygons: bool) -> Read:
    report = Report(row.file, row.line, row=row.row)
    return made_of_row(lambda: sample_of_task(data, report, polygons=polygons), report)


def sample_of_task(task: Mapping[str, Any], report: Report, *, polygons: bool) -> SampleRecord:
    """Read one task of an export as a record; issues go to ``report``. ``polygons``: masks become polygons, otherwise
    boxes. Raises ``RowRefused``."""
    if not isinstance(task.get("data"), dict):
        report.refuse(
            "no-task-data", "data", task.get("data"), "The task was rejected because it has no data. Export as JSON."
        )
    data = dict(task["data"])
    row = _native(data, task, report)
    extra = fields.mapping(data.get("extra"), "data.extra", report)
    results = _chosen(task, report)
    if results is not None:
        labels = apply_results(row, results, report, polygons=polygons)
        extra = {key: value for key, value in extra.items() if key != LABELS} | (
            {LABELS: labels} if any(labels) else {}
        )
    sample = sample_from(row, report)
    if shapes := predicted_shapes(row, _dicts(task.get("predictions")), report):
        extra = extra | {PREDICTIONS: shapes}
    return replace(sample, extra={**sample.extra, **extra})


def _native(data: Mapping[str, Any], task: Mapping[str, Any], report: Report) -> dict[str, Any]:
    """Return the data of the task under keys of the native format. Data without such a key is also kept."""
    row = {key: value for key, value in data.items() if key not in _OWN}
    row["id"] = data.get("sample_id") or data.get("id") or (f"task-{task['id']}" if task.get("id") else None)
    row["image"] = data["image_name"] if "image_name" in data else _picture(data.get("image"), report)
    for key in ("plan", "reference_toolchain"):
        given = data.get(key)
        value = _json(given, f"data.{key}", report) if isinstance(given, str) else given
        if key != "plan":
            row[key] = value
        elif isinstance(value, dict):
            row |= {name: value[name] for name in ("targets", "distractors", "likeness", "ordered") if name in value}
    return {key: value for key, value in row.items() if value is not None or key not in SAMPLE_KEYS}


def _json(text: str, field: str, report: Report) -> Any:
    try:
        return storable(json.loads(text)) if text.strip() else None
    except (ValueError, RecursionError):
        report.repaired("not-json", field, text, "This text is not JSON and was ignored.")
        return None


def _picture(value: object, report: Report) -> str | None:
    """Return the file name in the address from which Label Studio shows the image."""
    if not isinstance(value, str) or not value or value.startswith("data:"):
        return value if isinstance(value, str) and value else None
    local = _PATH.search(value)
    if local:
        return local[1].removeprefix("/")
    if "://" not in value and not value.startswith("/"):
        return value
    name = value.split("?")[0].split("#")[0].rsplit("/", 1)[-1]
    report.noted("picture-address", "data.image", value, f"The image is searched as {name!r}.")
    return name or None


def _chosen(task: Mapping[str, Any], report: Report) -> list[Any] | None:
    """Return the results of the chosen annotation; None without one. The reason why each other annotation is not chosen
    is reported.
    """
    given = _dicts(task.get("annotations"))
    ranked = sorted(given, key=_rank)
    taken = ranked[-1] if ranked and _rank(ranked[-1])[0] > 0 else None
    for one in given:
        if one is not taken:
            report.noted("annotation-not-taken", "annotations", one.get("id"), _why(one, taken))
    return fields.items(taken.get("result"), "annotations.result", report) if taken else None


def _dicts(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _rank(annotation: Mapping[str, Any]) -> tuple[int, str]:
    """Rank an annotation: 0 unusable, 1 created, 2 accepted in review, 3 ground truth; then by time of creation."""
    verdict = _verdict(annotation)
    made = str(annotation.get("updated_at") or annotation.get("created_at") or "")
    if annotation.get("was_cancelled") is True or verdict is False:
        return 0, made
    return (3 if annotation.get("ground_truth") is True else 2 if verdict else 1), made


def _verdict(annotation: Mapping[str, Any]) -> bool | None:
    """Return the verdict of the last review: accepted, rejected, or None without a review."""
    reviews = [one for one in _dicts(annotation.get("reviews")) if isinstance(one.get("accepted"), bool)]
    last = max(reviews, key=lambda one: str(one.get("created_at") or ""), default=None)
    return last["accepted"] if last else None


def _why(annotation: Mapping[str, Any], taken: Mapping[str, Any] | None) -> str:
    if annotation.get("was_cancelled") is True:
        return "The annotation was rejected because it was skipped in Label Studio."
    if _rank(annotation)[0] == 0:
        return "The annotation was rejected because a review in Label Studio rejected it."
    named = {3: "the ground truth", 2: "accepted later", 1: "newer"}[_rank(taken or {})[0]]
    return f"The annotation was rejected because another one of the task is {named}."
