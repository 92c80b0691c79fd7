"""Code of a model, run in a sandbox elsewhere: what comes back, and the steps that it becomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.imaging.crops import Picture
from annotation.importers.fields import Number4, Report
from annotation.schema import ORIGINAL
from evaluation.exporters.native import step_row
from evaluation.importers.code_track import Program
from evaluation.importers.code_turns import CODE, block_steps
from evaluation.importers.code_values import Raster
from evaluation.runner.dialects.thyme import Cell, Thyme
from evaluation.runner.dialects.zoom import Response
from evaluation.runner.images import SentImage, SentImages
from evaluation.runner.toolsets import Call, Toolset
from evaluation.schema import Coordinates, Step

_NEAR = 2.0
"""Pixels by which an edge may differ between the code and the image that it made."""


@dataclass(frozen=True)
class CellImage:
    """An image that a cell saved. ``box``: the region of the original that it shows, in pixels of the original, found
    by comparing pixels; None where that is not known."""

    picture: Picture
    box: Number4 | None = None


@dataclass(frozen=True)
class CellResult:
    """What came of a cell: what it printed, the images that it saved, and the error that ended it, "" without one."""

    text: str = ""
    images: Sequence[CellImage] = ()
    error: str = ""


class CodeTools(Toolset):
    """Python that runs elsewhere. Boxes of crops are read from the code, which is not executed here."""

    def __init__(self, dialect: Thyme, size: tuple[int, int], images: SentImages) -> None:
        self.steps = []
        self._dialect, self._images = dialect, images
        self._program = Program(Raster(ORIGINAL, size))

    def read(self, response: Response) -> tuple[Call, ...]:
        return self._dialect.parse(response)

    def said(self, text: str) -> str:
        return self._dialect.said(text)

    def ran(self, cell: Cell, result: CellResult) -> tuple[str, list[tuple[str, SentImage]]]:
        """Record a cell. Return the text for the model, and the images with their labels."""
        text = self._dialect.render(result.text, result.error)
        made = block_steps(cell.code, "", text, self._program, Report("", None))
        self.steps += [step_row(step) | marks for step, marks in _placed(made, result.images)]
        shown = []
        for image in result.images:
            name = f"image_{len(self._images.by_id)}"
            shown.append((f"{name}:", self._images.result(name, image.picture)))
        return text, shown

    def skip(self, call: Call, reason: str, **marks: Any) -> None:
        if isinstance(call, Cell):
            step = Step(tool=CODE, ok=False, observation=reason, extra={"code": call.code})
            self.steps.append(step_row(step) | marks)


def _placed(steps: Sequence[Step], images: Sequence[CellImage]) -> list[tuple[Step, dict[str, Any]]]:
    """The steps of a cell, each with further keys: crops that the code does not locate get the boxes of its images, in
    order, marked ``inferred``."""
    known = [step.executed_bbox or step.bbox for step in steps if step.bbox is not None]
    found = [image.box for image in images if image.box is not None and not _among(image.box, known)]
    placed: list[tuple[Step, dict[str, Any]]] = []
    for step in steps:
        if step.tool == "crop" and step.ok and step.bbox is None and found:
            located = replace(step, bbox=found.pop(0), coords=Coordinates.PIXEL, image_in=ORIGINAL)
            placed.append((located, {"inferred": True}))
        else:
            placed.append((step, {}))
    return placed


def _among(box: Number4, known: Sequence[Number4 | None]) -> bool:
    return any(
        other is not None and all(abs(ours - theirs) <= _NEAR for ours, theirs in zip(box, other, strict=True))
        for other in known
    )
