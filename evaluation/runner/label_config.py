"""Labeling configurations of Label Studio, and the bodies of requests for predictions.

Source: ``label_studio_ml/api.py`` of HumanSignal/label-studio-ml-backend, and its client, ``ml/api_connector.py`` of
HumanSignal/label-studio.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from annotation.task_schema import Shape

LONGEST_CONFIG, MOST_LABELS = 20_000, 500
_CONTROLS = {
    Shape.BOX: [("RectangleLabels", "boxes")],
    Shape.POLYGON: [("PolygonLabels", "polygons"), ("BrushLabels", "masks")],
    Shape.POINT: [("KeyPointLabels", "points")],
}
"""The controls that ask for a shape of the task, each with its name."""
_DATA = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]{0,59})")
_DECLARED = re.compile(r"<!\s*(DOCTYPE|ENTITY)", re.IGNORECASE)


class ConfigRejected(ValueError):
    """A labeling configuration that can't be used. The message states what is allowed."""


def label_config(labels: Sequence[str], shapes: Collection[Shape] = (Shape.BOX,), *, answer: bool = False) -> str:
    """Return a labeling configuration that asks for these shapes with these labels, and for the text of an answer.

    A box is asked for as a rectangle, a polygon also as a mask, and a point as a key point.
    """
    kinds = [kind for shape, found in _CONTROLS.items() if shape in shapes for kind in found]
    return _config(kinds, labels, ['  <TextArea name="answer" toName="image"/>'] if answer else [])


def _config(kinds: Sequence[tuple[str, str]], labels: Sequence[str], more: Sequence[str] = ()) -> str:
    """One image, and a control of each kind and name with these labels."""
    values = "\n".join(f"    <Label value={quoteattr(label)}/>" for label in labels)
    tags = [f'  <{kind} name="{name}" toName="image">\n{values}\n  </{kind}>' for kind, name in kinds]
    return "\n".join(["<View>", '  <Image name="image" value="$image"/>', *tags, *more, "</View>"])


def data_key(config: str) -> str:
    """Return the key under which the tasks of a labeling configuration have their image. Raises ``ConfigRejected``.

    Declarations are refused, so that no entity is expanded.
    """
    if len(config) > LONGEST_CONFIG or _DECLARED.search(config):
        raise ConfigRejected(f"A labeling configuration has at most {LONGEST_CONFIG:,} characters, and no DOCTYPE.")
    try:
        root = ElementTree.fromstring(config)
    except ElementTree.ParseError as error:
        raise ConfigRejected(f"The labeling configuration is not XML: {error}.") from None
    images = [one for one in root.iter() if one.tag == "Image"]
    found = _DATA.fullmatch(images[0].get("value", "")) if len(images) == 1 else None
    if found is None:
        raise ConfigRejected(
            'The labeling configuration needs one Image, such as <Image name="image" value="$image"/>.'
        )
    return found[1]


def click_config(labels: Sequence[str], *, polygons: bool = False) -> str:
    """Return a labeling configuration for shapes at a point that a person clicks on: the point, and boxes, masks and,
    with ``polygons``, polygons with these labels."""
    kinds = [("KeyPointLabels", "click"), ("RectangleLabels", "boxes"), ("BrushLabels", "masks")]
    return _config(kinds + ([("PolygonLabels", "polygons")] if polygons else []), labels)


def click_context(config: str, point: tuple[float, float], size: tuple[int, int]) -> dict[str, Any]:
    """The context of a prediction for a point that a person clicked on, as the editor of Label Studio sends it.
    ``point``: in percent of the image; ``size``: of the sent image, in pixels. Raises ``ConfigRejected``."""
    data_key(config)
    tags = list(ElementTree.fromstring(config).iter())
    image = next(one.get("name", "image") for one in tags if one.tag == "Image")
    drawn = next((one for one in tags if one.tag == "KeyPointLabels"), None)
    label = next((one.get("value", "") for one in (drawn if drawn is not None else tags) if one.tag == "Label"), "")
    value = {"x": point[0], "y": point[1], "width": 0.5, "keypointlabels": [label], "labels": [label]}
    region = {
        "id": "click", "type": "keypointlabels", "from_name": "click" if drawn is None else drawn.get("name", "click"),
        "to_name": image, "original_width": size[0], "original_height": size[1], "image_rotation": 0,
        "is_positive": True, "origin": "manual", "value": value,
    }  # fmt: skip
    return {"result": [region]}


def predict_body(
    project: str, config: str, task: int, data: Mapping[str, str], context: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The body of ``POST /predict`` for one task. ``context``: what a person did before, as of ``click_context``."""
    return {
        "tasks": [{"id": task, "data": dict(data)}],
        "project": project,
        "label_config": config,
        "params": {"login": None, "password": None, "context": context},
    }
