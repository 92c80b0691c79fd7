"""Pictures by themselves: each becomes a sample to do, and what does not is said."""

from __future__ import annotations

import hashlib
import io
import re
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from PIL import Image as Pillow

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.content.records import sample_records
from annotation.exchange.write import pictures as upload_pictures
from annotation.exchange.write.pictures import go_on, receive_pictures, take_pictures
from annotation.images.store import picture_path
from annotation.imaging.decoding import decode
from annotation.models import Annotation, Benchmark, Gold, Image, ImportIssue, ImportRecord, OriginalFile, Sample
from annotation.queue.assignment import next_to_annotate
from annotation.schema import SampleContent
from annotation.studio.write.another import ask_another
from annotation.workflow import Role
from tests.conftest import signed_in
from tests.processes import ROOT
from tests.unit.test_imaging_metadata import photo
from tests.worlds import made_once
from webapp.common import objects
from webapp.common.models import AuditEntry
from webapp.jobs.models import Job

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

DAMAGED = (ROOT / "tests/fuzz/regressions/images.strip-offsets-of-text").read_bytes()[1:]
"""A TIFF whose strips begin at a text."""

PAGE = "/benchmarks/street/upload/"


@pytest.fixture(autouse=True)
def home(settings, tmp_path):
    settings.SCRATCH = tmp_path


@made_once
def benchmark(lea, ana):
    made = create_benchmark(actor=lea, slug="street", title="Street")
    add_member(actor=lea, benchmark=made, user=ana, role=Role.ANNOTATOR)
    return made


def picture(shade: int, size: tuple[int, int] = (40, 30)) -> bytes:
    out = io.BytesIO()
    Pillow.new("RGB", size, (shade, 0, 0)).save(out, "PNG")
    return out.getvalue()


