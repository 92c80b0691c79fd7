"""Results of detectors: the score that counts, and the runs that they may fill."""

from __future__ import annotations

from annotation.importers.interface import ImportProblem
from annotation.models import Benchmark
from evaluation.detections import detections_in, read_threshold
from evaluation.models import Run
from evaluation.schema import Issue, Severity, Trajectory, shortened

FORMAT = "detector"
THRESHOLD = "threshold"
"""The option of an import."""
MODEL = -1.0
"""Instead of a threshold: a model made the run."""


def least_score(format: str, threshold: str) -> float | None:
    """Return the score that counts, None for other formats. Raises ``ImportProblem``."""
    if format != FORMAT:
        return None
    try:
        return read_threshold(threshold)
    except ValueError as error:
        raise ImportProblem(str(error)) from error


class DetectorRuns:
    """Separates runs of detectors from runs of models: a run is of one kind, and a detector's run has one threshold.

    ``replaces``: the stored rows are replaced, so that the threshold may change.
    """

    def __init__(self, benchmark: Benchmark, *, replaces: bool) -> None:
        self._benchmark, self._replaces = benchmark, replaces
        self._known: dict[tuple[str, str], float] = {}

    def misfit(self, item: Trajectory) -> Issue | None:
        """Return why a trajectory can't be in its run, None if it can."""
        detections, name = detections_in(item.extra), (item.model, item.setting)
        own = MODEL if detections is None else detections.threshold
        if name not in self._known:
            self._known[name] = self._stored(name, own)
        known = self._known[name]
        if known == own:
            return None
        if known == MODEL:
            why = "The run of this name is a model's, and this row is a detector's."
        elif own == MODEL:
            why = "The run of this name is a detector's, and this row is a model's."
        else:
            why = f"The run of this name has the score threshold {known:g}, and this row has {own:g}."
        done = f"{why} The row was rejected. Choose another setting."
        found = shortened(item.setting)
        return Issue(Severity.REFUSED, "other-kind-of-run", item.file, item.line, "setting", found, done, item.row)

    def _stored(self, name: tuple[str, str], own: float) -> float:
        model, setting = name
        run = Run.objects.filter(benchmark=self._benchmark, model__name=model, setting=setting).first()
        if run is None or not run.trajectories.exists():
            return own
        stored = MODEL if run.detector_threshold is None else run.detector_threshold
        return own if self._replaces and MODEL not in (stored, own) else stored
