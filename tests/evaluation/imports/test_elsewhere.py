"""An upload is taken on one machine and read on another one, which shares nothing but the object store with it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from annotation.exchange.write.pictures import receive_pictures
from annotation.models import Benchmark, Image, ImportRecord, Sample
from evaluation.imports.write import upload
from evaluation.imports.write.preview.pictures import drawn
from tests.conftest import signed_in
from tests.evaluation.import_data import File, kitchen, lines, picture, sample_rows, zip_of
from tests.worlds import made_once
from webapp.common import objects
from webapp.jobs.actions import retry
from webapp.jobs.models import Job

pytestmark = pytest.mark.django_db(transaction=True)

Host = Callable[[], Path]


@made_once
def benchmark(lea: Any) -> Benchmark:
    return kitchen(lea)


@pytest.fixture(autouse=True)
def on_a_host(settings: Any, tmp_path: Path) -> Host:
    """Go on on another machine: with a scratch folder of its own, empty."""
    settings.STORAGES = {**settings.STORAGES, "default": {**settings.STORAGES["default"]}}
    numbers = iter(range(100))

    def other() -> Path:
        settings.SCRATCH = tmp_path / f"host-{next(numbers)}"
        return Path(settings.SCRATCH)

    other()
    return other


def samples_with_pictures() -> list[bytes]:
    """A file of samples, the second without its picture, and the zip of the pictures."""
    rows = [{**row, "image": f"{row['id']}.png"} for row in sample_rows()[:2]]
    return [lines(rows), zip_of({f"{rows[0]['id']}.png": picture()})]


def test_upload_reading_preview_and_import_may_each_be_on_another_host(
    lea: Any, benchmark: Benchmark, run_jobs: Callable[[], int], on_a_host: Host
) -> None:
    """D6.3, D6.4: each host finds the files in the object store; "Image missing" is said of the one that is."""
    rows, pictures = samples_with_pictures()
    record = upload.store_upload(
        actor=lea, benchmark=benchmark, file=File(rows, "s.jsonl"), images=File(pictures, "pictures.zip")
    )
    on_a_host()
    run_jobs()
    record.refresh_from_db()
    assert record.preview["pictures"] == {"found": 1, "kept": 0, "missing": 1}
    on_a_host()
    index = next(n for n, row in enumerate(record.preview["records"]) if row.get("drawn"))
    assert drawn(record, index, "frame").startswith(b"\xff\xd8")
    shown = signed_in(lea).get(f"/benchmarks/kitchen/import/{record.pk}/pictures/{index}/frame.jpg")
    assert shown.content == drawn(record, index, "frame")
    upload.commit(actor=lea, record=record)
    on_a_host()
    run_jobs()
    record.refresh_from_db()
    assert record.state == "done"
    assert Image.objects.get().samples.count() == 1
    assert [issue.rule for issue in record.issues.all()] == ["image-missing"]


def test_a_job_that_cannot_see_its_file_does_not_say_that_pictures_are_missing(
    lea: Any, benchmark: Benchmark, run_jobs: Callable[[], int], on_a_host: Host
) -> None:
    """D6.4: two hosts whose folders differ. The job says what it lacks; on a host that has the file it goes on."""
    rows, pictures = samples_with_pictures()
    files = {"file": File(rows, "s.jsonl"), "images": File(pictures, "pictures.zip")}
    record = upload.store_upload(actor=lea, benchmark=benchmark, **files)
    run_jobs()
    record.refresh_from_db()
    upload.commit(actor=lea, record=record)
    zipped = f"uploads/{record.options['images']}"
    kept = objects.read(zipped)
    on_a_host()
    objects.delete(zipped)
    run_jobs()
    job = Job.objects.get(kind="evaluation.import")
    assert zipped in job.error
    assert (job.state, job.failures) == ("queued", 1)
    assert (record.issues.count(), Sample.objects.exclude(image=None).count()) == (0, 0)
    objects.put(zipped, kept)
    Job.objects.filter(pk=job.pk).update(not_before=None)
    run_jobs()
    assert ImportRecord.objects.get().state == "done"
    assert Sample.objects.exclude(image=None).count() == 1


def test_an_upload_of_pictures_waits_for_a_host_that_has_them(
    lea: Any, benchmark: Benchmark, run_jobs: Callable[[], int], on_a_host: Host
) -> None:
    """D6.4: no picture of an upload is said to be missing, as no file names it."""
    record = receive_pictures(
        actor=lea, benchmark=benchmark, files=[File(zip_of({"a.png": picture(), "b.png": picture(20)}), "p.zip")]
    )
    [name] = objects.names("uploads")
    kept = objects.read(name)
    shutil.rmtree(on_a_host(), ignore_errors=True)
    objects.delete(name)
    run_jobs()
    assert ImportRecord.objects.get().state == "running"
    assert name in Job.objects.get(kind="annotation.pictures").error
    # Nobody has it for ten minutes: it was removed, and a person is told.
    Job.objects.filter(kind="annotation.pictures").update(
        not_before=None, failing_since=timezone.now() - timedelta(minutes=11)
    )
    run_jobs()
    job = Job.objects.get(kind="annotation.pictures")
    assert (job.state, name in job.error) == ("failed", True)
    objects.put(name, kept)
    retry(job, actor=lea)
    run_jobs()
    record.refresh_from_db()
    assert (record.state, record.counts["new"], record.issues.count()) == ("done", 2, 0)
