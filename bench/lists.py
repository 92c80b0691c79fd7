"""What is measured of browsing, as functions that run in a process of their own (see ``bench.workers``)."""

from __future__ import annotations

import gzip
import os
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import combinations, cycle
from typing import Any

from bench.filters import ALL, PAGES, PAIRS
from bench.options import Options
from bench.rows import Row, Skipped


def visit_lists(visits: int) -> dict[str, Any]:
    """Milliseconds of the list, with its rows and its facets, in the middle. Seconds of the first page by the clock."""
    benchmark, client, address, first = _opened()
    pages: dict[str, Any] = {}
    for name, terms in ALL.items():
        seen = [_listed(benchmark, terms) for _ in range(1 + visits)][1:]
        client.get(address, terms)
        begun = time.perf_counter()
        answer = client.get(address, terms)
        listed, facets, total = (statistics.median(one[place] for one in seen) for place in range(3))
        pages[name] = {
            "list": listed,
            "facets": facets,
            "clock": 1000 * (time.perf_counter() - begun),
            "total": int(total),
            "kb": len(gzip.compress(answer.content)) / 1024,
        }
    return {"pages": pages, "first_s": first, "load": os.getloadavg()[0]}


def ask_lists() -> dict[str, Any]:
    """Milliseconds of each list when it is the first time that this process is asked for it."""
    benchmark, *_ = _opened()
    return {"asked": {name: _listed(benchmark, terms)[0] for name, terms in ALL.items()}}


def visit(seconds: float) -> dict[str, Any]:
    """Milliseconds of lists under several filters in turn, for so long; at least each of them once."""
    benchmark, *_ = _opened()
    terms = [*PAGES.values(), *PAIRS.values()]
    begun, seen = time.monotonic(), list[float]()
    for at, one in enumerate(cycle(terms)):
        if at >= len(terms) and time.monotonic() > begun + seconds:
            break
        seen.append(_listed(benchmark, one)[0])
    return {"median": statistics.median(seen), "p95": statistics.quantiles(seen, n=20)[-1], "lists": len(seen)}


def measure(options: Options) -> Iterator[Row | Skipped]:
    """Lists while others write, beside the same lists in quiet."""
    from bench.browsing import LIST_MS, databases, make
    from bench.writing import SECONDS, SLOWER, measured

    if not options.writing:
        yield Skipped("lists", "while others write", "asked for with --writing")
        return
    samples, runs, seconds = (200, 3, 1.0) if options.small else (20_000, 50, SECONDS)
    for database, environ in databases(options.small):
        make(environ, samples, runs)
        quiet, busy, wrote = measured(environ, seconds)
        name = f"{database}, {runs} runs of {samples:,} trajectories, list of 50 while others write"
        limit = f"median {quiet['median']:.1f} and {busy['median']:.1f} ms; "
        limit += ", ".join(f"{count} times {what}" for what, count in wrote.items() if what != "peak_mb")
        yield Row("lists", name, busy["median"] / quiet["median"], "times", SLOWER, limit=limit)
        yield Row("lists", f"{name}, p95", busy["p95"], "ms", LIST_MS, limit=f"{quiet['p95']:.1f} ms in quiet")


@cache
def _opened() -> tuple[Any, Any, str, float]:
    """The benchmark, a reader, the address of the list, and the number of seconds for its first page; once."""
    from django.urls import reverse

    from annotation.models import Benchmark
    from bench.visits import _reader, settle
    from webapp.common.static import collect

    collect()
    benchmark, client = Benchmark.objects.get(), _reader()
    address = reverse("evaluation:trajectories", args=[benchmark.slug])
    begun = time.perf_counter()
    client.get(address)
    first = time.perf_counter() - begun
    settle()
    return benchmark, client, address, first


def _listed(benchmark: Any, terms: Mapping[str, str]) -> tuple[float, float, int]:
    from evaluation.common.shown import USUAL, values_of
    from evaluation.common.staleness import staleness
    from evaluation.models import Run, Trajectory
    from evaluation.store.snapshot import Snapshot
    from evaluation.store.trajectory_list import TrajectoryList
    from evaluation.trajectories.present.facets import facets

    made: list[Any] = []

    def listed() -> None:
        runs = list(Run.objects.of(benchmark))
        snapshot = Snapshot(benchmark, runs)
        found = TrajectoryList(benchmark, runs, terms, snapshot=snapshot)
        pks, _ = found.page("", 50)
        list(Trajectory.objects.filter(pk__in=pks).for_list())
        values_of(snapshot, pks, USUAL)
        staleness(benchmark, runs, snapshot.number)
        made.extend((found, runs))

    took = _worked(listed)
    found, runs = made
    return took, _worked(lambda: facets(found, terms, runs)), found.total


