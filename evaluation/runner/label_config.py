"""Labeling configurations of Label Studio, and the bodies of requests for predictions.

Source: ``label_studio_ml/api.py`` of HumanSignal/label-studio-ml-backend, and its client, ``ml/api_connector.py`` of
HumanSignal/label-studio.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

LONGEST_CONFIG, MOST_LABELS = 20_000, 500
_DATA = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]{0,59})")
_DECLARED = re.compile(r"<!\s*(DOCTYPE|ENTITY)", re.IGNORECASE)


class ConfigRejected(ValueError):
    """A labeling configuration that can't be used. The message states what is allowed."""


def label_config(labels: Sequence[str], *, boxes: bool = True, answer: bool = False) -> str:
    """Return a labeling configuration that asks for boxes with these labels, or for the text of an answer."""
    tags = ['  <Image name="image" value="$image"/>']
    if boxes:
        values = "\n".join(f"    <Label value={quoteattr(label)}/>" for label in labels)
        tags.append(f'  <RectangleLabels name="boxes" toName="image">\n{values}\n  </RectangleLabels>')
    if answer:
        tags.append('  <TextArea name="answer" toName="image"/>')
    return "\n".join(["<View>", *tags, "</View>"])


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


def predict_body(project: str, config: str, task: int, data: Mapping[str, str]) -> dict[str, Any]:
    """The body of ``POST /predict`` for one task."""
    return {
        "tasks": [{"id": task, "data": dict(data)}],
        "project": project,
        "label_config": config,
        "params": {"login": None, "password": None, "context": None},
    }
