"""Attempts with a single request, such as those under an arm and those of a judge."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.importers.storable import storable
from evaluation.runner.cells import CellResult
from evaluation.runner.replies import Reply, reply_of
from evaluation.runner.toolsets import ToolResult
from evaluation.runner.turns import Counted, Finished, OutOfTurn, Request

MOST_REASON = 2000
"""The maximum number of characters kept of the reason of a failure."""


class SingleTurn(ABC):
    """An attempt that ends with the first response. ``Turns`` of ``evaluation.runner.turns``."""

    def __init__(self, request: Request) -> None:
        self._next: Request | Finished = request

    def next(self) -> Request | Finished:
        """Return the request, and the finished row after it."""
        return self._next

    def answered(self, message: Mapping[str, Any], finish_reason: str | None, usage: Counted | None = None) -> None:
        """Submit the message of the first choice. ``usage`` None = unknown."""
        if isinstance(self._next, Finished):
            raise OutOfTurn("The attempt is finished.")
        reply = reply_of(message, 1)
        if reply.refusal:
            self.failed("refusal", reply.refusal)
        elif finish_reason == "content_filter":
            self.failed("content_filter", "The endpoint stopped the response.")
        elif not reply.said:
            self.failed("empty", "The response contains no text.")
        else:
            tokens = {"input_tokens": usage.input, "output_tokens": usage.output} if usage is not None else {}
            self._finish(self.row(reply, cut=finish_reason == "length") | {"usage": tokens})

    def tool_results(self, results: Sequence[ToolResult]) -> None:
        raise OutOfTurn("The attempt has no calls.")

    def cell_result(self, result: CellResult) -> None:
        raise OutOfTurn("The attempt has no code.")

    def failed(self, kind: str, message: str) -> None:
        """End the attempt without a result."""
        if isinstance(self._next, Finished):
            raise OutOfTurn("The attempt is finished.")
        self._finish(self.failure() | {"error": f"{kind}: {message[:MOST_REASON]}"})

    @abstractmethod
    def row(self, reply: Reply, *, cut: bool) -> dict[str, Any]:
        """Return the row of a response; ``cut``: it reached the limit of tokens."""

    @abstractmethod
    def failure(self) -> dict[str, Any]:
        """Return the row of an attempt without a response."""

    def _finish(self, row: Mapping[str, Any]) -> None:
        self._next = Finished(storable(dict(row)))
