"""Reading what models answered: speed of one core, and how time grows with the length of a hostile text.

Limit: what one pass of a small regular expression over the same texts needs.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence

from bench.options import Options
from bench.rows import Row
from evaluation.metrics.columns import AnswerKey
from evaluation.metrics.reading import read_answer
from evaluation.metrics.settings import MetricSettings

RATE = 20_000
"""Answers of 200 characters a second."""
GROWTH = 2.3
"""Times as long for twice the text."""
LENGTH = 200
_BEFORE = (
    "I looked at the region near the table on the {} side and I can see a small handle with a rounded rim on top of the"
    " object that stands there, in front of the wall. The light falls from above. "
)
_ENDS = (
    "The correct answer is B.", "B. cup", "Therefore, the answer is:\n\n**B. cup**", "So it is B.",
    "<answer>B</answer>", "I cannot tell from this picture.", "Answer: (B)", "\\boxed{B}",
)  # fmt: skip
_HOSTILE = (" ", "(", "\\boxed{", "answer is ")
_CHOICE = AnswerKey(True, {"A": "kettle", "B": "cup", "C": "lamp", "D": "vase"}, ("B",))
_OPEN = AnswerKey(False, {}, ("17",))


def measure(options: Options) -> Iterator[Row]:
    count = 200 if options.small else 20_000
    texts = [_text(number) for number in range(count)]
    note = f"a search of the same texts for a capital letter takes {_searching(texts):,.1f} µs each"
    for name, key in (("with options", _CHOICE), ("open", _OPEN)):
        rate = count / _taken(texts, key)
        yield Row("answers", f"answers of {LENGTH} characters, {name}", rate, "a second", RATE, False, note)
    size = 20_000 if options.small else 1_000_000
    for unit in _HOSTILE:
        single = _taken([unit * (size // len(unit))], _CHOICE)
        double = _taken([unit * (2 * size // len(unit))], _CHOICE)
        words = f"{single:.2f} s for {size / 1e6:g} MB"
        yield Row("answers", f"twice as much of {unit!r}", double / single, "times as long", GROWTH, limit=words)


def _text(number: int) -> str:
    """An answer of about ``LENGTH`` characters; no two are equal."""
    end = _ENDS[number % len(_ENDS)]
    return _BEFORE.format(number)[: LENGTH - len(end) - 1] + " " + end


def _taken(texts: Sequence[str], key: AnswerKey) -> float:
    settings = MetricSettings()
    begun = time.process_time()
    for text in texts:
        read_answer(text, key, settings)
    return max(time.process_time() - begun, 1e-6)


def _searching(texts: Sequence[str]) -> float:
    pattern = re.compile(r"\b[A-D]\b")
    begun = time.process_time()
    for text in texts:
        pattern.findall(text)
    return (time.process_time() - begun) / len(texts) * 1e6
