"""The protocol of Label Studio's ML backends: addresses, the set-up, and the form of responses.

``GET /health`` and ``POST /setup`` come first, then ``POST /predict`` for each image. Source:
``label_studio_ml/api.py`` of HumanSignal/label-studio-ml-backend, and its client, ``ml/api_connector.py`` of
HumanSignal/label-studio.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from evaluation.endpoints.errors import ErrorKind
from evaluation.endpoints.replies import Answer, ErrorInBody, Unreadable

HEALTH, SETUP, PREDICT = "/health", "/setup", "/predict"
PROJECT = "1.0"
"""The project of a test. Backends read the number before the dot."""
TEST_CONFIG = """<View>
  <Image name="image" value="$image"/>
  <RectangleLabels name="boxes" toName="image">
    <Label value="object"/>
  </RectangleLabels>
</View>"""
"""The labeling configuration of a test."""


def setup_body(project: str, config: str) -> dict[str, Any]:
    """The body of ``POST /setup``. The backend gets no address of this site and no token, because it needs none."""
    return {"project": project, "schema": config, "hostname": "", "access_token": ""}


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
