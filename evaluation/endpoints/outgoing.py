"""The body of a request: what is left out for an endpoint, and the bytes that are sent.

A body names its images by content, ``sha256:<64 hex>``. They become ``data:`` URLs while the request is written, piece
by piece, so no Base64 copy of an image is kept.
"""

from __future__ import annotations

import base64
import json
import re
import secrets
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import httpx

from annotation.toolbox.offer import OMITTABLE, without_keywords

Lookup = Callable[[str], tuple[bytes, str]]
"""Maps the SHA-256 of an image to its bytes and media type. Raises ``KeyError`` if it is unknown."""
Link = Callable[[str, str], str]
"""The address of an image by its SHA-256 and media type, for a server that fetches it."""
REFERENCE = re.compile(r"sha256:([0-9a-f]{64})")
_PIECE = 48 * 1024
"""Bytes of an image that are encoded at once, a multiple of 3."""


def outgoing(
    body: Mapping[str, Any],
    *,
    model: str,
    drop: Collection[str],
    stream: bool,
    rename: Collection[tuple[str, str]] = (),
) -> dict[str, Any]:
    """Return the body that an endpoint is sent, with images by name. This is what to store.

    ``drop``: parameters of the body, and keywords of tool schemas (``OMITTABLE``), that the endpoint rejects.
    ``rename``: parameters that the endpoint knows by another name. ``model`` replaces that of the body, unless it is
    empty. A body that says ``stream`` itself decides.
    """
    names = dict(rename)
    sent = {names.get(name, name): value for name, value in body.items() if name not in drop}
    if model:
        sent["model"] = model
    keywords = [name for name in drop if name in OMITTABLE]
    if keywords and isinstance(sent.get("tools"), list):
        sent["tools"] = [without_keywords(tool, keywords) for tool in sent["tools"]]
    if sent.setdefault("stream", stream) and "stream_options" not in drop:
        sent.setdefault("stream_options", {"include_usage": True})
    if not sent["stream"]:
        sent.pop("stream_options", None)
    return sent


def dropped(body: Mapping[str, Any], sent: Mapping[str, Any], drop: Collection[str]) -> tuple[str, ...]:
    """Return those of ``drop`` that the body contained and the sent body does not, in order."""
    lost = [name for name in drop if name in body and name not in sent]
    if body.get("tools") != sent.get("tools"):
        before, after = (json.dumps(one.get("tools")) for one in (body, sent))
        lost += [
            name for name in drop if f'"{name}":' in before and before.count(f'"{name}":') > after.count(f'"{name}":')
        ]
    return tuple(dict.fromkeys(lost))


def linked(value: Any, images: Lookup, link: Link) -> Any:
    """Return a JSON value in which each text that names an image by content is its address. Raises ``KeyError`` for an
    unknown image."""
    if isinstance(value, str):
        named = REFERENCE.fullmatch(value)
        return link(named[1], images(named[1])[1]) if named else value
    if isinstance(value, Mapping):
        return {name: linked(one, images, link) for name, one in value.items()}
    return [linked(one, images, link) for one in value] if isinstance(value, list) else value


class Payload(httpx.SyncByteStream):
    """The bytes of a body with its images. It can be read again for a retry. Raises ``KeyError`` for an unknown image.

    ``length``: bytes. ``images``: number of images.
    """

    def __init__(self, body: Mapping[str, Any], lookup: Lookup) -> None:
        mark = secrets.token_hex(16)
        self._found: list[tuple[bytes, str]] = []

        def keep(name: str) -> str:
            self._found.append(lookup(name))
            return f"{mark}:{len(self._found) - 1}:"

        text = json.dumps(_with_marks(body, keep), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        parts = re.split(rf"{mark}:(\d+):", text)
        self._texts = [part.encode("utf-8", "surrogatepass") for part in parts[::2]]
        self._order = [int(part) for part in parts[1::2]]
        self.images = len(self._order)
        self.length = sum(map(len, self._texts)) + sum(
            len(_prefix(kind)) + 4 * ((len(data) + 2) // 3) for data, kind in (self._found[n] for n in self._order)
        )

    def __iter__(self) -> Iterator[bytes]:
        yield self._texts[0]
        for number, text in zip(self._order, self._texts[1:], strict=True):
            data, kind = self._found[number]
            yield _prefix(kind)
            for start in range(0, len(data), _PIECE):
                yield base64.b64encode(memoryview(data)[start : start + _PIECE])
            yield text


def _prefix(kind: str) -> bytes:
    return f"data:{kind};base64,".encode()


def _with_marks(body: Mapping[str, Any], keep: Callable[[str], str]) -> dict[str, Any]:
    """The body, with a mark at each image part, or at the image of a request to a detector. Other texts stay, even if
    they look like the name of an image."""
    marked, messages = dict(body), body.get("messages")
    if isinstance(messages, list):
        marked["messages"] = [_message(one, keep) for one in messages]
    elif named := REFERENCE.fullmatch(str(body.get("image"))):
        marked["image"] = keep(named[1])
    return marked


def _message(message: Any, keep: Callable[[str], str]) -> Any:
    if not isinstance(message, Mapping) or not isinstance(message.get("content"), list):
        return message
    return {**message, "content": [_part(part, keep) for part in message["content"]]}


def _part(part: Any, keep: Callable[[str], str]) -> Any:
    if (
        not isinstance(part, Mapping)
        or part.get("type") != "image_url"
        or not isinstance(part.get("image_url"), Mapping)
    ):
        return part
    named = REFERENCE.fullmatch(str(part["image_url"].get("url")))
    return {**part, "image_url": {**part["image_url"], "url": keep(named[1])}} if named else part
