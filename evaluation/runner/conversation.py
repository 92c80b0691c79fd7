"""One attempt as a state machine without clock and network.

``next`` returns a request to send, calls or code to run, or the finished row. The caller executes it and submits the
result. Equal replies and results lead to equal requests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.importers.storable import storable
from annotation.toolbox.vtc import Profile
from evaluation.agents.tool_session import Run, ToolSession, run_alone
from evaluation.runner.cells import CellResult, CodeTools
from evaluation.runner.dialects.catalogue import CODE_DIALECTS, TOOLBOX_DIALECTS
from evaluation.runner.dialects.thyme import Cell
from evaluation.runner.dialects.zoom import MOST_CALLS, UnreadableCall
from evaluation.runner.dialects.zooms import zoom_dialect
from evaluation.runner.images import ImagePolicy, SentImage, SentImages
from evaluation.runner.openings import Opening, attempt_digest
from evaluation.runner.protocols import Result, Tools
from evaluation.runner.recipe import Recipe, Task
from evaluation.runner.replies import Reply, reply_of
from evaluation.runner.results import names_in
from evaluation.runner.toolsets import Call, NoTools, Runnable, ToolboxTools, ToolResult, Toolset
from evaluation.runner.transcript import Transcript
from evaluation.runner.turns import CodeCell, Counted, Finished, OutOfTurn, Request, ToolCalls
from evaluation.runner.zoom_tools import ZoomTools
from evaluation.schema import NOT_RUN

_TOLD_FROM = 3
"""``vtc`` states the remaining rounds from this number on."""
_MOST_REASON = 2000


class Conversation:
    """One attempt. Raises ``RecipeError`` and ``PromptError`` like ``Opening``, and ``PictureProblem`` for a damaged
    image. ``family``: of the model, for counting tokens of images; ``run``: runs a call of the toolbox.
    """

    def __init__(self, recipe: Recipe, task: Task, rollout: int = 0, *, family: str = "", run: Run = run_alone) -> None:
        self.recipe, self.task, self.rollout = recipe, task, rollout
        self.digest = attempt_digest(recipe, task, rollout)
        opening = Opening(recipe, task)
        self._offer = opening.offer
        self._images = SentImages(ImagePolicy(recipe.images), family)
        original = self._images.original(task.image)
        self._toolset = _toolset(recipe, task, self._images, run)
        self._transcript = Transcript()
        if opening.system:
            self._transcript.say("system", opening.system)
        self._transcript.say("user", opening.user, [("", original)])
        self._rounds = self._calls = self._malformed = 0
        self._tokens: list[tuple[int, int]] | None = []
        self._reply = reply_of({}, 0)
        """The response that waits for results; its first step is number ``_first``."""
        self._first = 0
        self._results: list[ToolResult] = []
        self._cells: list[Cell] = []
        self._outputs: list[str] = []
        self._shown: list[tuple[str, SentImage]] = []
        self._next: Request | ToolCalls | CodeCell | Finished = self._request()

    def next(self) -> Request | ToolCalls | CodeCell | Finished:
        """Return what to do next. The same thing is returned until its result is submitted."""
        return self._next

    def answered(self, message: Mapping[str, Any], finish_reason: str | None, usage: Counted | None = None) -> None:
        """Submit the message of the first choice. ``usage`` None = unknown."""
        self._expect(Request)
        self._rounds += 1
        known = self._tokens is not None and usage is not None
        self._tokens = [*(self._tokens or ()), (usage.input, usage.output)] if known and usage else None
        reply = reply_of(message, self._rounds)
        self._transcript.hear(reply)
        if reply.refusal:
            self.failed("refusal", reply.refusal)
        elif finish_reason == "content_filter":
            self.failed("content_filter", "The endpoint stopped the response.")
        else:
            self._take(reply, cut=finish_reason == "length")

    def tool_results(self, results: Sequence[ToolResult]) -> None:
        """Submit the results of all calls, in order. Raises ``ValueError`` if there are more or fewer."""
        calls = self._expect(ToolCalls).calls
        if len(results) != len(calls):
            raise ValueError(f"There are {len(calls)} calls, not {len(results)}.")
        if self._toolset.native:
            ids = self._reply.ids
            beyond = [ToolResult(f"Error: Only {MOST_CALLS} calls of one response are run.")]
            results = [*results, *beyond * (len(ids) - len(results))]
            self._transcript.give(ids, results, self.recipe.tool_images, self._note())
        else:
            self._transcript.give_as_text(results)
        self._next = self._request()

    def cell_result(self, result: CellResult) -> None:
        """Submit the result of the code. Further code of the same response runs next, unless this failed."""
        self._expect(CodeCell)
        if not isinstance(self._toolset, CodeTools):
            raise OutOfTurn("The attempt has no code.")
        cell = self._cells.pop(0)
        text, shown = self._toolset.ran(cell, result)
        self._outputs.append(text)
        self._shown += shown
        if self._cells and not result.error:
            self._next = CodeCell(self._cells[0].code)
            return
        for rest in self._cells:
            self._toolset.skip(rest, "Not run: the code before it failed.", **{NOT_RUN: True})
        self._say(self._reply, self._first)
        self._transcript.say("user", "\n".join(self._outputs), self._shown)
        self._next = self._request()

    def failed(self, kind: str, message: str) -> None:
        """End the attempt without an answer, after a failure of an endpoint or a sandbox."""
        if isinstance(self._next, Finished):
            raise OutOfTurn("The attempt is finished.")
        for cell in self._cells:
            self._toolset.skip(cell, "Not run: the attempt failed.", **{NOT_RUN: True})
        self._finish(None, error=f"{kind}: {message[:_MOST_REASON]}")

    def _expect(self, kind: type[Any]) -> Any:
        if not isinstance(self._next, kind):
            raise OutOfTurn(f"The attempt waits for a {type(self._next).__name__}, not for a {kind.__name__}.")
        return self._next

    def _take(self, reply: Reply, *, cut: bool) -> None:
        """Decide the next state after a response."""
        calls, limits = self._toolset.read(reply.response), self.recipe.limits
        marked = self._toolset.answered(reply.text)
        self._malformed += sum(isinstance(call, UnreadableCall) for call in calls)
        if cut:
            self._skip(reply, calls, "Not run: the response was cut off.")
            self._finish(reply.text if marked else None, truncated=True)
        elif marked:
            self._skip(reply, calls, "Not run: the response contains the answer.", flag="unused")
            self._finish(reply.text)
        elif not calls:
            if reply.text.strip():
                self._finish(reply.text)
            else:
                self.failed("empty", "The response contains neither an answer nor a call.")
        elif self._rounds >= limits.rounds or self._calls >= limits.calls:
            self._skip(reply, calls, "Not run: the limit is reached.")
            self._finish(None, truncated=True)
        else:
            self._start(reply, calls, limits.calls - self._calls)

    def _start(self, reply: Reply, calls: tuple[Call, ...], room: int) -> None:
        """Wait for the results of calls or code; ``room``: number of calls that can still be run."""
        self._calls += len(calls)
        self._reply, self._first = reply, len(self._toolset.steps)
        if isinstance(self._toolset, CodeTools):
            self._cells = [cell for cell in calls if isinstance(cell, Cell)]
            self._outputs, self._shown = [], []
            self._next = CodeCell(self._cells[0].code)
        elif isinstance(self._toolset, Runnable):
            tools, self._results = self._toolset, []
            self._next = ToolCalls(calls, lambda: self._run(tools, calls, room))

    def _run(self, tools: Runnable, calls: Sequence[Call], room: int) -> tuple[ToolResult, ...]:
        """Run the calls that have not run yet; after an interruption, the remaining ones."""
        for call in calls[len(self._results) :]:
            if len(self._results) < room:
                self._results.append(tools.run(call))
            else:
                tools.skip(call, "Not run: the limit is reached.", **{NOT_RUN: True})
                self._results.append(ToolResult("Error: The limit of calls is reached. Give your answer."))
        self._say(self._reply, self._first)
        return tuple(self._results)

    def _skip(self, reply: Reply, calls: Sequence[Call], reason: str, **marks: Any) -> None:
        first = len(self._toolset.steps)
        for call in calls:
            self._toolset.skip(call, reason, **{NOT_RUN: True}, **marks)
        self._say(reply, first)

    def _say(self, reply: Reply, first: int) -> None:
        """Record the text before the calls of a response as the text of the first step."""
        text = "\n\n".join(part for part in (reply.reasoning.strip(), self._toolset.said(reply.text)) if part)
        if text and first < len(self._toolset.steps):
            self._toolset.steps[first]["text"] = text

    def _note(self) -> str:
        left = self.recipe.limits.rounds - self._rounds
        return f"Remaining rounds: {left}." if self.recipe.profile is Profile.VTC and left <= _TOLD_FROM else ""

    def _request(self) -> Request:
        body: dict[str, Any] = {"model": self.recipe.model, "messages": list(self._transcript.messages)}
        if self._offer.tools:
            body["tools"] = list(self._offer.tools)
        return Request(body | self.recipe.sampled(self.rollout), dict(self._transcript.images))

    def _finish(self, text: str | None, *, truncated: bool = False, error: str = "") -> None:
        task = self.recipe.task
        row: dict[str, Any] = {
            "model": self.recipe.model,
            "sample_id": self.task.sample,
            "setting": task.setting,
            "rollout": self.rollout,
            **self._toolset.finished(),
            "messages": self._transcript.kept,
            "sent": self._images.to_json(),
            "usage": self._usage(),
            "recipe_digest": self.recipe.digest(),
            "attempt_digest": self.digest,
            "malformed_calls": self._malformed,
            "truncated": truncated,
        }
        if error:
            row["error"] = error
        if task.result is Result.ANSWER:
            row["answer"] = text.strip() if text is not None else None
        elif text is not None:
            row[f"predicted_tools_{task.result.value}"] = names_in(text)
        self._next = Finished(storable(row))

    def _usage(self) -> dict[str, int]:
        """Tokens of all exchanges, empty if those of one are unknown."""
        if not self._tokens:
            return {}
        given, made = zip(*self._tokens, strict=True)
        return {"input_tokens": sum(given), "output_tokens": sum(made)}


def _toolset(recipe: Recipe, task: Task, images: SentImages, run: Run) -> Toolset:
    match recipe.task.tools:
        case Tools.ZOOM:
            return ZoomTools(zoom_dialect(recipe.dialect, recipe.frame), task.image, images)
        case Tools.TOOLBOX:
            session = ToolSession(task.sample, task.image.picture(), run, lambda: 0.0, recipe.profile)
            return ToolboxTools(TOOLBOX_DIALECTS[recipe.dialect], session, images)
        case Tools.CODE:
            return CodeTools(CODE_DIALECTS[recipe.dialect], task.image, images)
    return NoTools()
