"""Importing native trajectories of three steps, and importing the same file again.

Limit: what the standard library needs to decode the same lines as JSON, before any check, digest or row.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench import workers
from bench.invented import write_run
from bench.options import Options
from bench.rows import Row, Skipped
from tests.postgres import NoServer, server


def measure(options: Options) -> Iterator[Row | Skipped]:
    count = 200 if options.small else 100_000
    with TemporaryDirectory(prefix="sightline-bench-") as folder:
        path = Path(folder) / "trajectories.jsonl"
        size = write_run(path, count, count)
        decoded = _decode(path)
        limit = f"{size / count:,.0f} bytes a row; json.loads alone {count / decoded:,.0f} a second"
        with workers.sqlite() as environ:
            yield from _imports("SQLite", environ, path, count, 3000, limit)
        try:
            with server(dict(os.environ)) as address, workers.postgres(address) as environ:
                yield from _imports("PostgreSQL", environ, path, count, 5000, limit)
        except (NoServer, ImportError) as problem:
            yield Skipped("importing", "PostgreSQL", str(problem))
        yield _memory(options, Path(folder))


def _imports(name: str, environ: Mapping[str, str], path: Path, count: int, target: float, limit: str) -> Iterator[Row]:
    workers.call("stages:make_benchmark", environ, samples=count)
    first, again = (workers.call("stages:import_file", environ, path=str(path)) for _ in range(2))
    _expect(first, new=count)
    _expect(again, unchanged=count)
    rate = count / first["seconds"]
    database = workers.call("stages:database", environ)["name"]
    limit = f"{first['processor']:.0f} s of processor of {first['seconds']:.0f} s; {limit}; {database}"
    yield Row("importing", f"{name}, {count:,} trajectories", rate, "a second", target, False, limit)
    faster = first["seconds"] / again["seconds"]
    note = f"{count / again['seconds']:,.0f} a second, {again['processor']:.0f} s of processor; "
    note += "unchanged rows are recognized, none is decoded"
    yield Row("importing", f"{name}, the same file again", faster, "times as fast", 2, False, note)


def _memory(options: Options, folder: Path) -> Row:
    """The peak of a long file over that of a short one, on the same samples: every further row is a further rollout."""
    samples = 100 if options.small else 10_000
    longest = samples * (3 if options.small else 100 if options.full else 10)
    peaks = []
    for count in (samples, longest):
        path = folder / f"{count}.jsonl"
        write_run(path, count, samples)
        with workers.sqlite() as environ:
            workers.call("stages:make_benchmark", environ, samples=samples)
            peaks.append(workers.call("stages:import_file", environ, path=str(path))["peak_mb"])
        path.unlink()
    name = f"SQLite, {longest:,} rows, memory beyond that for {samples:,}"
    return Row("importing", name, peaks[1] - peaks[0], "MB", 50, limit=f"peaks {peaks[0]:.0f} and {peaks[1]:.0f} MB")


def _decode(path: Path) -> float:
    begun = time.perf_counter()
    with path.open("rb") as file:
        for line in file:
            json.loads(line)
    return time.perf_counter() - begun


def _expect(answer: Mapping[str, Any], **counts: int) -> None:
    wrong = {name: answer["counts"][name] for name, count in counts.items() if answer["counts"][name] != count}
    if wrong:
        raise RuntimeError(f"The import counted {wrong}, expected {counts}.")
