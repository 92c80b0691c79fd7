"""Images in guidelines: uploaded by leads, stored like images of samples, shown to readers, deleted once unused."""

from __future__ import annotations

import io
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from PIL import Image as Picture

from annotation.content.freeze import freeze_version
from annotation.guidelines.read import uploaded_images
from annotation.guidelines.write import LARGEST_IMAGE, add_image, publish, remove_image
from annotation.images.store import picture_path
from annotation.imaging.metadata_names import metadata_kinds
from annotation.models import Benchmark, Guideline, GuidelineImage, Image
from annotation.project_file import Reader
from evaluation.exports.write import import_project
from tests.annotation.portable.files import exported, make_kitchen, png
from tests.annotation.work_data import next_review, reviewed
from tests.conftest import signed_in
from tests.factories import make_token
from webapp.accounts.models import User
from webapp.common import objects
from webapp.common.errors import Conflict, InvalidInput, NotAllowed, TooLarge
from webapp.common.models import AuditEntry
from webapp.jobs.runner import run_waiting

pytestmark = pytest.mark.django_db
PAGE = "/benchmarks/kitchen/guidelines/"
SETTINGS = "/benchmarks/kitchen/settings/guidelines/"
API = "/api/v1/benchmarks/kitchen/guidelines/images/"
JSON = {"HTTP_ACCEPT": "application/json"}


@pytest.fixture
def kitchen(ana: User, rui: User, lea: User) -> Benchmark:
    return make_kitchen(ana, rui, lea)


def published(lead: User, benchmark: Benchmark, body: str) -> Guideline:
    newest = Guideline.objects.in_force(benchmark)
    return publish(actor=lead, benchmark=benchmark, body=body, based_on=newest.number if newest else 0)


def file(data: bytes, name: str = "handle.png") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data, "image/png")


def photo() -> bytes:
    """With a location."""
    out, exif = io.BytesIO(), Picture.Exif()
    exif.get_ifd(0x8825)[1] = "N"
    exif.get_ifd(0x8825)[2] = (47.0, 22.0, 0.0)
    Picture.new("RGB", (80, 60), (90, 120, 60)).save(out, "JPEG", exif=exif)
    return out.getvalue()


def stored(row: GuidelineImage) -> bool:
    return objects.exists(picture_path(row.image))


def test_an_uploaded_image_is_shown_where_the_guidelines_are_read(kitchen: Benchmark, lea: User, ana: User) -> None:
    sent = signed_in(lea).post(f"{SETTINGS}images/", {"image": file(png(7, 1600, 400))}, **JSON)
    assert sent.status_code == 201
    reference = sent.json()["reference"]
    body = f"# Evidence\n\n![The handle]({reference})\n"
    preview = signed_in(lead := lea).post(f"{SETTINGS}preview/", {"body": body}).content.decode()
    assert "is being prepared" in preview
    assert "data-waits" in preview
    run_waiting()
    published(lead, kitchen, body)
    for address in (f"{PAGE}panel/", PAGE, f"{PAGE}?version=2"):
        page = signed_in(ana).get(address).content.decode()
        assert 'alt="The handle" width="960" height="240"' in page
    row = GuidelineImage.objects.get()
    source = f"/benchmarks/kitchen/images/{row.image.sha256}/regions/0,0,1600,400/960.jpg"
    assert source in page
    assert signed_in(ana).get(source)["Content-Type"] == "image/jpeg"
    assert AuditEntry.objects.get(action="guidelines.image_add").data == {"image": row.image.sha256}
    changed = signed_in(ana).get(f"{PAGE}?version=2&since=1").content.decode()
    assert f"{source.removesuffix('960.jpg')}240.jpg" in changed


def test_an_image_without_a_description_is_not_published(kitchen: Benchmark, lea: User) -> None:
    row = add_image(actor=lea, benchmark=kitchen, data=png(7))
    with pytest.raises(InvalidInput, match="Line 3: describe the image"):
        published(lea, kitchen, f"# Evidence\n\n![ ]({row.reference})\n")
    with pytest.raises(InvalidInput, match="There is no image image:000000000000"):
        published(lea, kitchen, "![The handle](image:000000000000)\n")


def test_the_image_of_another_benchmark_is_not_there(kitchen: Benchmark, lea: User) -> None:
    other = Benchmark.objects.create(slug="street", title="Street")
    other.memberships.create(user=lea, role="lead")
    row = add_image(actor=lea, benchmark=other, data=png(7))
    with pytest.raises(InvalidInput):
        published(lea, kitchen, f"![The handle]({row.reference})\n")


