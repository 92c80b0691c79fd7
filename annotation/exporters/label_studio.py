"""Label Studio: a benchmark as tasks with the gold as an annotation, and the labelling setup that shows them.

A task's ``data`` holds the whole sample with the keys of the native format, toolchain and plan as JSON texts; its
annotation holds what people work on there: question, options, answer, boxes in percent, facets. Gold is the ground
truth of its task, so the import prefers it to later annotations that are not. Reading it back
(``annotation.importers.label_studio``) gives the same sample. Label Studio itself cannot hold: the image (``image``
is an address that it must reach), boxes on an image whose size is unknown (they stay in ``data``), and more than one
revision.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

from annotation.exporters.interface import json_list, picture_name
from annotation.exporters.native import sample_row
from annotation.schema import Box, Outline, OutlineKind, SampleContent, SampleRecord
from annotation.workflow import SampleState

BOXES = "evidence"
"""The control that draws boxes, and the default label of a box."""
POINT_WIDTH = 0.5
"""The size at which Label Studio draws a point, percent of the image's width."""
_TYPES = {OutlineKind.POLYGON: "polygon", OutlineKind.POINT: "keypoint"}
_TAGS = {OutlineKind.POLYGON: "PolygonLabels", OutlineKind.POINT: "KeyPointLabels"}
OUTLINE_CONTROLS = {OutlineKind.POLYGON: "evidence-polygon", OutlineKind.POINT: "evidence-point"}
FACET = "facet-"
"""The prefix of the control of a facet."""
_PLAIN_LETTER = re.compile(r"[A-Za-z0-9]{1,3}")
_FACETS = ("category", "tier", "dimension")


def parts(samples: Iterable[SampleRecord]) -> Iterator[bytes]:
    """One JSON list of tasks."""
    return json_list(map(task, samples))


def task(sample: SampleRecord, *, pictures: str = "") -> dict[str, Any]:
    """One sample as a task. ``pictures`` is put before the image's name to make its address."""
    row = sample_row(replace(sample, extra={}))
    result = [*_texts(sample), *_facets(row), *_rectangles(sample)]
    made = [{"result": result, "was_cancelled": False, "ground_truth": _has_gold(sample)}] if result else []
    return {"data": _data(sample, row, pictures), "annotations": made}


def _has_gold(sample: SampleRecord) -> bool:
    """Whether its content is gold. Facets alone are not."""
    return sample.state is SampleState.ACCEPTED or sample.content != SampleContent()


def labelling_config(
    facets: Mapping[str, Sequence[str]], labels: Sequence[str] = (), outlines: Sequence[OutlineKind] = ()
) -> str:
    """The labelling setup, as XML, for tasks of ``task``: the image with boxes, three texts, one choice per facet.

    ``facets`` maps each facet to the values that can be chosen; one without values is omitted. ``labels`` are further
    labels of boxes besides ``evidence``, ``outlines`` the kinds of evidence besides boxes.
    """
    view = ElementTree.Element("View")
    ElementTree.SubElement(view, "Image", name="image", value="$image", zoom="true", zoomControl="true")
    controls = [ElementTree.SubElement(view, "RectangleLabels", name=BOXES, toName="image", canRotate="false")]
    for kind in outlines:
        controls.append(ElementTree.SubElement(view, _TAGS[kind], name=OUTLINE_CONTROLS[kind], toName="image"))
    for control in controls:
        for label in dict.fromkeys((BOXES, *labels)):
            ElementTree.SubElement(control, "Label", value=label)
    for name, title, rows in (("question", "Question", "2"), ("options", "Options", "1"), ("answer", "Answer", "1")):
        ElementTree.SubElement(view, "Header", value=title)
        _text_area(view, name, rows)
    _choices(view, "answer_type", "Answer type", ("mc", "open"), "single")
    for facet, values in facets.items():
        if values:
            _choices(view, FACET + facet, facet, values, "multiple")
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="unicode")


def merged_config(theirs: str, ours: str) -> str:
    """The setup ``theirs`` with what ``ours`` has beyond it: whole controls, and values of controls that both have.

    Nothing is removed, as annotations may use it. Raises ``ValueError`` when ``theirs`` is not XML.
    """
    try:
        merged = ElementTree.fromstring(theirs.strip() or "<View/>")
    except ElementTree.ParseError as error:
        raise ValueError(f"The labelling setup is not XML: {error}.") from error
    controls = {one.get("name"): one for one in merged.iter() if one.get("name")}
    header = None
    for one in ElementTree.fromstring(ours):
        there = controls.get(one.get("name"))
        if one.tag == "Header":
            header = one
            continue
        if there is None:
            merged.extend([one] if header is None else [header, one])
        else:
            values = {value.get("value") for value in there}
            there.extend(value for value in one if value.get("value") not in values)
        header = None
    ElementTree.indent(merged)
    return ElementTree.tostring(merged, encoding="unicode")


