"""Lists of trajectories while others write: gold is accepted, samples are imported and trajectories are tagged.

Run as ``python -m bench lists --writing``. The writer is a process of its own; a list is timed in processor time of the
reader and the time that it waits for the database.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from typing import Any

from bench import workers

SECONDS, PAUSE = 20.0, 0.5
"""How long lists are visited, and how long the writer rests between two writes."""
SLOWER = 1.5
"""A list may take so many times what it takes in quiet."""


def measured(environ: Mapping[str, str], seconds: float) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Of the same process in quiet and while others write; and what was written."""
    with workers.Conversation(environ) as reader:
        reader.ask("lists:visit", seconds=0.0)
        quiet = reader.ask("lists:visit", seconds=seconds)
        with ThreadPoolExecutor(1) as pool:
            writer = pool.submit(workers.call, "writing:write", environ, seconds=seconds + 2)
            time.sleep(min(2.0, seconds))  # until the writer has begun
            busy = reader.ask("lists:visit", seconds=seconds)
            return quiet, busy, writer.result()


def write(seconds: float) -> dict[str, int]:
    """Accept gold of the benchmark, import samples into another one and tag trajectories, in turn, for so long."""
    from dataclasses import replace

    from django.db import transaction

    from annotation.content.revisions import make_gold
    from annotation.content.samples import save_samples
    from annotation.models import Benchmark, Gold
    from bench.invented import samples
    from evaluation.models import Trajectory
    from evaluation.trajectories.write.marks import tag_trajectories
    from webapp.accounts.models import User

    benchmark = Benchmark.objects.order_by("pk")[0]
    other, _ = Benchmark.objects.get_or_create(slug="others", defaults={"title": "Others"})
    tagger, _ = User.objects.get_or_create(email="tagger@example.org", defaults={"name": "Tagger", "is_staff": True})
    golds = Gold.objects.filter(sample__benchmark=benchmark).select_related("revision__annotation__sample__benchmark")
    record, pks = next(iter(samples(1))), Trajectory.objects.order_by("pk").values_list("pk", flat=True)[:500]
    done = {"gold": 0, "samples": 0, "tags": 0}

    def accept() -> None:
        with transaction.atomic():
            make_gold(golds.order_by("pk")[done["gold"]].revision)

    def add() -> None:
        batch = [replace(record, id=f"other-{done['samples']}-{n}") for n in range(100)]
        save_samples(actor=None, benchmark=other, records=batch)

    def tag() -> None:
        tag_trajectories(actor=tagger, benchmark=benchmark, trajectories=list(pks), name=f"tag {done['tags']}")

    writes: Mapping[str, Callable[[], None]] = {"gold": accept, "samples": add, "tags": tag}
    ends = time.monotonic() + seconds
    for name in cycle(writes):
        writes[name]()
        done[name] += 1
        if time.monotonic() > ends:
            return done
        time.sleep(PAUSE)
    return done
