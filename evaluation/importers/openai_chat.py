"""Chats with tools, as the interfaces of OpenAI (completions, Responses) and Anthropic write them: calls and replies by
id, alone or in the records of a batch.

- A dialogue is a JSON list of messages: alone in a file, one to a line, or under ``messages`` of an object with an id.
- Arguments are a text that may be cut off: such a call is a failed step with the text kept.
- The space of boxes is declared nowhere: pixels, unless ``coordinates`` says otherwise.
- The image that was cropped is not recorded. If an argument names one by its number (``img_idx``,
  ``image_index``, ``target_image`` from 1), it is used; otherwise it is the original.
- The answer is the text after the last call.
"""

from __future__ import annotations

from pathlib import Path

from evaluation.importers.dialogues import read_chats
from evaluation.importers.interface import Detection, Read, ReadOptions, SampleIndex

MODEL = "unnamed"


_TELLING = (
    ((b'"function_call_output"', b'"call_id"'), "Its items are function_call and function_call_output."),
    ((b'"output_text"', b'"response"'), "Its answers are output_text of responses."),
    ((b'"role"', b'"tool_use"'), "Its messages have blocks of tool_use."),
    ((b'"role"', b'"tool_calls"'), "Its messages have tool_calls."),
    ((b'"custom_id"', b'"choices"', b'"message"'), "Its responses are of a batch of chat completions."),
)
"""Texts in the beginning of a file of one of these interfaces."""
_OTHERS = (b'"eval"', b'"gt_answer"', b'"observations"')
"""Other keys next to such messages in logs of Inspect AI, benchmarks and traces."""


def detect(head: bytes, name: str) -> Detection:
    """Messages with calls as one of these interfaces writes them, outside of a log of another kind."""
    if not any(sign in head for sign in _OTHERS):
        for signs, reason in _TELLING:
            if all(sign in head for sign in signs):
                return Detection("openai-chat", 0.7, (reason,))
    return Detection("openai-chat", 0.0)


def read(path: Path, options: ReadOptions, samples: SampleIndex) -> Read:
    """All trajectories of ``path``. Raises ``ImportProblem`` when there is no dialogue at all."""
    return read_chats(path, options, samples, model=MODEL)
