"""The code of one attempt: its cells run in one sandbox."""

from __future__ import annotations

import logging
from contextlib import ExitStack
from functools import cache
from pathlib import PurePosixPath

from annotation.imaging.encoding import encode
from evaluation.runner.cells import CellResult
from evaluation.runner.images import SourceImage
from evaluation.runner.offers import CODE_PATH
from evaluation.sandbox import Mode, Sandbox

logger = logging.getLogger(__name__)


class Cells:
    """Starts the sandbox with the first cell. Use it as a context manager."""

    def __init__(self, image: SourceImage | None) -> None:
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
            assert self._image is not None
            original = {PurePosixPath(CODE_PATH).stem: encode(self._image.picture())}
            self._sandbox = self._stack.enter_context(Sandbox(original))
        result = self._sandbox.run(code)
        _log_limits(self._sandbox.mode, self._sandbox.grouped)
        text = "\n".join(part for part in (result.text, *result.notes) if part)
        return CellResult(text, [image.picture for image in result.images], result.killed or result.error)


@cache
def _log_limits(mode: Mode, grouped: bool) -> None:
    """Log what holds on this machine, once per process."""
    by = "by a control group and by limits of each process" if grouped else "by limits of each process only"
    logger.info("Code of models runs in %s. Its memory and threads are limited %s.", mode.value, by)
