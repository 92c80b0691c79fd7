"""Another image for a sample: boxes stay, are scaled, or its annotator draws them again. Versions keep the old one."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from PIL import Image as Picture

from annotation.benchmarks.write.benchmark import add_member, create_benchmark
from annotation.content.freeze import freeze_version, gold_digest
from annotation.content.rescaling import Fit, fit_of, rescaled_calls
from annotation.images.store import picture_path, store_picture
from annotation.models import (
    AcceptedChain,
    Annotation,
    Benchmark,
    Gold,
    GoldBox,
    GoldCheck,
    Image,
    ImageReplacement,
    Sample,
)
from annotation.queue.settings import set_queue
from annotation.schema import ToolCall
from annotation.versions.read.difference import difference
from annotation.workflow import Role
from tests.annotation.work_data import next_review, reviewed, submitted
from tests.conftest import signed_in
from webapp.accounts.models import User
from webapp.common import objects
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.django_db
BOXES = [{"box": [10, 10, 30, 25], "label": "mug"}]
CALLS = [
    {"tool": "crop", "arguments": {"x": 10, "y": 10, "width": 20, "height": 15}, "image_out": "a"},
    {"tool": "resize", "arguments": {"width": 300, "height": 225}, "image_in": "a", "image_out": "b"},
    {"tool": "crop", "arguments": {"x": 3, "y": 3, "width": 50, "height": 50}, "image_in": "b"},
]


def png(shade: int, width: int = 100, height: int = 80) -> bytes:
    out = io.BytesIO()
    Picture.fromarray(np.full((height, width, 3), shade, np.uint8)).save(out, "PNG")
    return out.getvalue()


@pytest.fixture
def kitchen(ana: User, rui: User, lea: User) -> Benchmark:
    """Three samples on images of 100 × 80 pixels; the first is accepted."""
    benchmark = create_benchmark(actor=lea, slug="kitchen", title="Kitchen")
    for user, role in ((ana, Role.ANNOTATOR), (rui, Role.REVIEWER)):
        add_member(actor=lea, benchmark=benchmark, user=user, role=role)
    set_queue(actor=lea, benchmark=benchmark, order="sequential")
    for number in range(3):
        image = store_picture(actor=lea, benchmark=benchmark, source=png(40 + number))
        Sample.objects.create(benchmark=benchmark, key=f"mug-{number}", image=image, width=100, height=80)
    submitted(ana, benchmark, gold_boxes=BOXES, reference_toolchain=CALLS)
    reviewed(rui, next_review(rui, benchmark), "accept")
    return benchmark


def replace(lea: User, key: str, data: bytes, **said: Any) -> Any:
    address = reverse("annotation:work-replace-image", args=["kitchen", key])
    given = {f"image-{name}": value for name, value in said.items()}
    return signed_in(lea).post(address, {"image-file": SimpleUploadedFile("mug.png", data), **given})


def corners(sample: Sample) -> list[tuple[float, ...]]:
    rows = GoldBox.objects.filter(revision__gold_of__sample=sample)
    return list(rows.values_list("x1", "y1", "x2", "y2", "image_width"))


def test_an_image_of_the_same_size_keeps_boxes_and_versions_keep_the_old_one(lea: User, kitchen: Benchmark) -> None:
    version, sample = freeze_version(actor=lea, benchmark=kitchen), Sample.objects.get(key="mug-0")
    old, revision = sample.image, sample.gold.revision
    assert old is not None
    assert replace(lea, "mug-0", png(200)).status_code == 302
    sample = Sample.objects.get(key="mug-0")
    assert sample.image != old
    assert sample.gold.revision == revision
    assert corners(sample) == [(10, 10, 30, 25, 100)]
    version.refresh_from_db()
    assert gold_digest(kitchen) != version.checksum, "scores refer to another image"
    [change] = difference(kitchen, version, None).changes
    assert (change.image_before, change.image_after) == (old.sha256, sample.image.sha256)
    assert difference(kitchen, version, version).changes == []
    assert objects.exists(picture_path(old))
    Image.objects.update(state=Image.State.READY)
    client, page = signed_in(lea), "/benchmarks/kitchen/versions/"
    [row] = client.get(f"{page}?from=nothing&to=1").context["rows"]
    assert old.sha256 in row.thumbnail
    [row] = client.get(f"{page}?from=1&to=now").context["rows"]
    assert [field.label for field in row.fields] == ["Image"]
    assert sample.image.sha256 in row.thumbnail
    [entry] = AuditEntry.objects.filter(action="sample.replace_image")
    assert entry.data == {"sample": "mug-0", "from": old.sha256, "to": sample.image.sha256, "boxes": "kept"}


def test_a_larger_image_of_the_same_shape_scales_boxes_and_toolchains(lea: User, kitchen: Benchmark) -> None:
    sample = Sample.objects.get(key="mug-0")
    AcceptedChain.objects.create(sample=sample, calls=CALLS[:1], digest="0", accepted_by=lea)
    share = sample.evidence_share
    freeze_version(actor=lea, benchmark=kitchen)
    assert replace(lea, "mug-0", png(200, 200, 160), scale="on").status_code == 302
    sample.refresh_from_db()
    assert (sample.width, sample.height, sample.state) == (200, 160, "accepted")
    assert corners(sample) == [(20, 20, 60, 50, 200)]
    assert sample.evidence_share == share
    assert sample.gold.revision.author == lea
    calls = [call.arguments for call in sample.gold.revision.reference_calls.order_by("position")]
    assert calls == [
        {"x": 20, "y": 20, "width": 40, "height": 30}, {"width": 300, "height": 225},
        {"x": 3, "y": 3, "width": 50, "height": 50},
    ]  # fmt: skip
    [chain] = sample.accepted_chains.all()
    assert chain.calls[0]["arguments"] == {"x": 20, "y": 20, "width": 40, "height": 30}
    assert chain.digest != "0"
    rows = signed_in(lea).get("/benchmarks/kitchen/versions/?from=1&to=now").context["rows"]
    assert [(row.old, len(row.gold)) for row in rows] == [([], 1)], "old boxes are in pixels of the old image"


@pytest.mark.parametrize(("size", "scale"), [((90, 90), "on"), ((200, 160), "")], ids=["shape", "not wanted"])
def test_an_image_of_another_shape_returns_the_sample_with_the_comment(
    lea: User, ana: User, kitchen: Benchmark, size: tuple[int, int], scale: str
) -> None:
    assert replace(lea, "mug-0", png(200, *size), scale=scale).status_code == 400, "without a comment"
    assert Sample.objects.get(key="mug-0").width == 100
    said = {"scale": scale, "comment": "A sharper scan."}
    assert replace(lea, "mug-0", png(200, *size), **said).status_code == 302
    sample = Sample.objects.get(key="mug-0")
    assert (sample.width, sample.height, sample.state) == (*size, "draft")
    assert not Gold.objects.filter(sample=sample).exists()
    assert Annotation.objects.get(sample=sample).author == ana
    reopened = AuditEntry.objects.get(action="annotation.reopen")
    sizes = f"100 × 80 → {size[0]} × {size[1]}"
    assert reopened.reason == f"The image was replaced ({sizes} pixels). Check all boxes. A sharper scan."


def test_submitted_work_goes_back_and_a_sample_to_do_just_gets_the_image(
    lea: User, ana: User, kitchen: Benchmark
) -> None:
    assert submitted(ana, kitchen, gold_boxes=BOXES).key == "mug-1"
    for key in ("mug-1", "mug-2"):
        assert replace(lea, key, png(201, 200, 160), scale="on", comment="Sharper.").status_code == 302
    assert dict(Sample.objects.values_list("key", "state")) == {
        "mug-0": "accepted", "mug-1": "returned", "mug-2": "to_do",
    }  # fmt: skip
    assert list(ImageReplacement.objects.order_by("pk").values_list("boxes", flat=True)) == ["returned", "scaled"]


def test_all_samples_of_an_image_get_the_new_one(lea: User, kitchen: Benchmark) -> None:
    first = Sample.objects.get(key="mug-0")
    Sample.objects.create(benchmark=kitchen, key="mug-0-2", image=first.image, width=100, height=80, asked_from=first)
    shown = signed_in(lea).get(reverse("annotation:work-replace-image", args=["kitchen", "mug-0-2"]))
    assert shown.context["others_n"] == 1
    assert replace(lea, "mug-0-2", png(200)).status_code == 302
    assert len(set(Sample.objects.filter(key__startswith="mug-0").values_list("image", flat=True))) == 1


def test_it_refuses_the_same_image_no_image_and_gold_checks(lea: User, kitchen: Benchmark) -> None:
    assert replace(lea, "mug-0", png(40)).status_code == 400
    assert replace(lea, "mug-0", b"no image").status_code == 400
    GoldCheck.objects.create(sample=Sample.objects.get(key="mug-0"), active=True, added_by=lea)
    answer = replace(lea, "mug-0", png(200))
    assert "gold check" in answer.content.decode()
    assert not ImageReplacement.objects.exists()


def test_programs_replace_images(lea: User, kitchen: Benchmark) -> None:
    address = "/api/v1/benchmarks/kitchen/image/mug-0/"
    sent = {"file": SimpleUploadedFile("mug.png", png(200, 200, 160)), "scale": "true"}
    assert signed_in(lea).post(address, sent).json() == {"boxes": "scaled", "samples": ["mug-0"]}
    sent = {"file": SimpleUploadedFile("mug.png", png(200, 90, 90))}
    assert signed_in(lea).post(address, sent).status_code == 400


def test_shapes_are_equal_to_a_pixel() -> None:
    assert fit_of((100, 80), (100, 80)) is Fit.SIZE
    assert fit_of((1000, 667), (500, 333)) is Fit.SHAPE
    assert fit_of((100, 80), (80, 100)) is Fit.OTHER
    [call] = rescaled_calls([ToolCall("zoom", {"bbox": [0, 1, 10, 21], "name": "x"})], (100, 80), (50, 40))
    assert call.arguments == {"bbox": [0, 0, 5, 10], "name": "x"}
