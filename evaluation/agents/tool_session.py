"""An agent elsewhere at work on one sample with the toolbox: its calls are run here and become a trajectory."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

from annotation.schema import ORIGINAL, ToolCall
from annotation.toolbox.cache import picture_key
from annotation.toolbox.names import candidates
from annotation.toolbox.results import Picture, ToolError
from annotation.toolbox.runner import ChainResult, Limits, run_chain
from annotation.toolbox.signature import snake_case
from annotation.toolbox.table import TOOLS
from annotation.toolbox.vtc import Profile, call_of, image_id, image_path, tools_of
from evaluation.schema import ARGS_RAW

MOST_CALLS = 100
MOST_PIXELS = 150_000_000
"""Of all images that the calls of one session made."""
USUAL = Limits()
_CUTS = ("crop", "zoom_in")


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a call: the id of its image and the image, None if it failed; ``text`` for the agent; ``key``
    identifies the image by its content, "" if unknown.
    """

    image_id: str | None
    picture: Picture | None
    text: str
    key: str = ""

    @property
    def ok(self) -> bool:
        return self.image_id is not None


Run = Callable[[Picture, ToolCall, Mapping[str, Picture], Mapping[str, str], Profile], ChainResult]
"""One call on the original; further images and, where known, the keys of their results; the profile of the tools."""


def run_alone(
    original: Picture, call: ToolCall, others: Mapping[str, Picture], _keys: Mapping[str, str], profile: Profile
) -> ChainResult:
    return run_chain(original, [call], USUAL, others=others, tools=tools_of(profile))


