"""Parses and checks a request for a chat completion: its messages, its images, and the available tools.

Images are data URLs. Nothing is fetched: any other address is rejected.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from annotation.imaging.decoding import inspect
from annotation.imaging.problems import PictureProblem
from evaluation.runner.dialects.zoom import NativeCall

_DATA_URL = re.compile(r"data:image/[\w.+-]+;base64,", re.IGNORECASE)
_ROLES = ("system", "developer", "user", "assistant", "tool")


class BadRequest(ValueError):
    """A request that an endpoint answers with an error. ``status`` is that of HTTP, ``code`` that of the error."""

    def __init__(self, message: str, param: str = "", *, status: int = 400, code: str = "invalid_request") -> None:
        super().__init__(message)
        self.message, self.param, self.status, self.code = message, param, status, code

    @property
    def body(self) -> dict[str, Any]:
        """The error as such endpoints write it."""
        kind = "invalid_request_error"
        return {"error": {"message": self.message, "type": kind, "param": self.param or None, "code": self.code}}


@dataclass(frozen=True)
class SentImage:
    """An image of a request: the bytes of its file, their SHA-256, and (width, height) in pixels."""

    data: bytes = field(repr=False)
    sha256: str
    size: tuple[int, int]


@dataclass(frozen=True)
class Turn:
    """A response of the model, and the text and the images that came back before the next one."""

    text: str
    calls: tuple[NativeCall, ...]
    reply: str = ""
    images: tuple[SentImage, ...] = ()


@dataclass(frozen=True)
class Chat:
    """A request. ``opening`` is all text before the first response and ``images`` the images there; ``prefix`` is the
    start of a response that is to be continued, None = a new response."""

    body: Mapping[str, Any] = field(repr=False)
    digest: str
    opening: str
    images: tuple[SentImage, ...]
    turns: tuple[Turn, ...]
    prefix: str | None

    @property
    def model(self) -> str:
        return str(self.body["model"])

    @property
    def seed(self) -> int:
        """The seed of the request, 0 without one."""
        return int(self.body.get("seed") or 0)

    @property
    def tools(self) -> tuple[Mapping[str, Any], ...]:
        """The functions that may be called; none if the request forbids calls."""
        if self.body.get("tool_choice") == "none":
            return ()
        return tuple(tool["function"] for tool in self.body.get("tools") or ())

    @property
    def streamed(self) -> bool:
        return bool(self.body.get("stream"))

    @property
    def with_usage(self) -> bool:
        """Whether a stream ends with the usage; a response that is not streamed always has it."""
        return bool((self.body.get("stream_options") or {}).get("include_usage"))

    @property
    def max_tokens(self) -> int | None:
        found = self.body.get("max_completion_tokens") or self.body.get("max_tokens")
        return int(found) if found else None

    @property
    def stops(self) -> tuple[str, ...]:
        stop = self.body.get("stop")
        return (stop,) if isinstance(stop, str) else tuple(stop or ())

    @cached_property
    def asked(self) -> str:
        """All text that was not written by the model, from first to last."""
        return "\n".join([self.opening, *(turn.reply for turn in self.turns)])

    @cached_property
    def written(self) -> str:
        """All text that the model wrote, the prefix included."""
        return "\n".join([*(turn.text for turn in self.turns), self.prefix or ""])

    @cached_property
    def all_images(self) -> tuple[SentImage, ...]:
        return (*self.images, *(image for turn in self.turns for image in turn.images))


def chat_of(data: bytes) -> Chat:
    """Return the request in these bytes. Raises ``BadRequest``."""
    try:
        body = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadRequest("The request is not JSON.") from error
    if not isinstance(body, dict):
        raise BadRequest("The request must be a JSON object.")
    _check(body)
    messages = body["messages"]
    prefix = _prefix(body, messages)
    opening: list[str] = []
    first: list[SentImage] = []
    turns: list[Turn] = []
    for number, message in enumerate(messages[: -1 if prefix is not None else None]):
        text, images = _content(message, f"messages[{number}].content")
        if message["role"] == "assistant":
            turns.append(Turn(text, _calls(message, f"messages[{number}].tool_calls")))
        elif turns:
            last = turns[-1]
            turns[-1] = Turn(last.text, last.calls, "\n".join(filter(None, (last.reply, text))), last.images + images)
        else:
            opening.append(text)
            first += images
    return Chat(body, request_digest(body), "\n".join(opening), tuple(first), tuple(turns), prefix)


def request_digest(body: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a request as canonical JSON, each image named by the digest of its bytes.

    A client that keeps images by hash gets the same digest from its own form, ``sha256:<64 hex>``.
    """
    text = json.dumps(_by_hash(body), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _by_hash(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _by_hash(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_by_hash(one) for one in value]
    if isinstance(value, str) and _DATA_URL.match(value):
        return f"sha256:{hashlib.sha256(_decoded(value, '')).hexdigest()}"
    return value


def _check(body: Mapping[str, Any]) -> None:
    """Raise ``BadRequest`` where a value that is used has another type."""
    if not isinstance(body.get("model"), str) or not body["model"]:
        raise BadRequest("model must be the id of a model.", "model")
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadRequest("messages must be a list with at least one message.", "messages")
    for number, message in enumerate(messages):
        if not isinstance(message, dict) or message.get("role") not in _ROLES:
            raise BadRequest(f"messages[{number}] must have a role: {', '.join(_ROLES)}.", f"messages[{number}].role")
    if body.get("n") not in (None, 1):
        raise BadRequest("n must be 1: the stand-in gives one response.", "n")
    if body.get("logprobs"):
        raise BadRequest("The stand-in has no logprobs.", "logprobs")
    for name in ("seed", "max_tokens", "max_completion_tokens"):
        if not (body.get(name) is None or type(body[name]) is int) or (name != "seed" and (body.get(name) or 1) < 1):
            raise BadRequest(f"{name} must be a whole number{'' if name == 'seed' else ' of at least 1'}.", name)
    stop = body.get("stop")
    if not (stop is None or isinstance(stop, str) or (_is_texts(stop) and all(stop))):
        raise BadRequest("stop must be a text or a list of texts.", "stop")
    if not isinstance(body.get("stream_options") or {}, dict):
        raise BadRequest("stream_options must be an object.", "stream_options")
    tools = body.get("tools")
    if tools is not None and not (isinstance(tools, list) and all(map(_is_tool, tools))):
        raise BadRequest("tools must be a list of functions with a name and an object of parameters.", "tools")


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _is_tool(tool: object) -> bool:
    function = tool.get("function") if isinstance(tool, dict) and tool.get("type") == "function" else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        return False
    parameters = function.get("parameters") or {}
    return isinstance(parameters, dict) and isinstance(parameters.get("properties") or {}, dict)


def _prefix(body: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]) -> str | None:
    """The text to continue, None for a new response."""
    if not body.get("continue_final_message"):
        return None
    if body.get("add_generation_prompt", True):
        raise BadRequest("continue_final_message needs add_generation_prompt: false.", "add_generation_prompt")
    if messages[-1]["role"] != "assistant":
        raise BadRequest("continue_final_message needs a last message of the assistant.", "messages")
    return _content(messages[-1], f"messages[{len(messages) - 1}].content")[0]


def _content(message: Mapping[str, Any], place: str) -> tuple[str, tuple[SentImage, ...]]:
    content = message.get("content")
    if content is None or isinstance(content, str):
        return content or "", ()
    if not isinstance(content, list):
        raise BadRequest(f"{place} must be a text or a list of parts.", place)
    texts, images = [], []
    for number, part in enumerate(content):
        where = f"{place}[{number}]"
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "text" and isinstance(part.get("text"), str):
            texts.append(part["text"])
        elif kind == "image_url" and isinstance(part.get("image_url"), dict):
            images.append(read_image(part["image_url"].get("url"), f"{where}.image_url.url"))
        else:
            raise BadRequest(f"{where} must be a part of type text or image_url.", where)
    return "\n".join(texts), tuple(images)


def read_image(url: object, place: str) -> SentImage:
    """An image in a data URL. Raises ``BadRequest``."""
    if not isinstance(url, str) or not _DATA_URL.match(url):
        raise BadRequest(f"{place} must be data:image/…;base64,…: the stand-in fetches nothing.", place)
    data = _decoded(url, place)
    try:
        info = inspect(data)
    except PictureProblem as error:
        raise BadRequest(f"{place} is not an image that can be read: {error}", place) from error
    return SentImage(data, hashlib.sha256(data).hexdigest(), (info.width, info.height))


def _decoded(url: str, place: str) -> bytes:
    try:
        return base64.b64decode(url.partition(",")[2], validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadRequest(f"{place} is not base64.", place) from error


def _calls(message: Mapping[str, Any], place: str) -> tuple[NativeCall, ...]:
    calls = message.get("tool_calls") or []
    if not isinstance(calls, list):
        raise BadRequest(f"{place} must be a list.", place)
    return tuple(_call(call, f"{place}[{number}]") for number, call in enumerate(calls))


def _call(call: object, place: str) -> NativeCall:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        raise BadRequest(f"{place} must have a function with a name.", place)
    arguments = function.get("arguments")
    return NativeCall(function["name"], arguments if isinstance(arguments, str) else json.dumps(arguments))


def texts_of(body: Mapping[str, Any]) -> Iterator[str]:
    """Yield every text of the messages, for counting tokens: contents, reasoning, and names and arguments of calls."""
    for message in body["messages"]:
        content = message.get("content")
        for part in content if isinstance(content, list) else [content]:
            if isinstance(part, str):
                yield part
            elif isinstance(part, dict) and isinstance(part.get("text"), str):
                yield part["text"]
        if message.get("tool_calls"):
            yield json.dumps(message["tool_calls"], ensure_ascii=False)
