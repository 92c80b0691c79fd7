"""Runs in the native format that another feature brings, such as those of a portable file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

from django.utils import timezone

from annotation.common.access import require
from annotation.models import Benchmark, ImportRecord, Sample
from annotation.schema import Issue, Severity, shortened
from annotation.workflow import Right
from evaluation.common.lineage.write import Place, recorded_place, refuse_taken
from evaluation.common.saving.native import NATIVE, Checked, Checkpoint, checks_native, key_hash, stages_native
from evaluation.importers import IMPORTERS
from evaluation.importers.interface import Position, ReadOptions
from evaluation.importers.matching import MemoryIndex, SampleKey
from evaluation.imports.read.samples import sample_index
from evaluation.imports.read.stored import recogniser
from evaluation.imports.write.runs import RunsSaver
from evaluation.schema import Judgement, Trajectory
from webapp.accounts.models import User
from webapp.common.garbage_collection import gc_paused


@stages_native
@gc_paused()
def stage_native_runs(
    actor: User | None, record: ImportRecord, path: Path, checkpoint: Checkpoint | None
) -> Counter[str]:
    """See ``evaluation.common.saving.native.stage_native``."""
    benchmark: Benchmark = record.benchmark
    require(actor, benchmark, Right.IMPORT_RUNS)
    samples, importer = sample_index(benchmark, record.created_at), IMPORTERS[NATIVE]
    reading = ReadOptions(start=Position(**(record.checkpoint or {})))
    saver = RunsSaver(actor, benchmark, record, replace=True, checkpoint=checkpoint, may_be_empty=True)
    known = recogniser(benchmark, importer, record.options, samples, anew=True)
    saver.take_all(importer.read(path, reading, samples, known), None)
    return saver.result.counts


@checks_native
@gc_paused()
def check_native_runs(benchmark: Benchmark, path: Path, keys: Collection[str]) -> Checked:
    """See ``evaluation.common.saving.native.check_native``."""
    reading = _Reading(benchmark, keys)
    samples = MemoryIndex(map(SampleKey, keys))
    reading.take_all(IMPORTERS[NATIVE].read(path, ReadOptions(), samples), None)
    return reading.found


class _Reading(RunsSaver):
    """Takes records as the import takes them, and writes nothing."""

    def __init__(self, benchmark: Benchmark, keys: Collection[str]) -> None:
        record = ImportRecord(benchmark=benchmark, kind=ImportRecord.Kind.RUNS, created_at=timezone.now())
        samples = [Sample(key=key) for key in keys]
        super().__init__(None, benchmark, record, samples=samples, may_be_empty=True)
        self.found = Checked()
        self._places: dict[tuple[str, str], Place] = {}

    def _flush(self, position: Position | None) -> None:
        for one in self.trajectories:
            if isinstance(one, Trajectory):
                self.found.trajectories.add(
                    key_hash(one.model, one.setting, one.sample_id, one.rollout, str(one.condition))
                )
                self.issues += self._misplaced(one)
        for other in self.others:
            if isinstance(other, Judgement):
                self.issues += self._without_trajectory(other)
        refused = next((one for one in self.issues if one.severity is Severity.REFUSED), None)
        self.found.refused = self.found.refused or refused
        self.trajectories, self.others, self.issues = [], [], []

    def _misplaced(self, record: Trajectory) -> Sequence[Issue]:
        """Whether the step of its lineage is that of another run, or its run has another step. Raises ``Conflict`` if
        it is that of a run here."""
        place, name = recorded_place(record.extra), (record.model, record.setting)
        if place is None or self._places.get(name) == place:
            return ()
        if name not in self._places and all(
            other != place or setting != record.setting for (_, setting), other in self._places.items()
        ):
            refuse_taken(self.book.benchmark, place, *name)
            self._places[name] = place
            return ()
        done = "Rejected: a run has one step of a lineage, and a step has one run of a setting."
        where = (record.file, record.line, "step")
        return [Issue(Severity.REFUSED, "does-not-fit", *where, shortened(place.step), done, record.row)]

    def _without_trajectory(self, record: Judgement) -> Sequence[Issue]:
        """Whether a judgment is of a trajectory that the file does not have. Trajectories come first."""
        about = record.about
        if about is None or (
            key_hash(record.model, record.setting, record.sample_id, about.rollout, about.condition)
            in self.found.trajectories
        ):
            return ()
        done = "Rejected: the run has no such trajectory."
        where = (record.file, record.line, "sample_id")
        return [Issue(Severity.REFUSED, "no-such-answer", *where, shortened(record.sample_id), done, record.row)]
