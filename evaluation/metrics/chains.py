"""Toolchains of many trajectories compared with their references: chosen, confused and consecutive tools.

All tools are distinguished by canonical name. Each table takes the trajectories it is about; ``take`` selects some of
them first. Source of the quantities: docs/metrics.md#toolchain-metrics, #benchmark-statistics and #statistics.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np

from annotation.statistics import Interval
from evaluation.metrics.alignment import UNPAIRED
from evaluation.metrics.columns import Bools, Ints, RunColumns, SampleColumns, ScoreColumns
from evaluation.metrics.intervals import rate_interval
from evaluation.metrics.names import name_codes
from evaluation.metrics.ragged import different, positions_of, rows_of, spans, starts_of
from evaluation.metrics.references import chain_at

BETWEEN = ">"
"""Parts the two tools of a pair in its word; a name that holds it is written with a slash there."""
LONGEST_NAME = 60


@dataclass(frozen=True)
class Chains:
    """The calls of n trajectories, and the closest accepted toolchain of each sample as the reference.

    Attributes:
        names: vocabulary of canonical tool names, of calls and references alike.
        start, tool: ragged (s,) calls attempted, as codes into ``names``.
        effective: (s,) the call is on the effective toolchain.
        paired: (s,) index of the partner in the reference (see ``Alignment``), UNPAIRED for added calls.
        known: (n,) the sample has a reference toolchain.
        reference_start, reference: ragged (r,) calls of the reference, as codes into ``names``.
    """

    names: tuple[str, ...]
    start: Ints
    tool: Ints
    effective: Bools
    paired: Ints
    known: Bools
    reference_start: Ints
    reference: Ints

    def __len__(self) -> int:
        return len(self.known)

    def take(self, rows: Ints) -> Chains:
        """These trajectories, in this order."""
        calls, references = np.diff(self.start)[rows], np.diff(self.reference_start)[rows]
        steps, wanted = spans(self.start[rows], calls), spans(self.reference_start[rows], references)
        return Chains(
            self.names, starts_of(calls), self.tool[steps], self.effective[steps], self.paired[steps],
            self.known[rows], starts_of(references), self.reference[wanted],
        )  # fmt: skip


def chains_of(samples: SampleColumns, run: RunColumns, scores: ScoreColumns) -> Chains:
    """The toolchains of a scored run."""
    book: dict[str, int] = {}
    tool = name_codes(run.tools, book)[run.steps.tool] if len(run.steps) else np.empty(0, np.int64)
    held = zip(run.sample.tolist(), scores.reference_chain.tolist(), strict=True)
    references = [chain_at(samples, sample, place) for sample, place in held]
    reference = name_codes(list(chain.from_iterable(names or () for names in references)), book)
    return Chains(
        names=tuple(book),
        start=run.step_start,
        tool=tool,
        effective=scores.effective,
        paired=scores.paired,
        known=np.array([names is not None for names in references], bool),
        reference_start=starts_of(np.array([len(names or ()) for names in references], np.int64)),
        reference=reference,
    )


@dataclass(frozen=True, slots=True)
class Pair:
    """Two tools that are paired or consecutive: number of occurrences and of trajectories. "": none."""

    first: str
    second: str
    times: int
    trajectories: int


def confusion(chains: Chains) -> list[Pair]:
    """Return pairs of the reference's tool and the called tool, by the alignment with the fewest edits.

    ``first``: the tool of the reference, "" for a call that is added; ``second``: the tool called, "" for a call of the
    reference that is missing. Equal names are matches. Only trajectories whose sample has a reference toolchain are
    counted. In order of the names. Example: reference a, b, c against calls a, d: a-a 1, b-"" 1, c-d 1.
    """
    return _counted(chains, *_aligned(chains))


def transitions(chains: Chains) -> list[Pair]:
    """Return how often each tool is called after each other tool, over all attempted calls, in order of the names.

    ``first`` "": the toolchain begins; ``second`` "": it ends. A trajectory without a call is the pair ("", ""). The
    share of a pair among those with its ``first`` estimates P(next tool | tool). Example: calls a, a, b: ""-a 1, a-a 1,
    a-b 1, b-"" 1.
    """
    return _counted(chains, *_followed(chains))


def confusion_words(chains: Chains) -> list[str]:
    """For each trajectory its different pairs of ``confusion``, as words ``first>second`` with a line break around
    each; "" without a reference toolchain."""
    return _words(chains, *_aligned(chains))


def transition_words(chains: Chains) -> list[str]:
    """The same of ``transitions``."""
    return _words(chains, *_followed(chains))


def pair_word(first: str, second: str) -> str:
    """A pair as one word, of canonical names."""
    return f"{half_word(first)}{BETWEEN}{half_word(second)}"


def half_word(name: str) -> str:
    """A canonical name, escaped for the word of a pair."""
    return name[:LONGEST_NAME].replace(BETWEEN, "/")


@dataclass(frozen=True, slots=True)
class Choice:
    """Tool selection over samples with a reference toolchain: used and in the reference (``tp``), used only (``fp``),
    in the reference only (``fn``).

    ``precision`` = tp / (tp + fp), ``recall`` = tp / (tp + fn); None without denominator. Source:
    docs/metrics.md#statistics.
    """

    tool: str
    tp: int
    fp: int
    fn: int
    precision: float | None
    recall: float | None
    precision_interval: Interval | None
    recall_interval: Interval | None


def choices(chains: Chains, cluster: Ints | None) -> list[Choice]:
    """Precision and recall of each tool, repeats in a trajectory once, in order of the name.

    ``cluster`` (n,): which trajectories are about one image, for the intervals; None: each is alone.
    Example: reference crop, canny; calls crop, crop, blur: crop tp 1, canny fn 1, blur fp 1.
    """
    calls = np.flatnonzero(chains.known[rows_of(chains.start)])
    used = _by_tool(chains, chains.tool[calls], rows_of(chains.start)[calls])
    wanted = _by_tool(chains, chains.reference, rows_of(chains.reference_start))
    found = []
    for name, using, wanting in sorted(zip(chains.names, used, wanted, strict=True), key=lambda row: row[0]):
        if not len(using) and not len(wanting):
            continue
        right, asked = np.isin(using, wanting), np.isin(wanting, using)
        tp, fp, fn = int(right.sum()), int((~right).sum()), int((~asked).sum())
        found.append(
            Choice(
                name, tp, fp, fn, tp / len(using) if len(using) else None, tp / len(wanting) if len(wanting) else None,
                _interval(right, using, cluster), _interval(asked, wanting, cluster),
            )
        )  # fmt: skip
    return found


@dataclass(frozen=True, slots=True)
class Use:
    """A tool's ``calls``, their ``share`` of all calls attempted (0..1), and the trajectories that call it."""

    tool: str
    calls: int
    share: float
    trajectories: int


