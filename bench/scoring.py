"""Scoring one run of three steps a trajectory on SQLite: rows to columns, metrics with intervals, and back to rows.

Limits: the rows read and written by the database alone; and a plain Python loop over the same definitions
(``bench.plain``), which the columns are held against.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bench import workers
from bench.invented import write_run
from bench.options import Options
from bench.rows import Row


def measure(options: Options) -> Iterator[Row]:
    count = 200 if options.small else 100_000
    plain = 100 if options.small else 20_000
    with workers.sqlite() as environ:
        path = Path(environ["SIGHTLINE_HOME"]) / "trajectories.jsonl"
        write_run(path, count, count)
        workers.call("stages:make_benchmark", environ, samples=count)
        workers.call("stages:import_file", environ, path=str(path))
        took = workers.call("stages:score", environ)
        bare = workers.call("stages:read_and_write", environ)
        pure = workers.call("stages:score_plainly", environ, rows=plain)
    limit = f"{took['processor']:.1f} s of processor; {took['load_seconds']:.1f} s of it all for the gold; "
    limit += f"the same rows read and written without us {bare['seconds']:.1f} s"
    seconds = took["load_seconds"] + took["seconds"]
    yield Row("scoring", f"{count:,} trajectories, end to end", seconds, "s", 10, limit=limit)
    yield Row(
        "scoring", f"{count:,} trajectories, memory", took["peak_mb"], "MB", 600, limit=f"{took['metrics']} metrics"
    )
    one = pure["plain"] / plain
    faster, with_metrics = one / (pure["columns"] / count), one / ((pure["columns"] + pure["aggregated"]) / count)
    each = f"{pure['columns'] / count * 1e6:.1f} µs a trajectory, a plain loop {one * 1e6:.0f} µs; "
    each += f"{with_metrics:.0f} times with the metrics too, which the plain loop does not make"
    yield Row("scoring", "scores from columns, over a plain loop", faster, "times as fast", 20, False, each)
