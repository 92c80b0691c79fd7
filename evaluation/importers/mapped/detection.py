"""Telling a log of tool calls that no format fits from its first bytes; and what to ask of a person then."""

from __future__ import annotations

from annotation.importers.sources import HEAD_BYTES
from evaluation.importers.interface import Detection
from evaluation.importers.mapped.outline import outline_in
from evaluation.importers.mapped.paths import EVERY
from evaluation.importers.mapped.proposals import propose

NAME = "mapped"
KEYS = ("samples", "trajectories", "interventions", "judgements", "rollout_groups")
"""Lists of the native format: a file of these alone is no log that no format fits."""
CALLS, ROWS = 0.45, 0.15
"""The confidence of a detection. It is never high enough to read a file without asking, because a person must map its
keys.
"""


def detect(head: bytes, name: str) -> Detection:
    """Any JSON that holds objects; likelier with calls of tools in them."""
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
        return Detection(NAME, 0.0)
    outline = outline_in(head[:HEAD_BYTES], name)
    if not any(node.types["object"] for node in outline.tree().walk()):
        return Detection(NAME, 0.0)
    proposed = propose(outline)
    native = proposed.rows.steps[:1] in [(key,) for key in KEYS]
    rows = str(proposed.rows) if proposed.rows.steps else "each line" if outline.lines else "the file itself"
    reasons = [f"It is JSON; its rows may be {rows}."]
    calls = proposed.paths.get("calls")
    if calls and EVERY in calls.steps and ("box" in proposed.paths or "tool" in proposed.paths):
        reasons.append(f"Tools are called in {calls}.")
    elif native:
        return Detection(NAME, 0.0)
    reasons.append("You map its keys.")
    return Detection(NAME, CALLS if len(reasons) == 3 else ROWS, tuple(reasons))
