"""The extraction reports of scored runs, as scoring made them: for commands, pages and the API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.models import Benchmark, Revision
from annotation.schema import AnswerType
from evaluation.actions.freshness import Freshness
from evaluation.metrics.columns import AnswerKey
from evaluation.models import Run, SliceTables

REPORT = "extraction"
"""Of the tables of a run, and of a slice."""


@dataclass(frozen=True, slots=True)
class RunReport:
    """``report``: as ``evaluation.metrics.extraction`` makes it; None where the run was not scored since it is made."""

    run: Run
    report: Mapping[str, Any] | None
    stale: bool


def read_extraction(benchmark: Benchmark, run: int | None = None) -> list[RunReport]:
    """The report of each run, or of one, by name of the model. A fixed number of queries."""
    found = Run.objects.of(benchmark).order_by("model__name", "setting")
    fresh = Freshness(benchmark)
    return [
        RunReport(one, scoring.extras.get(REPORT), fresh.stale(scoring)) if scoring else RunReport(one, None, True)
        for one in (found if run is None else found.filter(pk=run))
        for scoring in [getattr(one, "scoring", None)]
    ]


def answer_keys(benchmark: Benchmark) -> dict[str, AnswerKey]:
    """What the answers on each sample with gold are read by, by its id. One query."""
    of = Revision.objects.filter(gold_of__sample__benchmark=benchmark)
    rows = of.values_list("gold_of__sample__key", "answer_type", "options", "answers")
    return {
        key: AnswerKey(answer_type == AnswerType.MULTIPLE_CHOICE, options or {}, tuple(answers or ()))
        for key, answer_type, options, answers in rows.iterator(chunk_size=2000)
    }


def read_slices_extraction(run: Run, by: str) -> dict[str, Mapping[str, Any]]:
    """The reports of a run on each value of a facet."""
    rows = SliceTables.objects.filter(scoring__run=run, slice_by=by).order_by("slice").values_list("slice", "tables")
    return {value: tables[REPORT] for value, tables in rows if REPORT in tables}
