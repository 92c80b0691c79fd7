"""Parses responses of endpoints that generate images: ``POST /images/generations`` of OpenAI and of servers like it.

Only images inside the response (``b64_json``) are read. An address of an image is never followed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import ceil
from typing import Any

from evaluation.endpoints.errors import ErrorKind
from evaluation.endpoints.prices import CHARACTERS
from evaluation.endpoints.replies import Answer, ErrorInBody, Unreadable, Usage

PATH = "/images/generations"
MOST_TOKENS = 6208
"""Output tokens of the most expensive image: high quality, 1536 × 1024, in OpenAI's table for gpt-image-1."""


def reserved(body: Mapping[str, Any]) -> Usage:
    """The tokens that a request may use at most, which are reserved in the budget."""
    return Usage(ceil(len(str(body.get("prompt", ""))) / CHARACTERS), MOST_TOKENS, estimated=True)


def read_image(body: bytes) -> Answer:
    """Return the first image in a body as the text of an answer, Base64. Raises ``Unreadable`` or ``ErrorInBody``."""
    if not body.strip():
        raise Unreadable(ErrorKind.EMPTY, "The endpoint sent an empty response.", again=True)
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        cut = body.lstrip()[:1] == b"{"
        said = "The JSON of the response is incomplete." if cut else "The endpoint sent a text that is not JSON."
        raise Unreadable(ErrorKind.CUT_STREAM if cut else ErrorKind.SERVER, said, again=cut) from None
    if not isinstance(given, Mapping):
        raise Unreadable(ErrorKind.SERVER, "The response is JSON, but no object. Check the address.")
    if given.get("error"):
        raise ErrorInBody(given["error"])
    data = given.get("data")
    first = data[0] if isinstance(data, list) and data else None
    image = first.get("b64_json") if isinstance(first, Mapping) else None
    if not isinstance(image, str) or not image:
        addressed = isinstance(first, Mapping) and "url" in first
        said = "The response has the address of an image. It must contain the image (response_format b64_json)."
        raise Unreadable(ErrorKind.SERVER, said if addressed else "The response has no image in data.")
    model = given["model"] if isinstance(given.get("model"), str) else ""
    return Answer({"role": "assistant", "content": image}, image, "", (), "stop", _usage(given.get("usage")), model, "")


def _usage(given: Any) -> Usage | None:
    if not isinstance(given, Mapping):
        return None
    counts = [given.get(name) for name in ("input_tokens", "output_tokens")]
    whole = [one for one in counts if isinstance(one, int) and not isinstance(one, bool) and one >= 0]
    return Usage(whole[0], whole[1]) if len(whole) == 2 else None
