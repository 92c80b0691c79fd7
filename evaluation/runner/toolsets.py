"""The tools of an attempt: how calls of a response are read, run and recorded as steps of the trajectory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from evaluation.agents.tool_session import ToolSession
from evaluation.runner.dialects.thyme import Cell
from evaluation.runner.dialects.toolbox import Toolbox, ToolboxCall
from evaluation.runner.dialects.zoom import Response, UnreadableCall, ZoomCall, has_answer
from evaluation.runner.images import SentImage, SentImages

MOST_RAW = 20_000
"""Characters of an unreadable call that are kept."""


Call = ZoomCall | ToolboxCall | UnreadableCall | Cell


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a call for the model: a text, and an image with its id if the call succeeded."""

    text: str
    image: SentImage | None = None
    image_id: str = ""


class Toolset(ABC):
    """Tools at work on one sample."""

    native: bool = False
    """Whether the calls are in the field of the API, not in the text."""
    steps: list[dict[str, Any]]
    """Of the trajectory, in the native format."""

    @abstractmethod
    def read(self, response: Response) -> tuple[Call, ...]:
        """Return the calls of a response that can run, in order."""

    @abstractmethod
    def skip(self, call: Call, reason: str, **marks: Any) -> None:
        """Record a call that is not run; ``marks`` are further keys of its step."""

    def said(self, text: str) -> str:
        """Return the text before the first call of a response."""
        return text.strip()

    def answered(self, text: str) -> bool:
        """Return whether a response contains an answer marker."""
        return has_answer(text)

    def finished(self) -> dict[str, Any]:
        """Return what the row of the trajectory says about the tools: ``steps`` and, where not strict, ``profile``."""
        return {"steps": self.steps}


class Runnable(Toolset):
    """Tools that run here."""

    @abstractmethod
    def run(self, call: Call) -> ToolResult:
        """Run a call and record its step. Nothing is raised for a call that fails: its text says why."""


class NoTools(Toolset):
    """Nothing can be called: every response is the last one."""

    def __init__(self) -> None:
        self.steps = []

    def read(self, response: Response) -> tuple[Call, ...]:
        return ()

    def skip(self, call: Call, reason: str, **marks: Any) -> None:
        """Nothing is read as a call, so there is none to record."""


class ToolboxTools(Runnable):
    """All tools of the toolbox, in native calls."""

    native = True

    def __init__(self, dialect: Toolbox, session: ToolSession, images: SentImages) -> None:
        self._dialect, self._session, self._images = dialect, session, images
        self.steps = session.steps

    def read(self, response: Response) -> tuple[Call, ...]:
        return self._dialect.parse(response)

    def run(self, call: Call) -> ToolResult:
        if not isinstance(call, ToolboxCall):
            problem = call.problem if isinstance(call, UnreadableCall) else "This is no call of the toolbox."
            self.skip(call, problem)
            return ToolResult(f"Error: {problem}")
        done = self._session.call(call.tool, call.arguments)
        if call.repaired:
            self.steps[-1]["repaired"] = True
        if done.picture is None or done.image_id is None:
            return ToolResult(f"Error: {done.text}")
        return ToolResult(done.text, self._images.result(done.image_id, done.picture), done.image_id)

    def skip(self, call: Call, reason: str, **marks: Any) -> None:
        if isinstance(call, UnreadableCall):
            self._session.record_failed(call.name or "unnamed", call.raw[:MOST_RAW], reason, **marks)
        elif isinstance(call, ToolboxCall):
            self._session.record_failed(call.tool, dict(call.arguments), reason, **marks)

    def finished(self) -> dict[str, Any]:
        row = self._session.trajectory("", "", "", usage={})
        return {key: row[key] for key in ("steps", "profile") if key in row}
