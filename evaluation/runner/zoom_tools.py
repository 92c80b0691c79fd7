"""The zoom tool at work on one sample: regions cut out of the images of the session, as the dialect returns them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from annotation.imaging.crops import Picture
from annotation.importers.fields import four_numbers
from annotation.schema import ORIGINAL
from annotation.toolbox.cache import picture_key
from annotation.toolbox.runner import run_chain
from evaluation.replay.run import CannotRun, zoom_call
from evaluation.runner.dialects.zoom import (
    DialectError,
    Response,
    UnreadableCall,
    ZoomCall,
    ZoomDialect,
    ZoomImage,
    ZoomResult,
    image_id,
    to_pixels,
)
from evaluation.runner.images import SentImages, SourceImage
from evaluation.runner.toolsets import MOST_RAW, Call, Runnable, ToolResult
from evaluation.schema import ARGS_RAW, Step

_MOST_PIXELS = 150_000_000
"""Of all images that the calls of one attempt make."""


class ZoomTools(Runnable):
    """The zoom tool of a dialect. Images are numbered in the order in which the model received them."""

    def __init__(self, dialect: ZoomDialect, source: SourceImage, images: SentImages) -> None:
        self.dialect, self.native, self.steps = dialect, dialect.native, []
        self._source, self._images = source, images
        sent = images.by_id[ORIGINAL]
        self._known = [ZoomImage.original(source.width, source.height, (sent.width, sent.height))]
        self._pictures: list[Picture] = []
        """Of the images, the original first; none before the first call."""

    def read(self, response: Response) -> tuple[Call, ...]:
        return self.dialect.parse(response)

    def said(self, text: str) -> str:
        return self.dialect.said(text)

    def answered(self, text: str) -> bool:
        return self.dialect.answered(text)

    def run(self, call: Call) -> ToolResult:
        if not isinstance(call, ZoomCall):
            problem = call.problem if isinstance(call, UnreadableCall) else f"The tool is {self.dialect.tool_name}."
            self.skip(call, problem)
            return ToolResult(self.dialect.render_error(problem))
        try:
            result = self.dialect.locate(call, self._known)
            picture = self._cut(call, result)
        except DialectError as error:
            self.skip(call, str(error))
            return ToolResult(self.dialect.render_error(str(error)))
        number = len(self._known)
        name = image_id(number)
        sent = self._images.result(name, picture)
        self._known.append(replace(result.image, sent=(sent.width, sent.height)))
        self._pictures.append(picture)
        text = self.dialect.render(number, result)
        done = {"image_out": name, "out_size": list(result.shown), "ok": True, "observation": text}
        done |= {"executed_bbox": list(result.cut), "out_digest": picture_key(picture)}
        self.steps.append(self._step(call) | done)
        return ToolResult(text, sent, name)

    def skip(self, call: Call, reason: str, **marks: Any) -> None:
        if isinstance(call, UnreadableCall):
            step: dict[str, Any] = {"tool": call.name or self.dialect.tool_name, ARGS_RAW: call.raw[:MOST_RAW]}
        elif isinstance(call, ZoomCall):
            step = self._step(call)
        else:
            return
        self.steps.append({**step, "image_out": None, "ok": False, "observation": reason, **marks})

    def _step(self, call: ZoomCall) -> dict[str, Any]:
        """The call as the trajectory has it: its box in pixels of its input, as far as there is such an image."""
        step: dict[str, Any] = {"tool": self.dialect.tool_name, "args": dict(call.arguments)}
        step |= {"label": call.label} if call.label else {}
        step |= {"repaired": True} if call.repaired else {}
        if not 0 <= call.image < len(self._known):
            return step
        step |= {"image_in": image_id(call.image), "coords": "pixel"}
        box = four_numbers(to_pixels(call.box, self.dialect.frame, self._known[call.image]))
        return step | ({"bbox": list(box)} if box is not None else {})

    def _cut(self, call: ZoomCall, result: ZoomResult) -> Picture:
        """The pixels of the region at the size that the dialect returns. Raises ``DialectError``."""
        wide, high = result.shown
        if sum(one.shape[0] * one.shape[1] for one in self._pictures[1:]) + wide * high > _MOST_PIXELS:
            raise DialectError(f"The images would have more than {_MOST_PIXELS:,} pixels together. Give your answer.")
        if not self._pictures:
            self._pictures.append(self._source.picture())
        picture = self._pictures[call.image]
        try:
            cut = zoom_call(
                Step(self.dialect.tool_name, executed_bbox=result.cut, out_size=result.shown), picture, ORIGINAL
            )
        except CannotRun as error:
            raise DialectError(f"The call can't be run: {error}") from error
        chain = run_chain(picture, [cut])
        made = chain.last.image if chain.last is not None else None
        if made is None:
            raise DialectError(chain.error.message if chain.error else "The call returned no image.")
        return made
