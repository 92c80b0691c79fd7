"""Shapes that models predicted in Label Studio. They never become gold. They are kept with the sample, and annotators
can adopt them if the lead allows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.importers import fields
from annotation.importers.fields import Report
from annotation.importers.task_results import apply_results

PREDICTIONS = "predictions"
"""The key in ``extra``: a list of {"box", "source"}, with "points" of polygons, and "label" and "score" if present."""
MOST = 50
"""The maximum number of shapes kept for one task."""


def predicted_shapes(row: Mapping[str, Any], predictions: list[dict[str, Any]], report: Report) -> list[dict[str, Any]]:
    """Return the shapes of all predictions of the task in ``row``, in pixels. Polygons, and those around masks, have
    their points next to the box around them: the task of the day decides which of both people see. One issue reports
    which were kept and which were not.
    """
    found = [shape for one in predictions for shape in _shapes(row, one, report)][:MOST]
    if found:
        done = "Predictions of a model are not gold. Their shapes were kept as suggestions."
        report.noted("prediction-kept", "predictions", len(found), done)
    elif predictions:
        done = "Predictions of a model are not gold and were ignored."
        report.noted("prediction-not-taken", "predictions", len(predictions), done)
    return found


def _shapes(row: Mapping[str, Any], prediction: Mapping[str, Any], report: Report) -> list[dict[str, Any]]:
    shape = {side: row.get(side) for side in ("width", "height")}
    # People who import gold don't need to know about problems in one region of a prediction.
    unheard = Report(report.file, report.line, row=report.row)
    results = prediction.get("result")
    labels = apply_results(shape, results if isinstance(results, list) else [], unheard, polygons=True)
    source = prediction.get("model_version")
    said = source if isinstance(source, str) and source.strip() else "a model"
    score = {"score": prediction["score"]} if fields.is_number(prediction.get("score")) else {}
    shapes = zip(shape.get("gold_boxes") or [], labels, strict=False)
    return [
        {**_placed(one), "source": said[: fields.MAX_NAME - 10], **({"label": label} if label else {}), **score}
        for one, label in shapes
    ]


def _placed(shape: Any) -> dict[str, Any]:
    """A box; or a polygon with the box around it."""
    if not isinstance(shape, Mapping):
        return {"box": shape}
    points = shape["points"]
    xs, ys = zip(*points, strict=True)
    box = [min(xs), min(ys), max(xs), max(ys)]
    return {"box": box, "points": points} if shape["kind"] == "polygon" else {"box": box}
