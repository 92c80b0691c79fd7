"""Findings about an endpoint from the responses to a probe. Nothing is sent here."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.endpoints.client import Reply
from evaluation.endpoints.errors import CallFailed, ErrorKind
from evaluation.endpoints.frames import Square
from evaluation.endpoints.replies import is_stream

YES, NO, UNKNOWN = "yes", "no", "unknown"
Outcome = Reply | CallFailed | None
"""The result of a request; None if it was not sent."""
TOOL = "report_number"
PREFIX_GOES_ON = "hij"
"""The beginning of the continued alphabet."""


@dataclass(frozen=True)
class Finding:
    """One property of an endpoint: ``yes``, ``no``, ``unknown`` or a JSON value; why; and when, as ISO 8601."""

    value: Any = UNKNOWN
    note: str = ""
    at: str = ""


def found_authentication(outcome: Outcome) -> Finding:
    """Return whether the endpoint accepts the key, or needs none."""
    if isinstance(outcome, CallFailed):
        return Finding(NO if outcome.kind is ErrorKind.AUTH else UNKNOWN, outcome.message)
    return Finding(YES) if outcome else Finding()


def found_number(outcome: Outcome, number: int) -> Finding:
    """Return whether a response has the number that an image shows."""
    if not isinstance(outcome, Reply):
        return _failed(outcome)
    if str(number) in re.findall(r"\d+", re.sub(r"(?<=\d)[ ,.](?=\d)", "", outcome.text)):
        return Finding(YES)
    return Finding(NO, f"The image shows {number}. The response was: {_short(outcome.text)}")


def found_tools(outcome: Outcome, number: int) -> Finding:
    """Return whether a response calls the tool with the number it was given."""
    if not isinstance(outcome, Reply):
        return _failed(outcome)
    for _, name, arguments in outcome.calls:
        try:
            given = json.loads(arguments)
        except (ValueError, RecursionError):
            continue
        if name == TOOL and isinstance(given, Mapping) and str(given.get("number")) == str(number):
            return Finding(YES)
    if outcome.calls:
        return Finding(NO, f"The call was {_short(' '.join(outcome.calls[0][1:]))}")
    return Finding(NO, f"The response has no call: {_short(outcome.text)}")


def found_square(outcome: Outcome, square: Square) -> Finding:
    """Return whether a detector finds the square in an image. A failure proves nothing, because it may detect other
    objects. A detection counts if the center of its box is in the square.
    """
    if not isinstance(outcome, Reply):
        return Finding(UNKNOWN, outcome.message if outcome else "")
    for one in json.loads(outcome.text)["detections"]:
        box = one.get("box") if isinstance(one, Mapping) else None
        if isinstance(box, list) and len(box) == 4 and all(isinstance(side, int | float) for side in box):
            x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
            if square.box[0] <= x <= square.box[2] and square.box[1] <= y <= square.box[3]:
                return Finding(YES)
    return Finding(UNKNOWN, "It answers in a known form, and found no red square.")


def found_prefix(outcome: Outcome, prefix: str) -> Finding:
    """Return whether a response continues the last message. A response that first repeats the prefix also counts, with
    a note.
    """
    if not isinstance(outcome, Reply):
        return _failed(outcome)
    text = outcome.text.strip()
    if text.startswith(PREFIX_GOES_ON):
        return Finding(YES)
    if text.startswith(prefix + PREFIX_GOES_ON):
        return Finding(YES, "The response repeats the prefix.")
    return Finding(NO, f"The response begins again: {_short(text)}")


def found_seed(outcomes: Sequence[Outcome]) -> Finding:
    """Return whether two responses to the same request with the same seed are equal."""
    texts = [one.text.strip() for one in outcomes if isinstance(one, Reply)]
    if len(texts) < 2:
        return next((_failed(one) for one in outcomes if isinstance(one, CallFailed)), Finding())
    if not all(texts):
        return Finding(UNKNOWN, "A response was empty.")
    return Finding(YES) if texts[0] == texts[1] else Finding(NO, "The same seed gave two different responses.")


def found_usage(plain: Outcome, streamed: Outcome) -> Finding:
    """Return whether responses report their tokens, in both forms."""
    known = [(name, one) for name, one in (("JSON", plain), ("a stream", streamed)) if isinstance(one, Reply)]
    if not known:
        return Finding()
    without = [name for name, one in known if not one.usage]
    return Finding(NO, f"Not in {' and '.join(without)}.") if without else Finding(YES)


def found_streaming(outcome: Outcome) -> Finding:
    """Return whether the endpoint sends a stream if it is asked to."""
    if not isinstance(outcome, Reply):
        return _failed(outcome)
    return Finding(YES) if is_stream(outcome.body) else Finding(NO, "The response was one JSON object.")


def found_logprobs(outcome: Outcome) -> Finding:
    """Return whether a response has the probabilities of its tokens."""
    if not isinstance(outcome, Reply):
        return _failed(outcome)
    try:
        choice = json.loads(outcome.body)["choices"][0]
        return Finding(YES) if choice["logprobs"]["content"] else Finding(NO)
    except (ValueError, RecursionError, LookupError, TypeError):
        return Finding(NO)


def found_reasoning(outcomes: Sequence[Outcome]) -> Finding:
    """Return whether any response has reasoning text."""
    replies = [one for one in outcomes if isinstance(one, Reply)]
    return Finding(YES if any(one.reasoning.strip() for one in replies) else NO) if replies else Finding()


def found_rejected(outcome: Outcome, names: Sequence[str]) -> Finding:
    """Return which of the parameters of a request its rejection names: a list, empty if it was accepted."""
    if isinstance(outcome, Reply):
        return Finding([])
    if outcome and outcome.kind is ErrorKind.INPUT_REJECTED:
        named = [name for name in names if re.search(rf"\b{name}\b", outcome.message)]
        return Finding(named or UNKNOWN, outcome.message)
    return Finding(UNKNOWN, outcome.message if outcome else "")


def found_largest(outcome: Outcome, size: tuple[int, int], length: int) -> Finding:
    """Return the size of the largest image tried, if it was accepted. Sides in pixels, length in bytes."""
    if isinstance(outcome, Reply):
        return Finding({"width": size[0], "height": size[1], "bytes": length})
    tried = f"{size[0]} × {size[1]} pixels with {length / 10**6:.1f} MB"
    failed = _failed(outcome)
    return Finding(failed.value, f"{tried}: {failed.note}" if failed.note else "")


def found_image_tokens(without: Outcome, sized: Sequence[tuple[tuple[int, int], Outcome]]) -> Finding:
    """Return the tokens of images: those of the same prompt with an image, less those without."""
    if not isinstance(without, Reply) or not without.usage:
        return Finding()
    measured = [
        {"width": width, "height": height, "tokens": one.usage.input - without.usage.input}
        for (width, height), one in sized
        if isinstance(one, Reply) and one.usage
    ]
    return Finding(measured) if measured else Finding()


def _failed(outcome: Outcome) -> Finding:
    """A rejected request is a no; a failure of another kind says nothing."""
    if not isinstance(outcome, CallFailed):
        return Finding()
    return Finding(NO if outcome.kind is ErrorKind.INPUT_REJECTED else UNKNOWN, outcome.message)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 100 else text[:99] + "…"
