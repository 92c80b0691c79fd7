"""Merges the results of one annotation of Label Studio (texts, choices and regions) into a native row."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from annotation.imaging.brush import Mask, MaskError, read_brush
from annotation.importers import fields
from annotation.importers.fields import Report
from annotation.schema import PLAIN_FACETS

EVIDENCE = "evidence"
FACET = "facet-"
AS_GIVEN = 0.05
"""Pixels by which a corner may differ and still be that of a box of ``data``: what percent do to a number."""
LARGEST_SIDE = 1_000_000
MOST_PERCENT = 1e6
"""Beyond, a number is damage and no place."""
_OPTION = re.compile(r"\(?([A-Za-z0-9]{1,3})[).:] ?(.*)", re.DOTALL)
_FACET = re.compile(re.escape(FACET) + ".+", re.DOTALL)
_OUTLINES = {
    "polygonlabels": "polygon", "polygon": "polygon", "keypointlabels": "point", "keypoint": "point",
}  # fmt: skip
"""Types of regions that are no rectangles, and the kinds of evidence that they become."""
_BRUSHES = ("brushlabels", "brush")
_LABELS = ("rectanglelabels", "polygonlabels", "keypointlabels", "brushlabels")
_BOXES = ("rectanglelabels", "rectangle")
_TEXTS = ("textarea", "choices", "labels", "number", "rating", "taxonomy", "datetime", "pairwise", "relation")

Size = tuple[int, int]


def apply_results(row: dict[str, Any], results: Sequence[Any], report: Report, *, polygons: bool) -> list[str]:
    """Lays ``results`` over ``row``, a row with native keys; the labels of its gold boxes, "" for plain evidence.

    Rectangles become pixels: one that still is a box of ``row`` keeps its exact corners, any other is rounded to whole
    pixels (at least one each way). Where the size of the image is known, the rectangles are all the boxes there are.
    ``polygons``: masks become the polygons around their areas, otherwise their bounding boxes.
    Issues go to ``report``: rotated rectangles, other shapes and unknown controls are omitted.
    """
    regions: list[tuple[str, dict[str, Any]]] = []
    for index, result in enumerate(results):
        field = f"result[{index}]"
        if not isinstance(result, dict) or not isinstance(result.get("value"), dict):
            if not isinstance(result, dict) or result.get("type") != "relation":
                report.noted("result-unreadable", field, result, "The result has no value and was ignored.")
        elif result.get("type") in (*_BOXES, *_OUTLINES, *_BRUSHES):
            regions.append((field, result))
        elif result.get("type") in _TEXTS:
            _take_text(row, result, field, report)
        else:
            done = "The region is no rectangle, polygon, key point or brush mask, so it was ignored. Draw it again."
            report.repaired("region-not-a-rectangle", field, result.get("type"), done)
    if regions:
        return _take_regions(row, regions, results, report, polygons)
    if row.get("gold_boxes") and _sides(row.get("width"), row.get("height")):
        done = "The annotation has no region. The boxes of the task were removed."
        report.repaired("boxes-taken-away", "gold_boxes", row.pop("gold_boxes"), done)
    return []


def _take_text(row: dict[str, Any], result: Mapping[str, Any], field: str, report: Report) -> None:
    name, kind = str(result.get("from_name") or ""), str(result["type"])
    texts = _texts(result["value"].get("text" if kind == "textarea" else "choices"))
    if kind not in {"textarea", "choices"} or (name not in _CONTROLS and not _FACET.fullmatch(name)):
        if kind != "labels":
            report.noted("unknown-control", field, name, "This control has no field in a sample and was ignored.")
    elif name.startswith(FACET):
        _take_facet(row, name.removeprefix(FACET), texts)
    elif texts:
        _CONTROLS[name](row, texts)


def _texts(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [item for item in values if isinstance(item, str)]


def _take_question(row: dict[str, Any], texts: list[str]) -> None:
    row["question"] = "\n".join(texts)


def _take_options(row: dict[str, Any], texts: list[str]) -> None:
    """``A. text`` each; when one entry has no letter or two have the same, all are lettered in order."""
    found = [_OPTION.fullmatch(text) for text in texts]
    lettered = {match[1]: match[2] for match in found if match}
    row["options"] = lettered if len(lettered) == len(texts) else texts


def _take_answer(row: dict[str, Any], texts: list[str]) -> None:
    row["answer"] = texts


def _take_answer_type(row: dict[str, Any], texts: list[str]) -> None:
    row["answer_type"] = texts[0]


_CONTROLS = {
    "question": _take_question,
    "options": _take_options,
    "answer": _take_answer,
    "answer_type": _take_answer_type,
}


def _take_facet(row: dict[str, Any], name: str, texts: list[str]) -> None:
    """The chosen values. One from ``data`` keeps its JSON type, and "0" and 0 differ by their order."""
    others = row.get("facets") if isinstance(row.get("facets"), dict) else {}
    key = "segments" if name == "segment" else name
    place = row if name in (*PLAIN_FACETS, "segment") else {**(others or {})}
    before = place.get(key)
    known: dict[str, list[object]] = {}
    for value in before if isinstance(before, list) else [before]:
        known.setdefault(_shown(value), []).append(value)
    values = [same.pop(0) if len(same) > 1 else same[0] for same in (known.get(text, [text]) for text in texts)]
    place[key] = values if key == "segments" or len(values) != 1 else values[0]
    if place is not row:
        row["facets"] = place


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _take_regions(
    row: dict[str, Any], regions: Sequence[tuple[str, dict[str, Any]]], results: Sequence[Any], report: Report,
    polygons: bool,
) -> list[str]:  # fmt: skip
    before = row.get("gold_boxes")
    given = [numbers for numbers in map(fields.four_numbers, before if isinstance(before, list) else []) if numbers]
    named = {str(r.get("id")): r["value"].get("labels") for r in results if _is_label(r)}
    outlines = [one for one in before if isinstance(one, dict)] if isinstance(before, list) else []
    boxes: list[Any] = []
    labels: list[str] = []
    seen: set[str] = set()
    for field, result in regions:
        identity = str(result.get("id") or field)
        size = _size(row, result, field, report)
        if size is None or identity in seen:
            continue
        if result["type"] in _BRUSHES:
            shapes = _painted(result, size, field, report, polygons)
        elif result["type"] in _OUTLINES:
            shapes = [_outline(result, size, outlines, field, report)]
        else:
            box = _pixels(result, size, field, report)
            shapes = [box and next((list(one) for one in given if _same(one, box)), _rounded(box, size))]
        if not shapes or shapes[0] is None:
            continue
        seen.add(identity)
        boxes.extend(shapes)
        value = result["value"]
        own = next((value[key] for key in _LABELS if value.get(key)), named.get(identity))
        labels.extend([next(iter(_texts(own)), EVIDENCE)] * len(shapes))
    row["gold_boxes"] = boxes
    return ["" if label == EVIDENCE else label for label in labels]


def _is_label(result: object) -> bool:
    return isinstance(result, dict) and result.get("type") == "labels" and isinstance(result.get("value"), dict)


def _size(row: dict[str, Any], result: Mapping[str, Any], field: str, report: Report) -> Size | None:
    """The size of the image, from the sample or else from what was shown; then it is the sample's from here on."""
    known = _sides(row.get("width"), row.get("height"))
    shown = _sides(result.get("original_width"), result.get("original_height"))
    if known and shown and known != shown:
        done = f"The image is {known[0]} × {known[1]}; the percentages of the box refer to this size."
        report.noted("shown-in-another-size", field, f"{shown[0]} × {shown[1]}", done)
    if known or shown:
        row["width"], row["height"] = known or shown or (None, None)
        return known or shown
    done = "Neither the task nor the result has the image size; the box was ignored."
    report.repaired("size-unknown", field, result.get("original_width"), done)
    return None


