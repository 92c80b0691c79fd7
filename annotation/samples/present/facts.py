"""The facts under a benchmark's title, with small charts. The same numbers as ``describe_benchmark``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median

import numpy as np
from django.utils.translation import gettext, ngettext

from annotation.common.words import STATE_WORDS
from annotation.models import Benchmark
from annotation.schema import AnswerType
from annotation.workflow import SampleState

AREA_EDGES = (0.0, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 1.0)
"""Limits of the bars of evidence areas, as shares of the image: two per factor of ten."""
LONGEST_BAR = 8
"""The last bar of the reference toolchains includes all longer ones."""
WIDTH, HEIGHT, GAP = 150.0, 32.0, 2.0


@dataclass(frozen=True)
class Column:
    """One bar of a histogram, in units of its drawing; ``marked``: it contains the median."""

    x: float
    y: float
    width: float
    height: float
    label: str
    marked: bool = False


@dataclass(frozen=True)
class StateCount:
    state: str
    sign: str
    word: str
    count: int


@dataclass(frozen=True)
class Facts:
    """The facts; medians and means are None if they are undefined."""

    states: list[StateCount]
    samples: int
    pictures: int
    median_share: float | None
    shares_n: int
    share_bars: list[Column]
    choice: int
    open: int
    chain_mean: float | None
    chains_n: int
    chain_bars: list[Column]

    @property
    def accepted(self) -> int:
        """Samples that are accepted."""
        return self.bar[0]

    @property
    def bar(self) -> list[int]:
        """The parts of the stacked bar: accepted, in review, in progress (draft or returned), to do, discarded."""
        counts = {row.state: row.count for row in self.states}
        begun = counts[SampleState.DRAFT] + counts[SampleState.RETURNED]
        ends = [counts[SampleState.TO_DO], counts[SampleState.DISCARDED]]
        waits = counts[SampleState.IN_REVIEW] + counts[SampleState.DISPUTED]
        return [counts[SampleState.ACCEPTED], waits, begun, *ends]


def facts_of(benchmark: Benchmark) -> Facts:
    """Load the facts with four queries: states, answers and reference toolchains, images, shares."""
    states, answers, chained = benchmark.samples.by_state(), Counter[str](), Counter[int]()
    for answer_type, calls, n in benchmark.samples.by_gold():
        answers[answer_type] += n
        if calls is not None:
            chained[calls] += n
    known = benchmark.samples.filter(evidence_share__isnull=False).order_by()
    shares = list(known.values_list("evidence_share", flat=True))
    lengths = dict(sorted(chained.items()))
    chains = [length for length, n in lengths.items() for _ in range(n)]
    return Facts(
        states=[
            StateCount(state, sign, str(word), states.get(state, 0)) for state, (sign, word) in STATE_WORDS.items()
        ],
        samples=sum(states.values()),
        pictures=benchmark.samples.filter(image__isnull=False).values("image").distinct().count(),
        median_share=median(shares) if shares else None,
        shares_n=len(shares),
        share_bars=share_bars(shares),
        choice=answers[AnswerType.MULTIPLE_CHOICE],
        open=answers[AnswerType.OPEN],
        chain_mean=fmean(chains) if chains else None,
        chains_n=len(chains),
        chain_bars=chain_bars(lengths),
    )


def share_bars(shares: Sequence[float]) -> list[Column]:
    """Return bars of evidence areas on a log axis. A share belongs to the bar whose lower limit it reaches."""
    if not shares:
        return []
    ends = list(pairwise(AREA_EDGES))
    # Only a share of 1 is special: numpy's last bar includes its upper limit.
    counts = np.histogram(shares, AREA_EDGES)[0].tolist()
    message = gettext("%(low)s to %(high)s%%: %(samples)s")
    labels = [
        message % {"low": f"{100 * low:g}", "high": f"{100 * high:g}", "samples": _samples(n)}
        for (low, high), n in zip(ends, counts, strict=True)
    ]
    middle = median(shares)
    return columns(counts, labels, [low <= middle < high for low, high in ends])


def chain_bars(lengths: dict[int, int]) -> list[Column]:
    """Return bars of reference toolchains by number of calls, 1 to 8; longer ones are in the last."""
    if not lengths:
        return []
    counts = [lengths.get(n, 0) for n in range(1, LONGEST_BAR)]
    counts.append(sum(n for length, n in lengths.items() if length >= LONGEST_BAR))
    names = [ngettext("%(count)s call", "%(count)s calls", n) % {"count": n} for n in range(1, LONGEST_BAR)]
    names.append(gettext("%(count)s calls or more") % {"count": LONGEST_BAR})
    labels = [f"{name}: {_samples(n)}" for name, n in zip(names, counts, strict=True)]
    return columns(counts, labels, [False] * len(counts))


def _samples(count: int) -> str:
    return ngettext("%(count)s sample", "%(count)s samples", count) % {"count": count}


def columns(counts: Sequence[int], labels: Iterable[str], marked: Iterable[bool]) -> list[Column]:
    """Return adjacent bars, the largest as high as the drawing. Bars with a count above 0 are always visible."""
    largest, step = max(counts) or 1, WIDTH / len(counts)
    heights = [max(1.0, HEIGHT * n / largest) if n else 0.0 for n in counts]
    return [
        Column(round(i * step, 2), round(HEIGHT - height, 2), round(step - GAP, 2), round(height, 2), label, mark)
        for i, (height, label, mark) in enumerate(zip(heights, labels, marked, strict=True))
    ]
