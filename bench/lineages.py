"""The page of a lineage with many checkpoints on SQLite, from request to answer inside one process.

Limit: the time of the page's queries by themselves. During a training, each new checkpoint makes the page compare all
steps again; that is measured apart.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import workers
from bench.invented import write_run
from bench.options import Options
from bench.rows import Row, Skipped

PAGE_MS = 500


def measure(options: Options) -> Iterator[Row | Skipped]:
    steps, samples, visits = (6, 60, 3) if options.small else (200, 1000, 20)
    with workers.sqlite() as environ:
        path = Path(environ["SIGHTLINE_HOME"]) / "trajectories.jsonl"
        write_run(path, samples, samples)
        workers.call("stages:make_benchmark", environ, samples=samples)
        workers.call("stages:import_file", environ, path=str(path))
        workers.call("stages:score", environ)
        workers.call("lineages:make_lineage", environ, steps=steps)
        size = f"{steps} checkpoints × {samples:,} samples"
        seen = workers.call("visits:visit", environ, page="lineage", visits=visits)
        limit = f"{seen['queries']} queries take {seen['query_ms']:.0f} ms; median {seen['median_ms']:.0f} ms, "
        limit += f"{seen['processor_ms']:.0f} ms of it processor, {seen['kb']:.0f} kB"
        yield Row("lineages", f"{size}, page, p95", seen["p95_ms"], "ms", PAGE_MS, limit=limit)
        again = workers.call("lineages:compare_again", environ, visits=visits)
        limit = f"{again['compared_ms']:.0f} ms of it to compare the steps"
        yield Row(
            "lineages", f"{size}, page after a new checkpoint, median", again["page_ms"], "ms", PAGE_MS, limit=limit
        )
        yield Row("lineages", f"{size}, asked again without a change, median", again["same_ms"], "ms", 100, limit="304")


def make_lineage(steps: int) -> dict[str, Any]:
    """Copies of the only run as checkpoints of one lineage, and their list file."""
    from annotation.models import Benchmark
    from bench.copies import copy_runs
    from evaluation.models import Lineage, Run
    from evaluation.store.list_file import write_list

    benchmark = Benchmark.objects.get()
    copy_runs(benchmark, 1, steps)
    lineage = Lineage.objects.create(benchmark=benchmark, name="Training")
    for step, run in enumerate(Run.objects.filter(benchmark=benchmark).order_by("pk")):
        Run.objects.filter(pk=run.pk).update(lineage=lineage, step=100 * step)
    write_list(benchmark)
    return {}


def compare_again(visits: int) -> dict[str, Any]:
    """Milliseconds of the page when nothing is kept of the steps, of comparing them alone, and of asking again."""
    from bench.visits import _address, _reader, settle
    from evaluation.lineages import read
    from evaluation.models import Lineage
    from webapp.common.static import collect

    collect()
    client, address = _reader(), _address("lineage")
    lineage = Lineage.objects.select_related("benchmark").get()
    for _ in range(3):
        client.get(address)
    settle()
    headers = {"HX-Request": "true"}
    etag = client.get(address, headers=headers)["ETag"]
    pages, compared, same = [], [], []
    for _ in range(visits):
        read._KEPT.clear()
        pages.append(_timed(lambda: client.get(address)))
        kept = _timed(lambda: read.load_series(lineage))
        read._KEPT.clear()
        compared.append(_timed(lambda: read.load_series(lineage)) - kept)
        same.append(_timed(lambda: client.get(address, headers={**headers, "If-None-Match": etag})))
    found = {"page_ms": pages, "compared_ms": compared, "same_ms": same}
    return {name: statistics.median(times) for name, times in found.items()}


def _timed(ask: Any) -> float:
    begun = time.perf_counter()
    ask()
    return (time.perf_counter() - begun) * 1000
