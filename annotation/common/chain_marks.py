"""The mark that a chain was verified, as pages show it."""

from __future__ import annotations

from typing import Any

from annotation.chain_answers import compare
from annotation.models import VerifiedChain


def mark_json(mark: VerifiedChain | None) -> dict[str, Any] | None:
    """A verification of a toolchain: who, when, for which answer, and how (measured, or confirmed by eye)."""
    if mark is None:
        return None
    measured = compare(mark.measurements, mark.answer.splitlines()).measured
    return {
        "by": str(mark.person), "at": mark.created_at.isoformat(), "kind": mark.kind, "reason": mark.reason,
        "answer": mark.answer.splitlines(), "measured": measured,
    }  # fmt: skip
