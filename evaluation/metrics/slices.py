"""The slices of a benchmark: everything, each value of a facet, queries by number of targets, answers by calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.metrics.columns import Ints, SampleColumns, cached_per_sample_columns
from evaluation.metrics.plans import targets_of
from evaluation.metrics.ragged import different, spans, starts_of

WHOLE = ""
TARGETS, CALLS = "targets", "calls"
"""Facets computed here: number of targets of the query (1..5, 6+), number of calls of the trajectory (0..9, 10+)."""
MOST_TARGETS, MOST_CALLS = 6, 10
MOST_VALUES = 40
"""A facet with more values than this is not distinguished by value: each would say little of anything."""


@dataclass(frozen=True)
class Slice:
    """One value of a facet: the rows (trajectories) and the samples that have it, as indices."""

    by: str
    value: str
    rows: Ints
    samples: Ints


def slice_rows(
    samples: SampleColumns, row_sample: Ints, row_calls: Ints, only: Sequence[str] | None = None
) -> Iterator[Slice]:
    """The whole benchmark, then each value of each facet named in ``only`` (default: all), the computed ones included.

    ``row_sample``, ``row_calls``: (r,) sample and number of calls of each row. A sample with several values of a facet
    (``segment``) is in several slices; one without a value in none.
    """
    yield Slice(WHOLE, "", np.arange(len(row_sample)), np.arange(len(samples)))
    facets = _facets(samples)
    for name, facet in facets.items():
        if only is None or name in only:
            yield from _sliced(name, facet, row_sample)
    if CALLS not in facets and (only is None or CALLS in only):
        yield from _by_calls(row_sample, row_calls)


@dataclass(frozen=True)
class _Facet:
    """The values of a facet in their order; ``start``, ``codes``: ragged, those of each sample as places among them;
    ``members``: the samples of each."""

    values: list[str]
    start: Ints
    codes: Ints
    members: list[Ints]


@cached_per_sample_columns
def _facets(samples: SampleColumns) -> dict[str, _Facet]:
    """The facets of the samples, and the computed one of their plans."""
    facets = {name: _coded(values) for name, values in samples.facets.items()}
    if TARGETS not in facets:
        facets[TARGETS] = _coded([_capped(count, MOST_TARGETS) for count in targets_of(samples).tolist()])
    return facets


def _coded(values: Sequence[tuple[str, ...]]) -> _Facet:
    order = sorted({value for several in values for value in several}, key=natural)
    place = {value: code for code, value in enumerate(order)}
    counts = np.fromiter((len(set(several)) for several in values), np.int64, len(values))
    codes = np.array([place[value] for several in values for value in dict.fromkeys(several)], np.int64)
    members = _grouped(codes, np.repeat(np.arange(len(values)), counts), len(order))
    return _Facet(order, starts_of(counts), codes, members)


def _capped(count: int, most: int) -> tuple[str, ...]:
    """The number as a facet value, "6+" from ``most`` on, and no value for 0."""
    return () if count == 0 else (f"{most}+" if count >= most else str(count),)


def _sliced(name: str, facet: _Facet, row_sample: Ints) -> Iterator[Slice]:
    per_row = np.diff(facet.start)[row_sample]
    row_codes = facet.codes[spans(facet.start[row_sample], per_row)]
    rows_of = _grouped(row_codes, np.repeat(np.arange(len(row_sample)), per_row), len(facet.values))
    for value, rows, members in zip(facet.values, rows_of, facet.members, strict=True):
        yield Slice(name, value, rows, members)


def _by_calls(row_sample: Ints, row_calls: Ints) -> Iterator[Slice]:
    """Rows by number of calls; their samples are those of the rows, as a sample without a row has made no calls."""
    capped = np.minimum(row_calls, MOST_CALLS)
    for count, rows in enumerate(_grouped(capped, np.arange(len(capped)), MOST_CALLS + 1)):
        if len(rows):
            value = f"{MOST_CALLS}+" if count == MOST_CALLS else str(count)
            yield Slice(CALLS, value, rows, different(row_sample[rows]))


def _grouped(codes: Ints, members: Ints, groups: int) -> list[Ints]:
    """``members`` by their code, each group in its order."""
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=groups))
    return np.split(members[order], ends[:-1]) if groups else []


def natural(value: str) -> tuple[int, float, str]:
    """Numbers by size, before texts."""
    try:
        return 0, float(value), value
    except ValueError:
        return 1, 0.0, value


COUNTED_BY = "tool_call_rate"
"""Every run has this metric on every slice: its rows say which slices there are, and its detail what they count."""
