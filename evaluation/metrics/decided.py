"""What a person decided that an answer says. It comes before every rule that reads it (docs/metrics.md#answers)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from evaluation.metrics.answers import AnswerColumns
from evaluation.metrics.columns import FALSE, TRUE, AnswerKey, Ints
from evaluation.schema import DecisionWord


@dataclass(frozen=True, slots=True)
class Decision:
    """What one answer says: the ``letter`` of an option, or a ``DecisionWord``. It is about the text and the key
    with these digests, and says nothing of others."""

    letter: str
    word: str
    text_digest: str
    key_digest: str

    def holds(self, text: str | None, key: AnswerKey) -> bool:
        """Whether it is about this text under this key."""
        return self.text_digest == text_digest(text) and self.key_digest == key_digest(key)

    def correct(self, key: AnswerKey) -> bool:
        """Whether what the answer says is correct by the gold of today. Not asked where it is left to a judge."""
        if self.letter:
            return self.letter in {accepted.strip().upper() for accepted in key.accepted}
        return self.word == DecisionWord.SAME


def text_digest(text: str | None) -> str:
    """128 bits of a raw answer."""
    return _digest(text or "")


def key_digest(key: AnswerKey) -> str:
    """128 bits of what a decision depends on: the options, or the accepted strings of an open answer. Gold of an answer
    with options is not in it: corrected gold keeps the decision."""
    about = ["options", sorted(key.options.items())] if key.multiple_choice else ["open", *key.accepted]
    return _digest(json.dumps(about))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def with_decisions(
    answers: AnswerColumns,
    texts: Sequence[str | None],
    keys: Sequence[AnswerKey],
    key: Ints,
    decided: Mapping[int, Decision],
) -> AnswerColumns:
    """``answers`` (n rows) as people decided them: ``decided`` by row, ``key`` each answer's row in ``keys``. A blank
    answer stays wrong; one without a gold answer stays undefined, and has the letter."""
    rows = [row for row, one in decided.items() if _applies(one, texts[row], keys[key[row]], answers, row)]
    if not rows:
        return answers
    correct, letter = answers.correct.copy(), list(answers.letter)
    undecided, unread = answers.undecided.copy(), answers.unread.copy()
    for row in rows:
        one, about = decided[row], keys[key[row]]
        if about.multiple_choice:
            letter[row] = one.letter
        if about.accepted:
            correct[row] = TRUE if one.correct(about) else FALSE
            undecided[row] = unread[row] = False
    return replace(answers, correct=correct, letter=letter, undecided=undecided, unread=unread)


def _applies(one: Decision, text: str | None, key: AnswerKey, answers: AnswerColumns, row: int) -> bool:
    return one.word != DecisionWord.LEAVE and not answers.missing_answer[row] and one.holds(text, key)
