"""The next action of a conversation: a request to send, calls or code to run; or the finished trajectory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from evaluation.runner.canonical import digest_of
from evaluation.runner.cells import CellResult
from evaluation.runner.images import SentImage
from evaluation.runner.toolsets import Call, ToolResult


class Counted(Protocol):
    """Tokens of an exchange."""

    @property
    def input(self) -> int: ...

    @property
    def output(self) -> int: ...


@dataclass(frozen=True)
class Request:
    """A chat-completions request. Images in ``body`` are named by digest (``sha256:…``); ``images`` has their bytes."""

    body: Mapping[str, Any]
    images: Mapping[str, SentImage]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the canonical JSON of the body."""
        return digest_of(self.body)

    def image(self, sha256: str) -> tuple[bytes, str]:
        """Return the bytes and the media type of an image of the body. Raises ``KeyError``."""
        return self.images[sha256].data, self.images[sha256].media_type


@dataclass(frozen=True)
class ToolCalls:
    """Calls of one response. ``run`` runs them in order and returns their results; it works on pixels and can take
    seconds. What ``run`` of the conversation raises passes through; ``run`` again then runs the rest."""

    calls: tuple[Call, ...]
    run: Callable[[], tuple[ToolResult, ...]] = field(repr=False, compare=False)


@dataclass(frozen=True)
class CodeCell:
    """Python to be run in the sandbox of the attempt, where variables of earlier cells keep their values."""

    text: str


@dataclass(frozen=True)
class Finished:
    """The trajectory as a row of the native format."""

    row: Mapping[str, Any]


class Turns(Protocol):
    """An attempt as a state machine without clock and network. ``next`` returns the same thing until its result is
    submitted; the same results lead to the same requests."""

    def next(self) -> Request | ToolCalls | CodeCell | Finished: ...

    def answered(self, message: Mapping[str, Any], finish_reason: str | None, usage: Counted | None = None) -> None: ...

    def tool_results(self, results: Sequence[ToolResult]) -> None: ...

    def cell_result(self, result: CellResult) -> None: ...

    def failed(self, kind: str, message: str) -> None: ...


class OutOfTurn(RuntimeError):
    """A result was submitted that the conversation does not wait for."""
