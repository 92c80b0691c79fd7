"""The list file of a benchmark: the rows of many runs in one DuckDB file, in the order of lists.

A query opens each Parquet file that it reads, which takes 1.5 ms for a file of any size, and it sorts what it lists.
One sorted file answers in a few milliseconds what takes fifty files a hundred. It is only a copy: if it is missing,
damaged or of another release, the files of the runs are read. Files of runs that changed since are read in addition.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from annotation.models import Benchmark
from evaluation.models import ListFile, Run
from evaluation.store.engine import Reader, parquet
from evaluation.store.files import fetch_list, file_of, folder, list_name, paths_of, put_by_content
from evaluation.store.schema import CONTRIBUTIONS, ORDER, SCHEMA
from webapp.common import objects

logger = logging.getLogger(__name__)

FEWEST_RUNS = 5
"""A benchmark with fewer runs has no list file."""
SMALL_BYTES = 2_000_000
"""Files of at most this total size are read into memory by a request with several statements."""
WITHOUT_CONTRIBUTIONS = "EXCLUDE ({})".format(", ".join(column.name for column in CONTRIBUTIONS))


@dataclass(frozen=True, slots=True)
class ListedRows:
    """An attached list file.

    Attributes:
        name: name of its table.
        left_out: runs whose rows in it are not requested.
        rest: files of the requested runs that it has no current rows of.
    """

    name: str
    left_out: Sequence[int]
    rest: Sequence[Path]

    def query(self) -> str:
        """Return the query for the rows of all requested runs, without contributions."""
        where = f" WHERE run NOT IN ({', '.join(map(str, self.left_out))})" if self.left_out else ""
        listed = f"SELECT * FROM {self.name}{where}"
        return (
            f"{listed} UNION ALL SELECT * {WITHOUT_CONTRIBUTIONS} FROM {parquet(*self.rest)}" if self.rest else listed
        )


def write_list(benchmark: Benchmark) -> None:
    """Write the list file of a benchmark and record it, unless it is current or lists are as fast without one."""
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
        stored = put_by_content(path, list_name)
    ListFile.objects.update_or_create(benchmark=benchmark, defaults={**facts, **stored})


def is_worthwhile(paths: Sequence[Path]) -> bool:
    """Return whether files of this number and size are slower to read than one list file."""
    return len(paths) >= FEWEST_RUNS and sum(path.stat().st_size for path in paths) > SMALL_BYTES


def open_list(benchmark: Benchmark, runs: Sequence[Run], paths: Sequence[Path], reader: Reader) -> ListedRows | None:
    """Attach the list file of a benchmark for these runs, whose files are at ``paths``. Return None if those files
    must be read instead. One query if a list file is worthwhile, otherwise none."""
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
