"""Comparison of the verdicts in the imported file with ours, for the page of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.common.links import Count, RunLinks
from evaluation.common.shown import BOTH, show_parameter
from evaluation.models import Metric
from evaluation.store.trajectory_list import SHOW
from webapp.common.formatting import NOT_AVAILABLE, decimal, percent

AGREEING = {
    "both_right": ("yes", "yes"),
    "file_right": ("yes", "no"),
    "reading_right": ("no", "yes"),
    "both_wrong": ("no", "no"),
}
"""The cells of the table: each name in ``detail.agreement``, with the verdict of the file and that of reading."""


@dataclass(frozen=True, slots=True)
class FileVerdicts:
    """``judged``, ``right``: answers with a verdict in the file, and those that it marks correct. ``cells``: in the
    order of ``AGREEING``; ``differing``: the second and third together; ``left_open``: those that reading does not
    decide.
    """

    share: str
    judged: Count
    right: Count
    cells: Sequence[Count]
    differing: Count
    left_open: Count
    agree: str
    kappa: str
    used: bool


def file_verdicts(metrics: Mapping[str, Metric], settings: Any, links: RunLinks) -> FileVerdicts | None:
    """Return the comparison; None if the file has no verdicts."""
    metric = metrics.get("accuracy_in_file")
    if metric is None or not metric.n or "agreement" not in metric.detail:
        return None
    found, both = metric.detail["agreement"], {SHOW: show_parameter(BOTH)}
    cells = [
        links.count(found[name], file_verdict=file, reading_correct=reading, **both)
        for name, (file, reading) in AGREEING.items()
    ]
    return FileVerdicts(
        share=percent(metric.value),
        judged=links.count(metric.n, file_verdict="any", **both),
        right=links.count(metric.numerator, file_verdict="yes", **both),
        cells=cells,
        differing=links.count(found["file_right"] + found["reading_right"], file_differs="yes", **both),
        left_open=links.count(found["open"], file_verdict="any", reading_correct="none", **both),
        agree=percent(found["share"]),
        kappa=NOT_AVAILABLE if found["kappa"] is None else decimal(found["kappa"], 2),
        used=settings.verdict_source == "file",
    )
