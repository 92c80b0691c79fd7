"""Uploads that nobody imports go after a while, with their files; what is needed stays."""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from annotation.common.room import used_bytes
from annotation.exchange.write.files import store
from annotation.exchange.write.pictures import receive_pictures
from annotation.exchange.write.sweep import sweep_uploads
from annotation.models import Benchmark, ImportRecord
from evaluation.imports.write import upload
from tests.evaluation.import_data import File, kitchen, lines, native, picture, run_rows, sample_rows, zipped
from tests.worlds import made_once
from webapp.common.models import AuditEntry
from webapp.jobs.sweeper import sweep

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

RUNS = native(trajectories=run_rows())


@pytest.fixture(autouse=True)
def uploads(settings, tmp_path) -> Path:
    settings.SCRATCH, settings.UPLOAD_KEEP_DAYS = tmp_path / "scratch", 30
    folder = {"BACKEND": "webapp.common.objects.Folder", "OPTIONS": {"location": tmp_path, "allow_overwrite": True}}
    settings.STORAGES = {**settings.STORAGES, "default": folder}
    return tmp_path / "uploads"


@made_once
def benchmark(lea) -> Benchmark:
    return kitchen(lea)


def after(days: float) -> datetime:
    return timezone.now() + timedelta(days=days)


def touch(path: Path, moment: datetime) -> None:
    os.utime(path, (moment.timestamp(), moment.timestamp()))


def stored(record: ImportRecord, uploads: Path) -> Path:
    return uploads / record.upload.partition("/")[0]


def received(lea, benchmark, run_jobs, content=RUNS) -> ImportRecord:
    record = upload.store_upload(actor=lea, benchmark=benchmark, file=File(content))
    run_jobs()
    return ImportRecord.objects.get(pk=record.pk)


@pytest.mark.both_databases
def test_an_upload_that_nobody_imports_goes_with_its_file_and_is_written_down(lea, benchmark, run_jobs, uploads):
    record = received(lea, benchmark, run_jobs)
    assert sweep_uploads(actor=None, now=after(29)) == 0
    assert stored(record, uploads).is_file()
    assert sweep_uploads(actor=None, now=after(31)) == 1
    assert not ImportRecord.objects.exists()
    assert list(uploads.iterdir()) == []
    entry = AuditEntry.objects.get(action="import.abandon")
    assert (entry.actor, entry.subject_id, entry.before) == (None, str(record.pk), "preview")
    assert entry.data == {"file": "file.json", "bytes": len(RUNS)}


@pytest.mark.both_databases
def test_what_was_imported_stays_and_so_does_what_failed_on_the_way(lea, benchmark, run_jobs, uploads):
    done = received(lea, benchmark, run_jobs)
    upload.commit(actor=lea, record=done)
    run_jobs()
    failed = received(lea, benchmark, run_jobs, native(trajectories=run_rows()[:2]))
    ImportRecord.objects.filter(pk=failed.pk).update(state="failed")
    assert sweep_uploads(actor=None, now=after(400)) == 0
    assert all(stored(record, uploads).is_file() for record in (done, failed))


def test_the_file_of_an_undone_import_goes_later_and_counts_until_then(lea, benchmark, run_jobs, uploads, settings):
    """D3.4: it must be sent again to be imported, and undoing is no way around the quota."""
    record = received(lea, benchmark, run_jobs)
    ImportRecord.objects.filter(pk=record.pk).update(state="undone", finished_at=timezone.now())
    assert sweep_uploads(actor=None, now=after(29)) == 0
    assert stored(record, uploads).is_file()
    assert used_bytes(benchmark) == len(RUNS)
    assert sweep_uploads(actor=None, now=after(31)) == 0, "the record stays"
    assert not stored(record, uploads).exists()
    ImportRecord.objects.filter(pk=record.pk).update(finished_at=after(-31))
    assert used_bytes(benchmark) == 0


def test_a_file_that_was_sent_again_waits_anew(lea, benchmark, run_jobs, uploads):
    record = received(lea, benchmark, run_jobs)
    touch(stored(record, uploads), after(20))
    assert sweep_uploads(actor=None, now=after(31)) == 0
    assert sweep_uploads(actor=None, now=after(51)) == 1


def test_a_file_that_is_being_read_stays(lea, benchmark, run_jobs):
    record = upload.store_upload(actor=lea, benchmark=benchmark, file=File(RUNS))
    assert sweep_uploads(actor=None, now=after(31)) == 0
    run_jobs()
    record.refresh_from_db()
    assert record.state == "preview"


