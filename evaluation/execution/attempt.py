"""One attempt from its first request to its trajectory: the conversation asks, this module does.

Requests that were answered before are not sent again: their stored responses lead the conversation to where it was.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import BoundedSemaphore
from typing import Any

from evaluation.endpoints.client import Client, Reply
from evaluation.endpoints.errors import CallCancelled, CallFailed, ErrorKind
from evaluation.endpoints.prices import Estimate
from evaluation.endpoints.renderers import reserved
from evaluation.endpoints.replies import Usage
from evaluation.execution.cells import Cells
from evaluation.execution.pool import Port, Stopped
from evaluation.runner.arms.catalogue import CannotApply
from evaluation.runner.images import SentImage, SourceImage
from evaluation.runner.turns import CodeCell, Finished, Request, ToolCalls, Turns
from evaluation.sandbox import SandboxError

PIXELS = BoundedSemaphore(os.cpu_count() or 1)
"""Work on pixels, of all attempts of this process."""


@dataclass(frozen=True)
class Answered:
    """A stored exchange: the digest of its request, and the response as received."""

    digest: str
    response: bytes


@dataclass(frozen=True, eq=False)
class Work:
    """An attempt to run. ``begin`` makes its state machine; it works on pixels, and can take seconds. ``image``: of the
    sample, for code; None: there is none. ``place``: sample, rollout and condition of its row. ``answered``: its
    exchanges so far, or those of an equal attempt."""

    attempt: int
    begin: Callable[[], Turns]
    image: SourceImage | None
    place: Mapping[str, Any]
    answered: Sequence[Answered] = ()


@dataclass(frozen=True)
class Sending:
    """A request is about to leave. ``request``: the body in the form that is sent, images by digest; ``most``:
    the tokens that it may use."""

    n: int
    digest: str
    request: bytes
    images: Mapping[str, SentImage]
    most: Usage


@dataclass(frozen=True)
class Received:
    """Request ``n`` was answered. ``usage`` is estimated if the endpoint reported none; None of a detector, and
    of an image generator that reported none."""

    n: int
    reply: Reply
    usage: Usage | None


@dataclass(frozen=True)
class Lost:
    """Request ``n`` got no usable response."""

    n: int
    failure: CallFailed


@dataclass(frozen=True)
class Done:
    """The trajectory, as a row of the native format. ``kind`` is the kind of error of an attempt that failed."""

    row: Mapping[str, Any]
    kind: str = ""


@dataclass(frozen=True)
class Restart:
    """A stored exchange does not fit the rebuilt conversation: the attempt must begin again without them."""


@dataclass(frozen=True)
class Skipped:
    """There is nothing to do. ``reason``: why, for people."""

    reason: str


Event = Sending | Received | Lost
Outcome = Done | Restart | Skipped


def run_attempt(work: Work, port: Port, client: Client) -> Outcome:
    """Run an attempt to its end. Raises ``Stopped`` if its owner stops it."""
    with Cells(work.image) as cells:
        return _run(work, port, client, cells)


def _run(work: Work, port: Port, client: Client, cells: Cells) -> Outcome:
    try:
        with PIXELS:
            conversation = work.begin()
    except CannotApply as reason:
        return Skipped(str(reason))
    n, kind = 0, ""
    while not isinstance(step := conversation.next(), Finished):
        if isinstance(step, ToolCalls):
            with PIXELS:
                results = step.run()
            conversation.tool_results(results)
            continue
        if isinstance(step, CodeCell):
            try:
                result = cells.run(step.text)
            except SandboxError as problem:
                conversation.failed(ErrorKind.SANDBOX.value, str(problem))
                continue
            with PIXELS:
                conversation.cell_result(result)
            continue
        if n < len(work.answered):
            known = work.answered[n]
            if known.digest != step.digest:
                return Restart()
            answer = client.read(known.response)
            conversation.answered(answer.message, answer.finish_reason, answer.usage)
        else:
            kind = _ask(step, n, conversation, port, client)
        n += 1
    error = str(step.row.get("error", ""))
    return Done(step.row, kind or error.partition(":")[0])


def _ask(request: Request, n: int, conversation: Turns, port: Port, client: Client) -> str:
    """Send a request and submit its response; return the kind of error, "" for none."""
    sent = client.outgoing(request.body)
    tokens = sum(image.tokens or 0 for image in request.images.values())
    counted = client.settings.chats
    unpriced = reserved(sent) if client.settings.renderer else Usage(0, 0)
    most = Estimate.reserved(sent, tokens) if counted else unpriced
    written = json.dumps(sent, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    port.store(Sending(n, request.digest, written, request.images, most))
    try:
        reply = client.complete(request.body, request.image, cancelled=port.stopping, tokens=most.input + most.output)
    except CallCancelled as cancelled:
        raise Stopped from cancelled
    except CallFailed as failure:
        port.store(Lost(n, failure))
        conversation.failed(failure.kind.value, failure.message)
        return failure.kind.value
    texts = [reply.text, reply.reasoning, *(call[2] for call in reply.calls)]
    port.store(Received(n, reply, reply.usage or (Estimate.used(sent, texts, tokens) if counted else None)))
    conversation.answered(reply.message, reply.finish_reason, reply.usage)
    return ""


def failure_row(work: Work, model: str, setting: str, kind: ErrorKind, message: str) -> dict[str, Any]:
    """Return the trajectory of an attempt that could not begin, such as one with a damaged image."""
    return {
        "model": model,
        "setting": setting,
        **work.place,
        "answer": None,
        "error": f"{kind.value}: {message}",
    }
