"""A person's decision on the meaning of an answer. It takes precedence over all rules that read it
(docs/metrics.md#answers).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evaluation.metrics.answers import AnswerColumns, digest, key_digest
from evaluation.metrics.columns import FALSE, TRUE, AnswerKey, Decision, Ints, VerdictBy
from evaluation.schema import DecisionWord


def holds(decision: Decision, text: str | None, key: AnswerKey) -> bool:
    """Whether a decision is about this text under this key."""
    return decision.text_digest == text_digest(text) and decision.key_digest == key_digest(key)


def text_digest(text: str | None) -> str:
    """128 bits of a raw answer."""
    return digest(text or "")


def with_decisions(
    answers: AnswerColumns,
    texts: Sequence[str | None],
    keys: Sequence[AnswerKey],
    key: Ints,
    decided: Mapping[int, Decision],
) -> AnswerColumns:
    """``answers`` (n rows) with the decisions of people applied.

    ``decided``: by row. ``key``: each answer's row in ``keys``. A blank answer stays incorrect. An answer without a
    gold answer stays undefined, but has the letter."""
    rows = [row for row, one in decided.items() if _applies(one, texts[row], keys[key[row]], answers, row)]
    if not rows:
        return answers
    correct, letter = answers.correct.copy(), list(answers.letter)
    undecided, unread, by = answers.undecided.copy(), answers.unread.copy(), answers.verdict_by.copy()
    reason, group = list(answers.unread_reason), list(answers.answer_group)
    for row in rows:
        one, about = decided[row], keys[key[row]]
        if about.multiple_choice:
            letter[row] = one.letter
        if about.accepted:
            correct[row] = TRUE if _is_correct(one, about) else FALSE
            undecided[row] = unread[row] = False
            by[row] = VerdictBy.PERSON
            reason[row] = group[row] = ""
    return replace(
        answers, correct=correct, letter=letter, undecided=undecided, unread=unread, unread_reason=reason,
        answer_group=group, verdict_by=by,
    )  # fmt: skip


def _applies(one: Decision, text: str | None, key: AnswerKey, answers: AnswerColumns, row: int) -> bool:
    return one.word != DecisionWord.LEAVE and not answers.missing_answer[row] and holds(one, text, key)


def _is_correct(one: Decision, key: AnswerKey) -> bool:
    """Return whether the decided answer is correct by the current gold."""
    if one.letter:
        return one.letter in {accepted.strip().upper() for accepted in key.accepted}
    return one.word == DecisionWord.SAME
