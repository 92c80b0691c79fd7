"""What the marks of people show about the end of a toolchain. It is computed from what was measured and answered, never
read from the mark: a file can contain any mark.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from annotation.chain_answers import compare, is_answer
from annotation.models import VerifiedChain
from annotation.schema import SampleContent


def verifies(mark: VerifiedChain, content: SampleContent) -> bool:
    """Return whether the mark verifies that the toolchain ends at the answer of the content. A measurement that can be
    compared decides, also against a person who answered from the last image. A person who only saw the end can be
    mistaken: "two" next to 4 components was confirmed before.
    """
    agrees = compare(mark.measurements, content).agrees
    if mark.how == VerifiedChain.How.BLIND:
        return agrees is not False and is_answer(mark.observed, content)
    return mark.how == VerifiedChain.How.MEASURED and agrees is True


def is_shown(mark: VerifiedChain, content: SampleContent) -> bool:
    """The same, or a person saw that the end shows the answer. Enough where no verified end is required."""
    return mark.how == VerifiedChain.How.SEEN or verifies(mark, content)


def best_mark(marks: Iterable[VerifiedChain], content: SampleContent) -> VerifiedChain | None:
    """Return the mark of a toolchain to show: one that verifies its end, else one by sight, else one that shows another
    end; the first of equal ones.
    """
    return min(
        marks, key=lambda mark: (not verifies(mark, content), not is_shown(mark, content), mark.pk), default=None
    )


def mark_json(mark: VerifiedChain | None, content: SampleContent) -> dict[str, Any] | None:
    """A mark as pages show it: who, when, for which answer, how, and what was measured or answered.

    ``shows``: the end shows the answer; ``verifies``: it is also verified. ``measured``: the measurement that
    contradicts the gold answer that a person gave from the last image; "" without one.
    """
    if mark is None:
        return None
    found = compare(mark.measurements, content)
    by_answer = mark.how == VerifiedChain.How.BLIND and is_answer(mark.observed, content)
    return {
        "by": str(mark.person), "at": mark.created_at.isoformat(), "how": mark.how, "reason": mark.reason,
        "answer": mark.answer.splitlines(), "observed": mark.observed, "shows": is_shown(mark, content),
        "verifies": verifies(mark, content), "measured": found.observed if by_answer and found.agrees is False else "",
    }  # fmt: skip