@pytest.mark.parametrize(
    ("data", "words"),
    [(b"no image at all", ""), (b"<svg xmlns='http://www.w3.org/2000/svg'/>", ""), (b"", ""), (png(7)[:60], "")],
)
def test_a_file_that_is_no_image_is_refused_with_its_reason(
    kitchen: Benchmark, lea: User, data: bytes, words: str
) -> None:
    sent = signed_in(lea).post(f"{SETTINGS}images/", {"image": file(data)}, **JSON)
    assert sent.status_code == 400
    assert sent.json()["error"]["message"]
    assert not GuidelineImage.objects.exists()


def test_a_large_image_is_refused_with_the_limit(kitchen: Benchmark, lea: User, settings: Any) -> None:
    with pytest.raises(TooLarge, match=r"20\.0"):
        add_image(actor=lea, benchmark=kitchen, data=b"\0" * (LARGEST_IMAGE + 1))
    settings.BENCHMARK_QUOTA_BYTES = 1
    with pytest.raises(TooLarge, match="can store"):
        add_image(actor=lea, benchmark=kitchen, data=png(7))


def test_uploaded_images_count_to_what_a_benchmark_stores(kitchen: Benchmark, lea: User) -> None:
    from annotation.common.uploads import used_bytes

    before = used_bytes(kitchen)
    row = add_image(actor=lea, benchmark=kitchen, data=png(7))
    assert used_bytes(kitchen) == before + row.image.bytes


def test_metadata_is_removed_where_the_benchmark_says_so(kitchen: Benchmark, lea: User) -> None:
    assert metadata_kinds(photo())
    kitchen.remove_metadata = True
    kitchen.save()
    row = add_image(actor=lea, benchmark=kitchen, data=photo())
    assert not metadata_kinds(objects.read(picture_path(row.image)))
    assert add_image(actor=lea, benchmark=kitchen, data=photo()) == row


def test_only_leads_upload_and_delete(kitchen: Benchmark, ana: User, rui: User, lea: User, sam: User) -> None:
    row = add_image(actor=lea, benchmark=kitchen, data=png(7))
    for person in (ana, rui):
        with pytest.raises(NotAllowed):
            add_image(actor=person, benchmark=kitchen, data=png(8))
        with pytest.raises(NotAllowed):
            remove_image(actor=person, benchmark=kitchen, image=row)
        assert signed_in(person).post(f"{SETTINGS}images/", {"image": file(png(8))}).status_code == 403
    run_waiting()
    source = f"/benchmarks/kitchen/images/{row.image.sha256}/regions/0,0,100,80/960.jpg"
    assert signed_in(ana).get(source).status_code == 200
    assert signed_in(sam).get(source).status_code == 404
    assert Client().get(source).status_code in (302, 404)


def test_an_image_is_deleted_once_no_version_shows_it(kitchen: Benchmark, lea: User) -> None:
    shown, unused = (add_image(actor=lea, benchmark=kitchen, data=png(shade)) for shade in (7, 8))
    published(lea, kitchen, f"![The handle]({shown.reference})\n")
    published(lea, kitchen, "# Without\n")
    with pytest.raises(Conflict):
        remove_image(actor=lea, benchmark=kitchen, image=shown)
    assert [one.versions for one in uploaded_images(kitchen)] == [(), (2,)]
    client = signed_in(lea)
    assert client.post(f"{SETTINGS}images/{unused.name}/delete/").status_code == 302
    assert list(GuidelineImage.objects.all()) == [shown]
    assert (stored(shown), stored(unused)) == (True, False)
    assert not Image.objects.filter(pk=unused.image_id).exists()
    assert client.post(f"{SETTINGS}images/{unused.name}/delete/").status_code == 404


def test_the_file_of_a_sample_stays(kitchen: Benchmark, lea: User) -> None:
    row = add_image(actor=lea, benchmark=kitchen, data=png(40))
    assert kitchen.samples.filter(image=row.image).exists()
    remove_image(actor=lea, benchmark=kitchen, image=row)
    assert stored(row)


def test_an_image_stays_while_only_the_guidelines_show_it(kitchen: Benchmark, lea: User) -> None:
    """Whatever else showed it is deleted."""
    from annotation.images.store import remove_unshown

    row = add_image(actor=lea, benchmark=kitchen, data=png(7))
    assert remove_unshown([row.image_id]) == []
    row.delete()
    assert [one.pk for one in remove_unshown([row.image_id])] == [row.image_id]