def test_the_other_half_of_an_imported_file_goes_and_the_file_stays(lea, benchmark, run_jobs, uploads):
    record = received(lea, benchmark, run_jobs, native(samples=sample_rows()[:1], trajectories=run_rows()))
    twin = upload.other_kind(actor=lea, record=record)
    run_jobs()
    upload.commit(actor=lea, record=ImportRecord.objects.get(kind="runs"))
    run_jobs()
    assert sweep_uploads(actor=None, now=after(31)) == 1
    assert ImportRecord.objects.get().kind == "runs"
    assert stored(twin, uploads).is_file()


def test_pictures_stay_until_they_are_taken_in(lea, benchmark, run_jobs, uploads):
    receive_pictures(actor=lea, benchmark=benchmark, files=[File(picture(), "a.png")])
    sweep_uploads(actor=None, now=after(31))
    assert len(list(uploads.iterdir())) == 1
    run_jobs()
    assert ImportRecord.objects.get().counts["new"] == 1
    sweep_uploads(actor=None, now=after(31))
    assert list(uploads.iterdir()) == []


@pytest.mark.both_databases
def test_what_broke_off_goes_after_a_day_and_a_file_of_no_record_after_the_same_wait(lea, benchmark, run_jobs, uploads):
    record = received(lea, benchmark, run_jobs)
    scratch = uploads.with_name("scratch")
    (uploads / "half.part").write_bytes(b"{")
    (scratch / "pictures.part").mkdir()
    unknown = store(File(b"no known format", "unknown.txt"))
    sweep_uploads(actor=None, now=after(0.9))
    assert len(list(uploads.parent.rglob("*.part"))) == 2
    sweep_uploads(actor=None, now=after(1.1))
    assert list(uploads.parent.rglob("*.part")) == []
    assert (uploads / unknown.sha256).is_file()
    assert stored(record, uploads).is_file()
    sweep_uploads(actor=None, now=after(31))
    assert not (uploads / unknown.sha256).exists()


def test_copies_that_nothing_uses_go_and_are_fetched_when_they_are_wanted(lea, benchmark, run_jobs, uploads):
    """D6.3: the copy of an upload on this machine is a cache; the object store has the file."""
    record = received(lea, benchmark, run_jobs, zipped(**{"samples.jsonl": lines(sample_rows()), "mug.png": picture()}))
    copy, pictures = upload.path_of(record), upload.pictures_of(record)
    sweep_uploads(actor=None, now=after(1.1))
    assert not copy.exists()
    assert not pictures.exists()
    assert upload.path_of(record).read_bytes() == stored(record, uploads).read_bytes()
    assert [path.name for path in upload.pictures_of(record).iterdir()] == ["mug.png"]


def test_a_host_without_a_worker_keeps_no_copies_of_what_it_took_long_ago(lea, benchmark, uploads):
    """D6.3: nobody sweeps there, so each upload removes what nothing has used for a day."""
    old, lately = (store(File(content, "a.txt")).path for content in (b"old", b"lately"))
    touch(old.parent, after(-1.1))
    upload.store_upload(actor=lea, benchmark=benchmark, file=File(RUNS))
    assert (old.exists(), lately.exists()) == (False, True)
    touch(lately.parent, after(-1.1))
    receive_pictures(actor=lea, benchmark=benchmark, files=[File(picture(), "a.png")])
    assert not lately.exists()
    assert len(list(uploads.iterdir())) == 4


def test_the_pictures_of_a_preview_go_with_its_record(lea, benchmark, run_jobs, uploads):
    rows = [{**sample_rows()[0], "image": "mug.png"}]
    received(lea, benchmark, run_jobs, zipped(**{"samples.jsonl": lines(rows), "mug.png": picture()}))
    assert len(list((uploads.parent / "previews").rglob("*.jpg"))) == 2
    sweep_uploads(actor=None, now=after(29))
    assert len(list((uploads.parent / "previews").rglob("*.jpg"))) == 2
    sweep_uploads(actor=None, now=after(31))
    assert list((uploads.parent / "previews").rglob("*")) == []


def test_the_hourly_sweep_removes_abandoned_uploads(lea, benchmark, run_jobs):
    received(lea, benchmark, run_jobs)
    sweep(after(31))
    assert not ImportRecord.objects.exists()
