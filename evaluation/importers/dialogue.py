"""Reading a DeepEyes dialogue: the assistant's turns, the calls in their tags, and the answer.

Only calls inside ``<tool_call>`` tags count. The end tag may be missing (it is a stop string); the call then extends to
the next tag or the end of the turn. Calls are parsed as JSON, else as Python literals, and never executed.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from itertools import islice
from typing import Any

from annotation.importers.decoding import MAX_DEPTH
from annotation.importers.prompts import question_and_options_in
from annotation.importers.storable import storable
from annotation.schema import frozen_record

EXAMPLE_BOX = [10, 20, 100, 200]
EXAMPLE_LABEL = "the apple on the desk"
"""The call that the released prompt shows as an example; models echo it."""

TAG = "<tool_call>"
_CALL = re.compile(r"<tool_call>(.*?)(?:</tool_call>|(?=<tool_call>)|(?=<answer>)|\Z)", re.DOTALL)
_OPEN, _CLOSE = "<answer>", "</answer>"
_REPLIES = ("user", "tool", "function")
_PICTURES = ("image", "input_image", "image_url")
_JSON = json.JSONDecoder(parse_constant=str)
MAX_CALLS = 50
"""Maximum number of calls that are read in one turn; more is a degenerate turn."""
_NAME = re.compile(r"""["']name["']\s*:\s*["']([^"']{1,100})["']""")


@frozen_record(frozen=True, slots=True)
class Call:
    """A tagged call as written. ``arguments`` None = it is not an object with arguments (cut off, empty, no JSON)."""

    raw: str
    start: int
    end: int
    name: str = ""
    arguments: dict[str, Any] | None = None

    @property
    def is_example(self) -> bool:
        """Whether it only repeats the example of the prompt."""
        given = self.arguments or {}
        return given.get("bbox_2d", given.get("bbox")) == EXAMPLE_BOX and given.get("label") == EXAMPLE_LABEL


@frozen_record(frozen=True, slots=True)
class Turn:
    """One assistant turn and the text and image that came back (None and False = nothing came back)."""

    text: str
    response: str | None = None
    picture: bool = False
    calls: tuple[Call, ...] = field(default=())

    @property
    def answer(self) -> tuple[int, int] | None:
        """Return the position of the first complete answer of the turn, including its tags."""
        return answer_span(self.text)


def answer_span(text: str) -> tuple[int, int] | None:
    """Return the position of the text from the first ``<answer>`` to the next ``</answer>``, including the tags."""
    start = text.find(_OPEN)
    end = text.find(_CLOSE, start) if start >= 0 else -1
    return (start, end + len(_CLOSE)) if end >= 0 else None


def answer_in(text: str) -> str | None:
    """The text between the first answer tags, None without them."""
    span = answer_span(text)
    return text[span[0] + len(_OPEN) : span[1] - len(_CLOSE)].strip() if span else None


def turns_of(messages: Sequence[Any]) -> list[Turn]:
    """The assistant turns of OpenAI-style messages, each with what followed it; messages of no known form are empty."""
    turns: list[Turn] = []
    for message in messages:
        role, content = (message.get("role"), message.get("content")) if isinstance(message, dict) else (None, None)
        if role == "assistant":
            text = text_of(content)
            turns.append(Turn(text, calls=tuple(calls_of(text))))
        elif turns and role in _REPLIES:
            last = turns[-1]
            turns[-1] = Turn(last.text, text_of(content), last.picture or _has_picture(content), last.calls)
    return turns


def text_of(content: Any) -> str:
    """All text of a message's content, which is a text or a list of items."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [item.get("text") for item in content if isinstance(item, dict)]
    return "\n".join([text for text in texts if isinstance(text, str)])


def _has_picture(content: Any) -> bool:
    if not isinstance(content, list):
        return False
    return any(is_picture(item) for item in content)


def is_picture(item: object) -> bool:
    """Return whether a part of a message's content is an image, in the format of any interface."""
    return isinstance(item, dict) and ("image_url" in item or "image" in item or item.get("type") in _PICTURES)


def calls_of(text: str) -> Iterator[Call]:
    """The tagged calls of a turn, in order."""
    if TAG not in text:
        return
    for match in islice(_CALL.finditer(text), MAX_CALLS):
        raw = match[1].strip()
        value = storable(literal(raw))
        arguments = value.get("arguments") if isinstance(value, dict) else None
        if isinstance(value, dict) and isinstance(arguments, dict):
            yield Call(raw, match.start(), match.end(), str(value.get("name") or ""), arguments)
        else:
            name = _NAME.search(raw)
            yield Call(raw, match.start(), match.end(), name[1] if name else "")


def literal(raw: str) -> Any:
    """The first JSON value of ``raw``, else the Python literal it is, else None. Deep nesting is no call."""
    if raw.count("[") + raw.count("{") > MAX_DEPTH:
        return None
    try:
        return _JSON.raw_decode(raw)[0]
    except (ValueError, RecursionError):
        pass
    try:
        return ast.literal_eval(raw[:10_000])
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def question_and_options(messages: Sequence[Any]) -> tuple[str, Mapping[str, str]]:
    """Question and options from the first user turn; see ``prompts``."""
    users = (m.get("content") for m in messages if isinstance(m, dict) and m.get("role") == "user")
    return question_and_options_in(text_of(next(users, "")))
