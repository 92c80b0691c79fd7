"""The code of one attempt: cells run in its sandbox, and their images are located in the original."""

from __future__ import annotations

from contextlib import ExitStack

from annotation.imaging.encoding import encode
from evaluation.runner.cells import CellImage, CellResult
from evaluation.runner.images import SourceImage
from evaluation.sandbox import Sandbox, locate

NAME = "image"
"""Of the original in the sandbox: ``/in/image.png``."""


class Cells:
    """Starts the sandbox with the first cell. Use it as a context manager."""

    def __init__(self, image: SourceImage) -> None:
        self._image = image
        self._stack = ExitStack()
        self._sandbox: Sandbox | None = None

    def __enter__(self) -> Cells:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def run(self, code: str) -> CellResult:
        """Run a cell. Raises ``SandboxError`` if code can't be run on this server."""
        if self._sandbox is None:
            self._sandbox = self._stack.enter_context(Sandbox({NAME: encode(self._image.picture())}))
        result = self._sandbox.run(code)
        images = []
        for one in result.images:
            box = locate(code, self._image.picture(), one.picture, one.name).box
            place = (box.x1, box.y1, box.x2, box.y2) if box is not None else None
            images.append(CellImage(one.picture, place))
        text = "\n".join(part for part in (result.text, *result.notes) if part)
        return CellResult(text, images, result.killed or result.error)
