"""What was asked of this run of the benches."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    """``small``: sizes for a test, no results kept. ``full``: also what takes minutes. ``demo``: also the demo, from a
    fresh clone. ``writing``: also lists while others write."""

    small: bool = False
    full: bool = False
    demo: bool = False
    writing: bool = False