def uses(chains: Chains) -> list[Use]:
    """Return the tools of the calls, most called first; empty without a call. The shares sum to 1."""
    calls = np.bincount(chains.tool, minlength=len(chains.names)).tolist()
    owners = _by_tool(chains, chains.tool, rows_of(chains.start))
    rows = [
        Use(name, n, n / len(chains.tool), len(rows))
        for name, n, rows in zip(chains.names, calls, owners, strict=True)
        if n
    ]
    return sorted(rows, key=lambda row: (-row.calls, row.tool))


def _aligned(chains: Chains) -> tuple[Ints, Ints, Ints]:
    """Trajectory, code of the reference's tool, code of the tool called, of every pair; the code ``len(names)`` is
    none."""
    none, row = len(chains.names), rows_of(chains.start)
    counted = chains.known[row]
    beside = chains.paired != UNPAIRED
    at = chains.reference_start[row] + np.where(beside, chains.paired, 0)
    met = np.zeros(len(chains.reference), bool)
    met[at[beside]] = True
    first = np.full(len(row), none)
    first[beside] = chains.reference[at[beside]]
    missing = rows_of(chains.reference_start)[~met]
    return (
        np.concatenate([row[counted], missing]),
        np.concatenate([first[counted], chains.reference[~met]]),
        np.concatenate([chains.tool[counted], np.full(len(missing), none)]),
    )


def _followed(chains: Chains) -> tuple[Ints, Ints, Ints]:
    """The same for every call and its predecessor, and for every toolchain and its end."""
    none, row = len(chains.names), rows_of(chains.start)
    before = np.full(len(row), none)
    later = np.flatnonzero(positions_of(chains.start) > 0)
    before[later] = chains.tool[later - 1]
    last = np.full(len(chains), none)
    made = np.flatnonzero(np.diff(chains.start) > 0)
    last[made] = chains.tool[chains.start[1:][made] - 1]
    return (
        np.concatenate([row, np.arange(len(chains))]),
        np.concatenate([before, last]),
        np.concatenate([chains.tool, np.full(len(chains), none)]),
    )


def _by_tool(chains: Chains, tool: Ints, row: Ints) -> list[Ints]:
    """For each name the different trajectories among these calls, in order."""
    n = max(len(chains), 1)
    places = different(tool * n + row)
    bounds = np.searchsorted(places, np.arange(1, len(chains.names)) * n)
    return np.split(places % n, bounds) if chains.names else []


def _counted(chains: Chains, row: Ints, first: Ints, second: Ints) -> list[Pair]:
    width, names = len(chains.names) + 1, (*chains.names, "")
    n, code = max(len(chains), 1), first * width + second
    found, times = np.unique(code, return_counts=True)
    owners = np.unique(different(code * n + row) // n, return_counts=True)[1]
    counted = zip(found.tolist(), times.tolist(), owners.tolist(), strict=True)
    pairs = [Pair(names[at // width], names[at % width], calls, several) for at, calls, several in counted]
    return sorted(pairs, key=lambda pair: (pair.first, pair.second))


def _words(chains: Chains, row: Ints, first: Ints, second: Ints) -> list[str]:
    width, names = len(chains.names) + 1, (*chains.names, "")
    places = different(row * width * width + first * width + second)
    codes = (places % (width * width)).tolist()
    word = {code: pair_word(names[code // width], names[code % width]) for code in set(codes)}
    bounds = np.searchsorted(places // (width * width), np.arange(len(chains) + 1)).tolist()
    # Many trajectories have the same pairs.
    known: dict[tuple[int, ...], str] = {(): ""}
    texts = []
    for a, b in pairwise(bounds):
        pairs = tuple(codes[a:b])
        if pairs not in known:
            known[pairs] = "\n".join(["", *sorted(word[code] for code in pairs), ""])
        texts.append(known[pairs])
    return texts


def _interval(hits: Bools, rows: Ints, cluster: Ints | None) -> Interval | None:
    return rate_interval(hits.astype(np.float64), None if cluster is None else cluster[rows])
