"""An image is removed at once: its bytes are nowhere, samples and versions stay, and it can't be uploaded again."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone
from PIL import Image as Picture
from PIL.PngImagePlugin import PngInfo

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.content.freeze import freeze_version, gold_digest
from annotation.content.takedown import allow_again, sweep_removed, take_down
from annotation.images.store import picture_path, store_bytes, store_picture
from annotation.imaging.problems import PictureProblem
from annotation.models import Benchmark, Image, ImageVariant, Sample, Version
from annotation.portable.read.project import export_project
from annotation.project_file import Reader
from annotation.queue.settings import set_queue
from annotation.workflow import ExportStates, Role
from evaluation.exports.read.formats import export_parts
from evaluation.exports.write import import_project
from evaluation.trash.write.samples import delete_samples, empty_samples
from tests.annotation.work_data import next_review, reviewed, submitted
from tests.conftest import signed_in
from webapp.accounts.models import User
from webapp.common import objects
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.django_db
BOXES = [{"box": [10, 10, 30, 25], "label": "mug"}]
WHY = "Request of the owner, case 14."


def png(shade: int, text: str = "") -> bytes:
    out, about = io.BytesIO(), PngInfo()
    if text:
        about.add_text("Comment", text)
    Picture.fromarray(np.full((80, 100, 3), shade, np.uint8)).save(out, "PNG", pnginfo=about)
    return out.getvalue()


@pytest.fixture
def kitchen(ana: User, rui: User, lea: User, run_jobs: Any) -> Benchmark:
    """Two samples on one image and one on another, all with tiles; the first is accepted and in a version."""
    benchmark = create_benchmark(actor=lea, slug="kitchen", title="Kitchen")
    for user, role in ((ana, Role.ANNOTATOR), (rui, Role.REVIEWER)):
        add_member(actor=lea, benchmark=benchmark, user=user, role=role)
    set_queue(actor=lea, benchmark=benchmark, order="sequential")
    for number, shade in enumerate((40, 40, 90)):
        image = store_picture(actor=lea, benchmark=benchmark, source=png(shade))
        Sample.objects.create(
            benchmark=benchmark, key=f"mug-{number}", image=image, image_name=f"{number}.png", width=100, height=80
        )
    run_jobs()
    submitted(ana, benchmark, gold_boxes=BOXES)
    reviewed(rui, next_review(rui, benchmark), "accept")
    freeze_version(actor=lea, benchmark=benchmark)
    return benchmark


def first() -> Sample:
    return Sample.objects.select_related("image", "benchmark").get(key="mug-0")


def remove(lea: User) -> Image:
    sample = first()
    [image] = take_down(actor=lea, benchmark=sample.benchmark, sample=sample, reason=WHY)
    return image


def files_of(image: Image) -> list[str]:
    return [name for name in objects.all_names() if image.sha256 in name]


def test_all_files_of_the_image_go_and_no_others(lea: User, kitchen: Benchmark) -> None:
    image, before = first().image, set(objects.all_names())
    assert image is not None
    assert {name.split("/")[0] for name in files_of(image)} == {"pictures", "tiles"}
    kept = before - set(files_of(image))
    assert remove(lea) == image
    assert set(objects.all_names()) == kept
    image.refresh_from_db()
    assert (image.state, image.problem) == ("removed", WHY)
    [entry] = AuditEntry.objects.filter(action="image.remove")
    assert (entry.reason, entry.data) == (WHY, {"samples": ["mug-0", "mug-1"], "images": [image.sha256]})
    with pytest.raises(Conflict):
        remove(lea)


def test_samples_versions_and_checksums_stay(lea: User, kitchen: Benchmark) -> None:
    version = Version.objects.get()
    entries = list(version.entries.values())
    remove(lea)
    assert gold_digest(kitchen) == version.checksum == Version.objects.get().checksum
    assert list(version.entries.values()) == entries
    assert Sample.objects.count() == 3
    assert first().gold.revision.gold_boxes.count() == 1


def test_pages_show_the_reason_instead_of_the_image(lea: User, ana: User, kitchen: Benchmark) -> None:
    image, client = first().image, signed_in(lea)
    assert image is not None
    thumbnail = reverse("annotation:thumbnail", args=["kitchen", image.sha256])
    assert client.get(thumbnail).status_code == 200
    remove(lea)
    assert client.get(thumbnail).status_code == 404
    for page in ("samples/mug-0/", "", "?view=table", "versions/?from=nothing&to=1", "work/samples/", "export/"):
        answer = client.get(f"/benchmarks/kitchen/{page}")
        assert answer.status_code == 200, page
        if page in ("samples/mug-0/", ""):
            assert f"Image removed: {WHY}" in answer.content.decode(), page
    assert signed_in(ana).get("/benchmarks/kitchen/annotate/samples/mug-1/").status_code in (200, 404)


def test_exports_say_so_and_do_not_break(lea: User, kitchen: Benchmark, tmp_path: Path) -> None:
    remove(lea)
    native = b"".join(export_parts("native", kitchen, None, ExportStates.ALL)).decode()
    assert native.count(f'"image_removed": "{WHY}"') + native.count(f'"image_removed":"{WHY}"') == 2
    path = tmp_path / "kitchen.sightline"
    with path.open("wb") as out:
        export_project(actor=lea, benchmark=kitchen, out=out, named=False)
    with Reader(path) as file:
        file.verify()
        assert len(file.images) == 1
        assert [row.get("removed") for row in file.rows("image")].count(WHY) == 1
    image = first().image
    Sample.objects.update(image=None)
    Image.objects.all().delete()
    copy = import_project(actor=lea, path=path, slug="copy")
    arrived = copy.samples.get(key="mug-0").image
    assert image is not None
    assert (arrived.sha256, arrived.state, arrived.problem) == (image.sha256, "removed", WHY)
    assert copy.samples.get(key="mug-2").image.state == "waiting"


def test_the_same_file_is_refused_until_an_admin_allows_it(
    lea: User, admin: User, kitchen: Benchmark, run_jobs: Any
) -> None:
    """Also under another benchmark, and with metadata around the same pixels."""
    image = remove(lea)
    other = create_benchmark(actor=lea, slug="other", title="Other", remove_metadata=False)
    for benchmark in (kitchen, other):
        with pytest.raises(PictureProblem, match="case 14"):
            store_picture(actor=lea, benchmark=benchmark, source=png(40))
    with pytest.raises(PictureProblem, match="case 14"):
        store_picture(actor=lea, benchmark=kitchen, source=png(40, "with a comment"))
    with pytest.raises(PictureProblem, match="case 14"):
        store_bytes(lea, kitchen, png(40))
    assert files_of(image) == []
    with pytest.raises(NotAllowed):
        allow_again(actor=lea, image=image)
    allow_again(actor=admin, image=image)
    assert files_of(image) == []
    assert store_picture(actor=lea, benchmark=kitchen, source=png(40)) == image
    run_jobs()
    assert first().image.state == "ready"  # type: ignore[union-attr]
    assert first().image_problem == ""
    assert objects.exists(picture_path(image))
    assert b"image_removed" not in b"".join(export_parts("native", kitchen, None, ExportStates.ALL))


def test_an_upload_of_a_removed_image_says_why(lea: User, kitchen: Benchmark, run_jobs: Any) -> None:
    remove(lea)
    client = signed_in(lea)
    sent = {"files": [SimpleUploadedFile("again.png", png(40)), SimpleUploadedFile("new.png", png(120))]}
    page = client.post(reverse("annotation:upload", args=["kitchen"]), sent, follow=True)
    run_jobs()
    shown = client.get(page.redirect_chain[-1][0]).content.decode()
    assert "case 14" in shown
    assert kitchen.samples.count() == 4
    sweep_removed(timezone.now())
    image = first().image
    assert image is not None
    assert files_of(image) == [], "also not as an upload"


def test_variants_and_the_images_of_removed_samples_go_too(lea: User, kitchen: Benchmark) -> None:
    made = store_bytes(lea, kitchen, png(200))
    variant = Sample.objects.create(benchmark=kitchen, key="mug-0-blur", image=made, width=100, height=80)
    ImageVariant.objects.create(sample=variant, parent=first().image, source_key="mug-0", recipe={}, digest="0")
    sample = first()
    delete_samples(actor=lea, benchmark=kitchen, keys=["mug-0"], reason="Faces.")
    page = reverse("annotation:work-remove-image", args=["kitchen", "mug-0"])
    client = signed_in(lea)
    assert page in client.get(reverse("evaluation:trash", args=["kitchen"])).content.decode()
    said = {"image": sample.image.sha256, "reason": WHY}  # type: ignore[union-attr]
    assert client.post(page, {**said, "reason": " "}).status_code == 400
    assert client.post(page, said).status_code == 302
    assert set(Image.objects.filter(state="removed")) == {sample.image, made}
    assert files_of(made) == []


def test_a_replaced_image_is_removed_alone(lea: User, kitchen: Benchmark) -> None:
    old, client = first().image, signed_in(lea)
    assert old is not None
    address = reverse("annotation:work-replace-image", args=["kitchen", "mug-0"])
    assert client.post(address, {"image-file": SimpleUploadedFile("new.png", png(130))}).status_code == 302
    api = "/api/v1/benchmarks/kitchen/takedowns/mug-0/"
    sent = {"reason": WHY, "image": old.sha256}
    assert client.post(api, sent, content_type="application/json").json() == {"images": [old.sha256]}
    assert first().image.state == "waiting"  # type: ignore[union-attr]
    assert first().image_problem == ""
    assert files_of(old) == []
    assert client.get("/benchmarks/kitchen/versions/?from=nothing&to=1").status_code == 200


def test_a_removed_image_is_refused_also_after_its_samples_are_purged(
    lea: User, kitchen: Benchmark, run_jobs: Any
) -> None:
    sample = Sample.objects.get(key="mug-2")
    take_down(actor=lea, benchmark=kitchen, sample=sample, reason=WHY)
    delete_samples(actor=lea, benchmark=kitchen, keys=["mug-2"])
    assert empty_samples(actor=lea, benchmark=kitchen) == 1
    run_jobs()
    assert not Sample.everything.filter(key="mug-2").exists()
    with pytest.raises(PictureProblem, match="case 14"):
        store_picture(actor=lea, benchmark=kitchen, source=png(90))


def test_only_leads_remove_and_only_admins_allow(lea: User, ana: User, admin: User, kitchen: Benchmark) -> None:
    page = reverse("annotation:work-remove-image", args=["kitchen", "mug-0"])
    assert signed_in(ana).post(page, {"reason": WHY}).status_code == 403
    with pytest.raises(InvalidInput):
        take_down(actor=lea, benchmark=kitchen, sample=first(), reason=" ")
    image = remove(lea)
    assert signed_in(lea).get(page).context["may_allow"] is False
    allow, said = reverse("annotation:work-allow-image", args=["kitchen", "mug-0"]), {"image": image.sha256}
    assert signed_in(lea).post(allow, said).status_code == 403
    assert signed_in(admin).get(page).context["may_allow"] is True
    assert signed_in(admin).post(allow, said).status_code == 302
    assert Image.objects.get(pk=image.pk).state == "allowed"


def test_files_that_a_crash_left_are_deleted_within_an_hour(lea: User, kitchen: Benchmark) -> None:
    image = remove(lea)
    objects.put(picture_path(image), b"left")
    assert sweep_removed(timezone.now()) == 1
    assert files_of(image) == []
    assert sweep_removed(timezone.now()) == 0
