"""The list of trajectories of a large benchmark: a page with all its counts, the list alone; words on both databases.

Limit: the median by the clock and the load beside it; the value is processor time, which neighbours do not change.
"""

from __future__ import annotations

import gzip
import os
import statistics
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bench import workers
from bench.invented import write_run
from bench.options import Options
from bench.rows import Row, Skipped
from bench.words import measure_words
from tests.postgres import NoServer, server

PAGES: Mapping[str, Mapping[str, str]] = {
    "everything": {},
    "quadrant": {"quadrant": "G-A-"},
    "ioa > 0.5": {"q": "ioa > 0.5"},
    "two fields": {"failure": "missed_evidence", "facet.category": "counting"},
    "A right, B wrong": {"q": 'run:"Model 001" correct and run:"Model 002" wrong'},
    "words in a question": {"q": 'question:"numbered 123"'},
}
LIST_MS, FACETS_MS, KB = 50, 300, 150
VISITS = 12


def measure(options: Options) -> Iterator[Row | Skipped]:
    samples, runs = (200, 3) if options.small else (20_000, 50)
    size = f"{runs} runs of {samples:,} trajectories"
    with workers.sqlite() as environ:
        _make(environ, samples, runs)
        answer = workers.call("browsing:visit_lists", environ)
        found = list(measure_words("SQLite", environ, size))
    yield Row("browsing", f"SQLite, {size}, first page of a process", answer["first_s"], "s", 3)
    for name, seen in answer["pages"].items():
        limit = f"{seen['clock']:.0f} ms by the clock at load {answer['load']:.1f}; {seen['total']:,} found"
        yield Row("browsing", f"SQLite, {size}, {name}, list of 50", seen["list"], "ms", LIST_MS, limit=limit)
        yield Row("browsing", f"SQLite, {size}, {name}, all facets", seen["facets"], "ms", FACETS_MS)
        yield Row("browsing", f"SQLite, {size}, {name}, page compressed", seen["kb"], "kB", KB)
    yield from found
    if options.small:
        return
    try:
        with server(dict(os.environ)) as address, workers.postgres(address) as environ:
            _make(environ, samples, runs)
            yield from measure_words("PostgreSQL", environ, size)
    except (NoServer, ImportError) as problem:
        yield Skipped("browsing", "PostgreSQL", str(problem))


def _make(environ: Mapping[str, str], samples: int, runs: int) -> None:
    path = Path(environ["SIGHTLINE_HOME"]) / "trajectories.jsonl"
    write_run(path, samples, samples)
    workers.call("stages:make_benchmark", environ, samples=samples)
    workers.call("stages:import_file", environ, path=str(path))
    workers.call("stages:score", environ)
    workers.call("stages:make_runs", environ, first=1, last=runs)


def visit_lists() -> dict[str, Any]:
    """Milliseconds of processor: the list with its rows, then its facets. Seconds of the first page, by the clock."""
    from django.urls import reverse

    from annotation.models import Benchmark
    from bench.visits import _reader
    from webapp.common.static import collect

    collect()
    benchmark, client = Benchmark.objects.get(), _reader()
    address = reverse("evaluation:trajectories", args=[benchmark.slug])
    begun = time.perf_counter()
    client.get(address)
    first = time.perf_counter() - begun
    pages: dict[str, Any] = {}
    for name, terms in PAGES.items():
        seen = [_measured(benchmark, terms) for _ in range(VISITS)]
        begun = time.perf_counter()
        answer = client.get(address, terms)
        pages[name] = {
            "list": statistics.median(one[0] for one in seen),
            "facets": statistics.median(one[1] for one in seen),
            "clock": 1000 * (time.perf_counter() - begun),
            "total": seen[0][2],
            "kb": len(gzip.compress(answer.content)) / 1024,
        }
    return {"pages": pages, "first_s": first, "load": os.getloadavg()[0]}


def _measured(benchmark: Any, terms: Mapping[str, str]) -> tuple[float, float, int]:
    from evaluation.actions.read_list import TrajectoryList
    from evaluation.models import Run, Trajectory
    from evaluation.views.trajectories_facets import facets

    begun = time.process_time()
    runs = list(Run.objects.of(benchmark).without_tables())
    found = TrajectoryList(benchmark, runs, terms)
    pks, _ = found.page("", 50)
    list(Trajectory.objects.filter(pk__in=pks).for_list())
    listed = time.process_time()
    facets(found, terms, runs)
    return 1000 * (listed - begun), 1000 * (time.process_time() - listed), found.total