def visit_pages(visits: int) -> dict[str, Any]:
    """Whole pages as a reader asks for them: p95, and the first visit."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext
    from django.urls import reverse

    from annotation.models import Benchmark
    from bench.visits import _reader, settle
    from evaluation.models import Run, Trajectory
    from webapp.common.static import collect

    collect()
    slug, client = Benchmark.objects.get().slug, _reader()
    first, second, *_ = Run.objects.order_by("pk").values_list("pk", flat=True)
    middle = Trajectory.objects.order_by("pk")[Trajectory.objects.count() // 2].pk
    board, compare = (reverse(f"evaluation:{page}", args=[slug]) for page in ("leaderboard", "compare"))
    pages = {
        "the board": board,
        "the board on a facet": f"{board}?by=category&slice=counting",
        "one trajectory": (trajectory := reverse("evaluation:trajectory", args=[slug, middle])),
        "one trajectory of a query": f"{trajectory}?q=counted",
        "two runs compared": f"{compare}?run={first}&run={second}&by=category",
    }
    found = {}
    client.get(reverse("annotation:benchmarks"))
    begun = time.perf_counter()
    client.get(pages["one trajectory"])
    cold = time.perf_counter() - begun
    client.get(board)
    settle()
    for name, address in pages.items():
        seen = [_worked(lambda address=address: client.get(address)) for _ in range(1 + visits)]
        begun = time.perf_counter()
        with CaptureQueriesContext(connection) as queries:
            answer = client.get(address)
        found[name] = {
            "clock": 1000 * (time.perf_counter() - begun),
            "first": seen[0],
            "p95": statistics.quantiles(seen[1:], n=20)[-1],
            "queries": len(queries),
            "kb": len(gzip.compress(answer.content)) / 1024,
        }
        if answer.status_code != 200:
            raise RuntimeError(f"{address} answered {answer.status_code}.")
    return {"pages": found, "cold_s": cold, "load": os.getloadavg()[0]}


def _processor(work: Callable[[], Any]) -> float:
    begun = time.process_time()
    work()
    return 1000 * (time.process_time() - begun)


def _worked(work: Callable[[], Any]) -> float:
    """Milliseconds of processor of this process, and those that it waits for the answers of a database in another."""
    from django.db import connection

    waited = 0.0

    def wait(execute: Callable[..., Any], *query: Any) -> Any:
        nonlocal waited
        clock, own = time.perf_counter(), time.process_time()
        try:
            return execute(*query)
        finally:
            waited += max(time.perf_counter() - clock - (time.process_time() - own), 0.0)

    with connection.execute_wrapper(wait):
        worked = _processor(work)
    return worked + 1000 * waited


def time_numbers(samples: int, models: int) -> dict[str, Any]:
    """Tests, ranks and thresholds of invented answers, two questions on each image."""
    import numpy as np

    from evaluation.metrics.faithfulness import paired_effect
    from evaluation.metrics.ranking import rank_models
    from evaluation.metrics.significance import holm
    from evaluation.metrics.thresholds import quadrant_intervals, quadrants_by_threshold

    rng = np.random.default_rng(3)
    cluster = np.arange(samples) // 2
    right = (rng.random((samples, models)) < np.linspace(0.4, 0.7, models)).astype(np.int64)

    def pairs() -> None:
        effects = [paired_effect(right[:, a], right[:, b], cluster) for a, b in combinations(range(models), 2)]
        holm([one.p_cluster for one in effects])
        holm([one.p_value for one in effects])

    twice = 2 * samples
    of = rng.random(twice), rng.random(twice) < 0.6, np.ones(twice, np.bool_)
    return {
        "pairs_s": min(_processor(pairs) for _ in range(3)) / 1000,
        "ranks_s": min(_processor(lambda: rank_models(right, cluster)) for _ in range(3)) / 1000,
        "thresholds_ms": min(_processor(lambda: quadrants_by_threshold(*of)) for _ in range(5)),
        "intervals_ms": _processor(lambda: quadrant_intervals(*of, np.arange(twice) // 2)),
    }
