"""Portable files over the API and on pages: written by a job, uploaded, checked, and made into a benchmark."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotation.exchange.write.sweep import sweep_uploads
from annotation.models import Benchmark, Membership, PortableUpload
from annotation.project_file import Reader
from annotation.workflow import Role
from evaluation.exports.write.files import delete_old_files
from evaluation.exports.write.uploads import delete_old_uploads
from tests.annotation.portable.files import damaged, exported, forged
from tests.conftest import signed_in
from tests.factories import make_user
from webapp.accounts.actions import create_token
from webapp.accounts.models import User
from webapp.accounts.scopes import Scope
from webapp.common import objects
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.django_db

FILES, UPLOADS = "/api/v1/benchmarks/kitchen/portable/", "/api/v1/portable/"
Run = Callable[[], int]


def program(user: User, *scopes: Scope, benchmark: str = "") -> Client:
    _, secret = create_token(name="program", actor=user, scopes=list(scopes), benchmark=benchmark)
    return Client(headers={"Authorization": f"Bearer {secret}"})


def post(client: Client, address: str, **body: Any) -> Any:
    return client.post(address, body, content_type="application/json")


def sent(client: Client, path: Path, address: str = UPLOADS) -> Any:
    with path.open("rb") as file:
        return client.post(address, {"file": file})


def test_a_program_exports_a_file_and_makes_a_benchmark_out_of_it(
    kitchen: Benchmark, lea: User, run_jobs: Run, tmp_path: Path
) -> None:
    client = program(lea, Scope.MANAGE)
    job = post(client, FILES, version=1).json()
    assert client.get(f"{FILES}{job['id']}/file/").status_code == 409
    run_jobs()
    state = client.get(f"{FILES}{job['id']}/").json()
    assert (state["state"], state["result"]["file"]) == ("done", "kitchen-v1.sightline")
    answer = client.get(f"{FILES}{job['id']}/file/")
    file = tmp_path / "file.sightline"
    file.write_bytes(b"".join(answer.streaming_content))
    assert file.stat().st_size == state["result"]["bytes"]
    with Reader(file) as read:
        assert read.manifest.checksum == state["result"]["checksum"]
        assert read.manifest.about["people"] == "pseudonyms"
    upload = sent(client, file).json()
    assert (upload["state"], upload["preview"]) == ("reading", {})
    run_jobs()
    address = f"{UPLOADS}{upload['id']}/"
    preview = client.get(address).json()
    assert preview["state"] == "ready"
    assert preview["preview"]["counts"]["samples"] == 2
    assert (preview["preview"]["version"], preview["preview"]["slug"]) == (1, "kitchen")
    assert not Benchmark.objects.exclude(pk=kitchen.pk).exists()
    assert post(client, f"{address}create/", slug="copy").json()["state"] == "running"
    run_jobs()
    done = client.get(address).json()
    assert (done["state"], done["benchmark"]) == ("done", "copy")
    assert Membership.objects.filter(benchmark__slug="copy", user=lea, role=Role.LEAD).exists()
    assert [row["id"] for row in client.get(UPLOADS).json()["results"]] == [upload["id"]]
    assert AuditEntry.objects.filter(action="portable.upload", actor=lea).count() == 1


@pytest.mark.parametrize(
    ("body", "field"),
    [({"version": "1"}, "version"), ({"version": 0}, "version"), ({"people": "all"}, "people"), ({"x": 1}, "x")],
)
def test_an_export_takes_only_what_it_knows(kitchen: Benchmark, lea: User, body: Any, field: str) -> None:
    answer = post(program(lea, Scope.MANAGE), FILES, **body)
    assert answer.status_code == 400
    assert field in answer.content.decode()


def test_an_export_of_an_unknown_version_is_not_found(kitchen: Benchmark, lea: User) -> None:
    assert post(program(lea, Scope.MANAGE), FILES, version=9).status_code == 404


def test_the_same_export_twice_at_once_is_one_job(kitchen: Benchmark, lea: User) -> None:
    client = program(lea, Scope.MANAGE)
    first, second = (post(client, FILES, version=1).json()["id"] for _ in range(2))
    assert first == second
    assert post(client, FILES).json()["id"] != first


def test_files_and_uploads_belong_to_those_who_may(
    kitchen: Benchmark, lea: User, rui: User, sam: User, run_jobs: Run, tmp_path: Path
) -> None:
    job = post(program(lea, Scope.MANAGE), FILES).json()["id"]
    run_jobs()
    assert program(rui, Scope.MANAGE).get(f"{FILES}{job}/file/").status_code == 403
    assert program(sam, Scope.MANAGE).get(f"{FILES}{job}/file/").status_code == 404
    other = make_user("Zoe Fox", is_staff=True)
    upload = sent(program(lea, Scope.MANAGE), exported(kitchen, tmp_path / "file")).json()["id"]
    assert program(other, Scope.MANAGE).get(f"{UPLOADS}{upload}/").status_code == 404
    assert post(program(other, Scope.MANAGE), f"{UPLOADS}{upload}/create/", slug="copy").status_code == 404
    assert sent(program(rui, Scope.MANAGE), tmp_path / "file").status_code == 403
    assert sent(program(lea, Scope.IMPORT), tmp_path / "file").status_code == 403
    limited = sent(program(lea, Scope.MANAGE, benchmark="kitchen"), tmp_path / "file")
    assert limited.status_code == 403
    assert "one benchmark" in limited.content.decode()


def test_a_damaged_upload_says_why_and_makes_nothing(
    kitchen: Benchmark, lea: User, run_jobs: Run, tmp_path: Path
) -> None:
    client = program(lea, Scope.MANAGE)
    broken = damaged(exported(kitchen, tmp_path / "file"), "tables/gold.jsonl", lambda data: data[:-9])
    address = f"{UPLOADS}{sent(client, broken).json()['id']}/"
    run_jobs()
    state = client.get(address).json()
    assert state["state"] == "failed"
    assert "tables/gold.jsonl" in state["problem"]
    assert post(client, f"{address}create/", slug="copy").status_code == 409
    assert not Benchmark.objects.filter(slug="copy").exists()


def test_a_file_that_lies_about_its_counts_is_refused(
    kitchen: Benchmark, lea: User, run_jobs: Run, tmp_path: Path
) -> None:
    def lie(data: bytes) -> bytes:
        told = json.loads(data)
        told["members"]["tables/sample.jsonl"]["rows"] = 1000
        return json.dumps(told).encode()

    client = program(lea, Scope.MANAGE)
    address = f"{UPLOADS}{sent(client, damaged(exported(kitchen, tmp_path / 'f'), 'manifest.json', lie)).json()['id']}/"
    run_jobs()
    state = client.get(address).json()
    assert (state["state"], state["preview"]) == ("failed", {})
    assert "tables/sample.jsonl" in state["problem"]


def test_an_import_that_fails_can_begin_again_and_keeps_the_reason(
    kitchen: Benchmark, lea: User, run_jobs: Run, tmp_path: Path
) -> None:
    client = program(lea, Scope.MANAGE)
    file = forged(exported(kitchen, tmp_path / "file"), "gold", lambda rows: rows + rows)
    address = f"{UPLOADS}{sent(client, file).json()['id']}/"
    run_jobs()
    for _ in range(2):
        assert post(client, f"{address}create/", slug="copy").status_code == 202
        run_jobs()
        state = client.get(address).json()
        assert state["state"] == "failed"
        assert "contradict" in state["problem"]
    assert not Benchmark.objects.filter(slug="copy").exists()


def test_two_imports_at_once_make_one_benchmark(kitchen: Benchmark, lea: User, run_jobs: Run, tmp_path: Path) -> None:
    client, file = program(lea, Scope.MANAGE), exported(kitchen, tmp_path / "file")
    one, other = (f"{UPLOADS}{sent(client, file).json()['id']}/" for _ in range(2))
    run_jobs()
    assert post(client, f"{one}create/", slug="copy").status_code == 202
    assert post(client, f"{one}create/", slug="copy-2").status_code == 409
    assert post(client, f"{other}create/", slug="copy").status_code == 202, "The address is still free."
    run_jobs()
    states = [client.get(address).json() for address in (one, other)]
    assert sorted(state["state"] for state in states) == ["done", "failed"]
    assert "already in use" in next(state["problem"] for state in states if state["state"] == "failed")
    assert Benchmark.objects.filter(slug__startswith="copy").count() == 1
    assert post(client, f"{one}create/", slug="again").status_code == 409
    assert post(client, f"{other}create/", slug="copy").status_code == 409
    assert post(client, f"{other}create/", slug="second").status_code == 202


def test_an_upload_takes_only_a_file_within_the_limit(kitchen: Benchmark, lea: User, settings: Any) -> None:
    client = program(lea, Scope.MANAGE)
    assert client.post(UPLOADS, {}).status_code == 400
    assert client.post(UPLOADS, {"file": io.BytesIO(b"x"), "slug": "copy"}).status_code == 400
    assert client.post(UPLOADS, {"file": io.BytesIO(b"")}).status_code == 400
    settings.MAX_UPLOAD_BYTES = 10
    large = io.BytesIO(b"x" * 11)
    large.name = "a.sightline"
    assert client.post(UPLOADS, {"file": large}).status_code == 413
    assert not PortableUpload.objects.exists()


def test_files_and_undecided_uploads_are_deleted_in_time(
    kitchen: Benchmark, lea: User, run_jobs: Run, tmp_path: Path, settings: Any
) -> None:
    client = program(lea, Scope.MANAGE)
    job = post(client, FILES).json()["id"]
    sent(client, exported(kitchen, tmp_path / "file"))
    run_jobs()
    now = timezone.now()
    assert (delete_old_files(now), delete_old_uploads(now)) == (0, 0)
    assert client.get(f"{FILES}{job}/file/").status_code == 200
    later = now + timedelta(days=settings.UPLOAD_KEEP_DAYS + 1)
    sweep_uploads(actor=None, now=later)
    name = PortableUpload.objects.get().upload.split("/")[0]
    assert objects.exists(f"uploads/{name}"), "The upload needs it."
    assert delete_old_files(later) >= 1
    assert delete_old_uploads(later) == 1
    sweep_uploads(actor=None, now=later)
    assert not objects.exists(f"uploads/{name}")
    assert client.get(f"{FILES}{job}/file/").status_code == 404


def test_a_lead_makes_a_benchmark_out_of_an_uploaded_file(
    kitchen: Benchmark, lea: User, run_jobs: Run, tmp_path: Path
) -> None:
    client = signed_in(lea)
    page = sent(client, exported(kitchen, tmp_path / "file.sightline"), "/benchmarks/new/file/").url
    assert "read and checked" in client.get(page).content.decode()
    run_jobs()
    ready = client.get(page)
    assert ready.context["form"].initial == {"slug": "kitchen"}
    taken = client.post(page, {"slug": "kitchen"})
    assert (taken.status_code, list(taken.context["form"].errors)) == (400, ["slug"])
    assert client.post(page, {"slug": "copy"}).url == page
    run_jobs()
    assert "/benchmarks/copy/" in client.get(page).content.decode()
    assert client.get("/benchmarks/copy/samples/").status_code == 200
    assert client.post("/benchmarks/new/file/", {}).status_code == 400


def test_a_lead_has_a_job_write_a_file_that_is_too_large_for_a_download(
    kitchen: Benchmark, lea: User, rui: User, run_jobs: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluation.exports.views.export.MOST_BYTES", 1)
    client = signed_in(lea)
    assert "/benchmarks/kitchen/export/portable/" in client.get("/benchmarks/kitchen/export/").content.decode()
    assert client.post("/benchmarks/kitchen/export/project.sightline").status_code == 409
    assert client.post("/benchmarks/kitchen/export/portable/", {"version": "x"}).status_code == 400
    job = client.post("/benchmarks/kitchen/export/portable/", {"version": "1", "people": "named"}).url
    run_jobs()
    link = client.get(job).context["job"].result_url
    assert client.get(link)["Content-Disposition"].endswith('"kitchen-v1.sightline"')
    assert signed_in(rui).get(link).status_code == 403
