"""Messages of a model that an agent sends with its answer: the text before each call, and the full transcript."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MOST_MESSAGES = 1000
MOST_CHARACTERS = 2_000_000
"""The maximum number of characters in all texts of one transcript, without images."""


class TranscriptProblem(ValueError):
    """A transcript that cannot be stored; the message names the part and the reason."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """``texts``: text of the model before call n, "" without any. ``kept``: every message as ``role``, ``text`` and
    ``images``, the number of images in it; their bytes are omitted.
    """

    texts: tuple[str, ...]
    kept: tuple[Mapping[str, Any], ...]


def transcript_of(messages: Sequence[Any], calls: int) -> Transcript:
    """Read the messages of a chat completion for a session with ``calls`` calls.

    The text of an assistant message belongs to its first call (``tool_calls``), or to the next call if it has none.
    Raises ``TranscriptProblem`` on a message that is not an object with a role, or on too much text.
    """
    if len(messages) > MOST_MESSAGES:
        raise TranscriptProblem(f"A transcript has at most {MOST_MESSAGES:,} messages, not {len(messages):,}.")
    texts, kept, at, waiting, size = [""] * calls, [], 0, "", 0
    for number, message in enumerate(messages):
        if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
            raise TranscriptProblem(f"messages[{number}] must be an object with a role.")
        text, images = _text_of(message)
        size += len(text)
        if size > MOST_CHARACTERS:
            raise TranscriptProblem(f"The texts of a transcript have at most {MOST_CHARACTERS:,} characters together.")
        kept.append({"role": message["role"][:40], "text": text, "images": images})
        if message["role"] != "assistant":
            continue
        waiting = "\n\n".join(part for part in (waiting, text) if part)
        made = message.get("tool_calls")
        made = len(made) if isinstance(made, list) else 0
        if made and at < calls:
            texts[at], waiting = waiting, ""
        at += made
    return Transcript(tuple(texts), tuple(kept))


def _text_of(message: Mapping[str, Any]) -> tuple[str, int]:
    """Return the reasoning and the text of a message, and its number of images."""
    said = [message.get(key) for key in ("reasoning_content", "reasoning")]
    content, images = message.get("content"), 0
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, Mapping) and isinstance(part.get("text"), str):
            said.append(part["text"])
        elif isinstance(part, Mapping) and "image" in str(part.get("type", "")):
            images += 1
        elif isinstance(part, str):
            said.append(part)
    return "\n\n".join(part for part in said if isinstance(part, str) and part), images
