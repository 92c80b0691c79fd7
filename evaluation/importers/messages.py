"""Converts a list of chat messages to exchanges: one tool call each, with the text before it and the result.

Five notations of calls are read: ``function_call`` of a message (Qwen-Agent), ``tool_calls`` with ids (OpenAI, Inspect
AI), items ``function_call`` with ``function_call_output`` (OpenAI's Responses), blocks ``tool_use`` with
``tool_result`` (Anthropic), and ``<tool_call>`` tags in the text. Calls in ``<think>`` tags were never made. Arguments
that are not an object stay as written, with ``arguments`` None.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.importers.embedded import kind_in_base64
from annotation.importers.storable import storable
from evaluation.importers.dialogue import TAG, calls_of, is_picture, literal, text_of
from evaluation.importers.failed_replies import says_failure

_REPLIES = ("tool", "function")
_THINKING = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
MAX_EXCHANGES = 10_000
MAX_PICTURES = 100
"""Maximum number of images of one message that are read."""
_SPEAKERS = {
    "human": "user", "user": "user", "gpt": "assistant", "model": "assistant", "assistant": "assistant",
    "chatgpt": "assistant", "bot": "assistant", "tool": "tool", "observation": "tool", "function": "tool",
    "function_response": "tool", "function_call": "assistant", "system": "system",
}  # fmt: skip
"""Our names for speakers of a dialog in ``from`` and ``value`` (ShareGPT, LLaVA)."""
_MARK = re.compile(r"<image>[ \t]*\n?")


@dataclass(slots=True)
class Exchange:
    """A call and its reply. ``reply`` None = there is none. ``pictures``: names of the returned images.

    It is filled while a dialog is read, message by message. Callers of ``talk_of`` don't change it.
    """

    name: str
    raw: str
    arguments: dict[str, Any] | None
    text: str = ""
    id: str = ""
    reply: str | None = None
    pictures: tuple[str, ...] = ()
    error: str = ""


@dataclass(slots=True)
class Talk:
    """A dialogue. ``prompt`` and ``prompt_pictures``: the user's before the first call or answer. ``final``: what was
    said after the last call, "" when nothing was."""

    prompt: str = ""
    prompt_pictures: tuple[str, ...] = ()
    exchanges: list[Exchange] = field(default_factory=list)
    final: str = ""
    said: list[str] = field(default_factory=list)
    latest: int = 0
    """Number of the first exchange of the message that made the last calls, counted from 0."""


def plain_messages(messages: Sequence[Any]) -> list[Any]:
    """Messages with ``role`` and ``content``.

    Messages with ``from`` and ``value``, items of Responses and tool blocks are converted; others stay unchanged."""
    found: list[Any] = []
    for message in messages:
        if not isinstance(message, dict):
            found.append(message)
        elif "from" in message:
            found.append(_plain(message))
        elif "role" in message:
            found += _of_blocks(message)
        else:
            found.append(_of_item(message))
    return found


def _of_item(item: dict[str, Any]) -> dict[str, Any]:
    """An item of OpenAI's Responses that is no message: a call, what came back, or reasoning."""
    match item.get("type"):
        case "function_call" | "custom_tool_call":
            arguments = item.get("arguments", item.get("input"))
            call = {"id": item.get("call_id") or item.get("id"), "function": item.get("name"), "arguments": arguments}
            return {"role": "assistant", "content": "", "tool_calls": [call]}
        case "function_call_output" | "custom_tool_call_output":
            return {"role": "tool", "tool_call_id": item.get("call_id"), "content": item.get("output")}
        case "reasoning":
            said = text_of(item.get("summary")) or text_of(item.get("content"))
            return {"role": "assistant", "content": "", "reasoning_content": said}
    return item


