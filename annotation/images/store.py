"""Taking images in: checked by content, stored once under their sha256, tiles made in a job."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from django.db import transaction
from django.db.models import Q

from annotation.imaging.decoding import PictureInfo, inspect
from annotation.imaging.metadata import without_metadata
from annotation.imaging.metadata_names import GPS, metadata_kinds
from annotation.imaging.problems import PictureProblem
from annotation.models import Benchmark, Image, OriginalFile, Sample
from annotation.schema import Box, Issue, SampleRecord, Severity, shortened
from webapp.accounts.models import User
from webapp.common import audit, objects
from webapp.jobs.actions import enqueue_on_commit

MISSING = "image-missing"
WITHOUT_FILE = (Image.State.REMOVED, Image.State.ALLOWED)
"""States of images that were taken down."""
SUFFIX = {"JPEG": "jpg", "PNG": "png", "WEBP": "webp", "TIFF": "tif"}


def picture_path(image: Image) -> str:
    """Path of the stored file of an image, relative to the storage."""
    return f"pictures/{image.sha256[:2]}/{image.sha256}.{SUFFIX[image.format]}"


SHOWN_BY = ("samples", "variants", "replacements", "build_items", "guideline_images")
"""The relations of an image to the rows that show it."""


def remove_unshown(images: Iterable[int]) -> list[Image]:
    """Delete the rows of images, of these, that nothing shows any more; the row of a removed image stays, because it
    refuses its file. Call ``remove_files`` with each returned image after the commit."""
    unshown = Image.objects.filter(pk__in=set(images), **dict.fromkeys(SHOWN_BY)).exclude(state=Image.State.REMOVED)
    found = list(unshown)
    Image.objects.filter(pk__in=[image.pk for image in found]).delete()
    return found


def remove_files(image: Image) -> None:
    """Delete the stored image and its tiles, unless the same image has come back meanwhile. Call after the commit."""
    if not Image.objects.filter(sha256=image.sha256).exists():
        delete_files(image)


def delete_files(image: Image) -> None:
    """Delete the stored image and its tiles."""
    objects.delete(picture_path(image))
    objects.delete_folder(tile_folder(image.sha256))


def has_files(image: Image) -> bool:
    return objects.exists(picture_path(image)) or any(objects.names(tile_folder(image.sha256)))


def tile_folder(sha256: str) -> str:
    return f"tiles/{sha256[:2]}/{sha256}"


Found = Image | PictureProblem
"""The result for an image that a sample names: stored, or why not."""


def store_pictures(
    *,
    actor: User | None,
    benchmark: Benchmark,
    records: Sequence[SampleRecord],
    folder: Path,
    embedded: Mapping[str, bytes],
) -> dict[str, Found]:
    """Find, check and store the images these samples name, relative to ``folder`` or ``embedded`` in the file.

    By name; an image that cannot be used comes as its problem. Files are read here, before any transaction: storing
    one twice writes the same bytes under the same name.
    """
    found: dict[str, Found] = {}
    for name in {record.image for record in records if record.image}:
        try:
            source = embedded[name] if name in embedded else safe_path(folder, name)
            found[name] = store_picture(actor=actor, benchmark=benchmark, source=source)
        except PictureProblem as problem:
            found[name] = problem
    return found


def taken_out(record: SampleRecord) -> tuple[SampleRecord, bytes | None]:
    """A record whose image is in the file itself (``data:``), with a short name for it and its bytes."""
    if not (record.image or "").startswith("data:"):
        return record, None
    head, _, text = str(record.image).partition(",")
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        data = b""
    kind = head.removeprefix("data:image/").partition(";")[0]
    suffix = kind if kind.isalnum() and len(kind) < 6 else "img"
    return replace(record, image=f"embedded-{hashlib.sha256(data).hexdigest()[:16]}.{suffix}"), data


def fitted(record: SampleRecord, image: Image) -> tuple[SampleRecord, list[Issue]]:
    """Return the record with the size of its image and its gold boxes checked against it; changes are reported."""
    issues = []
    if record.width and record.height and (record.width, record.height) != (image.width, image.height):
        issues.append(_size_differs(record, image))
    boxes = []
    for box in record.content.gold_boxes:
        inside = box.clipped(image.width, image.height)
        boxes += [inside] if inside else []
        if inside != box:
            done = "Clipped to the image" if inside else "Ignored: it is outside the image"
            issues.append(_clipped(record, box, f"{done} of {image.width} × {image.height}."))
    content = replace(record.content, gold_boxes=tuple(boxes))
    return replace(record, width=image.width, height=image.height, content=content), issues


def safe_path(folder: Path, name: str) -> Path:
    """The file of an image below ``folder``. Raises ``PictureProblem`` when the folder has no such file or the name
    leads out of it, ``Missing`` when the folder itself is gone: that says nothing about the image."""
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise PictureProblem(
            "outside-folder", f"{name} points outside the images folder. Only files below it are read."
        )
    if not folder.is_dir():
        raise objects.Missing(folder.name)
    if not path.is_file():
        raise PictureProblem(MISSING, f"Image missing: {name} is not in the images folder. Add it and import again.")
    return path


def store_picture(*, actor: User | None, benchmark: Benchmark, source: Path | bytes) -> Image:
    """The stored image of this file, checked and stored unless it is there; without its metadata where the benchmark
    says so, and then the hash of the file is next to that of the image. Raises ``PictureProblem``."""
    info = inspect(source)
    refuse_removed(info)
    if (image := stored_picture(benchmark, info)) is not None:
        return image
    if not benchmark.remove_metadata:
        return _store(actor, benchmark, source, info)
    with without_metadata(source, info) as (kept, cleaned):
        refuse_removed(cleaned)
        image = _known(cleaned) or _store(actor, benchmark, kept, cleaned)
    if cleaned.sha256 != info.sha256:
        OriginalFile.objects.get_or_create(sha256=info.sha256, image=image, defaults={"bytes": info.bytes})
    return image


def stored_picture(benchmark: Benchmark, info: PictureInfo) -> Image | None:
    """The stored image of a file, or None. Where metadata is removed, files are found by the hash they came with; a
    file without metadata is found only by its own hash, after it was cleaned."""
    if not benchmark.remove_metadata:
        return _known(info)
    found = Image.objects.exclude(state__in=WITHOUT_FILE).filter(originals__sha256=info.sha256)
    return found.order_by("-originals__pk").first()


def metadata_issue(benchmark: Benchmark, source: Path | bytes, name: str) -> Issue | None:
    """Return an issue about the metadata in the file, and how it was handled; None if there is none, or if the file is
    not an image. A benchmark that keeps metadata is warned about locations only.
    """
    try:
        kinds = metadata_kinds(source)
    except PictureProblem:
        return None
    if benchmark.remove_metadata:
        done, rule = f"Removed before it was stored: {', '.join(kinds)}.", "metadata-removed"
        return Issue(Severity.NOTED, rule, name, None, "image", ", ".join(kinds), done) if kinds else None
    if GPS not in kinds:
        return None
    done = "The file contains its location and is stored unchanged. Turn on “Remove metadata” in the settings."
    return Issue(Severity.NOTED, "gps-kept", name, None, "image", GPS, done)


def metadata_issues(
    *, benchmark: Benchmark, records: Sequence[SampleRecord], folder: Path, embedded: Mapping[str, bytes]
) -> list[Issue]:
    """The same of the images that these samples name."""
    found = []
    for name in sorted({record.image for record in records if record.image}):
        try:
            source = embedded[name] if name in embedded else safe_path(folder, name)
        except PictureProblem:
            continue
        found.append(metadata_issue(benchmark, source, name))
    return [issue for issue in found if issue is not None]


def store_bytes(actor: User | None, benchmark: Benchmark, data: bytes) -> Image:
    """The stored image with exactly these bytes, metadata included. Raises ``PictureProblem``."""
    info = inspect(data)
    refuse_removed(info)
    return _known(info) or _store(actor, benchmark, data, info)


def _known(info: PictureInfo) -> Image | None:
    return Image.objects.exclude(state__in=WITHOUT_FILE).filter(sha256=info.sha256).first()


def refuse_removed(info: PictureInfo) -> None:
    """Raises ``PictureProblem`` for a file whose image was taken down. One query."""
    same = Q(sha256=info.sha256) | Q(originals__sha256=info.sha256)
    removed = Image.objects.filter(same, state=Image.State.REMOVED).first()
    if removed is not None:
        why = f"This image was removed from this server: {removed.problem} Only a site admin can allow it again."
        raise PictureProblem("image-removed", why)


def _store(actor: User | None, benchmark: Benchmark, path: Path | bytes, info: PictureInfo) -> Image:
    image = Image(
        sha256=info.sha256,
        width=info.width,
        height=info.height,
        format=info.format,
        orientation=info.orientation,
        bytes=info.bytes,
    )
    objects.put(picture_path(image), path)
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
        if not new and image.state == Image.State.ALLOWED:
            Image.objects.filter(pk=image.pk).update(state=Image.State.WAITING, problem="")
            Sample.everything.filter(image=image).update(image_problem="")
            audit.record(actor, "image.restore", image, benchmark.slug, data={"image": image.sha256})
            new = True
        if new:
            enqueue_tiles(actor=actor, image=image, benchmark=benchmark)
    return image


def enqueue_tiles(*, actor: User | None, image: Image, benchmark: Benchmark) -> None:
    """Have the tiles of an image made; asking twice while it waits makes one job."""
    enqueue_on_commit(
        "annotation.tiles",
        payload={"image_id": image.pk},
        actor=actor,
        values={"width": image.width, "height": image.height},
        benchmark=benchmark.slug,
        key=f"tiles:{image.sha256}",
    )


def _clipped(record: SampleRecord, box: Box, done: str) -> Issue:
    found, place = shortened(box.as_list()), (record.file, record.line)
    return Issue(Severity.REPAIRED, "box-over-edge", *place, record.boxes_called, found, done, record.row)


def _size_differs(record: SampleRecord, image: Image) -> Issue:
    return Issue(
        Severity.REPAIRED, "size-differs", record.file, record.line, "width, height",
        f"{record.width} × {record.height}",
        f"The image is {image.width} × {image.height} once upright; that is used.",
        record.row,
    )  # fmt: skip


def refused(record: SampleRecord, problem: PictureProblem) -> Issue:
    """The issue of a sample whose image cannot be used; the sample itself stays."""
    severity = Severity.NOTED if problem.rule == MISSING else Severity.REFUSED
    found = shortened(record.image)
    return Issue(severity, problem.rule, record.file, record.line, "image", found, problem.message, record.row)
