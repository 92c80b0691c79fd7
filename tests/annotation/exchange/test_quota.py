"""How much a benchmark may keep: said before, refused with the reason, and free again when it is gone."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.common.room import left_bytes, upload_room, used_bytes
from annotation.exchange.write.pictures import receive_pictures
from annotation.models import Benchmark, ImportRecord, Sample
from annotation.workflow import Right, Role
from evaluation.imports.write import upload
from tests.conftest import signed_in
from tests.evaluation.import_data import File, native, picture, run_rows, sample_rows
from tests.worlds import made_once
from webapp.common.bodies import allowance
from webapp.common.errors import TooLarge

pytestmark = pytest.mark.django_db
FILE = native(samples=sample_rows(), trajectories=run_rows())


@pytest.fixture(autouse=True)
def small(settings, tmp_path) -> None:
    settings.SCRATCH, settings.BENCHMARK_QUOTA_BYTES = tmp_path, 3_000_000


@made_once
def benchmark(lea, ana) -> Benchmark:
    made = create_benchmark(actor=lea, slug="street", title="Street")
    add_member(actor=lea, benchmark=made, user=ana, role=Role.ANNOTATOR)
    return made


def test_images_and_uploads_count_once_each(benchmark, lea, run_jobs):
    """D3.4: an image that two samples share, a file that is sent twice, and what waits for its job."""
    image = picture()
    files = [SimpleUploadedFile(name, image) for name in ("a.png", "b.png")]
    receive_pictures(actor=lea, benchmark=benchmark, files=files)
    assert used_bytes(benchmark) == 2 * len(image)
    run_jobs()
    assert used_bytes(benchmark) == len(image)
    for _ in range(2):
        upload.store_upload(actor=lea, benchmark=benchmark, file=File(FILE))
    assert used_bytes(benchmark) == len(image) + len(FILE)
    ImportRecord.objects.exclude(upload="").delete()
    Sample.objects.all().delete()
    assert used_bytes(benchmark) == 0


def test_what_does_not_fit_is_refused_and_the_pages_say_how_much_does(benchmark, lea, run_jobs):
    """D3.4: with a sentence that says what to do, and nothing kept."""
    client, large = signed_in(lea), b"x" * 3_000_001
    pages = {"/benchmarks/street/import/": "file", "/benchmarks/street/upload/": "files"}
    for page, field in pages.items():
        assert "3.0\u00a0MB" in client.get(page).content.decode()
        answer = client.post(page, {field: SimpleUploadedFile("a.png", large)})
        assert answer.status_code == 413
        assert "SIGHTLINE_BENCHMARK_QUOTA_MB" in answer.content.decode()
    answer = client.post("/api/v1/benchmarks/street/imports/", {"file": SimpleUploadedFile("a.json", large)})
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "quota")
    with pytest.raises(TooLarge, match="Street can store"):
        upload.store_upload(actor=lea, benchmark=benchmark, file=File(FILE), images=File(large, "a.zip"))
    assert not ImportRecord.objects.exists()


def test_the_server_is_told_what_is_left_before_it_reads_an_upload(benchmark, lea, ana, sam, settings):
    """D3.4: the right to upload and the room there is, for every address that takes files."""
    paths = ("/benchmarks/street/import/", "/benchmarks/street/upload/", "/api/v1/benchmarks/street/imports/")
    for path in paths:
        assert allowance(path, lea).most == 4_000_000
        assert "Street can store" in allowance(path, lea).words
        assert allowance(path, None).most == 1_000_000
        for other in (ana, sam):
            assert allowance(path, other).most == settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    settings.BENCHMARK_QUOTA_BYTES = 1 << 40
    assert allowance(paths[0], lea).most == settings.MAX_UPLOAD_BYTES + 1_000_000
    assert allowance("/nothing/", lea).most == 1_000_000
    assert allowance("/sign-in/", lea).most == settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    assert upload_room(Right.IMPORT_RUNS)(lea, slug="nothing") is None
    assert left_bytes(benchmark) == 1 << 40
