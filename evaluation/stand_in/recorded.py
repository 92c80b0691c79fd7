"""The samples and the scripted runs that the stand-in imitates, read from files in the native format."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from annotation.imaging.crops import Picture, crop, scaled
from annotation.imaging.decoding import decode
from annotation.imaging.problems import PictureProblem
from annotation.importers.fields import Number4
from annotation.schema import Box, corners_in
from evaluation.runner.arms.pixels import gold_region
from evaluation.stand_in.chat import SentImage

DEMO = Path(__file__).resolve().parents[1] / "demo" / "data" / "demo"
_SIDE = 16
_NEAR = 12.0
"""Mean difference of two thumbnails up to which they show the same image, of 255."""


@dataclass(frozen=True)
class Known:
    """A sample: its row, its size, and its image file."""

    row: Mapping[str, Any]
    image: Path

    @property
    def id(self) -> str:
        return str(self.row["id"])

    @property
    def question(self) -> str:
        return str(self.row.get("question") or "")

    @property
    def options(self) -> Sequence[str]:
        return [str(text) for text in (self.row.get("options") or {}).values()]

    def options_in(self, text: str) -> bool:
        """Whether a text has every option behind its letter; True for a sample without options."""
        pairs = (self.row.get("options") or {}).items()
        return all(
            re.search(rf'\b{re.escape(letter)}["\s]*[.):]["\s]*{re.escape(str(one))}', text) for letter, one in pairs
        )

    def named_in(self, text: str) -> bool:
        """Whether a text has every option, with any letter or none."""
        return all(option in text for option in self.options)

    @property
    def size(self) -> tuple[int, int]:
        return int(self.row["width"]), int(self.row["height"])

    @property
    def answers(self) -> tuple[str, ...]:
        """The gold letter, or the accepted texts."""
        given = self.row.get("answer")
        return tuple(map(str, given)) if isinstance(given, list) else (str(given or ""),)

    @property
    def fact(self) -> str:
        """The content of the evidence: the text of the gold option, or the answer."""
        return str((self.row.get("options") or {}).get(self.answers[0]) or self.answers[0])

    @cached_property
    def gold_boxes(self) -> Sequence[Number4]:
        """In pixels of the original."""
        return [box for entry in self.row.get("gold_boxes") or () if (box := corners_in(entry))]

    @cached_property
    def evidence(self) -> Sequence[Picture]:
        """The pixels of each gold box."""
        whole = decode(self.image.read_bytes())
        return [crop(whole, Box(*box)) for box in self.gold_boxes]

    @cached_property
    def surroundings(self) -> Picture:
        """The pixels around all gold boxes."""
        return gold_region(decode(self.image.read_bytes()), self.gold_boxes)

    @cached_property
    def thumbnail(self) -> Picture:
        return _thumbnail(decode(self.image.read_bytes()))


@dataclass(frozen=True)
class Recorded:
    """The samples of a folder with ``samples.jsonl`` and ``trajectories.jsonl``, and its runs by agent and sample."""

    samples: Sequence[Known]
    runs: Mapping[str, Mapping[str, Mapping[str, Any]]]

    @classmethod
    def read(cls, folder: Path = DEMO) -> Recorded:
        """Read a folder. Raises ``OSError`` and ``ValueError`` for files that are missing or of another form."""
        samples = [Known(row, folder / str(row["image"])) for row in _rows(folder / "samples.jsonl")]
        runs: dict[str, dict[str, Mapping[str, Any]]] = {}
        for row in _rows(folder / "trajectories.jsonl"):
            if not row.get("condition"):
                runs.setdefault(str(row["model"]), {}).setdefault(str(row["sample_id"]), row)
        return cls(samples, runs)

    def sample_of(self, text: str, images: Sequence[SentImage], *, planning: bool) -> Known | None:
        """The sample that a request is about: by its question and options, else by its image; None if it is unknown.
        ``planning``: only samples with tools."""
        among = [one for one in self.samples if one.row.get("targets")] if planning else self.samples
        asked = [one for one in among if one.question and one.question in text]
        asked = [one for one in asked if one.options_in(text)] or [one for one in asked if one.named_in(text)]
        most = max((len(one.options) for one in asked), default=0)
        asked = [one for one in asked if len(one.options) == most]
        if len(asked) == 1:
            return asked[0]
        return self._by_image(asked or among, images)

    @staticmethod
    def _by_image(among: Sequence[Known], images: Sequence[SentImage]) -> Known | None:
        if not images:
            return None
        try:
            seen = _thumbnail(decode(images[0].data))
        except PictureProblem:
            return None
        apart = [(float(np.abs(one.thumbnail.astype(float) - seen).mean()), number) for number, one in enumerate(among)]
        if not apart or min(apart)[0] > _NEAR:
            return None
        return among[min(apart)[1]]


def _thumbnail(picture: Picture) -> Picture:
    return scaled(picture, _SIDE, _SIDE)


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)
