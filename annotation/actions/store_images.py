"""Taking pictures in: checked by content, stored once under their sha256, tiles made in a job."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from django.core.files import File
from django.core.files.storage import default_storage
from django.db import transaction

from annotation.imaging.decoding import PictureInfo, inspect
from annotation.imaging.problems import PictureProblem
from annotation.models import Benchmark, GoldBox, Image, Sample
from annotation.schema import Box, Issue, SampleRecord, Severity, shortened
from webapp.accounts.models import User
from webapp.jobs.actions import enqueue_on_commit

SUFFIX = {"JPEG": "jpg", "PNG": "png", "WEBP": "webp", "TIFF": "tif"}


def picture_path(image: Image) -> str:
    """Where the stored file of a picture lies, relative to the storage."""
    return f"pictures/{image.sha256[:2]}/{image.sha256}.{SUFFIX[image.format]}"


def tile_folder(sha256: str) -> str:
    return f"tiles/{sha256[:2]}/{sha256}"


def attach_images(
    *, actor: User | None, benchmark: Benchmark, records: Sequence[SampleRecord], folder: Path
) -> list[Issue]:
    """Find, check and store the pictures these samples name, relative to ``folder``, and link them.

    A picture that cannot be used leaves the sample in place; the sample and the returned issue say why.
    """
    named = {record.image: record for record in records if record.image}
    issues = []
    for name in named:
        ours = [r for r in records if r.image == name]
        try:
            image = _stored(actor, benchmark, _safe_path(folder, name))
        except PictureProblem as problem:
            issues += [_refused(record, problem) for record in ours]
            Sample.objects.filter(benchmark=benchmark, key__in=[r.id for r in ours]).update(
                image=None, image_problem=problem.message
            )
        else:
            issues += _link(benchmark, image, ours)
    return issues


def _safe_path(folder: Path, name: str) -> Path:
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise PictureProblem(
            "outside-folder", f"{name} points outside the images folder. Only files below it are read."
        )
    if not path.is_file():
        raise PictureProblem(
            "image-missing", f"Image missing: {name} is not in the images folder. Add it and import again."
        )
    return path


def _stored(actor: User | None, benchmark: Benchmark, path: Path) -> Image:
    info = inspect(path)
    image = Image.objects.filter(sha256=info.sha256).first()
    if image is None:
        image = _store(actor, benchmark, path, info)
    return image


def _store(actor: User | None, benchmark: Benchmark, path: Path, info: PictureInfo) -> Image:
    image = Image(
        sha256=info.sha256,
        width=info.width,
        height=info.height,
        format=info.format,
        orientation=info.orientation,
        bytes=info.bytes,
    )
    with path.open("rb") as handle:
        default_storage.save(picture_path(image), File(handle))
    with transaction.atomic():
        image, new = Image.objects.get_or_create(
            sha256=image.sha256,
            defaults={
                "width": image.width,
                "height": image.height,
                "format": image.format,
                "orientation": image.orientation,
                "bytes": image.bytes,
            },
        )
        if new:
            enqueue_tiles(actor=actor, image=image, benchmark=benchmark)
    return image


def enqueue_tiles(*, actor: User | None, image: Image, benchmark: Benchmark) -> None:
    """Have the tiles of a picture made; asking twice while it waits makes one job."""
    enqueue_on_commit(
        "annotation.tiles",
        payload={"image_id": image.pk},
        actor=actor,
        title=f"Tiles of a picture, {image.width} × {image.height}",
        benchmark=benchmark.slug,
        key=f"tiles:{image.sha256}",
    )


def _link(benchmark: Benchmark, image: Image, records: Sequence[SampleRecord]) -> list[Issue]:
    """Samples take the size of their picture; gold boxes are held against it."""
    issues: list[Issue] = []
    for record in records:
        stated = (record.width, record.height)
        if None not in stated and stated != (image.width, image.height):
            issues.append(_size_differs(record, image))
        with transaction.atomic():
            samples = Sample.objects.filter(benchmark=benchmark, key=record.id)
            samples.update(image=image, image_problem="", width=image.width, height=image.height)
            issues += _refit(samples.get(), record, image)
    return issues


def _refit(sample: Sample, record: SampleRecord, image: Image) -> list[Issue]:
    """Clip the gold boxes of a sample to the picture it has just got."""
    issues = []
    for row in GoldBox.objects.filter(revision__gold_of__sample=sample):
        box = Box(row.x1, row.y1, row.x2, row.y2)
        inside = box.clipped(image.width, image.height)
        if inside is None:
            row.delete()
        else:
            GoldBox.objects.filter(pk=row.pk).update(
                x1=inside.x1, y1=inside.y1, x2=inside.x2, y2=inside.y2,
                image_width=image.width, image_height=image.height,
            )  # fmt: skip
        if inside != box:
            done = "Clipped to the picture" if inside else "Left out: it lies outside the picture"
            issues.append(_clipped(record, box, f"{done} of {image.width} × {image.height}."))
    return issues


def _clipped(record: SampleRecord, box: Box, done: str) -> Issue:
    found = shortened(box.as_list())
    return Issue(Severity.REPAIRED, "box-over-edge", record.file, record.line, "gold_boxes", found, done)


def _size_differs(record: SampleRecord, image: Image) -> Issue:
    return Issue(
        Severity.REPAIRED, "size-differs", record.file, record.line, "width, height",
        f"{record.width} × {record.height}",
        f"The picture is {image.width} × {image.height} once upright; that is used.",
    )  # fmt: skip


def _refused(record: SampleRecord, problem: PictureProblem) -> Issue:
    severity = Severity.NOTED if problem.rule == "image-missing" else Severity.REFUSED
    return Issue(severity, problem.rule, record.file, record.line, "image", shortened(record.image), problem.message)