def _of_blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Split a message with tool blocks (Anthropic) into messages; any other stays unchanged."""
    content = message["content"] if isinstance(message.get("content"), list) else []
    kinds = {block.get("type") for block in content if isinstance(block, dict)}
    if not kinds & {"tool_use", "tool_result", "thinking"}:
        return [message]
    rest: list[Any] = []
    calls: list[dict[str, Any]] = []
    replies: list[dict[str, Any]] = []
    thoughts: list[str] = []
    for block in content:
        match block.get("type") if isinstance(block, dict) else None:
            case "tool_use":
                calls.append({"id": block.get("id"), "function": block.get("name"), "arguments": block.get("input")})
            case "tool_result":
                said = block.get("content")
                error = {"error": text_of(said) or "The tool failed."} if block.get("is_error") is True else {}
                replies.append({"role": "tool", "tool_call_id": block.get("tool_use_id"), "content": said, **error})
            case "thinking":
                thoughts.append(str(block.get("thinking") or ""))
            case _:
                rest.append(block)
    own = {**message, "content": rest, "reasoning_content": "\n".join(thoughts), "tool_calls": calls}
    return [*replies, *([own] if rest or calls or thoughts or not replies else [])]


def _plain(message: dict[str, Any]) -> dict[str, Any]:
    speaker, said = message["from"], message.get("value", message.get("content"))
    role = _SPEAKERS.get(speaker.strip().casefold(), "") if isinstance(speaker, str) else ""
    if speaker == "function_call" and isinstance(said, str):
        call = literal(said)
        known = call if isinstance(call, dict) else {"arguments": said}
        return {"role": role, "content": "", "function_call": known}
    if not role or not isinstance(said, str):
        return {"role": role, "content": said}
    text, marks = _MARK.subn("", said)
    pictures = [{"type": "image", "image": ""}] * min(marks, MAX_PICTURES)
    return {"role": role, "content": [*pictures, {"type": "text", "text": text}]}


def talk_of(messages: Sequence[Any]) -> Talk:
    """Return the exchanges of ``messages``; messages of an unknown form are skipped."""
    talk = Talk()
    begun = False
    for message in messages:
        if not isinstance(message, dict):
            continue
        role = message.get("role")
        if role == "assistant":
            begun = True
            _hear(message, talk)
        elif role in _REPLIES:
            _answer(message, talk)
        elif role == "user" and not begun:
            talk.prompt = "\n".join(part for part in (talk.prompt, text_of(message.get("content"))) if part)
            talk.prompt_pictures += pictures_in(message.get("content"))
        elif role == "user":
            _follow(message, talk)
    talk.final = "\n".join(talk.said).strip()
    return talk


def _hear(message: dict[str, Any], talk: Talk) -> None:
    thought = message.get("reasoning_content")
    if thought and isinstance(thought, str) and not thought.isspace():
        talk.said.append(thought)
    text = text_of(message.get("content"))
    calls = _written_calls(message) or list(_tagged_calls(text))
    if text and not text.isspace():
        talk.said.append(text if not calls or calls[0].text == "" else calls[0].text)
    if calls:
        talk.latest = len(talk.exchanges)
    for number, call in enumerate(calls[: MAX_EXCHANGES - len(talk.exchanges)]):
        call.text = "\n".join(talk.said).strip() if number == 0 else ""
        talk.exchanges.append(call)
        talk.said.clear()


def _written_calls(message: dict[str, Any]) -> list[Exchange]:
    calls: list[Exchange] = []
    one = message.get("function_call")
    if isinstance(one, dict):
        calls.append(_exchange(one.get("name"), one.get("arguments"), ""))
    many = message.get("tool_calls")
    for call in many if isinstance(many, list) else ():
        if isinstance(call, dict):
            inner = call.get("function")
            inner = inner if isinstance(inner, dict) else {"name": inner, "arguments": call.get("arguments")}
            found = _exchange(inner.get("name"), inner.get("arguments"), str(call.get("id") or ""))
            problem = call.get("parse_error")
            if isinstance(problem, str):
                found.error = problem
            calls.append(found)
    return calls


def _exchange(name: Any, arguments: Any, call_id: str) -> Exchange:
    value = literal(arguments) if isinstance(arguments, str) else arguments
    raw = arguments if isinstance(arguments, str) else ""
    given = storable(value) if isinstance(value, dict) else None
    return Exchange(str(name or ""), raw, given, id=call_id)


def _tagged_calls(text: str) -> Iterator[Exchange]:
    if TAG not in text:
        return
    spoken = _THINKING.sub(lambda match: " " * len(match[0]), text)
    for call in calls_of(spoken):
        yield Exchange(call.name, call.raw, call.arguments, text=text[: call.start].strip())


def _answer(message: dict[str, Any], talk: Talk) -> None:
    """A reply belongs to the call with its id; without one that is known once, to the first that has none yet."""
    asked = str(message.get("tool_call_id") or "")
    waiting = [exchange for exchange in talk.exchanges if exchange.reply is None]
    named = [exchange for exchange in waiting if exchange.id == asked] if asked else []
    if found := named or waiting:
        _reply(found[0], message.get("content"), message.get("error"))


def _follow(message: dict[str, Any], talk: Talk) -> None:
    """Process a user's message after a call: it is the reply if there is none yet, else images that could not be sent
    with it.
    """
    waiting = next((exchange for exchange in talk.exchanges if exchange.reply is None), None)
    content = message.get("content")
    if waiting is not None:
        _reply(waiting, content, None)
    elif talk.exchanges and not talk.exchanges[-1].pictures and not talk.said:
        _show(pictures_in(content), talk)


def _show(pictures: tuple[str, ...], talk: Talk) -> None:
    """Assign images after all replies: one to each call that succeeded if the numbers are equal, else all to the last
    call.
    """
    done = [one for one in talk.exchanges[talk.latest :] if not one.pictures and not says_failure(one.reply)]
    if len(done) == len(pictures):
        for exchange, picture in zip(done, pictures, strict=True):
            exchange.pictures = (picture,)
    else:
        talk.exchanges[-1].pictures = pictures


def _reply(exchange: Exchange, content: Any, error: Any) -> None:
    problem = error.get("message") if isinstance(error, dict) else error
    exchange.reply = text_of(content)
    exchange.pictures += pictures_in(content)
    if isinstance(problem, str):
        exchange.error = problem


def pictures_in(content: Any) -> tuple[str, ...]:
    """The images of a message's content, as named there; one without a name is ""."""
    if not isinstance(content, list):
        return ()
    return tuple([_named(item) for item in content if is_picture(item)])


def _named(item: dict[str, Any]) -> str:
    name = item.get("image_url", item.get("image"))
    name = name.get("url") if isinstance(name, dict) else name
    return "" if not isinstance(name, str) or name.startswith("data:") or kind_in_base64(name) else name
