"""Browsing a million trajectories on both databases: the board, lists under every kind of filter with all their counts,
one trajectory, a comparison, words; and the tests and ranks of many runs.

Values are processor time of this process, which neighbours do not change, and the time that it waits for a database in
another; limit: the time by the clock and the load beside it.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bench import workers
from bench.filters import PAGES, PAIRS, WORDS
from bench.invented import write_run
from bench.options import Options
from bench.rows import Row, Skipped
from bench.words import measure_words
from tests.postgres import NoServer, server

LIST_MS, FACETS_MS, KB, LINK_KB = 100, 300, 150, 300
FIRST_S, MEMORY_MB, BOARD_FIRST_MS = 1, 250, 500


class Visits(NamedTuple):
    """How often each list and each page is asked for after the first time; how many processes are asked for each list
    the first time."""

    lists: int
    pages: int
    fresh: int


VISITS, SMALL_VISITS = Visits(8, 20, 3), Visits(1, 2, 1)


def measure(options: Options) -> Iterator[Row | Skipped]:
    sizes = (200, 3) if options.small else (20_000, 50)
    visits = SMALL_VISITS if options.small else VISITS
    for name, environ in databases(options.small):
        yield from _database(name, environ, *sizes, visits)
    yield from _numbers(options)


def databases(small: bool) -> Iterator[tuple[str, dict[str, str]]]:
    """The environments of an empty SQLite and an empty PostgreSQL database, which last until the next is asked for;
    ``small``: SQLite alone. Without a PostgreSQL server only SQLite is measured, and a line says so."""
    with workers.sqlite() as environ:
        yield "SQLite", environ
    if small:
        return
    try:
        with server(dict(os.environ)) as address, workers.postgres(address) as environ:
            yield "PostgreSQL", environ
    except (NoServer, ImportError) as problem:
        print(f"PostgreSQL is not measured: {problem}", flush=True)


def _database(name: str, environ: Mapping[str, str], samples: int, runs: int, visits: Visits) -> Iterator[Row]:
    make(environ, samples, runs)
    seen = workers.call("lists:visit_lists", environ, visits=visits.lists)
    asked = [workers.call("lists:ask_lists", environ)["asked"] for _ in range(visits.fresh)]
    for page, row in seen["pages"].items():
        row["asked"] = statistics.median(one[page] for one in asked)
    size = f"{name}, {runs} runs of {samples:,} trajectories"
    yield Row("browsing", f"{size}, first list of a process", seen["first_s"], "s", FIRST_S)
    for words, pages in (("one field", PAGES), ("two fields", PAIRS)):
        yield from _lists(f"{size}, {words}", {page: seen["pages"][page] for page in pages}, seen["load"])
    wrong = seen["pages"]["A correct, B incorrect"]
    yield Row("browsing", f"{size}, A correct and B incorrect, list of 50", wrong["list"], "ms", LIST_MS,
              limit=f"{wrong['total']:,} found")  # fmt: skip
    yield Row("browsing", f"{size}, memory of a process that showed all of these", seen["peak_mb"], "MB", MEMORY_MB)
    yield from _pages(size, workers.call("lists:visit_pages", environ, visits=visits.pages))
    yield from measure_words(name, environ, f"{runs} runs of {samples:,} trajectories")


def _lists(name: str, pages: Mapping[str, Mapping[str, float]], load: float) -> Iterator[Row]:
    """The slowest of some filters in each respect, and which that is. Words that are asked for the first time are
    measured apart: see ``bench.words``."""
    for part, unit, most, title in (
        ("list", "ms", LIST_MS, "list of 50"),
        ("asked", "ms", LIST_MS, "list of 50, asked for the first time"),
        ("facets", "ms", FACETS_MS, "all facets"),
        ("kb", "kB", KB, "page compressed"),
    ):
        among = pages.keys() - WORDS if part == "asked" else pages.keys()
        page = max(sorted(among), key=lambda one: pages[one][part])
        seen = pages[page]
        limit = f"slowest of {len(among)}: {page}, {seen['total']:,} found; "
        limit += f"the whole page {seen['clock']:.0f} ms by the clock at load {load:.1f}"
        yield Row("browsing", f"{name}, {title}", seen[part], unit, most, limit=limit)


def _pages(size: str, answer: Mapping[str, Any]) -> Iterator[Row]:
    limits = {"the board": 100, "the board on a facet": 100}
    limits |= dict.fromkeys(("one trajectory", "one trajectory of a query", "two runs compared"), 1000)
    for page, most in limits.items():
        seen = answer["pages"][page]
        limit = f"{seen['clock']:.0f} ms by the clock at load {answer['load']:.1f}; first {seen['first']:.0f} ms; "
        limit += f"{seen['queries']} queries, {seen['kb']:.0f} kB compressed"
        yield Row("browsing", f"{size}, {page}, p95", seen["p95"], "ms", most, limit=limit)
        if page.startswith("the board"):
            yield Row("browsing", f"{size}, {page}, first", seen["first"], "ms", BOARD_FIRST_MS)
    yield Row("browsing", f"{size}, link to one trajectory, first page of a process", answer["cold_s"], "s", 1)
    link = answer["pages"]["one trajectory"]
    yield Row("browsing", f"{size}, link to one trajectory, page compressed", link["kb"], "kB", LINK_KB)


def _numbers(options: Options) -> Iterator[Row]:
    samples, models = (200, 5) if options.small else (20_000, 20)
    found = workers.call("lists:time_numbers", workers.ONE_THREAD, samples=samples, models=models)
    pairs = models * (models - 1) // 2
    name = f"{models} runs of {samples:,} samples"
    yield Row("browsing", f"{name}, {pairs} pairs compared with exact tests and Holm", found["pairs_s"], "s", 1)
    yield Row("browsing", f"{name}, ranks from 10,000 joint draws", found["ranks_s"], "s", 1)
    yield Row("browsing", f"{2 * samples:,} samples, quadrants at every threshold", found["thresholds_ms"], "ms", 100,
              limit=f"with every interval {found['intervals_ms']:.0f} ms, made when a run is scored")  # fmt: skip


def make(environ: Mapping[str, str], samples: int, runs: int) -> None:
    """A benchmark with scored runs, all but the first copied."""
    path = Path(environ["SIGHTLINE_HOME"]) / "trajectories.jsonl"
    write_run(path, samples, samples)
    workers.call("stages:make_benchmark", environ, samples=samples)
    workers.call("stages:import_file", environ, path=str(path))
    workers.call("stages:score", environ)
    workers.call("stages:make_runs", environ, first=1, last=runs)
