"""The leaderboard and a trajectory page of a large benchmark on SQLite, from request to answer inside one process.

Limit: the time of the page's queries by themselves. The number of queries has to be the same for few runs and many.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bench import workers
from bench.invented import write_run
from bench.options import Options
from bench.rows import Row, Skipped

TARGETS = {"leaderboard": 100, "trajectory": 80}


def measure(options: Options) -> Iterator[Row | Skipped]:
    samples, few, many = (200, 2, 4) if options.small else (20_000, 5, 50)
    visits = 3 if options.small else 40
    with workers.sqlite() as environ:
        path = Path(environ["SIGHTLINE_HOME"]) / "trajectories.jsonl"
        write_run(path, samples, samples)
        workers.call("stages:make_benchmark", environ, samples=samples)
        workers.call("stages:import_file", environ, path=str(path))
        workers.call("stages:score", environ)
        made = [workers.call("stages:make_runs", environ, first=a, last=b) for a, b in ((1, few), (few, many))]
        for page, target in TARGETS.items():
            name = f"{page}, {many} runs of {samples:,} trajectories"
            answer = workers.call("visits:visit", environ, page=page, visits=visits)
            if "missing" in answer:
                yield Skipped("pages", name, answer["missing"])
                continue
            limit = (
                f"{answer['queries']} queries take {answer['query_ms']:.0f} ms; median {answer['median_ms']:.0f} ms, "
            )
            limit += f"{answer['processor_ms']:.0f} ms of it processor, {answer['kb']:.0f} kB"
            yield Row("pages", f"{name}, p95", answer["p95_ms"], "ms", target, limit=limit)
        before, after = (answer["board_queries"] for answer in made)
        if before is not None:
            name = f"leaderboard, queries for {many} runs beyond those for {few}"
            yield Row("pages", name, after - before, "queries", 0, limit=f"{after} queries")
        pairs = many * (many - 1) // 2
        yield Row("pages", f"ranking {many} runs, {pairs:,} pairs", made[1]["rank_seconds"], "s", 60)
