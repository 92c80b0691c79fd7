"""The interface of importers of runs. Shared types (progress, positions, problems) are those of the samples.

``read(source, options, samples, known)`` is a generator of records, issues and progress, as specified in
``annotation.importers.interface``. With ``known``, rows that are already stored are yielded as ``Unchanged``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from annotation.importers.column_mapping import ColumnMapping
from annotation.importers.interface import PROGRESS_EVERY, Detection, ImportProblem, Position, Progress, Settings
from evaluation.importers.box_space import BoxSpace
from evaluation.importers.mapped.mapping import KeyMapping
from evaluation.importers.matching import SampleIndex
from evaluation.importers.unchanged_rows import Unchanged, UnchangedRowDetector
from evaluation.schema import Intervention, Issue, Judgement, RolloutGroup, Trajectory

__all__ = [
    "PROGRESS_EVERY", "BoxSpace", "ColumnMapping", "Detection", "ImportProblem", "Importer", "KeyMapping", "Position",
    "Progress", "Read", "ReadOptions", "RunSummary", "SampleIndex", "Settings", "Unchanged", "UnchangedRowDetector",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """The choices of the person importing a file.

    ``model`` and ``setting`` name the run if the file does not (names in a native file take precedence);
    ``coordinates`` None = as declared by the format. ``images`` is the folder that image names are relative to.
    ``mapping``: the fields of the columns of a table; None = as suggested by the names of the columns. ``keys``: the
    fields of the keys of a JSON file in no known format. ``threshold``: the minimum score of a detection. ``start``:
    the position to continue from. ``glimpse``: only the beginning will be read.
    """

    model: str = ""
    setting: str = ""
    coordinates: BoxSpace | None = None
    images: Path | None = None
    mapping: ColumnMapping | None = None
    keys: KeyMapping | None = None
    threshold: float | None = None
    start: Position = field(default_factory=Position)
    glimpse: bool = False


@dataclass(frozen=True, slots=True)
class RunSummary:
    """Counts over all trajectories a reader gave, yielded once, at the end of a file read from its start."""

    trajectories: int
    failed: int

    @property
    def all_failed(self) -> bool:
        """Every trajectory is an error: the run failed, its accuracy is not 0%."""
        return self.trajectories > 0 and self.failed == self.trajectories


Read = Iterator[
    Trajectory | Unchanged | Intervention | Judgement | RolloutGroup | Settings | RunSummary | Issue | Progress
]


class Reader(Protocol):
    def __call__(
        self, path: Path, options: ReadOptions, samples: SampleIndex, known: UnchangedRowDetector | None = None
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
