"""The layout of compose on one host, from the server lock alone: it takes an upload, imports, scores and serves."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from PIL import Image
from redis import AuthenticationError, Redis

from tests import object_store
from tests.deploy import machine
from tests.deploy.conftest import Site
from tests.deploy.containers import Host
from tests.deploy.person import SAMPLES, SIDE, Person, samples, trajectories

pytestmark = pytest.mark.slow
WEB = "http://127.0.0.1:8000"
DONE = 2 + 2 + SAMPLES
"""Jobs: two uploads read and imported; tiles of every picture, one of them brought by a command."""


def test_compose_takes_an_upload_imports_scores_and_serves(site: Site, tmp_path: Path) -> None:
    """D6.1, D6.2, D6.14: on Redis; read-only, as its user without rights, with the volume and variables of compose."""
    host = Host(tmp_path / "host", site.image, site.venv)
    web, worker = site.services["web"], site.services["worker"]
    with ExitStack() as stack:
        running = stack.enter_context(host.run(web, "web"))
        running.listens(8000)
        working = stack.enter_context(host.run(worker, "worker"))
        ada = Person(WEB)
        bring_a_benchmark(ada, [host])
        folder = host.volume("pictures") / "brought"
        folder.mkdir()
        (folder / "s.jsonl").write_bytes(samples()[0])
        Image.new("RGB", (SIDE, SIDE), "green").save(folder / "s0.png")
        brought = ["import_benchmark", "more", "/data/brought/s.jsonl", "--images", "/data/brought"]
        host.once(web, "command", command=["python", "manage.py", *brought])
        look_at_everything(ada)
        assert len(ada.see("/api/v1/jobs/?tab=done").json()["results"]) == DONE
        with pytest.raises(AuthenticationError), Redis() as stranger:
            stranger.ping()
        probe = worker["healthcheck"]["test"]
        assert probe[0] == "CMD-SHELL"
        host.once(worker, "worker", command=["sh", "-c", probe[1]])
        host.once(web, "probe", command=web["healthcheck"]["test"][1:])
        assert "Traceback" not in running.output + working.output
    written = {path.name for path in host.volume("pictures").iterdir()}
    assert written == {"brought", "media", "scratch", "tmp"}


def test_two_hosts_share_a_bucket_and_nothing_else(site: Site, elsewhere: dict[str, str], tmp_path: Path) -> None:
    """D6.1, D6.3, D6.4: on RabbitMQ and S3; what one host wrote, the other reads; what a host keeps may vanish."""
    first, second = (Host(tmp_path / name, site.image, site.venv) for name in ("first", "second"))
    web, worker = site.services["web"], site.services["worker"]
    with ExitStack() as stack:
        running = stack.enter_context(first.run(web, "web", environ=elsewhere))
        working = stack.enter_context(second.run(worker, "worker", environ=elsewhere))
        running.listens(8000)
        ada = Person(WEB)
        bring_a_benchmark(ada, [first, second])
        forget_copies([first, second])
        look_at_everything(ada)
        assert "Traceback" not in running.output + working.output
    for host in (first, second):
        assert not (host.volume("pictures") / "media").exists()


@pytest.fixture
def elsewhere(site: Site, tmp_path: Path) -> Iterator[dict[str, str]]:
    """What an override file says of several hosts: RabbitMQ, a bucket, and here a database of its own."""
    with ExitStack() as stack:
        broker = stack.enter_context(machine.rabbitmq(tmp_path))
        store = stack.enter_context(object_store.server())
        broker.wait_until(lambda: "Server startup complete" in broker.output)
        yield {
            "DATABASE_URL": site.services["web"]["environment"]["DATABASE_URL"].rpartition("/")[0] + "/elsewhere",
            "CELERY_BROKER_URL": "amqp://guest:guest@rabbitmq:5672//",
            "SIGHTLINE_STORAGE": f"s3://{object_store.BUCKET}/site",
            "SIGHTLINE_S3_ENDPOINT": store,
            "WEB_CONCURRENCY": "1",
            **object_store.KEYS,
        }


def forget_copies(hosts: list[Host]) -> None:
    """What a host has in its scratch folder is a cache."""
    for host in hosts:
        shutil.rmtree(host.volume("pictures") / "scratch", ignore_errors=True)


def bring_a_benchmark(ada: Person, hosts: list[Host]) -> None:
    """Samples with their pictures, then a run, each uploaded, read, looked at and imported."""
    ada.send("/benchmarks/new/", {"title": "Signs", "slug": "signs"})
    imports = "/api/v1/benchmarks/signs/imports/"
    rows, pictures = samples()
    sent = ada.send(imports, file=("s.jsonl", rows), images=("pictures.zip", pictures)).json()
    record = ada.record_once(f"{imports}{sent['id']}/", "preview")
    assert record["to_write"]["new"] == SAMPLES
    drawn = [ada.client.get(f"/benchmarks/signs/import/{sent['id']}/pictures/{n}/gold.jpg") for n in range(SAMPLES)]
    assert sorted(picture.headers["content-type"] == "image/jpeg" for picture in drawn) == [False, True, True]
    forget_copies(hosts)
    ada.send(f"{imports}{sent['id']}/commit/")
    record = ada.record_once(f"{imports}{sent['id']}/", "done")
    issues = ada.see(f"{imports}{sent['id']}/issues/").json()["results"]
    assert [(issue["rule"], issue["found"]) for issue in issues] == [("image-missing", "s0.png")]
    sent = ada.send(imports, file=("runs.jsonl", trajectories())).json()
    ada.record_once(f"{imports}{sent['id']}/", "preview")
    ada.send(f"{imports}{sent['id']}/commit/")
    ada.record_once(f"{imports}{sent['id']}/", "done")


def look_at_everything(ada: Person) -> None:
    """The pages, pictures, scores and exports of what was brought."""
    jobs = ada.jobs_are_over()
    assert {job["state"] for job in jobs} == {"done"}, jobs
    assert {job["attempts"] for job in jobs} == {1}
    rows = ada.see("/benchmarks/signs/export/metrics.json").json()
    whole = {one["metric"]: one["value"] for one in rows if not one["slice"]}
    assert (whole["accuracy"], whole["grounded_score"]) == (1.0, 0.5)
    page = ada.see("/benchmarks/signs/leaderboard/").text
    for address in {part.partition('"')[0] for part in page.split('="/static/')[1:]}:
        ada.see(f"/static/{address}")
    shown = set(re.findall(r"/benchmarks/signs/images/[0-9a-f]{64}", ada.see("/benchmarks/signs/").text))
    assert len(shown) == SAMPLES - 1
    images = min(shown)
    for name in ("thumbnail.jpg", "tiles/10/0_0.jpg", f"regions/0,0,{SIDE},{SIDE}/120.jpg"):
        assert ada.see(f"{images}/{name}").content.startswith(b"\xff\xd8")
    assert len(ada.see("/benchmarks/signs/export/native.json").json()["samples"]) == SAMPLES
