"""The files of the store: written by jobs, named by their content, and copied to this machine for reading."""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from secrets import randbits, token_hex
from typing import Any

from django.conf import settings as site
from django.db.models import F

from annotation.content.changes import STEP_BITS
from evaluation.metrics.settings import MetricSettings
from evaluation.models import ListFile, Run, ScoreFile, WordFile
from evaluation.store.build import Arrays, Evaluated, Written, load_rows, statement
from evaluation.store.parquet import write_parquet
from evaluation.store.schema import SCHEMA
from webapp.common import objects
from webapp.common.locks import lock_rows

PREFIX, WORDS, LISTS = "scores", "words", "lists"
"""Folders of the object store: the rows of runs, their words (``evaluation.store.words``), and the rows of whole
benchmarks (``evaluation.store.list_file``)."""
UNNAMED = timedelta(days=1)
KEPT_SECONDS = 24 * 3600
"""Unused files on this machine are deleted after this time."""
_locks = [threading.Lock() for _ in range(64)]
"""Locks for making files. A path always has the same lock, which it shares with other paths."""


def folder() -> Path:
    """The folder of the store on this machine. Lost files are fetched or made again."""
    found = Path(site.SCRATCH) / "store"
    found.mkdir(parents=True, exist_ok=True)
    os.utime(found)  # Other programs that tidy the scratch folder leave it alone.
    return found


def rows_changed(runs: Collection[int]) -> None:
    """Mark the trajectories of these runs as changed. Call in the transaction that changes them.

    The step is random, so that different changes after a restored backup don't lead to an earlier revision.
    """
    lock_rows(Run.everything.filter(pk__in=runs))
    Run.everything.filter(pk__in=runs).update(revision=F("revision") + 1 + randbits(STEP_BITS))


def write_file(run: Run, settings: MetricSettings, written: Sequence[Written], evaluated: Evaluated) -> ScoreFile:
    """Write the file of a run that was just scored into the object store and record it. Arguments: see ``load_rows``.

    Call in the transaction that records the scoring. A crash before the commit leaves an unused file.
    """
    revision = Run.everything.values_list("revision", flat=True).get(pk=run.pk)
    return keep_file(run, revision, statement(), load_rows(run, settings, written, evaluated))


def keep_file(run: Run, revision: int, query: str, tables: Mapping[str, Arrays]) -> ScoreFile:
    """Store the result of a query on these tables as the file of a run at one revision."""
    with tempfile.TemporaryDirectory(dir=folder()) as inside:
        path = Path(inside) / "rows.parquet"
        rows = write_parquet(query, tables, path, folder())
        facts = {"revision": revision, "schema": SCHEMA, "rows": rows, **put_by_content(path, object_name)}
    return ScoreFile.objects.update_or_create(run=run, defaults=facts)[0]


def put_by_content(path: Path, name: Callable[[str], str]) -> dict[str, Any]:
    """Put a file into the object store under the name of its SHA-256, and return its ``digest`` and its ``bytes``."""
    with path.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    objects.put(name(digest), path)
    return {"digest": digest, "bytes": path.stat().st_size}


def object_name(digest: str) -> str:
    return f"{PREFIX}/{digest[:2]}/{digest}.parquet"


def words_name(digest: str) -> str:
    return f"{WORDS}/{digest[:2]}/{digest}.sqlite3"


def list_name(digest: str) -> str:
    return f"{LISTS}/{digest[:2]}/{digest}.duckdb"


def fetch_list(file: ListFile) -> Path:
    """The list file on this machine. Raises ``objects.Missing`` or ``objects.Damaged``."""
    name, digest = list_name(file.digest), file.digest
    return kept_file(folder() / f"{digest}.duckdb", lambda path: objects.fetch(name, path, sha256=digest))


def paths_of(runs: Sequence[Run]) -> list[Path]:
    """The files of these runs on this machine, in their order.

    If trajectories changed since the run was scored, its file is made again here with the scores of the others."""
    return [_path_of(run) for run in runs]


def scores_are_lost(run: Run) -> bool:
    """Whether a run was scored, but its scores cannot be read: the file is lost, damaged, or of another release."""
    if not hasattr(run, "scoring"):
        return False
    file = file_of(run)
    return file is None or _fetched(file) is None


def _path_of(run: Run) -> Path:
    file = file_of(run)
    scored = None if file is None else _fetched(file)
    if file is not None and scored is not None and file.revision == run.revision:
        return scored
    scoring = getattr(run, "scoring", None)
    settings = MetricSettings.from_mapping(scoring.settings if scoring else {})
    of = f"{run.pk}-{run.created_at.timestamp():.6f}-{run.revision}"
    name = f"run-{of}-{scored.stem if scored else 'unscored'}-{SCHEMA}.parquet"
    return kept_file(
        folder() / name,
        lambda path: write_parquet(statement(), load_rows(run, settings, scored=scored), path, folder()),
    )


def file_of(run: Run) -> ScoreFile | None:
    """The file of a run, if this release can read it."""
    file: ScoreFile | None = getattr(run, "file", None)
    return file if file is not None and file.schema == SCHEMA else None


def _fetched(file: ScoreFile) -> Path | None:
    """The file on this machine; None if the object store has lost or damaged it."""
    name, digest = object_name(file.digest), file.digest
    try:
        return kept_file(_local(file), lambda path: objects.fetch(name, path, sha256=digest))
    except (objects.Missing, objects.Damaged):
        return None


def _local(file: ScoreFile) -> Path:
    return folder() / f"{file.digest}.parquet"


def kept_file(path: Path, make: Callable[[Path], Any]) -> Path:
    """Return the path after ``make`` has written its file. Requests in one process make it once; it appears when
    complete."""
    if not path.exists():
        with _locks[hash(path) % len(_locks)]:
            if not path.exists():
                _tidy()
                part = path.with_name(f"{token_hex(8)}{objects.PART}")
                try:
                    make(part)
                    part.replace(path)
                finally:
                    part.unlink(missing_ok=True)
    os.utime(path)
    return path


def _tidy() -> None:
    """Remove the files that were unused for ``KEPT_SECONDS``."""
    for path in folder().glob("*"):
        # Another process may have removed it, or have it open where open files cannot be removed.
        with suppress(FileNotFoundError, PermissionError):
            if path.is_file() and path.stat().st_mtime < time.time() - KEPT_SECONDS:
                path.unlink()


def sweep_files(now: datetime) -> int:
    """Delete the files that no run or benchmark names, and return their number."""
    return _sweep(PREFIX, ScoreFile, now) + _sweep(WORDS, WordFile, now) + _sweep(LISTS, ListFile, now)


def _sweep(prefix: str, files: type[ScoreFile | WordFile | ListFile], now: datetime) -> int:
    return objects.delete_unnamed(prefix, lambda digest: files.objects.filter(digest=digest).exists(), now)
