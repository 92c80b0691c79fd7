"""Chat completions with tools, as OpenAI's interface writes them: ``tool_calls`` answered by id.

- A dialogue is a JSON list of messages: alone in a file, one to a line, or under ``messages`` of an object with an id.
- Arguments are a text that may be cut off: such a call is a failed step with the text kept.
- The space of boxes is declared nowhere: pixels, unless ``coordinates`` says otherwise.
- Nothing tells from which picture a crop was cut. An argument that names one by its number (``img_idx``,
  ``image_index``, ``target_image`` from 1) is believed; otherwise it is the original.
- The answer is the text after the last call.
"""

from __future__ import annotations

from pathlib import Path

from evaluation.importers.dialogues import read_chats
from evaluation.importers.interface import Detection, Read, ReadOptions, SampleIndex

MODEL = "unnamed"


def detect(head: bytes, name: str) -> Detection:
    """Messages whose calls stand under ``tool_calls``, outside of a log of Inspect AI or a benchmark."""
    found = b'"role"' in head and b'"tool_calls"' in head and b'"eval"' not in head and b'"gt_answer"' not in head
    return Detection("openai-chat", 0.7 if found else 0.0, ("Its messages have tool_calls.",) if found else ())


def read(path: Path, options: ReadOptions, samples: SampleIndex) -> Read:
    """All trajectories of ``path``. Raises ``ImportProblem`` when there is no dialogue at all."""
    return read_chats(path, options, samples, model=MODEL)
