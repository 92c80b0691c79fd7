"""Parses responses of detectors over HTTP: one JSON document in one of three forms.

- ``{"detections": [{"label", "score", "box": [x1, y1, x2, y2]}], "frame"}``, as in files of detections
  (``evaluation.importers.detector``). ``frame``: ``pixel`` (default, of the image sent), ``norm1`` or ``norm1000``.
- A list of ``{"label", "score", "box": {"xmin", "ymin", "xmax", "ymax"}}`` in pixels, as the tasks ``object-detection``
  and ``zero-shot-object-detection`` of Hugging Face answer.
- ``{"results": [{"result": [{"value": {"x", "y", "width", "height", "rectanglelabels"}, "score"}]}]}`` in percent, as a
  backend of Label Studio answers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from evaluation.endpoints.errors import ErrorKind
from evaluation.endpoints.replies import Answer, ErrorInBody, Unreadable

PATH = "/detect"
CORNERS = ("xmin", "ymin", "xmax", "ymax")
PERCENT = ("x", "y", "width", "height")


def read_detections(body: bytes) -> Answer:
    """Return the detections in a body as the text of an answer: JSON of the first shape. Raises ``Unreadable`` or
    ``ErrorInBody``. Detections with a missing part stay, so that who reads them can name what is missing."""
    if not body.strip():
        raise Unreadable(ErrorKind.EMPTY, "The detector sent an empty response.", again=True)
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        cut = body.lstrip()[:1] in (b"{", b"[")
        said = "The JSON of the response is incomplete." if cut else "The detector sent a text that is not JSON."
        raise Unreadable(ErrorKind.CUT_STREAM if cut else ErrorKind.SERVER, said, again=cut) from None
    frame, model = "pixel", ""
    if isinstance(given, Mapping):
        if given.get("error"):
            raise ErrorInBody(given["error"])
        model = given["model"] if isinstance(given.get("model"), str) else ""
    if isinstance(given, list):
        found = [_with_corners(one) for one in given]
    elif isinstance(given, Mapping) and isinstance(given.get("detections"), list):
        found, frame = given["detections"], given.get("frame") or "pixel"
    elif isinstance(given, Mapping) and isinstance(given.get("results"), list):
        found, frame = list(_of_label_studio(given["results"])), "norm1"
    else:
        said = "The response has no detections, results or list of objects, so this is no address of a detector."
        raise Unreadable(ErrorKind.SERVER, said)
    text = json.dumps({"detections": found, "frame": frame}, ensure_ascii=False)
    return Answer({"role": "assistant", "content": text}, text, "", (), "stop", None, model, "")


def _with_corners(one: Any) -> Any:
    box = one.get("box") if isinstance(one, Mapping) else None
    return {**one, "box": [box.get(name) for name in CORNERS]} if isinstance(box, Mapping) else one


def _of_label_studio(results: list[Any]) -> Iterator[dict[str, Any]]:
    """The rectangles of all results, as shares of the sides."""
    for result in results:
        regions = result.get("result") if isinstance(result, Mapping) else None
        for region in regions if isinstance(regions, list) else ():
            value = region.get("value") if isinstance(region, Mapping) else None
            if not isinstance(value, Mapping) or "rectanglelabels" not in value:
                continue
            labels = value["rectanglelabels"]
            score = region.get("score", result.get("score"))
            label = labels[0] if isinstance(labels, list) and labels else labels
            yield {"label": label, "score": score, "box": _box(value)}


def _box(value: Mapping[str, Any]) -> list[float] | None:
    x, y, width, height = (value.get(name) for name in PERCENT)
    numbers = all(isinstance(one, int | float) and not isinstance(one, bool) for one in (x, y, width, height))
    if not numbers or value.get("rotation"):
        return None
    return [x / 100, y / 100, (x + width) / 100, (y + height) / 100]  # type: ignore[operator]
