"""Attempts without an endpoint: a small image, tasks, recipes, and recorded replies."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from annotation.imaging.model_view import model_view
from evaluation.runner.conversation import Conversation
from evaluation.runner.images import SourceImage
from evaluation.runner.recipe import Recipe, Task
from evaluation.runner.turns import Finished, Request, ToolCalls

WIDTH, HEIGHT = 600, 400


@cache
def stored_image(width: int = WIDTH, height: int = HEIGHT) -> SourceImage:
    picture = np.random.default_rng(7).integers(0, 255, (height // 10, width // 10, 3), np.uint8)
    data = model_view(np.repeat(np.repeat(picture, 10, 0), 10, 1)).data
    return SourceImage(hashlib.sha256(data).hexdigest(), width, height, lambda: data)


def task(**values: Any) -> Task:
    known = {"sample": "s1", "question": "Which cup?", "image": stored_image(), "options": {"A": "red", "B": "blue"}}
    return Task(**(known | values))


def recipe(protocol: str, **values: Any) -> Recipe:
    return Recipe.of(protocol, "model-1", "http://localhost:8000/v1", **values)


def said(text: str, *calls: tuple[str, Any], ids: Sequence[str | None] = ()) -> dict[str, Any]:
    """The message of a model; the arguments of a call as an object or as written."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {
                "id": ids[number] if number < len(ids) else f"id{number}",
                "type": "function",
                "function": {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)},
            }
            for number, (name, given) in enumerate(calls)
        ]
    return message


def request_of(conversation: Conversation) -> Request:
    waits = conversation.next()
    assert isinstance(waits, Request)
    return waits


def row_of(conversation: Conversation) -> Mapping[str, Any]:
    done = conversation.next()
    assert isinstance(done, Finished)
    return done.row


def answered(conversation: Conversation, *messages: Mapping[str, Any]) -> None:
    """Hand in the replies, and run the calls in each."""
    for message in messages:
        conversation.answered(message, "stop")
        waits = conversation.next()
        if isinstance(waits, ToolCalls):
            conversation.tool_results(waits.run())
