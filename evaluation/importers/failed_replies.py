"""Beginnings of tool replies that report a failed call, for all supported systems. A single list ensures that the same
failure is detected in every format.
"""

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