def _sides(width: object, height: object) -> Size | None:
    if not (isinstance(width, int | float) and isinstance(height, int | float)):
        return None
    if not (fields.is_number(width) and fields.is_number(height)):
        return None
    sides = int(width), int(height)
    return sides if min(sides) > 0 and max(sides) <= LARGEST_SIDE else None


def _pixels(result: Mapping[str, Any], size: Size, field: str, report: Report) -> tuple[float, ...] | None:
    """Corners in pixels: percent of the image's size / 100 × the size."""
    value = result["value"]
    numbers = fields.four_numbers([value.get(key) for key in ("x", "y", "width", "height")])
    if numbers is None or max(map(abs, numbers)) > MOST_PERCENT:
        report.repaired(
            "box-not-numbers", field, value, "The box was ignored because x, y, width and height are not numbers."
        )
        return None
    for turned in (value.get("rotation"), result.get("image_rotation")):
        if fields.is_number(turned) and turned != 0:
            done = "A rotated box or image has no upright box; it was ignored. Draw it again without rotation."
            report.repaired("box-rotated", field, turned, done)
            return None
    x, y, width, height = numbers
    corners = (x * size[0] / 100, y * size[1] / 100, (x + width) * size[0] / 100, (y + height) * size[1] / 100)
    return corners


