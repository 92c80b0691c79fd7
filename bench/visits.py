"""Visiting a page as a signed-in reader would, in a process of its own (see ``bench.workers``)."""

from __future__ import annotations

import gc
import statistics
import time
from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import NoReverseMatch, reverse

from annotation.models import Benchmark
from evaluation.models import Lineage, Trajectory
from webapp.accounts.models import User
from webapp.common.static import collect

WARM = 3


def settle() -> None:
    """What the web server does before it takes requests: what is there by then is not looked through for garbage."""
    gc.collect()
    gc.freeze()


def visit(page: str, visits: int) -> dict[str, Any]:
    """Milliseconds of some visits, after a few that fill the caches; ``missing``: why there is nothing to visit."""
    collect()
    try:
        address = _address(page)
    except NoReverseMatch as problem:
        return {"missing": f"there is no such page yet ({problem})"}
    client = _reader()
    times, worked = [], []
    for place in range(WARM + visits):
        if place == WARM:
            settle()
        begun, idle = time.perf_counter(), time.process_time()
        answer = client.get(address)
        times.append((time.perf_counter() - begun) * 1000)
        worked.append((time.process_time() - idle) * 1000)
        if answer.status_code != 200:
            raise RuntimeError(f"{address} answered {answer.status_code}.")
    with CaptureQueriesContext(connection) as queries:
        client.get(address)
    return {
        "p95_ms": statistics.quantiles(times[WARM:], n=20)[-1],
        "median_ms": statistics.median(times[WARM:]),
        "processor_ms": statistics.median(worked[WARM:]),
        "queries": len(queries),
        "query_ms": 1000 * sum(float(query["time"]) for query in queries),
        "kb": len(answer.content) / 1024,
    }


def count_queries(page: str) -> int | None:
    """Queries of one visit, after one that fills the caches; None when there is no such page."""
    try:
        address = _address(page)
    except NoReverseMatch:
        return None
    collect()
    client = _reader()
    client.get(address)
    with CaptureQueriesContext(connection) as queries:
        client.get(address)
    return len(queries)


def _address(page: str) -> str:
    slug = Benchmark.objects.get().slug
    if page == "trajectory":
        middle = Trajectory.objects.order_by("pk")[Trajectory.objects.count() // 2]
        return reverse("evaluation:trajectory", args=[slug, middle.pk])
    if page == "lineage":
        return reverse("evaluation:lineage", args=[slug, Lineage.objects.get().pk])
    return reverse(f"evaluation:{page}", args=[slug])


def _reader() -> Client:
    """A signed-in administrator's browser: every right, so every part of a page."""
    user, _ = User.objects.get_or_create(
        email="reader@example.org", defaults={"name": "Reader", "is_staff": True, "is_superuser": True}
    )
    client = Client(SERVER_NAME="localhost")
    client.force_login(user)
    return client
