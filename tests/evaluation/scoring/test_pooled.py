"""Everything works through a pooler that gives each transaction another connection to PostgreSQL."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.db import connection, connections
from django.test import Client

from annotation.benchmarks.write.benchmark import add_member
from annotation.models import Benchmark, Sample
from annotation.workflow import Role
from evaluation.models import Run, Scoring, Trajectory
from evaluation.scoring.queue import queue_scoring
from tests import pooler
from tests.conftest import signed_in
from tests.evaluation.run_pages import make_benchmark
from tests.worlds import made_once
from webapp import env
from webapp.accounts.models import User
from webapp.jobs.models import Job
from webapp.jobs.runner import run_waiting

REQUESTS = 160
THREADS = 8

pytestmark = pytest.mark.django_db(transaction=True)


@made_once
def benchmark(lea: User, ana: User) -> Benchmark:
    benchmark = make_benchmark(lea, pictures=False, models=("Model C", "Model D"))
    add_member(actor=lea, benchmark=benchmark, user=ana, role=Role.ANNOTATOR)
    return benchmark


@pytest.fixture
def pooled(benchmark: Benchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """From now on every connection goes through the pooler, as the README has it."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no server that a pooler could stand in front of")
    try:
        with pooler.transaction_pooler(tmp_path, connection.settings_dict) as port:
            kept = dict(connection.settings_dict)
            address = f"postgres://{kept['USER']}@127.0.0.1:{port}/{kept['NAME']}?prepare_threshold=none"
            monkeypatch.setenv("DATABASE_URL", address)
            connections.close_all()
            connection.settings_dict.update(env.database("DATABASE_URL", home=tmp_path))
            yield
            connections.close_all()
            connection.settings_dict.update(kept)
    except pooler.NoPooler as reason:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(reason))


def asked(benchmark: Benchmark) -> list[tuple[str, dict[str, str] | None]]:
    """Addresses of every kind, with what is posted to them."""
    home, api = f"/benchmarks/{benchmark.slug}", f"/api/v1/benchmarks/{benchmark.slug}"
    run, sample = Run.objects.filter(benchmark=benchmark)[0], Sample.objects.filter(benchmark=benchmark)[0]
    trajectory = Trajectory.objects.filter(run=run)[0]
    pages = [
        "",
        "leaderboard/",
        "trajectories/",
        "trajectories/?q=correct:no",
        f"runs/{run.pk}/",
        f"samples/{sample.key}/",
    ]
    pages += [f"trajectories/{trajectory.pk}/", "samples/", "import/"]
    return [
        *((f"{home}/{page}", None) for page in pages),
        *((f"{api}/{page}/", None) for page in ("trajectories", "samples", "leaderboard", "export")),
        ("/", None),
        ("/jobs/", None),
        ("/account/name/", {"name": "Lea Moreau"}),
        (f"{api}/score/", {}),
    ]


@pytest.mark.endurance
def test_a_mixed_load_through_a_pooler_has_no_error(benchmark: Benchmark, pooled: None, lea: User, ana: User) -> None:
    """D6.5: neither prepared statements nor cursors of the server are used from one transaction to the next."""
    addresses = asked(benchmark)

    def ask(part: int) -> Counter[tuple[str, int]]:
        client, found = signed_in(lea if part % 2 else ana), Counter[tuple[str, int]]()
        client.raise_request_exception = False
        for number in range(part, REQUESTS, THREADS):
            address, sent = addresses[number % len(addresses)]
            found[address, answered(client, address, sent)] += 1
            if number % 50 == part:
                Scoring.objects.update(stale=True)
                queue_scoring(actor=lea, benchmark=benchmark)
                run_waiting()
        connections.close_all()
        return found

    with ThreadPoolExecutor(THREADS) as threads:
        found = sum(threads.map(ask, range(THREADS)), Counter[tuple[str, int]]())
    assert sum(found.values()) == REQUESTS
    assert {key: n for key, n in found.items() if key[1] not in (200, 202, 302, 403)} == {}
    run_waiting()
    assert set(Job.objects.values_list("state", flat=True)) == {"done"}


def answered(client: Client, address: str, sent: dict[str, str] | None) -> int:
    if sent is None:
        answer = client.get(address)
        for _ in answer if answer.streaming else ():
            pass
        return answer.status_code
    kind = {"content_type": "application/json"} if address.startswith("/api/") else {}
    return client.post(address, sent, **kind).status_code
