"""What every importer of runs takes and gives. Shared words (progress, positions, problems) are those of the samples.

``read(source, options, samples, known)`` is a generator of records, issues and progress; what each promises is stated
in ``annotation.importers.interface``. With ``known``, rows that are stored already come as ``Unchanged``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from annotation.importers.column_mapping import ColumnMapping
from annotation.importers.interface import PROGRESS_EVERY, Detection, ImportProblem, Position, Progress, Settings
from evaluation.importers.matching import SampleIndex
from evaluation.importers.recognition import Recogniser, Unchanged
from evaluation.schema import Coordinates, Intervention, Issue, Judgement, RolloutGroup, Trajectory

__all__ = [
    "PROGRESS_EVERY",
    "BoxSpace",
    "ColumnMapping",
    "Detection",
    "ImportProblem",
    "Importer",
    "Position",
    "Progress",
    "Read",
    "ReadOptions",
    "Recogniser",
    "RunSummary",
    "SampleIndex",
    "Settings",
    "Unchanged",
]


@dataclass(frozen=True, slots=True)
class BoxSpace:
    """The space of a file's boxes where the file itself does not say: a kind, or pixels of the picture as it was
    sent to the model, ``width`` × ``height``."""

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
            f"Coordinates {text[:50]!r} are not known. Use pixel, norm1, norm1000, or the size of the picture the "
            "model was sent, such as 1024x768."
        )


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What the person importing says about a file.

    ``model`` and ``setting`` name the run where the file does not (a native file's own names win); ``coordinates``
    None = as the format declares. ``images`` is the folder picture names are relative to. ``mapping``: which column of
    a table is what; None = as the names of the columns suggest. ``start``: where to go on.
    """

    model: str = ""
    setting: str = ""
    coordinates: BoxSpace | None = None
    images: Path | None = None
    mapping: ColumnMapping | None = None
    start: Position = field(default_factory=Position)


@dataclass(frozen=True, slots=True)
class RunSummary:
    """Counts over all trajectories a reader gave, yielded once, at the end of a file read from its start."""

    trajectories: int
    failed: int

    @property
    def all_failed(self) -> bool:
        """Every trajectory is an error: the run failed, its accuracy is not 0 %."""
        return self.trajectories > 0 and self.failed == self.trajectories


Read = Iterator[
    Trajectory | Unchanged | Intervention | Judgement | RolloutGroup | Settings | RunSummary | Issue | Progress
]


class Reader(Protocol):
    def __call__(
        self, path: Path, options: ReadOptions, samples: SampleIndex, known: Recogniser | None = None
    ) -> Read: ...


@dataclass(frozen=True, slots=True)
class Importer:
    """One row of ``IMPORTERS``; ``detect`` as in ``annotation.importers.interface.Importer``.

    ``by_content``: rows are joined with samples by more than their ids, so that what a row says may change with them.
    """

    name: str
    title: str
    detect: Callable[[bytes, str], Detection]
    read: Reader
    by_content: bool = False
