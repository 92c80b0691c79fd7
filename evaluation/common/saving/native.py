"""Runs in the native format that another feature brings in its own file. The importing feature registers how they are
read, because features do not import each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

from annotation.models import Benchmark, ImportRecord
from annotation.schema import Issue
from webapp.accounts.models import User

NATIVE = "native"
OPTIONS = {"model": "", "setting": "", "coordinates": ""}
"""Of the record of such an import."""
Checkpoint = Callable[[], None]
"""Called at the end of the transaction of each batch."""
Stage = Callable[[User | None, ImportRecord, Path, Checkpoint | None], Counter[str]]


@dataclass
class Checked:
    """What a dry pass found. ``refused``: the first row that is rejected; ``trajectories``: the ``key_hash`` of each,
    which takes less memory than its key."""

    refused: Issue | None = None
    trajectories: set[int] = field(default_factory=set)


def key_hash(model: str, setting: str, sample: str, rollout: int, condition: str) -> int:
    return hash((model, setting, sample, rollout, condition))


Check = Callable[[Benchmark, Path, Collection[str]], Checked]
_stages: list[Stage] = []
_checks: list[Check] = []


def stages_native(function: Stage) -> Stage:
    """Decorator: register how runs are staged. It raises ``ImportProblem`` if nothing can be read."""
    _stages.append(function)
    return function


def stage_native(actor: User | None, record: ImportRecord, path: Path, checkpoint: Checkpoint | None) -> Counter[str]:
    """Read the runs of a folder with one JSONL file per list into runs that are staged for the import, batch by batch,
    from where the record ended. Return counts by outcome. The caller ends the import."""
    return _stages[-1](actor, record, path, checkpoint)


def checks_native(function: Check) -> Check:
    """Decorator: register how runs are checked. It raises what staging raises."""
    _checks.append(function)
    return function


def check_native(benchmark: Benchmark, path: Path, keys: Collection[str]) -> Checked:
    """Read the new runs of such a folder as ``stage_native`` does, and write nothing. ``keys``: of the samples that the
    benchmark will have then."""
    return _checks[-1](benchmark, path, keys)