def zipped(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/"), content)
    return out.getvalue()


def without_flag(archive: bytes, name: str, raw: bytes) -> bytes:
    """The zip with other bytes for a name of the same length, as programs write it that do not say it is UTF-8."""
    assert len(name) == len(raw)
    return archive.replace(name.encode(), raw)


def sent(client: Client, **files: bytes):
    """Posts files, a dot in a name written as ``_dot_``."""
    named = [SimpleUploadedFile(name.replace("_dot_", "."), content) for name, content in files.items()]
    return client.post(PAGE, {"files": named})


def rules(record: ImportRecord) -> list[str]:
    return list(record.issues.values_list("rule", flat=True))


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_stranger_finds_nothing_and_an_annotator_may_not(method, benchmark, sam, ana):
    assert getattr(signed_in(sam), method)(PAGE).status_code == 404
    assert getattr(signed_in(ana), method)(PAGE).status_code == 403
    assert getattr(Client(), method)(PAGE).status_code == 302


@pytest.mark.both_databases
def test_each_picture_becomes_a_sample_to_do(benchmark, lea, run_jobs):
    client = signed_in(lea)
    answer = sent(client, one_dot_png=picture(1), two_dot_png=picture(2, (50, 60)))
    assert answer.status_code == 302
    assert b"every 1s" in client.get(answer.url).content
    run_jobs()
    one, two = Sample.objects.order_by("key")
    assert (one.key, one.state, one.width, one.height, one.image_name) == ("one", "to_do", 40, 30, "one.png")
    assert (two.key, two.image.sha256 is not None) == ("two", True)
    assert not Gold.objects.exists()
    assert not Annotation.objects.exists()
    assert [record.content for record in sample_records(benchmark)] == [SampleContent()] * 2
    page = client.get(answer.url).content.decode()
    assert "2 files uploaded" in page
    assert "/benchmarks/street/samples/?state=to_do" in page
    assert "every 1s" not in page
    assert AuditEntry.objects.filter(action="pictures.upload", benchmark="street").count() == 1
    assert AuditEntry.objects.get(action="import.samples").data["counts"]["new"] == 2
    assert Image.objects.get(pk=one.image_id).state == "ready"


def test_the_piece_that_is_asked_for_again_counts_the_new_samples_in_the_tabs(benchmark, lea, run_jobs):
    client = signed_in(lea)
    answer = sent(client, one_dot_png=picture(1))
    run_jobs()
    piece = client.get(answer.url, headers={"HX-Request": "true"}).content.decode()
    tabs = re.search(r'<nav class="tabs-line"[^>]* id="benchmark-tabs" hx-swap-oob="true">.*?</nav>', piece, re.DOTALL)
    assert tabs is not None
    assert 'Samples <span class="n">1</span>' in tabs[0]
    assert "hx-swap-oob" not in client.get(answer.url).content.decode()


def test_an_annotator_is_handed_what_was_uploaded(benchmark, lea, ana, run_jobs):
    sent(signed_in(lea), one_dot_png=picture(1))
    assert next_to_annotate(actor=ana, benchmark=benchmark) is None
    run_jobs()
    handed = next_to_annotate(actor=ana, benchmark=benchmark)
    assert handed is not None
    assert handed.key == "one"


def test_a_zip_gives_its_pictures_and_says_what_it_passed_over(benchmark, lea, run_jobs):
    content = zipped(**{"day__a.png": picture(1), "night__a.png": picture(2), "notes.txt": b"hello"})
    answer = sent(signed_in(lea), all_dot_zip=content)
    run_jobs()
    assert list(Sample.objects.order_by("key").values_list("key", "image_name")) == [("a", "a.png"), ("a-2", "a-2.png")]
    record = ImportRecord.objects.get()
    assert rules(record) == ["not-a-picture", "key-made-unique"]
    assert "The ID a is already in use. This sample has the ID a-2." in signed_in(lea).get(answer.url).content.decode()


@pytest.mark.both_databases
def test_the_same_picture_twice_is_one_sample(benchmark, lea, run_jobs):
    client = signed_in(lea)
    sent(client, one_dot_png=picture(1), copy_dot_png=picture(1))
    run_jobs()
    sent(client, again_dot_png=picture(1))
    run_jobs()
    assert Sample.objects.count() == 1
    later, first = ImportRecord.objects.all()
    assert (first.counts["new"], first.counts["duplicates"], first.counts["read"]) == (1, 1, 2)
    assert (later.counts["new"], later.counts["duplicates"], rules(later)) == (0, 1, ["duplicate-picture"])


def test_a_known_picture_offers_to_add_a_question_to_its_first_sample(benchmark, lea, run_jobs):
    client = signed_in(lea)
    sent(client, desk_dot_png=picture(1))
    run_jobs()
    ask_another(actor=lea, sample=Sample.objects.select_related("benchmark").get(key="desk"))
    answer = sent(client, again_dot_png=picture(1))
    run_jobs()
    page = client.get(answer.url).content.decode()
    assert "Add a question to desk<" in page
    [address] = re.findall(r'action="([^"]+/another/[^"]+)"', page)
    opened = client.post(address, {"key": "k"})
    assert opened.url == "/benchmarks/street/annotate/samples/desk-3/"
    record = ImportRecord.objects.first()
    [issue] = client.get(f"/api/v1/benchmarks/street/imports/{record.pk}/issues/").json()["results"]
    assert (issue["rule"], issue["field"], issue["found"]) == ("duplicate-picture", "image", "desk")
    assert issue["done"].startswith("desk has this image. No sample was created.")
    # Once the sample is gone there is nothing to add to.
    Sample.objects.all().delete()
    assert "Add a question" not in client.get(answer.url).content.decode()


@pytest.mark.parametrize(
    ("name", "content", "rule"),
    [
        ("text_dot_png", b"no picture at all", "not-an-image"),
        ("drawing_dot_svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "svg"),
        ("empty_dot_zip", zipped(notes=b"x"), "zip-without-pictures"),
        ("bad_dot_zip", zipped(**{"..__x.png": picture(1)}), "zip-refused"),
        ("offsets_dot_tif", DAMAGED, "damaged"),
        ("packed_dot_zip", zipped(**{"in.tif": DAMAGED}), "damaged"),
    ],
)
def test_a_refused_file_is_reported_and_the_others_are_taken(name, content, rule, benchmark, lea, run_jobs):
    """D3.6: of a damaged image too, whose reader raised what nobody expected (D3.5)."""
    sent(signed_in(lea), good_dot_png=picture(9), **{name: content})
    run_jobs()
    record = ImportRecord.objects.get()
    assert rules(record) == [rule]
    assert (record.state, record.counts["refused"], record.counts["new"]) == ("done", 1, 1)
    assert Sample.objects.get().key == "good"


@pytest.mark.parametrize(
    ("files", "status", "said"),
    [
        ({}, 400, "No file was chosen"),
        ({"empty_dot_png": b""}, 400, "empty.png is empty"),
        ({"large_dot_png": b"x" * 2000}, 413, "larger than"),
    ],
)
def test_an_upload_that_cannot_be_kept_comes_back_with_the_sentence(files, status, said, benchmark, lea, settings):
    settings.MAX_UPLOAD_BYTES = 1000
    answer = sent(signed_in(lea), **files)
    assert answer.status_code == status
    assert said in answer.content.decode()
    assert not ImportRecord.objects.exists()


@pytest.mark.both_databases
def test_an_upload_that_stopped_goes_on_behind_what_is_there(benchmark, lea, monkeypatch):
    monkeypatch.setattr(upload_pictures, "BATCH", 1)
    files = [SimpleUploadedFile(f"{n}.png", picture(n)) for n in range(3)]
    record = receive_pictures(actor=lea, benchmark=benchmark, files=files)

    def stop_after_one(done: int, total: int) -> None:
        if done == 1:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        take_pictures(record_id=record.pk, report=stop_after_one)
    assert Sample.objects.count() == 1
    Job.objects.update(state="failed", error="The worker was stopped.")
    page = signed_in(lea).get(f"{PAGE}{record.pk}/").content.decode()
    assert "The upload stopped" in page
    go_on(actor=lea, record=record)
    assert Job.objects.live().count() == 1
    counts = take_pictures(record_id=record.pk, report=lambda done, total: None)
    assert (counts["new"], counts["read"], counts["duplicates"]) == (3, 3, 0)
    assert take_pictures(record_id=record.pk, report=lambda done, total: None) == counts


def test_refused_files_are_listed_before_notes(benchmark, lea, run_jobs):
    answer = sent(signed_in(lea), all_dot_zip=zipped(**{"a.png": picture(1), "b.png": b"x", "day__a.png": picture(2)}))
    run_jobs()
    shown = [issue.rule for issue in signed_in(lea).get(answer.url).context["page"].rows]
    assert len(shown) == 2
    assert shown[1] == "key-made-unique"


def test_the_page_asks_as_little_for_many_issues_as_for_one(benchmark, lea, run_jobs):
    client = signed_in(lea)
    pages = [sent(client, one_dot_png=b"x").url]
    pages.append(sent(client, **{f"n{n}_dot_png": b"x%d" % n for n in range(8)}).url)
    run_jobs()
    counts = []
    for page in [*pages, PAGE]:
        client.get(page)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert client.get(page).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_the_import_page_leads_here_and_offers_no_commit(benchmark, lea, run_jobs):
    client = signed_in(lea)
    answer = sent(client, one_dot_png=picture(1))
    record = ImportRecord.objects.get()
    assert client.get(f"/benchmarks/street/import/{record.pk}/").url == answer.url
    client.post(f"/benchmarks/street/import/{record.pk}/commit/")
    assert not Job.objects.filter(kind="evaluation.import").exists()
    assert b"one.png" in client.get("/benchmarks/street/import/").content


def test_names_in_a_zip_are_read_as_they_were_meant(benchmark, lea):
    """D8.9: UTF-8 without its flag, else the code page; with the flag as it says."""
    archive = zipped(**{"xxxxxx 1.png": picture(1), "yyy.png": picture(2), "絵.png": picture(3)})
    archive = without_flag(archive, "xxxxxx 1.png", "画像 1.png".encode())
    archive = without_flag(archive, "yyy.png", b"\x81b\x84.png")
    record = receive_pictures(actor=lea, benchmark=benchmark, files=[SimpleUploadedFile("a.zip", archive)])
    take_pictures(record_id=record.pk, report=lambda done, total: None)
    assert sorted(Sample.objects.values_list("key", flat=True)) == sorted(["画像 1", "übä", "絵"])


def test_images_are_stored_without_metadata_and_both_hashes_are_kept(benchmark, lea):
    """D8.12: on for a new benchmark; the same file again is a duplicate; off, a file is stored as it came."""
    original = photo("JPEG", 6)
    sent_in(lea, benchmark, "IMG 1.jpg", original)
    image = Image.objects.get()
    stored = objects.read(picture_path(image))
    assert b"Secret camera" not in stored
    assert image.sha256 == hashlib.sha256(stored).hexdigest()
    assert image.bytes == len(stored)
    assert (image.width, image.height, image.orientation) == (61, 83, 6)
    assert (decode(stored) == decode(original)).all()
    kept = OriginalFile.objects.get()
    assert (kept.image, kept.sha256, kept.bytes) == (image, hashlib.sha256(original).hexdigest(), len(original))
    removed = ImportIssue.objects.get(rule="metadata-removed")
    assert removed.found == "GPS position, camera data, XMP, comment or text"
    assert sent_in(lea, benchmark, "copy.jpg", original)["duplicates"] == 1

    as_it_is = create_benchmark(actor=lea, slug="as-it-is", title="As it is", remove_metadata=False)
    sent_in(lea, as_it_is, "IMG 1.jpg", original)
    other = Image.objects.exclude(pk=image.pk).get()
    assert objects.read(picture_path(other)) == original
    # Who keeps files as they came is warned about places.
    assert ImportIssue.objects.get(rule="gps-kept").found == "GPS position"
    assert OriginalFile.objects.count() == 1


def sent_in(lea, benchmark, name: str, content: bytes) -> dict[str, int]:
    record = receive_pictures(actor=lea, benchmark=benchmark, files=[SimpleUploadedFile(name, content)])
    return take_pictures(record_id=record.pk, report=lambda done, total: None)


def test_a_lead_says_whether_metadata_is_removed(benchmark, lea):
    """D8.12."""
    client = signed_in(lea)
    assert Benchmark.objects.get().remove_metadata
    page = "/benchmarks/street/settings/"
    assert 'name="remove_metadata"' in client.get(page).content.decode()
    assert client.post(page, {"title": "Street"}).status_code == 302
    assert not Benchmark.objects.get().remove_metadata
    client.post(page, {"title": "Street", "remove_metadata": "on"})
    assert Benchmark.objects.get().remove_metadata
