"""Reading files of runs and bringing them to records, before any row is written: speed of one core, and memory.

Limit: what the standard library needs to decode the same lines as JSON, before any check or record.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import reading_files, workers
from bench.options import Options
from bench.rows import Row, Skipped

RATE = 20
"""MB a second, of one core."""
MEMORY = 300
INSPECT = 60
SEEN = 2.0


def measure(options: Options) -> Iterator[Row | Skipped]:
    count = 300 if options.small else 20_000
    with TemporaryDirectory(prefix="sightline-bench-") as name:
        folder = Path(name)
        for format, write in reading_files.LINES.items():
            path = write(folder, count)
            taken = workers.call("reading_stages:read", {}, path=str(path), format=format, samples=count)
            megabytes = path.stat().st_size / 1e6
            limit = f"{taken['records']:,} records of {megabytes:.0f} MB; json.loads alone {_decoding(path)}"
            rate = megabytes / taken["processor"]
            yield Row("reading", f"{format} as {path.suffix[1:]}", rate, "MB a second", RATE, False, limit)
        yield _large(options, folder)
        yield from _inspect(folder, count)
        yield _preview(options, folder)


def _large(options: Options, folder: Path) -> Row:
    """A long file of lines: what it holds in memory at most."""
    size = 1_000_000_000 if options.full else 5_000_000 if options.small else 200_000_000
    path = reading_files.long_run(folder, size)
    taken = workers.call("reading_stages:read", {}, path=str(path), format="native", samples=1000)
    path.unlink()
    note = f"{taken['records']:,} records, {taken['processor']:.0f} s of processor"
    return Row("reading", f"JSONL of {size / 1e6:,.0f} MB, memory at most", taken["peak_mb"], "MB", MEMORY, limit=note)


def _inspect(folder: Path, count: int) -> Iterator[Row]:
    """A log of Inspect AI through the import itself, rows written."""
    path = reading_files.inspect_log(folder, count)
    with workers.sqlite() as environ:
        workers.call("stages:make_benchmark", environ, samples=count)
        taken = workers.call("reading_stages:import_runs_of", environ, path=str(path), format="inspect")
    if taken["counts"]["new"] != count:
        raise RuntimeError(f"The import counted {taken['counts']}, expected {count} new.")
    note = f"{path.stat().st_size / 1e6:.0f} MB packed; {taken['processor']:.0f} s of processor"
    yield Row("reading", f"Inspect log of {count:,} samples, imported", taken["seconds"], "s", INSPECT, limit=note)


def _preview(options: Options, folder: Path) -> Row:
    """From the start of reading a long file to the first records on the page."""
    path = reading_files.long_run(folder, 5_000_000 if options.small else 200_000_000)
    with workers.sqlite() as environ:
        workers.call("stages:make_benchmark", environ, samples=1000)
        taken = workers.call("reading_stages:first_seen", environ, path=str(path))
    note = f"the whole dry run {taken['seconds']:.0f} s"
    name = f"{path.stat().st_size / 1e6:,.0f} MB of JSONL, until the first records are seen"
    path.unlink()
    return Row("reading", name, taken["first"], "s", SEEN, limit=note)


def _decoding(path: Path) -> str:
    if path.suffix != ".jsonl":
        return "has no part in it"
    begun = time.process_time()
    with path.open("rb") as file:
        for line in file:
            json.loads(line)
    return f"{path.stat().st_size / 1e6 / (time.process_time() - begun):,.0f} MB a second"
