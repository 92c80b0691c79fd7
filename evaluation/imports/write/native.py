"""Runs in the native format that another feature brings, such as those of a portable file."""

from __future__ import annotations

from pathlib import Path

from annotation.models import Benchmark
from evaluation.common.saving.native import Saved, imports_native
from evaluation.imports.write.runs import import_runs
from webapp.accounts.models import User


@imports_native
def import_native_runs(actor: User | None, benchmark: Benchmark, path: Path) -> Saved:
    record, imported = import_runs(actor=actor, benchmark=benchmark, path=path, format="native")
    return Saved(record, imported.counts, imported.issues)
