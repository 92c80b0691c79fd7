"""The import of runs in the native format, for features that bring them in another file. The importing feature adds
it here, because features do not import each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from annotation.models import Benchmark, ImportRecord
from evaluation.schema import Issue
from webapp.accounts.models import User


@dataclass(frozen=True)
class Saved:
    """What an import saved: its record, counts by outcome, and its first issues."""

    record: ImportRecord
    counts: Mapping[str, int]
    issues: list[Issue]


Import = Callable[[User | None, Benchmark, Path], Saved]
_imports: list[Import] = []


def imports_native(function: Import) -> Import:
    """Decorator: register the import. It raises ``ImportProblem`` if nothing can be read."""
    _imports.append(function)
    return function


def import_native(actor: User | None, benchmark: Benchmark, path: Path) -> Saved:
    """Import the runs of a folder with one JSONL file per list."""
    return _imports[-1](actor, benchmark, path)
