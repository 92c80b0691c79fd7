"""Answers that repeat a value which a tool printed. Source: docs/query.md#failures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from evaluation.metrics.columns import FALSE, AnswerKey, Bools, Ints, SampleColumns, ScoreColumns
from evaluation.metrics.reading.comparing import folded
from evaluation.metrics.reading.numbers import number_of

MOST_PRINTED = 20_000
"""Characters of one result that are looked at, from its beginning."""
_SIZE = re.compile(r"\d+\s*[×x]\s*\d+")
_NUMBER = re.compile(r"(?<![\w./\\:+-])[-+]?\d+(?:[.,]\d+)*(?![\w/\\:]|[.,-]\w)")
_QUOTED = re.compile(r"\"([^\"\n]+)\"|(?<!\w)'([^'\n]+)'(?!\w)")
_NAMED = re.compile(r"[:=]\s*([^:=\s][^:=]*)$")


def printed_values(text: str) -> Iterator[str]:
    """The values in the result of a tool: separate numbers, texts in quotes, whole lines, and what follows the last
    colon or equals sign of a line. A number within a word, a path, a size or a date is not separate.

    Example: "Contours: 12, saved as /out/3.png" has 12 and not 3; "label = 'stop'" has stop.
    """
    text = text[:MOST_PRINTED]
    yield from _NUMBER.findall(_SIZE.sub("x", text))
    for found in _QUOTED.finditer(text):
        yield found[1] or found[2]
    for line in text.splitlines():
        yield line
        if named := _NAMED.search(line):
            yield named[1]


def repeats_result(said: str, results: Iterable[str]) -> bool:
    """Return whether ``said``, the value of an answer, is a value in one of these results: an equal number in any unit,
    or the same text (``folded``). A blank value repeats nothing.

    Example: "12 contours" and "12.0" repeat "Contours: 12"; "1" does not.
    """
    text, number = folded(said), number_of(said)
    printed = (value for result in results for value in printed_values(result))
    if number is None:
        return bool(text) and any(folded(value) == text for value in printed)
    return any(other is not None and other.value == number.value for other in map(number_of, printed))


def answer_value(letter: str, key: AnswerKey) -> str:
    """Return the content of an answer: the text of the option read, or the value of an open answer; ""
    without either.
    """
    return key.options.get(letter, "") if key.multiple_choice else letter


def wrong_after_calls(scores: ScoreColumns) -> Ints:
    """The rows whose answer is incorrect, and whose trajectory made a call: those that may repeat a result."""
    rows: Ints = np.flatnonzero((scores.correct == FALSE) & ~scores.missing_answer & (scores.calls > 0))
    return rows


def copied_results(samples: SampleColumns, scores: ScoreColumns, results: Mapping[int, Sequence[str]]) -> Bools:
    """(n,) Whether the answer is incorrect and repeats a value that a tool printed.

    ``results``: by row, what the successful calls of the trajectory printed; of ``wrong_after_calls``, all that did.
    """
    copied = np.zeros(len(scores), np.bool_)
    for row in set(wrong_after_calls(scores).tolist()) & results.keys():
        said = answer_value(scores.letter[row], samples.answers[scores.sample[row]])
        copied[row] = repeats_result(said, results[row])
    return copied
