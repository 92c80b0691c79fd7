"""Browsing a million trajectories on both databases: the board, lists under every kind of filter with all their counts,
one trajectory, a comparison, words; the tests and ranks of many runs; and what a million costs beyond forty thousand.

Values are processor time of this process, which neighbours do not change, and the time that it waits for a database in
another; limit: the time by the clock and the load beside it.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from bench import workers
from bench.invented import write_run
from bench.lists import PAGES, PAIRS, WORDS
from bench.options import Options
from bench.rows import Row, Skipped
from bench.words import measure_words
from tests.postgres import NoServer, server

LIST_MS, FACETS_MS, KB, LINK_KB = 50, 300, 150, 300
ROWS = 50
"""On a page."""


class Visits(NamedTuple):
    """How often each list and each page is asked for after the first time, and each list of few and of many in turn;
    how many processes are asked for each list the first time."""

    lists: int
    pages: int
    turns: int
    fresh: int


VISITS, SMALL_VISITS = Visits(8, 20, 25, 3), Visits(1, 2, 1, 1)
GROWTH = 1.2
"""A list of a million rows may take so many times what one of forty thousand takes."""
Fresh = Callable[[], AbstractContextManager[dict[str, str]]]
"""An empty database."""


def measure(options: Options) -> Iterator[Row | Skipped]:
    sizes = (200, 2, 3) if options.small else (20_000, 25, 50)
    visits = SMALL_VISITS if options.small else VISITS
    yield from _database("SQLite", workers.sqlite, *sizes, visits)
    yield from _numbers(options)
    if options.small:
        return
    try:
        with server(dict(os.environ)) as address:
            yield from _database("PostgreSQL", partial(workers.postgres, address), *sizes, visits)
    except (NoServer, ImportError) as problem:
        yield Skipped("browsing", "PostgreSQL", str(problem))


def _database(name: str, fresh: Fresh, samples: int, share: int, runs: int, visits: Visits) -> Iterator[Row]:
    """``share``: the runs are on a so manieth of the samples first, then on all."""
    with fresh() as few, fresh() as environ:
        make(few, samples // share, runs)
        make(environ, samples, runs)
        before, after = (workers.call("lists:visit_lists", one, visits=visits.lists) for one in (few, environ))
        asked = [workers.call("lists:ask_lists", environ)["asked"] for _ in range(visits.fresh)]
        for page, seen in after["pages"].items():
            seen["asked"] = statistics.median(one[page] for one in asked)
        size = f"{name}, {runs} runs of {samples:,} trajectories"
        yield Row("browsing", f"{size}, first list of a process", after["first_s"], "s", 3)
        for words, pages in (("one field", PAGES), ("two fields", PAIRS)):
            yield from _lists(f"{size}, {words}", {page: after["pages"][page] for page in pages}, after["load"])
        right, wrong = (answers["pages"]["A right, B wrong"] for answers in (before, after))
        yield Row("browsing", f"{size}, A right and B wrong, list of 50", wrong["list"], "ms", LIST_MS,
                  limit=f"{wrong['total']:,} found; {right['list']:.0f} ms on {samples // share:,}")  # fmt: skip
        totals = {page: min(of["pages"][page]["total"] for of in (before, after)) for page in after["pages"]}
        # Where both have a whole page to show.
        whole = [page for page, total in totals.items() if total >= ROWS] or list(totals)
        yield _growth(size, few, environ, whole, visits.turns, runs * samples // share)
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


def _growth(
    size: str, few: Mapping[str, str], many: Mapping[str, str], pages: Sequence[str], turns: int, rows: int
) -> Row:
    """The whole list page, rows and facets, against the same of as many runs with so many rows in all: the middle of
    the ratios of visits one after the other, which the changing pace of the machine does not touch, over rounds of all
    pages, so that a bad moment touches few visits of each."""
    seen: dict[str, list[list[float]]] = {page: [] for page in pages}
    with workers.Conversation(few) as small, workers.Conversation(many) as large:
        for turn in range(1 + turns):
            for page in pages:
                visit = [of.ask("lists:visit_list", page=page)["ms"] for of in (small, large)]
                if turn:
                    seen[page].append(visit)
    grown = {page: statistics.median(after / before for before, after in visits) for page, visits in seen.items()}
    page = max(grown, key=lambda one: grown[one])
    before, after = (statistics.median(visit[place] for visit in seen[page]) for place in range(2))
    limit = f"slowest of {len(grown)}: {page}, {before:.0f} and {after:.0f} ms; "
    limit += f"in the middle {statistics.median(grown.values()):.2f} times"
    return Row("browsing", f"{size}, a list beside that of {rows:,} rows", grown[page], "times", GROWTH, limit=limit)


def _pages(size: str, answer: Mapping[str, Any]) -> Iterator[Row]:
    limits = {"the board": 100, "the board on a facet": 100}
    limits |= dict.fromkeys(("one trajectory", "one trajectory of a query", "two runs compared"), 1000)
    for page, most in limits.items():
        seen = answer["pages"][page]
        limit = f"{seen['clock']:.0f} ms by the clock at load {answer['load']:.1f}; first {seen['first']:.0f} ms; "
        limit += f"{seen['queries']} queries, {seen['kb']:.0f} kB compressed"
        yield Row("browsing", f"{size}, {page}, p95", seen["p95"], "ms", most, limit=limit)
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
