"""The rules of released scorers, for meeting published numbers (docs/metrics.md#rules-of-released-scorers).

Each reads as its scorer does, against the gold letter. What a scorer leaves to a language model is undecided.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from evaluation.metrics.columns import AnswerKey
from evaluation.metrics.reading.record import NORMALIZED_LENGTH, Reading


@dataclass(frozen=True, slots=True)
class Released:
    """One scorer: the location of its code, how it reads, and whether a model judges what it cannot read.

    Without such a model, unread answers are incorrect."""

    name: str
    source: str
    read: Callable[[str, AnswerKey], Reading]
    asks_model: bool = True


def _gold(key: AnswerKey) -> str:
    return key.accepted[0].strip().upper() if key.accepted else ""


def _made(text: str, letter: str, rule: str, start: int = 0, reason: str = "none") -> Reading:
    shown = text.strip()[:NORMALIZED_LENGTH]
    if not letter:
        return Reading("unread", normalized=shown, reason=reason)
    return Reading("read", letter, "", "text", rule, "exact", start, start + 1, shown)


def _open(text: str) -> Reading:
    bare = text.strip()
    start = text.index(bare)
    return Reading("read", "", bare, "text", "text", "exact", start, start + len(bare), bare[:NORMALIZED_LENGTH])


def _vtc(text: str, key: AnswerKey) -> Reading:
    """The first character, alone or before a stop, a space or a dash. Anything else is no gold letter: incorrect."""
    if not key.multiple_choice:
        return _open(text)
    bare = text.strip()
    if bare[0].isalpha() and (len(bare) == 1 or bare[1] in ". -"):
        return _made(text, bare[0].upper(), "vtc", text.index(bare))
    return _made(text, "", "vtc")


def _deepeyes(text: str, key: AnswerKey) -> Reading:
    r"""What follows the first ``\boxed{`` up to ``}``: one character, or two with a dot; else "L. option text"."""
    if not key.multiple_choice:
        return _open(text)
    said, start = text, 0
    if "\\boxed{" in text:
        start = text.index("\\boxed{") + len("\\boxed{")
        said = text[start:].split("}")[0]
    gold = _gold(key)
    if len(said) == 1:
        return _made(text, said, "deepeyes", start)
    if len(said) == 2 and "." in said:
        return _made(text, gold if gold and gold in said else said.replace(".", "") or ".", "deepeyes", start)
    words = f"{gold}. {key.options.get(gold, '')}"
    if gold and words in said:
        return _made(text, gold, "deepeyes", start + said.index(words))
    return _made(text, "", "deepeyes")


_SPACED = str.maketrans(dict.fromkeys(".()[],:;!*#{}", " "))
_REFUSED = (
    "Failed to obtain answer via API", "Sorry, I can't help with images of people yet.", "I can't process this file.",
    "I'm sorry, but without the image provided", "Cannot determine the answer",
)  # fmt: skip


def _vlmevalkit(text: str, key: AnswerKey) -> Reading:
    """Exactly one option's letter among the words, within the last four; else exactly one option's text in a short
    answer."""
    if not key.multiple_choice:
        return _open(text)
    if any(words in text for words in _REFUSED):
        return _made(text, "", "vlmevalkit", reason="refusal")
    words = text.translate(_SPACED).split()
    found = [letter for letter in key.options if letter in words]
    if len(found) == 1 and words.index(found[0]) > len(words) - 5:
        place = re.search(rf"(?:(?<=[\s.()\[\],:;!*#{{}}])|\A){re.escape(found[0])}(?=[\s.()\[\],:;!*#{{}}]|\Z)", text)
        return _made(text, found[0], "vlmevalkit", place.start() if place else 0)
    low = text.lower()
    if len(low) <= 2 * sum(len(words) for words in key.options.values()):
        held = [letter for letter, words in key.options.items() if words.lower() in low]
        if len(held) == 1:
            return _made(text, held[0], "vlmevalkit", low.index(key.options[held[0]].lower()))
    return _made(text, "", "vlmevalkit", reason="several" if len(found) > 1 else "none")


RELEASED = {
    one.name: one
    for one in (
        Released("vtc", "zhuzil/VTC-Bench, vlmeval/dataset/image_vqa.py", _vtc, asks_model=False),
        Released("deepeyes", "Visual-Agent/DeepEyes, eval/judge_result.py", _deepeyes),
        Released("vlmevalkit", "zhuzil/VTC-Bench, utils/matching_util.py", _vlmevalkit),
    )
}
"""By the value of the setting ``answer_reading``."""