class ToolSession:
    """Images by their ids, from ``original`` on, and the steps so far in the native format (FORMATS N). ``digest``: the
    SHA-256 of the stored original, "" if unknown."""

    def __init__(
        self,
        sample: str,
        original: Picture,
        run: Run = run_alone,
        clock: Callable[[], float] = time.monotonic,
        profile: Profile = Profile.STRICT,
        digest: str = "",
    ) -> None:
        self.sample = sample
        self.digest = digest
        self.profile = profile
        self.steps: list[dict[str, Any]] = []
        self._pictures: dict[str, Picture] = {ORIGINAL: original}
        self._keys: dict[str, str] = {}
        self._runs = run
        self._clock = clock
        self._begun = clock()
        self._one_at_a_time = Lock()

    @property
    def original(self) -> Picture:
        return self._pictures[ORIGINAL]

    @property
    def pixels(self) -> int:
        """Return the number of pixels of all images that calls made."""
        return sum(one.shape[0] * one.shape[1] for name, one in self._pictures.items() if name != ORIGINAL)

    def call(self, tool: str, given: Mapping[str, Any]) -> ToolResult:
        """Run one tool. Images are named in ``given`` by ``image`` and ``template``; without, it is the original.
        With the profile ``vtc``, ``given`` is ``{"image": …, "param": {…}}``. A null counts as absent.

        What cannot be done is written down as a failed step and said in the text; nothing is raised. Calls that come
        at once are run one after the other: each has its own number and its own image.
        """
        with self._one_at_a_time:
            return self._called(tool, given)

    def record_failed(self, tool: str, args: Mapping[str, Any] | str, problem: str, **marks: Any) -> None:
        """Record a call that is not run; a text as ``args`` is what was written instead of an object. ``marks`` are
        further keys of its step."""
        given = {ARGS_RAW: args} if isinstance(args, str) else {"args": dict(args)}
        self.steps.append({"tool": tool, **given, "image_out": None, "ok": False, "observation": problem, **marks})

    def _called(self, tool: str, given: Mapping[str, Any]) -> ToolResult:
        if len(self.steps) >= MOST_CALLS:
            return ToolResult(
                None, None, f"This session has {MOST_CALLS} calls, and no more are run. Give your answer."
            )
        if self.profile is Profile.VTC:
            return self._called_as_published(tool, given)
        meant = candidates(tool)
        names = TOOLS[meant[0]].pictures if len(meant) == 1 else ("image",)
        ids = tuple(str(given.get(name) or ORIGINAL) for name in names)
        arguments = {name: value for name, value in given.items() if name not in names}
        out = f"image_{len(self.steps) + 1}"
        called = self._run(ToolCall(tool, arguments, ids if len(ids) > 1 else ids[0], out))
        self.steps.append(self._step(tool, arguments, ids, called))
        return called

    def _called_as_published(self, tool: str, given: Mapping[str, Any]) -> ToolResult:
        """The parameters are recorded as they were sent: a replay takes them as the profile does. The reply ends with
        the path of the result, as the published one does.
        """
        param, image = given.get("param"), image_id(given.get("image") or ORIGINAL)
        written = dict(param) if isinstance(param, Mapping) else {}
        try:
            call = call_of(tool, given, f"image_{len(self.steps) + 1}")
        except ToolError as error:
            refused = ToolResult(None, None, str(error).split(": ", 1)[-1])
            step = self._step(tool, written, (image,), refused)
            # As an object of one more parameter it would be ignored, and a replay would run the call.
            if param is not None and not isinstance(param, Mapping):
                step = {key: value for key, value in step.items() if key != "args"} | {ARGS_RAW: param}
            self.steps.append(step)
            return refused
        ids = (call.image_in,) if isinstance(call.image_in, str) else call.image_in or (image,)
        called = self._run(call)
        if called.image_id is not None:
            path = image_path(called.image_id, self.sample)
            called = replace(called, text=f"{called.text}\n\nEdited Image Path: {path}")
        self.steps.append(self._step(tool, written, ids, called))
        return called

    def _run(self, call: ToolCall) -> ToolResult:
        if self.pixels > MOST_PIXELS:
            text = f"The images of this session have more than {MOST_PIXELS:,} pixels together. Give your answer."
            return ToolResult(None, None, text)
        others = {name: picture for name, picture in self._pictures.items() if name != ORIGINAL}
        result = self._runs(self.original, call, others, self._keys, self.profile)
        if result.error is not None:
            return ToolResult(None, None, result.error.message.split("): ", 1)[-1])
        step = result.steps[0]
        if step.image is None:
            return ToolResult(None, None, f"{step.tool} returned no image.")
        self._pictures[step.image_id], self._keys[step.image_id] = step.image, step.key
        height, width = step.image.shape[:2]
        measured = f" {json.dumps(dict(step.measurements))}" if step.measurements else ""
        return ToolResult(step.image_id, step.image, f"{step.image_id}: {width} × {height} pixels.{measured}", step.key)

    def _step(
        self, tool: str, arguments: Mapping[str, Any], ids: tuple[str, ...], called: ToolResult
    ) -> dict[str, Any]:
        step: dict[str, Any] = {
            "tool": tool,
            "args": dict(arguments),
            "image_in": list(ids) if len(ids) > 1 else ids[0],
            "image_out": called.image_id,
            "ok": called.ok,
            "observation": called.text,
        }
        if called.picture is not None:
            step["out_size"] = [called.picture.shape[1], called.picture.shape[0]]
        box = {snake_case(name): value for name, value in arguments.items()}
        if called.ok and candidates(tool)[0] in _CUTS:
            x, y = box.get("x") or 0, box.get("y") or 0
            step |= {"bbox": [x, y, x + box["width"], y + box["height"]], "coords": "pixel"}
        return step

    def trajectory(
        self,
        answer: str,
        model: str,
        setting: str,
        *,
        texts: Sequence[str] = (),
        usage: Mapping[str, Any] | None = None,
        messages: Sequence[Mapping[str, Any]] = (),
        sent: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """The session as a row of ``trajectories``: what was called, what it gave, and the answer as written.

        A step keeps the digest of its image, by which a replay knows that every value came out the same. ``texts``:
        what the model wrote before each call; ``messages``: its transcript; ``usage``: what the caller counted;
        ``sent``: how its images were sent.
        """
        for number, step in enumerate(self.steps):
            if step["ok"]:
                step["out_digest"] = picture_key(self._pictures[step["image_out"]])
            if number < len(texts) and texts[number]:
                step["text"] = texts[number]
        kept: dict[str, Any] = ({"messages": list(messages)} if messages else {}) | (
            {"sent": dict(sent)} if sent else {}
        )
        kept |= {"profile": self.profile.value} if self.profile is not Profile.STRICT else {}
        return kept | {
            "model": model,
            "sample_id": self.sample,
            "setting": setting,
            "steps": self.steps,
            "answer": answer,
            "usage": {"seconds": round(self._clock() - self._begun, 3)} if usage is None else dict(usage),
        }
