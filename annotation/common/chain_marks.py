"""The mark that the end of a toolchain was verified, as pages show it."""

from __future__ import annotations

from typing import Any

from annotation.models import VerifiedChain


def mark_json(mark: VerifiedChain | None) -> dict[str, Any] | None:
    """A verification of a toolchain: who, when, for which answer, how, and what was measured or answered."""
    if mark is None:
        return None
    return {
        "by": str(mark.person), "at": mark.created_at.isoformat(), "how": mark.how, "reason": mark.reason,
        "answer": mark.answer.splitlines(), "observed": mark.observed,
    }  # fmt: skip
