"""All metrics of a human study, on the whole benchmark, on every slice and by familiarity. Source:
docs/metrics.md#people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluation.metrics.catalogue import METRICS
from evaluation.metrics.columns import Floats, Ints, MetricRow, NoGrounding, SampleColumns, ScoreColumns
from evaluation.metrics.measures import RATE, Measure
from evaluation.metrics.people import FAMILIAR, FAMILIARITY, Answers, Resampled, estimate, resample, weighted_ratio
from evaluation.metrics.slices import WHOLE, Slice, slice_rows
from evaluation.metrics.undecided import answers_given


@dataclass(frozen=True)
class Study:
    """a answers, in the order of their scores. ``person``, ``familiarity``: (a,); ``stratum``: (m,) by row of the
    samples, −1 where a sample was not drawn; ``sizes``: (H,) samples of the benchmark in each stratum."""

    person: Ints
    familiarity: Ints
    stratum: Ints
    sizes: Ints


@dataclass(frozen=True)
class Scored:
    """Some of the answers: their scores, and the measures of ``all_measures``."""

    scores: ScoreColumns
    measures: Sequence[Measure]


def people_rows(samples: SampleColumns, parts: Sequence[Scored], study: Study) -> list[MetricRow]:
    """Every metric as ``evaluation.metrics.people.estimate`` gives it; a metric without a population on the whole
    benchmark is given there, as undefined, and not repeated for slices.

    ``numerator``: over the first part alone, which are the first answers on each sample: lists hold these. ``detail``:
    the counts that must never be hidden; ``people``, ``person_low`` and ``person_high`` (the range over
    people), ``covered``, and for rates that undecided answers could change ``low`` and ``high``.
    """
    sample = np.concatenate([part.scores.sample for part in parts])
    calls = np.concatenate([part.scores.calls for part in parts])
    answers = Answers(sample, study.person, study.stratum, study.sizes)
    measures = [_joined(several, parts) for several in zip(*(part.measures for part in parts), strict=True)]
    resampled = resample(answers) if len(sample) else None
    found: list[MetricRow] = []
    empty: set[str] = set()
    for part in _slices(samples, sample, calls, study):
        inside = np.zeros(len(sample))
        inside[part.rows] = 1
        counts = _counts(part, parts, study)
        made = [
            _row(m.among(inside), part, counts, answers, resampled, len(parts[0].scores))
            for m in measures
            if m.metric not in empty
        ]
        if part.by == WHOLE:
            empty = {row.metric for row in made if row.n == 0}
        found += sorted(made, key=lambda row: _PLACE[row.metric])
    return found


_PLACE = {name: place for place, name in enumerate(METRICS)}


def _slices(samples: SampleColumns, sample: Ints, calls: Ints, study: Study) -> Iterator[Slice]:
    yield from slice_rows(samples, sample, calls)
    for value, least in FAMILIAR.items():
        yield Slice(FAMILIARITY, value, np.flatnonzero(study.familiarity >= least), np.arange(len(samples)))


def _joined(several: Sequence[Measure], parts: Sequence[Scored]) -> Measure:
    """One measure over the answers of all parts, without rows of unanswered samples."""

    def over(values: Sequence[Floats]) -> Floats:
        cut = [one[: len(part.scores)] for one, part in zip(values, parts, strict=True)]
        return np.concatenate(cut)

    first = several[0]
    left = None
    if first.open is not None:
        opens = [one.open for one in several if one.open is not None]
        left = type(first.open)(
            *(over([getattr(one, name) for one in opens]) for name in ("sure", "possible", "whole"))
        )
    return Measure(
        first.metric, first.kind, over([one.numerator for one in several]), over([one.denominator for one in several]),
        left,
    )  # fmt: skip


def _row(
    measure: Measure,
    part: Slice,
    counts: Mapping[str, Any],
    answers: Answers,
    resampled: Resampled | None,
    first: int,
) -> MetricRow:
    """``first``: how many of the answers are the first on their sample; they lead."""
    top = float(measure.numerator[:first].sum())
    rate = measure.kind == RATE
    found = estimate(answers, measure.numerator, measure.denominator, rate=rate, resampled=resampled)
    detail: dict[str, Any] = {
        **counts, "people": found.people, "person_low": found.low, "person_high": found.high, "covered": found.covered,
    }  # fmt: skip
    if measure.open is not None:
        # The ends are shares of the correct, incorrect or undecided answers.
        for name, at_end in (("low", measure.open.sure), ("high", measure.open.possible)):
            detail[name] = weighted_ratio(answers, at_end, measure.open.whole)
    interval = found.interval
    if interval is None:
        return MetricRow(measure.metric, part.by, part.value, found.value, found.n, top, detail=detail)
    ends = interval.low, interval.high, interval.method
    detail |= interval.detail
    return MetricRow(measure.metric, part.by, part.value, found.value, found.n, top, *ends, None, detail)


def _counts(part: Slice, parts: Sequence[Scored], study: Study) -> dict[str, Any]:
    """The counts of one slice that are never hidden. A sample is missing if it was drawn and not answered."""
    drawn = part.samples[study.stratum[part.samples] >= 0]
    start, found = 0, {"failed": 0, "missing_answer": 0, "unread": 0, "undecided": 0, "answers": 0, "unusable_crops": 0}
    seen: list[Ints] = []
    for one in parts:
        scores, size = one.scores, len(one.scores)
        rows = part.rows[(part.rows >= start) & (part.rows < start + size)] - start
        start += size
        seen.append(scores.sample[rows])
        given = answers_given(scores.correct, scores.undecided, scores.missing_answer)
        columns = {
            "failed": scores.failed, "missing_answer": scores.missing_answer, "unread": scores.unread,
            "undecided": scores.undecided, "answers": given, "unusable_crops": scores.unusable_crops,
        }  # fmt: skip
        for name, values in columns.items():
            found[name] += int(values[rows].sum())
    answered = np.unique(np.concatenate(seen))
    counts = {
        "samples": len(drawn), "missing": len(np.setdiff1d(drawn, answered)), "trajectories": len(part.rows), **found,
    }  # fmt: skip
    replaced = _replaced(part, parts[0].scores)
    return counts | ({"image_replaced": replaced} if replaced else {})


def _replaced(part: Slice, first: ScoreColumns) -> int:
    """Trajectories whose image was replaced, of the first answers on each sample, which pages of runs count."""
    rows = part.rows[part.rows < len(first)]
    return int((first.no_grounding[rows] == NoGrounding.IMAGE_REPLACED).sum())
