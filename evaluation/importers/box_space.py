"""The coordinate space of a file's boxes, as given by a person if the file does not state it."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.importers.interface import ImportProblem
from evaluation.schema import Coordinates


@dataclass(frozen=True, slots=True)
class BoxSpace:
    """The space of boxes in a file that does not declare it: a kind, or pixels of the image as sent to the model,
    ``width`` × ``height``."""

    kind: Coordinates = Coordinates.PIXEL
    size: tuple[int, int] | None = None

    @classmethod
    def parse(cls, text: str) -> BoxSpace:
        """``pixel``, ``norm1``, ``norm1000`` or ``WxH`` (``1024x768``). Raises ``ImportProblem`` on anything else."""
        if text in {kind.value for kind in Coordinates}:
            return cls(Coordinates(text))
        width, times, height = text.lower().replace("×", "x").partition("x")
        if times and width.isdecimal() and height.isdecimal() and int(width) and int(height):
            return cls(Coordinates.PIXEL, (int(width), int(height)))
        raise ImportProblem(
            f"Coordinates {text[:50]!r} are not known. Use pixel, norm1, norm1000, or the size of the image "
            "sent to the model, for example 1024x768."
        )
