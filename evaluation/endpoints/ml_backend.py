"""The protocol of Label Studio's ML backends: addresses, bodies, labeling configurations, and the form of responses.

``GET /health`` and ``POST /setup`` come first, then ``POST /predict`` for each image. Source:
``label_studio_ml/api.py`` of HumanSignal/label-studio-ml-backend, and its client, ``ml/api_connector.py`` of
HumanSignal/label-studio.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from evaluation.endpoints.errors import ErrorKind
from evaluation.endpoints.replies import Answer, ErrorInBody, Unreadable

HEALTH, SETUP, PREDICT = "/health", "/setup", "/predict"
PROJECT = "1.0"
"""The project of a test. Backends read the number before the dot."""
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


def setup_body(project: str, config: str) -> dict[str, Any]:
    """The body of ``POST /setup``. The backend gets no address of this site and no token, because it needs none."""
    return {"project": project, "schema": config, "hostname": "", "access_token": ""}


def predict_body(project: str, config: str, task: int, data: Mapping[str, str]) -> dict[str, Any]:
    """The body of ``POST /predict`` for one task."""
    return {
        "tasks": [{"id": task, "data": dict(data)}],
        "project": project,
        "label_config": config,
        "params": {"login": None, "password": None, "context": None},
    }


def read_state(body: bytes) -> Answer:
    """Return the state of a backend in a body, with the version of its model if it names one. Raises ``Unreadable``."""
    return _answer(_object(body))


def read_predictions(body: bytes) -> Answer:
    """Return the predictions in a body as the text of an answer: JSON of ``results``, a list, and ``model_version``.
    Raises ``Unreadable`` or ``ErrorInBody``."""
    given = _object(body)
    if given.get("error"):
        raise ErrorInBody(given["error"])
    if not isinstance(given.get("results"), list):
        said = "The response has no list of results, so this is no address of an ML backend."
        raise Unreadable(ErrorKind.SERVER, said)
    return _answer(given)


def _object(body: bytes) -> Mapping[str, Any]:
    if not body.strip():
        raise Unreadable(ErrorKind.EMPTY, "The backend sent an empty response.", again=True)
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        cut = body.lstrip()[:1] == b"{"
        said = "The JSON of the response is incomplete." if cut else "The backend sent a text that is not JSON."
        raise Unreadable(ErrorKind.CUT_STREAM if cut else ErrorKind.SERVER, said, again=cut) from None
    if not isinstance(given, Mapping):
        raise Unreadable(ErrorKind.SERVER, "The response is no JSON object, so this is no address of an ML backend.")
    return given


def _answer(given: Mapping[str, Any]) -> Answer:
    version = given.get("model_version")
    model = version if isinstance(version, str) else ""
    text = json.dumps({"results": given.get("results"), "model_version": model}, ensure_ascii=False)
    return Answer({"role": "assistant", "content": text}, text, "", (), "stop", None, model, "")
