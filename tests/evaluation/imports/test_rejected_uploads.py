"""A file that can't be used is rejected with the reason. It is no failed job, which only the server causes."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.benchmarks.write.benchmark import create_benchmark
from annotation.content.samples import save_samples
from annotation.models import Benchmark, ImportRecord, PortableUpload
from tests.annotation.portable.test_uploads import program
from tests.conftest import signed_in
from tests.evaluation import records
from tests.worlds import made_once
from webapp.accounts.models import User
from webapp.accounts.scopes import Scope
from webapp.jobs.models import Job

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
Run = Callable[[], int]
HERE = "/benchmarks/kitchen"


def zipped(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name.replace("_dot_", "."), content)
    return out.getvalue()


def masks(counts: Any, size: Any = (10, 10)) -> bytes:
    """A COCO file with one mask."""
    segmentation = {"size": list(size), "counts": counts}
    one = {"id": 1, "image_id": 1, "category_id": 1, "iscrowd": 1, "segmentation": segmentation, "bbox": [0, 0, 5, 5]}
    image = {"id": 1, "file_name": "a.png", "width": 10, "height": 10}
    return json.dumps({"images": [image], "annotations": [one], "categories": [{"id": 1, "name": "mug"}]}).encode()


BAD = {
    "empty.json": b"",
    "words.sightline": b"This is a letter, not a benchmark.",
    "cut.zip": zipped(manifest_dot_json=b"{}" * 400)[:-40],
    "other.sightline": zipped(a_dot_txt=b"hello"),
    "manifest.sightline": zipped(manifest_dot_json=b'{"format": 7}'),
    "lists.sightline": zipped(manifest_dot_json=b"[" * 5000),
    "bytes.zip": zipped(manifest_dot_json=b"\xff\xfe\x00\x80"),
    "nested.zip": zipped(a_dot_zip=zipped(b_dot_zip=b"")),
    "cut.json": b'{"samples": [{"id": "a", "question":',
    "deep.json": b"[" * 5000,
    "nulls.jsonl": b"\x00" * 300,
    "latin.csv": b"id,question\na,\xe9\xff\n",
    "sheet.xlsx": zipped(xl_dot_xml=b"<a>"),
    "table.parquet": b"PAR1" + b"\x07" * 64 + b"PAR1",
    "log.eval": zipped(header_dot_json=b"{"),
    "picture.png": b"\x89PNG\r\n\x1a\n" + b"\x00" * 40,
    "numbers.json": b'{"samples": [1, null, {"id": 1e999}], "trajectories": {"a": 1}}',
    "masks.json": masks("\x01zz~"),
    "masks-size.json": masks([5, 5], size=("a", None)),
    "masks-large.json": masks([10**9], size=(10**6, 10**6)),
}


@made_once
def kitchen(lea: User) -> Benchmark:
    benchmark = create_benchmark(actor=lea, slug="kitchen", title="Kitchen")
    save_samples(actor=lea, benchmark=benchmark, records=records.samples())
    return benchmark


@pytest.fixture(autouse=True)
def home(settings: Any, tmp_path: Path) -> None:
    settings.SCRATCH = tmp_path


def files() -> Iterator[SimpleUploadedFile]:
    for name, content in BAD.items():
        yield SimpleUploadedFile(name, content)


def assert_nothing_failed(n: int) -> None:
    """Every job ended, none failed, and what was rejected has a reason that names no exception."""
    states = set(Job.objects.values_list("state", flat=True))
    assert states <= {"done", "rejected"}, list(Job.objects.filter(state="failed").values_list("title", "error"))
    assert all(len(one) > 20 and "Error (" not in one for one in reasons())
    assert len(reasons()) >= n, reasons()


def reasons() -> list[str]:
    return list(Job.objects.filter(state="rejected").values_list("error", flat=True))


@pytest.mark.parametrize("update", [False, True], ids=["new benchmark", "update"])
def test_a_file_that_is_no_portable_file_is_rejected(
    kitchen: Benchmark, lea: User, run_jobs: Run, update: bool
) -> None:
    client = program(lea, Scope.MANAGE)
    address = "/api/v1/benchmarks/kitchen/portable/updates/" if update else "/api/v1/portable/"
    for file in files():
        assert client.post(address, {"file": file}).status_code in (201, 202, 400)
    run_jobs()
    assert_nothing_failed(len(BAD) - 1)
    uploads = PortableUpload.objects.all()
    assert set(uploads.values_list("state", flat=True)) == {"failed"}
    assert all(one.error in reasons() for one in uploads)
    assert signed_in(lea).get("/jobs/").context["counts"]["failed"] == 0


def test_files_that_can_not_be_compared_are_rejected(kitchen: Benchmark, lea: User, run_jobs: Run) -> None:
    client = program(lea, Scope.MANAGE)
    for file in files():
        answer = client.post("/api/v1/benchmarks/kitchen/portable/differences/", {"file": file})
        assert answer.status_code in (201, 202, 400), answer.content
    run_jobs()
    assert_nothing_failed(len(BAD) - 1)


@pytest.mark.parametrize("format", ["", "native", "coco", "table", "openai-chat", "inspect", "vlmevalkit"])
def test_a_file_that_is_no_import_is_rejected(kitchen: Benchmark, lea: User, run_jobs: Run, format: str) -> None:
    client, address = program(lea, Scope.IMPORT), "/api/v1/benchmarks/kitchen/imports/"
    for file in files():
        sent = client.post(address, {"file": file})
        assert sent.status_code in (201, 202, 400), sent.content
        if sent.status_code == 400:
            continue
        run_jobs()
        record = f"{address}{sent.json()['id']}/"
        if format:
            changed = client.patch(record, {"format": format}, content_type="application/json")
            assert changed.status_code in (200, 202, 400, 409), changed.content
            run_jobs()
        begun = client.post(f"{record}commit/", {}, content_type="application/json")
        assert begun.status_code in (202, 400, 409), begun.content
        run_jobs()
    assert_nothing_failed(0)
    assert not ImportRecord.objects.filter(state="running").exists()


def test_images_that_can_not_be_read_are_rejected(kitchen: Benchmark, lea: User, run_jobs: Run) -> None:
    client = signed_in(lea)
    for file in files():
        assert client.post(f"{HERE}/upload/", {"files": [file]}).status_code < 500
        run_jobs()
    assert_nothing_failed(0)


def test_a_file_that_is_no_tool_bank_is_rejected(kitchen: Benchmark, lea: User) -> None:
    client = signed_in(lea)
    for file in files():
        assert client.post(f"{HERE}/settings/tools/import/", {"file": file}).status_code < 500
    assert not Job.objects.exists()