_PLACEHOLDERS = {
    "question": "The question",
    "options": "A. text of the option; one entry per option",
    "answer": "The letter of the correct option, or each accepted answer as an entry",
}


def _text_area(view: ElementTree.Element, name: str, rows: str) -> None:
    given = {"name": name, "toName": "image", "rows": rows, "editable": "true", "placeholder": _PLACEHOLDERS[name]}
    ElementTree.SubElement(view, "TextArea", given | ({"maxSubmissions": "1"} if name == "question" else {}))


def _choices(view: ElementTree.Element, name: str, title: str, values: Sequence[str], choice: str) -> None:
    ElementTree.SubElement(view, "Header", value=title)
    control = ElementTree.SubElement(view, "Choices", name=name, toName="image", choice=choice, showInline="true")
    for value in dict.fromkeys(values):
        ElementTree.SubElement(control, "Choice", value=value)


def _data(sample: SampleRecord, row: dict[str, Any], pictures: str) -> dict[str, Any]:
    """The sample as data of a task: ``sample_id`` is our id, ``image`` an address, ``image_name`` the native image."""
    plan = {key: row.pop(key) for key in ("targets", "distractors", "likeness", "ordered") if key in row}
    chain = row.pop("reference_toolchain", None)
    row["sample_id"] = row.pop("id")
    row["image_name"] = row.pop("image", "")
    row["image"] = pictures + picture_name(sample)
    if plan:
        row["plan"] = json.dumps(plan, ensure_ascii=False)
    if chain:
        row["reference_toolchain"] = json.dumps(chain, ensure_ascii=False)
    if sample.extra:
        row["extra"] = dict(sample.extra)
    return row


def _texts(sample: SampleRecord) -> list[dict[str, Any]]:
    """Question, options, answer and answer type. Options whose letters a line cannot carry stay in ``data``."""
    content = sample.content
    options = [f"{letter}. {text}" for letter, text in content.options.items()]
    if not all(_PLAIN_LETTER.fullmatch(letter) for letter in content.options):
        options = []
    given = {"question": [content.question] if content.question else [], "options": options}
    given["answer"] = list(content.answers)
    found = [_result(name, "textarea", {"text": texts}) for name, texts in given.items() if texts]
    if found:
        found.append(_result("answer_type", "choices", {"choices": [content.answer_type.value]}))
    return found


def _facets(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    named = {name: row[name] for name in _FACETS if name in row}
    named |= {"segment": row["segments"]} if "segments" in row else {}
    return [
        _result(FACET + name, "choices", {"choices": _values(value)})
        for name, value in {**named, **row.get("facets", {})}.items()
    ]


def _values(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [item if isinstance(item, str) else json.dumps(item) for item in values]


def _result(name: str, kind: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"id": name, "type": kind, "from_name": name, "to_name": "image", "value": value}


def _rectangles(sample: SampleRecord) -> list[dict[str, Any]]:
    if sample.width is None or sample.height is None:
        return []
    boxes, size = sample.content.gold_boxes, (sample.width, sample.height)
    labels = sample.extra.get("box_labels")
    if not isinstance(labels, list) or len(labels) != len(boxes):
        labels = [""] * len(boxes)
    pairs = zip(boxes, labels, strict=True)
    return [_region(number, box, str(label or BOXES), size) for number, (box, label) in enumerate(pairs, 1)]


def _region(number: int, shape: Box, label: str, size: tuple[int, int]) -> dict[str, Any]:
    if not isinstance(shape, Outline):
        return _rectangle(number, shape, label, size)
    kind, labels = shape.kind, {f"{_TYPES[shape.kind]}labels": [label]}
    points = [[100 * x / size[0], 100 * y / size[1]] for x, y in shape.points]
    place: dict[str, Any] = {"points": points, "closed": True}
    if kind is OutlineKind.POINT:
        place = {"x": points[0][0], "y": points[0][1], "width": POINT_WIDTH}
    return {
        "id": f"gold-{number}",
        "type": f"{_TYPES[kind]}labels",
        "from_name": OUTLINE_CONTROLS[kind],
        "to_name": "image",
        "original_width": size[0],
        "original_height": size[1],
        "image_rotation": 0,
        "value": {**place, **labels},
    }


def _rectangle(number: int, box: Box, label: str, size: tuple[int, int]) -> dict[str, Any]:
    width, height = size
    value = {
        "x": 100 * box.x1 / width,
        "y": 100 * box.y1 / height,
        "width": 100 * box.width / width,
        "height": 100 * box.height / height,
        "rotation": 0,
        "rectanglelabels": [label],
    }
    return {
        "id": f"gold-{number}",
        "type": "rectanglelabels",
        "from_name": BOXES,
        "to_name": "image",
        "original_width": width,
        "original_height": height,
        "image_rotation": 0,
        "value": value,
    }
