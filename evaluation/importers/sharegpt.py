"""Dialogues of ``from`` and ``value``, as ShareGPT and LLaVA write them: human and gpt, with tools and observations.

- A record has ``conversations``, an id and the name of its image; the mark ``<image>`` represents an image.
- Calls are tagged texts, or turns from ``function_call`` that hold a call as JSON; observations answer them in turn.
- The space of boxes is declared nowhere: pixels, unless ``coordinates`` says otherwise.
- The answer is the text after the last call.
"""

from __future__ import annotations

import re
from pathlib import Path

from evaluation.importers.dialogues import read_chats
from evaluation.importers.interface import Detection, Read, ReadOptions, SampleIndex

NAME = "sharegpt"
MODEL = "unnamed"
_SPEAKER = re.compile(rb'"from"\s*:\s*"(?:human|gpt|model|observation|function_call)"')


def detect(head: bytes, name: str) -> Detection:
    """Turns from human and gpt, with a value each."""
    found = b'"value"' in head and len(set(_SPEAKER.findall(head))) > 1
    return Detection(NAME, 0.75 if found else 0.0, ("Its turns are from human and gpt.",) if found else ())


def read(path: Path, options: ReadOptions, samples: SampleIndex) -> Read:
    """All trajectories of ``path``. Raises ``ImportProblem`` when there is no dialogue at all."""
    return read_chats(path, options, samples, model=MODEL)