def _outline(
    result: Mapping[str, Any], size: Size, given: Sequence[Mapping[str, Any]], field: str, report: Report
) -> dict[str, Any] | None:
    """A polygon or a key point in native form, in pixels; that of the data if it has the same place."""
    value, kind = result["value"], _OUTLINES[result["type"]]
    written = value.get("points") if kind == "polygon" else [[value.get("x"), value.get("y")]]
    pairs = [fields.two_numbers(point) for point in written] if isinstance(written, list) else []
    if not pairs or None in pairs or max(abs(number) for pair in pairs if pair for number in pair) > MOST_PERCENT:
        report.repaired("shape-not-numbers", field, value, "The region was ignored because its points are not numbers.")
        return None
    points = [[pair[0] * size[0] / 100, pair[1] * size[1] / 100] for pair in pairs if pair]
    for one in given:
        before = one.get("points")
        if one.get("kind") == kind and isinstance(before, list) and len(before) == len(points):
            ends = [fields.two_numbers(point) for point in before]
            if all(end and _same(end, point) for end, point in zip(ends, points, strict=True)):
                return dict(one)
    return {"kind": kind, "points": [[round(x, 2), round(y, 2)] for x, y in points]}


def _painted(result: Mapping[str, Any], size: Size, field: str, report: Report, polygons: bool) -> list[Any]:
    """The polygons around the painted areas of a brush mask in native form, in pixels, or the box around them; none if
    it can't be read."""
    # Not at the top: code without images imports this package, and must not load OpenCV.
    from annotation.imaging.outlines import trace

    value, shown = result["value"], _sides(result.get("original_width"), result.get("original_height")) or size
    try:
        if result.get("image_rotation"):
            raise MaskError("A brush mask is of a rotated image.")
        if value.get("format", "rle") != "rle":
            raise MaskError("A brush mask needs the format rle.")
        mask = read_brush(value.get("rle"), *shown)
        if not polygons:
            done = (
                "The mask became its bounding box, because the task allows no polygons. Allow them before the import."
            )
            report.noted("mask-as-box", field, result.get("type"), done)
            return [_around_paint(mask, size)]
        traced = trace(mask, size)
    except MaskError as problem:
        done = f"{problem} The region was ignored. Draw it as a polygon."
        report.repaired("mask-unreadable", field, result.get("type"), done)
        return []
    report.noted("mask-as-polygons", field, result.get("type"), f"The mask became {traced}.")
    return [one.written() for one in traced.outlines]


def _around_paint(mask: Mask, size: Size) -> list[float]:
    """The corners of the box around the paint, in pixels of an image of this size."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    across, down = size[0] / mask.shape[1], size[1] / mask.shape[0]
    box = columns[0] * across, rows[0] * down, (columns[-1] + 1) * across, (rows[-1] + 1) * down
    return [float(value) for value in box]


def _same(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(abs(a - b) <= AS_GIVEN for a, b in zip(one, other, strict=True))


def _rounded(box: Sequence[float], size: Size) -> list[float]:
    """Whole pixels; a box inside the image that rounding would empty keeps one pixel."""
    x1, y1, x2, y2 = (round(value) for value in box)
    if x2 <= x1 and 0 <= x1 <= size[0]:
        x1 = min(x1, size[0] - 1)
        x2 = x1 + 1
    if y2 <= y1 and 0 <= y1 <= size[1]:
        y1 = min(y1, size[1] - 1)
        y2 = y1 + 1
    return [x1, y1, x2, y2]
