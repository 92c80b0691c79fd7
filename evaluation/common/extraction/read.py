"""The extraction reports of scored runs: for commands, pages and the API."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from annotation.models import Benchmark, Revision
from annotation.schema import AnswerType
from evaluation.metrics.columns import AnswerKey
from evaluation.metrics.slices import MOST_VALUES, TARGETS
from evaluation.models import Run
from evaluation.scoring.freshness import StalenessChecker
from evaluation.store.snapshot import Snapshot
from evaluation.store.tables import report_on, reports_by
from webapp.common.errors import NotFound


@dataclass(frozen=True, slots=True)
class RunReport:
    """``report``: in the form of ``evaluation.metrics.extraction``; None if the run changed since it was scored, and
    for a detector, which gives no answers.
    """

    run: Run
    report: Mapping[str, Any] | None
    stale: bool


def read_extraction(benchmark: Benchmark, run: int | None = None) -> list[RunReport]:
    """The report of each run, or of one, by name of the model. A fixed number of queries."""
    snapshot = Snapshot(benchmark, _runs(benchmark, run))
    fresh = StalenessChecker(benchmark, numbers={benchmark.pk: snapshot.number})
    return [
        RunReport(one, report_on(snapshot, one, {}), fresh.stale(one.scoring))
        if hasattr(one, "scoring") and not one.by_detector
        else RunReport(one, None, not one.by_detector)
        for one in snapshot.runs
    ]


def _runs(benchmark: Benchmark, run: int | None) -> Sequence[Run]:
    found = Run.objects.of(benchmark).order_by("model__name", "setting")
    return list(found if run is None else found.filter(pk=run))


def answer_keys(benchmark: Benchmark, among: Collection[str] | None = None) -> dict[str, AnswerKey]:
    """Return the answer keys of all samples with gold, or of those with these ids, by id. One query."""
    of = Revision.objects.filter(gold_of__sample__benchmark=benchmark)
    of = of if among is None else of.filter(gold_of__sample__key__in=among)
    rows = of.values_list("gold_of__sample__key", "answer_type", "options", "answers")
    return {
        key: AnswerKey(answer_type == AnswerType.MULTIPLE_CHOICE, options or {}, tuple(answers or ()))
        for key, answer_type, options, answers in rows.iterator(chunk_size=2000)
    }


def read_slices_extraction(
    benchmark: Benchmark, by: str, run: int | None = None
) -> dict[int, Mapping[str, Mapping[str, Any]]]:
    """The reports of each run, or of one, on each value of a facet, by number of the run. Raises ``NotFound`` for a
    facet that no run has reports by. A fixed number of queries."""
    snapshot = Snapshot(benchmark, [one for one in _runs(benchmark, run) if hasattr(one, "scoring")])
    facets = _facets(snapshot)
    by_run = {one.pk: reports_by(snapshot, one, by) for one in snapshot.runs} if by in facets else {}
    found = {number: reports for number, reports in by_run.items() if reports}
    if not found:
        raise NotFound(
            gettext("There are no reports by %(by)s. There are by %(facets)s.")
            % {"by": repr(by[:60]), "facets": ", ".join(facets) or gettext("nothing")},
            field="by",
        )
    return found


def _facets(snapshot: Snapshot) -> list[str]:
    """Return the names of the sample facets with few enough values, and the computed facet of their plans; none
    without a run."""
    if not snapshot.runs:
        return []
    few = {name for name, values in snapshot.facets.items() if len(values) <= MOST_VALUES}
    return sorted(few | ({TARGETS} if snapshot.planned else set()))
