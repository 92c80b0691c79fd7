"""Active time: what a page reports as worked, and how much of it is granted. Moments are seconds of one clock."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Span = tuple[float, float]
"""From one moment to a later one."""

SLACK = 2.0
"""Seconds that a report may reach back before the previous one, as it takes time to arrive."""
KEPT = 12 * 3600.0
"""So far back a report can reach, and so long spans are kept that were counted already."""
MOST_SPANS = 1000
"""Of one report. Spans are at least a minute apart, so 12 hours have fewer."""


@dataclass(frozen=True, slots=True)
class Grant:
    """The time that a report adds: ``seconds``; ``counted`` is all counted time of this person from now on."""

    seconds: float
    counted: list[Span]


def merged(spans: Iterable[Span]) -> list[Span]:
    """The same time as spans that neither touch nor overlap, in order.

    >>> merged([(5, 9), (0, 5), (20, 30)])
    [(0, 9), (20, 30)]
    """
    found: list[Span] = []
    for begin, end in sorted(span for span in spans if span[1] > span[0]):
        if found and begin <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((begin, end))
    return found


def length(spans: Iterable[Span]) -> float:
    """Seconds that are in any of the spans, each counted once."""
    return sum(end - begin for begin, end in merged(spans))


def clipped(spans: Iterable[Span], begin: float, end: float) -> list[Span]:
    """The parts of the spans between two moments."""
    return [(max(a, begin), min(b, end)) for a, b in spans if min(b, end) > max(a, begin)]


def grant(ago: Sequence[Span], *, now: float, since: float, counted: Sequence[Span]) -> Grant:
    """Return the time that a report of the spans ``ago`` adds. Each is (seconds ago when it began, seconds ago when it
    ended).

    Time before ``since``, the previous report of the same page, and what is ``counted`` already for the same person on
    any page adds nothing. A report therefore adds at most the time since the previous one and ``SLACK``.
    """
    oldest = now - KEPT
    claimed = clipped([(now - begin, now - end) for begin, end in ago], max(since - SLACK, oldest), now)
    before = merged(clipped(counted, oldest, float("inf")))
    after = merged([*before, *claimed])
    return Grant(max(0.0, length(after) - length(before)), after)
