"""Words looked for in a million trajectories: what each search takes, and the full-text indexes that it reads.

Values are processor time of this process; limit: the time by the clock and the load beside it.
"""

from __future__ import annotations

import os
import random
import statistics
import time
from collections.abc import Iterator, Mapping
from typing import Any

from bench import workers
from bench.rows import Row

SEARCHES: Mapping[str, str] = {
    "a rare word": '"word007"',
    "a word of every trajectory": '"picture"',
    "a phrase of every trajectory": '"too small to tell"',
    "the beginning of a word": '"word00*"',
    "a star inside a phrase of every trajectory": 'transcript:"too* small to"',
    "a question": '"numbered 123"',
    "words and a field": 'correct "near the left"',
}
MS = 500
VISITS = 5


def measure_words(name: str, environ: Mapping[str, str], size: str) -> Iterator[Row]:
    """On a database whose runs are scored."""
    made = workers.call("words:index_and_search", environ)
    note = f"{made['index_mb']:.0f} MB, with {made['text_mb']:.0f} MB of text"
    yield Row("browsing", f"{name}, {size}, index of words, of a trajectory", made["us"], "µs", 100, limit=note)
    for search, seen in made["searches"].items():
        limit = f"{seen['clock']:.0f} ms by the clock at load {made['load']:.1f}; {seen['total']:,} found"
        yield Row("browsing", f"{name}, {size}, {search}", seen["ms"], "ms", MS, limit=limit)


def index_and_search() -> dict[str, Any]:
    return {**_index(), **_search()}


def _index() -> dict[str, float]:
    """Every run indexed: processor time of each trajectory, bytes of the index and of the texts."""
    from django.db import connection
    from django.db.models import Sum
    from django.db.models.functions import Length

    from evaluation.models import Run, Step, Trajectory, WordFile
    from evaluation.store.words.index import index_run_text

    _various_words()
    begun = time.process_time()
    for run in Run.objects.all():
        index_run_text(run)
    worked = time.process_time() - begun
    files = WordFile.objects.aggregate(n=Sum("bytes"))["n"]
    texts = Step.objects.aggregate(n=Sum(Length("text") + Length("observation")))["n"]
    texts += Trajectory.objects.aggregate(n=Sum(Length("answer")))["n"]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("ANALYZE")
    return {
        "us": 1e6 * worked / Trajectory.objects.count(),
        "index_mb": files / 2**20,
        "text_mb": texts / 2**20,
    }


def _various_words() -> None:
    """Ten more words in each answer, a few often and many seldom, as in real texts."""
    from evaluation.models import Trajectory
    from webapp.common.bulk import update_rows

    rng = random.Random(5)
    rows = Trajectory.objects.order_by("pk").values_list("pk", "answer")
    said = [(" ".join([answer or "", *_words(rng)]), pk) for pk, answer in rows]
    update_rows(Trajectory, "answer", said)


def _words(rng: random.Random) -> list[str]:
    return [f"word{int(10 ** rng.uniform(0, 5)):03}" for _ in range(10)]


def _search() -> dict[str, Any]:
    from annotation.models import Benchmark
    from evaluation.models import Run, Trajectory
    from evaluation.store.trajectory_list import TrajectoryList

    benchmark = Benchmark.objects.get()
    runs = list(Run.objects.of(benchmark))
    TrajectoryList(benchmark, runs, {"q": '"anything"'})

    def once(query: str) -> tuple[float, float, int]:
        begun, clock = time.process_time(), time.perf_counter()
        found = TrajectoryList(benchmark, runs, {"q": query})
        pks, _ = found.page("", 50)
        list(Trajectory.objects.filter(pk__in=pks).for_list())
        return 1000 * (time.process_time() - begun), 1000 * (time.perf_counter() - clock), found.total

    searches = {}
    for name, query in SEARCHES.items():
        seen = [once(query) for _ in range(VISITS)]
        worked, clock = (statistics.median(one[place] for one in seen) for place in (0, 1))
        searches[name] = {"ms": worked, "clock": clock, "total": seen[0][2]}
    return {"searches": searches, "load": os.getloadavg()[0]}