def test_publishing_deletes_old_images_that_no_version_shows(kitchen: Benchmark, lea: User, settings: Any) -> None:
    old, new, shown = (add_image(actor=lea, benchmark=kitchen, data=png(shade)) for shade in (7, 8, 9))
    before = timezone.now() - timedelta(days=settings.UPLOAD_KEEP_DAYS, minutes=1)
    GuidelineImage.objects.filter(pk__in=[old.pk, shown.pk]).update(uploaded_at=before)
    published(lea, kitchen, f"![The handle]({shown.reference})\n")
    assert set(GuidelineImage.objects.all()) == {new, shown}
    assert [stored(one) for one in (old, new, shown)] == [False, True, True]


@pytest.mark.parametrize("named", [True, False])
def test_a_portable_file_has_the_images(kitchen: Benchmark, lea: User, tmp_path: Path, named: bool) -> None:
    shown, _ = (add_image(actor=lea, benchmark=kitchen, data=png(shade)) for shade in (7, 8))
    published(lea, kitchen, f"![The handle]({shown.reference})\n")
    path = exported(kitchen, tmp_path / "a", named=named)
    copy = import_project(actor=lea, path=path, slug="copy", lead=lea)
    again = exported(copy, tmp_path / "b", named=named)
    with Reader(path) as first, Reader(again) as second:
        assert first.tables["guidelineimage"] == 2
        assert first.manifest.checksum == second.manifest.checksum
    run_waiting()
    assert 'alt="The handle"' in signed_in(lea).get("/benchmarks/copy/guidelines/").content.decode()


def test_the_file_of_a_version_has_the_images_of_its_guidelines(
    kitchen: Benchmark, lea: User, rui: User, tmp_path: Path
) -> None:
    reviewed(rui, next_review(rui, kitchen), "accept")
    shown, later = (add_image(actor=lea, benchmark=kitchen, data=png(shade)) for shade in (7, 8))
    published(lea, kitchen, f"![The handle]({shown.reference})\n")
    version = freeze_version(actor=lea, benchmark=kitchen)
    before = exported(kitchen, tmp_path / "a", version=version)
    published(lea, kitchen, f"![The handle]({later.reference})\n")
    path = exported(kitchen, tmp_path / "b", version=version)
    copy = import_project(actor=lea, path=path, slug="copy")
    with Reader(path) as found, Reader(before) as first:
        assert found.manifest.checksum == first.manifest.checksum
        assert shown.image.sha256 in found.images
        assert later.image.sha256 not in found.images
    assert [one.reference for one in copy.guideline_images.all()] == [shown.reference]


def test_programs_upload_list_read_and_delete(kitchen: Benchmark, lea: User, ana: User) -> None:
    lead, reader = ({"HTTP_AUTHORIZATION": f"Bearer {make_token(person)}"} for person in (lea, ana))
    client = Client()
    made = client.post(API, {"image": file(png(7))}, **lead)
    assert made.status_code == 201
    name = made.json()["name"]
    assert made.json()["reference"] == f"image:{name}"
    assert client.post(API, {"image": file(b"none")}, **lead).status_code == 400
    assert client.post(API, {"image": file(png(8))}, **reader).status_code == 403
    # Only leads see what no version shows.
    assert client.get(API, **reader).json()["results"] == []
    assert client.get(f"{API}{name}/", **reader).status_code == 404
    published(lea, kitchen, f"![The handle](image:{name})\n")
    [row] = client.get(API, **reader).json()["results"]
    assert (row["name"], row["versions"], row["width"]) == (name, [2], 100)
    answer = client.get(f"{API}{name}/", **reader)
    assert (answer["Content-Type"], answer.content) == ("image/png", png(7))
    assert client.delete(f"{API}{name}/", **lead).status_code == 409
    unused = client.post(API, {"image": file(png(9))}, **lead).json()["name"]
    assert client.delete(f"{API}{unused}/", **reader).status_code == 403
    assert client.delete(f"{API}{unused}/", **lead).status_code == 204
    assert client.get(f"{API}{unused}/", **lead).status_code == 404


def test_the_page_takes_the_same_queries_for_one_image_and_for_many(
    kitchen: Benchmark, ana: User, lea: User, django_assert_max_num_queries: Any
) -> None:
    rows = [add_image(actor=lea, benchmark=kitchen, data=png(shade)) for shade in (7, 8, 9)]
    counts = []
    for some in (rows[:1], rows):
        published(lea, kitchen, "\n\n".join(f"![One]({row.reference})" for row in some))
        for client, address in ((signed_in(ana), f"{PAGE}panel/"), (signed_in(lea), SETTINGS)):
            with django_assert_max_num_queries(50) as asked:
                client.get(address)
            counts.append(len(asked))
    assert counts[:2] == counts[2:]
