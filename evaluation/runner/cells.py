"""Code of a model, run in a sandbox elsewhere: what comes back, and the steps that it becomes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.imaging.crops import Picture
from annotation.imaging.find import occurrences
from annotation.importers.fields import Number4, Report
from annotation.schema import ORIGINAL
from evaluation.exporters.native import step_row
from evaluation.importers.code_track import Program
from evaluation.importers.code_turns import CODE, block_steps
from evaluation.importers.code_values import Raster
from evaluation.runner.dialects.thyme import Cell, Thyme
from evaluation.runner.dialects.zoom import Response
from evaluation.runner.images import SentImage, SentImages, SourceImage
from evaluation.runner.offers import CODE_PATH
from evaluation.runner.toolsets import Call, Toolset
from evaluation.schema import Coordinates, Step

_SCORE = 0.98
"""The least normalized correlation with the region of the original that an image shows."""
_NEAR = 2.0
"""Pixels by which an edge may differ between the code and the image that it made."""


@dataclass(frozen=True)
class CellResult:
    """The result of a cell: its output, the images that it saved, and the error that ended it, "" without one."""

    text: str = ""
    images: Sequence[Picture] = ()
    error: str = ""


class CodeTools(Toolset):
    """Python that runs elsewhere. Boxes of crops are read from the code, which is not executed here. Where it does not
    state them, the images that it made are searched in the original."""

    def __init__(self, dialect: Thyme, image: SourceImage, images: SentImages) -> None:
        self.steps = []
        self._dialect, self._image, self._images = dialect, image, images
        self._program = Program(Raster(ORIGINAL, (image.width, image.height)), names=(), path=CODE_PATH)

    def read(self, response: Response) -> tuple[Call, ...]:
        return self._dialect.parse(response)

    def said(self, text: str) -> str:
        return self._dialect.said(text)

    def ran(self, cell: Cell, result: CellResult) -> tuple[str, list[tuple[str, SentImage]]]:
        """Record a cell. Return the text for the model, and the images with their labels."""
        text = self._dialect.render(result.text, result.error)
        made = block_steps(cell.code, "", text, self._program, Report("", None))
        self.steps += [step_row(step) | marks for step, marks in self._placed(made, result.images)]
        shown = []
        for picture in result.images:
            name = f"image_{len(self._images.by_id)}"
            shown.append((f"{name}:", self._images.result(name, picture)))
        return text, shown

    def skip(self, call: Call, reason: str, **marks: Any) -> None:
        if isinstance(call, Cell):
            step = Step(tool=CODE, ok=False, observation=reason, extra={"code": call.code})
            self.steps.append(step_row(step) | marks)

    def _placed(self, steps: Sequence[Step], pictures: Sequence[Picture]) -> list[tuple[Step, dict[str, Any]]]:
        """The steps of a cell, each with further keys: crops that the code does not locate get the places of its
        images, in order, marked ``inferred``."""
        known = [step.executed_bbox or step.bbox for step in steps if step.bbox is not None]
        found = (box for box in self._places(pictures) if not _among(box, known))
        placed: list[tuple[Step, dict[str, Any]]] = []
        for step in steps:
            unknown = step.tool == "crop" and step.ok and step.bbox is None
            box = next(found, None) if unknown else None
            if box is not None:
                step = replace(step, bbox=box, executed_bbox=None, coords=Coordinates.PIXEL, image_in=ORIGINAL)
            placed.append((step, {} if box is None else {"inferred": True}))
        return placed

    def _places(self, pictures: Sequence[Picture]) -> Iterator[Number4]:
        """Of those that lie in the original at one place only, at the same scale. In pixels of the original."""
        original = self._image.picture()
        for picture in pictures:
            places = occurrences(original, picture, _SCORE)
            if len(places) == 1:
                x, y = places[0]
                yield x, y, x + picture.shape[1], y + picture.shape[0]


def _among(box: Number4, known: Sequence[Number4 | None]) -> bool:
    return any(
        other is not None and all(abs(ours - theirs) <= _NEAR for ours, theirs in zip(box, other, strict=True))
        for other in known
    )
