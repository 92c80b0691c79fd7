"""How replies of tools begin that say that a call failed, in all systems read here: one list, so that a call that
failed in one format fails in every other."""

from __future__ import annotations

_BEGINNINGS = (
    "error", "an error occurred", "tool execution error", "failed", "**action required**",
)  # fmt: skip
"""Qwen-Agent writes the second and third, VTC-Bench "failed to run" and the last; the others are common.
"""


def says_failure(reply: str | None) -> bool:
    """Whether a reply says that the call failed; a call without any reply failed too.

    >>> says_failure("Error: box outside"), says_failure("done"), says_failure(None)
    (True, False, True)
    """
    return reply is None or reply.lstrip().lower().startswith(_BEGINNINGS)
