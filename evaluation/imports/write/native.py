"""Runs in the native format that another feature brings, such as those of a portable file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from annotation.common.access import require
from annotation.models import Benchmark, ImportRecord
from annotation.workflow import Right
from evaluation.common.saving.native import NATIVE, Checkpoint, stages_native
from evaluation.importers import IMPORTERS
from evaluation.importers.interface import Position, ReadOptions
from evaluation.imports.read.samples import sample_index
from evaluation.imports.read.stored import recogniser
from evaluation.imports.write.runs import RunsSaver
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
