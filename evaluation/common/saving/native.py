"""Runs in the native format that another feature brings in its own file. The importing feature registers how they are
read, because features do not import each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from annotation.models import ImportRecord
from webapp.accounts.models import User

NATIVE = "native"
OPTIONS = {"model": "", "setting": "", "coordinates": ""}
"""Of the record of such an import."""
Checkpoint = Callable[[], None]
"""Called at the end of the transaction of each batch."""
Stage = Callable[[User | None, ImportRecord, Path, Checkpoint | None], Counter[str]]
_stages: list[Stage] = []


def stages_native(function: Stage) -> Stage:
    """Decorator: register how runs are staged. It raises ``ImportProblem`` if nothing can be read."""
    _stages.append(function)
    return function


def stage_native(actor: User | None, record: ImportRecord, path: Path, checkpoint: Checkpoint | None) -> Counter[str]:
    """Read the runs of a folder with one JSONL file per list into runs that are staged for the import, batch by batch,
    from where the record ended. Return counts by outcome. The caller ends the import."""
    return _stages[-1](actor, record, path, checkpoint)
