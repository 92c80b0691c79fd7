"""What a scripted agent is given: the question, and how every possible answer would look. Never which one is right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from annotation.imaging.crops import Picture
from annotation.schema import Box, SampleRecord
from demo.scenes.benchmark import DemoBenchmark, Wall
from demo.scenes.evidence import Evidence
from demo.scenes.hand_tools import TOOLS, kind_of, tool_patch
from demo.scenes.raster import picture_of


@dataclass(frozen=True, eq=False)
class Piece:
    """A piece of evidence: its appearance for each value it could show, as images of one size at full resolution."""

    values: Mapping[str, Picture]


@dataclass(frozen=True, eq=False)
class ToolBank:
    """The hand tools somebody knows, by kind, each as it would look on one wall at full resolution.

    ``plates``: for each kind of which several hang there, their names, and how the plate below each could look.
    """

    looks: Mapping[str, Picture]
    plates: Mapping[str, Mapping[str, Piece]]


@dataclass(frozen=True)
class AgentSample:
    """One sample as an agent meets it.

    ``answers`` maps the values of the pieces, in order, to an answer text. ``tools`` are the tools of the bank as they
    would look on this wall; None unless the sample asks for a plan. ``gold_boxes`` is there for the oracle alone; the
    others run the same without it.
    """

    id: str
    question: str
    options: Mapping[str, str]
    pieces: tuple[Piece, ...] = ()
    answers: Mapping[tuple[str, ...], str] | None = None
    tools: ToolBank | None = None
    gold_boxes: tuple[Box, ...] = ()

    def without_gold(self) -> AgentSample:
        return replace(self, gold_boxes=())


def agent_sample(record: SampleRecord, benchmark: DemoBenchmark) -> AgentSample:
    """Draws what the agent may compare with. Raises ``KeyError`` when the sample is not of this benchmark."""
    looks = benchmark.looks[record.id]
    content = record.content
    tools = tool_bank(looks.wall) if looks.wall else None
    pieces = () if tools else tuple(piece_of(part) for part in looks.parts)
    return AgentSample(record.id, content.question, content.options, pieces, looks.answers, tools, content.gold_boxes)


@lru_cache(maxsize=2)
def tool_bank(wall: Wall) -> ToolBank:
    """Drawn once for all samples of a wall."""
    plates: dict[str, dict[str, Piece]] = {}
    for name, plate in wall.plates.items():
        plates.setdefault(kind_of(name), {})[name] = piece_of(plate)
    return ToolBank({kind: picture_of(tool_patch(kind, wall.back)) for kind in TOOLS}, plates)


def piece_of(part: Evidence) -> Piece:
    return Piece({value: picture_of(part.patch(value)) for value in part.values})
