"""Dialogues of ``from`` and ``value``, as ShareGPT and LLaVA write them: human and gpt, with tools and observations.

- A record has ``conversations``, an id and the name of its picture; the mark ``<image>`` stands for a picture.
- Calls are tagged texts, or turns from ``function_call`` that hold a call as JSON; observations answer them in turn.
- The space of boxes is declared nowhere: pixels, unless ``coordinates`` says otherwise.
- The answer is the text after the last call.
"""

from __future__ import annotations

import re
from pathlib import Path

from annotation.importers.fields import Report
from evaluation.importers.dialogues import NO_TURNS, Dialogue, read_dialogues, trajectory_of
from evaluation.importers.interface import BoxSpace, Detection, Read, ReadOptions, SampleIndex
from evaluation.importers.messages import Exchange
from evaluation.importers.tool_steps import step_of
from evaluation.importers.zooming import Pictures
from evaluation.schema import Step, Trajectory

NAME = "sharegpt"
MODEL = "unnamed"
_SPEAKER = re.compile(rb'"from"\s*:\s*"(?:human|gpt|model|observation|function_call)"')


def detect(head: bytes, name: str) -> Detection:
    """Turns from human and gpt, with a value each."""
    found = b'"value"' in head and len(set(_SPEAKER.findall(head))) > 1
    return Detection(NAME, 0.75 if found else 0.0, ("Its turns are from human and gpt.",) if found else ())


def read(path: Path, options: ReadOptions, samples: SampleIndex) -> Read:
    """All trajectories of ``path``. Raises ``ImportProblem`` when there is no dialogue at all."""

    def step(exchange: Exchange, pictures: Pictures, report: Report) -> Step:
        return step_of(exchange, pictures, options.coordinates or BoxSpace(), report)

    def convert(dialogue: Dialogue, report: Report) -> Trajectory:
        return trajectory_of(dialogue, options, samples, report, model=MODEL, step=step)

    return read_dialogues(path, options, convert, f"{path.name} holds {NO_TURNS}")
