"""The list file of a benchmark: the rows of many runs in one DuckDB file, in the order of lists.

A query opens each Parquet file that it reads, which takes 1.5 ms for a file of any size, and it sorts what it lists.
One file in order answers in a few milliseconds what fifty answer in a hundred. It is a copy that nothing depends on:
where it is missing, damaged or of another release, the files of the runs are read, and so are those of runs that have
changed since it was written.
"""

from __future__ import annotations

import hashlib
import logging
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from annotation.models import Benchmark
from evaluation.models import ListFile, Run
from evaluation.store.engine import Reader, parquet
from evaluation.store.files import fetch_list, file_of, folder, list_name, paths_of
from evaluation.store.schema import CONTRIBUTIONS, ORDER, SCHEMA
from webapp.common import objects

logger = logging.getLogger(__name__)

FEWEST_RUNS = 5
"""The files of fewer runs are read one by one."""
SMALL_BYTES = 2_000_000
"""Files of fewer bytes together are read into memory by who asks much of them."""
WITHOUT_CONTRIBUTIONS = "EXCLUDE ({})".format(", ".join(column.name for column in CONTRIBUTIONS))


@dataclass(frozen=True, slots=True)
class ListedRows:
    """A list file that is attached. ``name``: of its table; ``left_out``: runs of its rows that are not asked for;
    ``rest``: the files of the runs that it has no rows of."""

    name: str
    left_out: Sequence[int]
    rest: Sequence[Path]

    def query(self) -> str:
        """The rows of all runs that are asked for, without contributions."""
        where = f" WHERE run NOT IN ({', '.join(map(str, self.left_out))})" if self.left_out else ""
        listed = f"SELECT * FROM {self.name}{where}"
        return (
            f"{listed} UNION ALL SELECT * {WITHOUT_CONTRIBUTIONS} FROM {parquet(*self.rest)}" if self.rest else listed
        )


def write_list(benchmark: Benchmark) -> None:
    """Write the list file of a benchmark and name it as the benchmark's, unless it has that of today's runs, or lists
    are as fast without one."""
    runs = [run for run in Run.objects.of(benchmark) if (file := file_of(run)) and file.revision == run.revision]
    paths = paths_of(runs)
    if not is_worthwhile(paths):
        ListFile.objects.filter(benchmark=benchmark).delete()
        return
    facts = {"files": {str(run.pk): run.file.digest for run in runs}, "schema": SCHEMA, "engine": duckdb.__version__}
    written = ListFile.objects.filter(benchmark=benchmark, **facts).first()
    if written and objects.exists(list_name(written.digest)):
        return
    with tempfile.TemporaryDirectory(dir=folder()) as inside:
        path = Path(inside) / "list.duckdb"
        rows = f"SELECT * {WITHOUT_CONTRIBUTIONS} FROM {parquet(*paths)} ORDER BY {', '.join(ORDER)}"
        Reader(folder()).write_database(path, rows)
        with path.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
        objects.put(list_name(digest), path)
        stored = {"digest": digest, "bytes": path.stat().st_size}
    ListFile.objects.update_or_create(benchmark=benchmark, defaults={**facts, **stored})


def is_worthwhile(paths: Sequence[Path]) -> bool:
    """Whether so many files, and so large ones, are slower to read than one list file."""
    return len(paths) >= FEWEST_RUNS and sum(path.stat().st_size for path in paths) > SMALL_BYTES


def open_list(benchmark: Benchmark, runs: Sequence[Run], paths: Sequence[Path], reader: Reader) -> ListedRows | None:
    """The list file of a benchmark for these runs, whose files are at ``paths``; None where their files are to be read.
    One query, where a list file is worthwhile."""
    if not is_worthwhile(paths):
        return None
    file = ListFile.objects.filter(benchmark=benchmark, schema=SCHEMA, engine=duckdb.__version__).first()
    if file is None:
        return None
    listed: Mapping[str, str] = file.files
    # A file that was written here since the run changed is not named by a digest alone.
    current = {run.pk for run, path in zip(runs, paths, strict=True) if listed.get(str(run.pk)) == path.stem}
    if not current:
        return None
    try:
        name = reader.attach(fetch_list(file), f"list_{file.digest}")
    except (objects.Missing, objects.Damaged, duckdb.Error) as error:
        logger.warning("The list file of %s cannot be read: %s", benchmark, error)
        return None
    left_out = sorted(int(pk) for pk in listed if int(pk) not in current)
    rest = [path for run, path in zip(runs, paths, strict=True) if run.pk not in current]
    return ListedRows(f"{name}.rows", left_out, rest)
