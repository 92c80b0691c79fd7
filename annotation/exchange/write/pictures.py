"""Uploads of images without a file of samples: each image becomes a sample to do, without a question yet.

The files are stored first. A job then checks them in batches, one transaction each, and saves its position.
"""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from django.db import transaction
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.common.uploads import PICTURES_FORMAT, require_room
from annotation.content.samples import NO_CONTENT, save_samples
from annotation.exchange.write.files import PICTURES, Upload, local_copy, store, tidy_scratch, unpacked
from annotation.exchange.write.records import start_job
from annotation.exchange.write.samples import LIMITS, Checkpoint, finish_record, keep_issues, remember
from annotation.images.store import metadata_issue, store_picture
from annotation.imaging.problems import PictureProblem
from annotation.importers.interface import Position
from annotation.importers.zip_names import with_meant_names
from annotation.models import Benchmark, Image, ImportRecord, Sample
from annotation.schema import Issue, SampleRecord, Severity
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit, objects
from webapp.common.errors import ApplicationError, InvalidInput

FORMAT = PICTURES_FORMAT
DUPLICATE = "duplicate-picture"
"""The rule of an issue for an image that the benchmark already has; ``found`` is the first sample with it."""
BATCH = 20
KEY = LIMITS["id"]

Report = Callable[[int, int], None]


def receive_pictures(*, actor: User, benchmark: Benchmark, files: Sequence[Upload]) -> ImportRecord:
    """Keep uploaded images, or zips of them, and start their job. Raises ``InvalidInput``, ``TooLarge``."""
    require(actor, benchmark, Right.IMPORT_SAMPLES)
    if not files:
        raise InvalidInput(gettext("No file was chosen. Choose images or a zip file of images."), field="files")
    require_room(benchmark, sum(file.size or 0 for file in files))
    tidy_scratch()
    stored = [store(file) for file in files]
    names = list(dict.fromkeys(one.upload for one in stored))
    title = stored[0].path.name if len(names) == 1 else f"{len(names)} files"
    with transaction.atomic():
        record = ImportRecord.objects.create(
            benchmark=benchmark, kind=ImportRecord.Kind.SAMPLES, state=ImportRecord.State.RUNNING, file_name=title,
            bytes=sum(one.bytes for one in stored), format=FORMAT, options={"files": names}, created_by=actor,
        )  # fmt: skip
        audit.record(
            actor, "pictures.upload", record, benchmark.slug, data={"files": len(names), "bytes": record.bytes}
        )
        _enqueue(actor, record)
    return record


def go_on(*, actor: User, record: ImportRecord) -> None:
    """Continue an upload whose job has stopped, after its last batch."""
    require(actor, record.benchmark, Right.IMPORT_SAMPLES)
    with transaction.atomic():
        record = (
            ImportRecord.objects.select_for_update(of=("self",), no_key=True)
            .select_related("benchmark")
            .get(pk=record.pk)
        )
        if record.state == ImportRecord.State.RUNNING:
            _enqueue(actor, record)


def _enqueue(actor: User, record: ImportRecord) -> None:
    start_job(record, "annotation.pictures", actor=actor, key="pictures")


def take_pictures(*, record_id: int, report: Report, checkpoint: Checkpoint | None = None) -> dict[str, int]:
    """The job: every image of an upload becomes a sample, or an issue gives the reason. Continues where it stopped."""
    record = ImportRecord.objects.select_related("benchmark", "created_by").get(pk=record_id)
    counts = Counter(record.counts)
    if record.state != ImportRecord.State.RUNNING:
        return dict(counts)
    issues: list[Issue] = []
    found = [one for name in record.options["files"] for one in _pictures(name, issues)]
    begin = int(record.checkpoint.get("offset", 0))
    issues = issues if begin == 0 else []
    report(begin, len(found))
    for at in range(begin, max(len(found), 1), BATCH):
        batch = found[at : at + BATCH]
        _take(record, batch, issues, counts, Position(FORMAT, at + len(batch)), checkpoint)
        issues = []
        report(at + len(batch), len(found))
    finish_record(record.created_by, record, counts)
    return dict(counts)


@dataclass(frozen=True)
class _Picture:
    """A file to examine: the folder it is relative to, and its name there, which becomes the name of the sample's
    image.
    """

    folder: Path
    name: str


def _pictures(upload: str, issues: list[Issue]) -> Iterator[_Picture]:
    """Yield the file, or the images of a zip in a fixed order. Unused files of a zip are reported."""
    path = local_copy(upload)
    if not zipfile.is_zipfile(path):
        yield _Picture(path.parent, path.name)
        return
    try:
        folder = unpacked(upload)
        others = [name for name in _members(path) if PurePosixPath(name).suffix.lower() not in PICTURES]
    except objects.Missing:
        raise
    except (ApplicationError, zipfile.BadZipFile) as problem:
        issues.append(Issue(Severity.REFUSED, "zip-refused", path.name, None, "", "", str(problem)))
        return
    if folder is None:
        done = "The zip file contains no images (JPEG, PNG, WebP or TIFF)."
        issues.append(Issue(Severity.REFUSED, "zip-without-pictures", path.name, None, "", "", done))
        return
    if others:
        many = f" So were {len(others) - 1:,} more." if len(others) > 1 else ""
        done = f"This file in the zip is not an image and was skipped.{many}"
        issues.append(Issue(Severity.NOTED, "not-a-picture", path.name, None, "", others[0][:200], done))
    files = sorted(one.relative_to(folder).as_posix() for one in folder.rglob("*") if one.is_file())
    yield from (_Picture(folder, name) for name in files)


def _members(path: Path) -> list[str]:
    with zipfile.ZipFile(path) as archive:
        names = [one.filename for one in with_meant_names(archive.infolist()) if not one.is_dir()]
    return [name for name in names if not name.startswith("__MACOSX/")]


def _take(
    record: ImportRecord,
    batch: Sequence[_Picture],
    issues: list[Issue],
    counts: Counter[str],
    position: Position,
    checkpoint: Checkpoint | None,
) -> None:
    """Save the files, outside the transaction; then samples, issues and the position, atomically."""
    stored = [(picture, _stored(record, picture)) for picture in batch]
    with transaction.atomic():
        # Simultaneous uploads wait for each other here, so that no two choose the same key.
        Benchmark.objects.select_for_update(no_key=True).get(pk=record.benchmark_id)
        new, found = _new_samples(record.benchmark, stored, issues)
        saved = save_samples(
            actor=record.created_by, benchmark=record.benchmark, records=new, pictures=found, source=record
        )
        counts.update(read=len(batch), new=saved.new)
        counts["duplicates"] += sum(issue.rule == DUPLICATE for issue in issues)
        keep_issues(record, issues, counts)
        remember(record, position, counts, checkpoint)


def _stored(record: ImportRecord, picture: _Picture) -> Image | PictureProblem:
    """Return the image in the store. It was uploaded without a reference to it, so a missing file can only be missing
    on this machine.
    """
    path = picture.folder / picture.name
    if not path.is_file():
        raise objects.Missing(picture.name)
    try:
        return store_picture(actor=record.created_by, benchmark=record.benchmark, source=path)
    except PictureProblem as problem:
        return problem


def _new_samples(
    benchmark: Benchmark, stored: Sequence[tuple[_Picture, Image | PictureProblem]], issues: list[Issue]
) -> tuple[list[SampleRecord], dict[str, Image | PictureProblem]]:
    """Return a record with a new key for each image that the benchmark does not have; report an issue for
    every other.
    """
    images = [found for _, found in stored if isinstance(found, Image)]
    there = Sample.objects.filter(benchmark=benchmark, image__in=images).order_by("-pk")
    known = dict(there.values_list("image_id", "key"))
    new: list[SampleRecord] = []
    pictures: dict[str, Image | PictureProblem] = {}
    for picture, found in stored:
        name = picture.name[-LIMITS["image"] :]
        if isinstance(found, Image) and (issue := metadata_issue(benchmark, picture.folder / picture.name, name)):
            issues.append(issue)
        if isinstance(found, PictureProblem):
            issues.append(Issue(Severity.REFUSED, found.rule, name, None, "", "", found.message))
        elif found.pk in known:
            first = known[found.pk]
            done = f"{first} has this image. No sample was created. You can ask another question about it."
            issues.append(Issue(Severity.NOTED, DUPLICATE, name, None, "image", first, done))
        else:
            wanted = PurePosixPath(name).stem[:KEY] or "picture"
            key = _free(benchmark, wanted, {record.id for record in new})
            if key != wanted:
                done = f"The ID {wanted} is already in use. This sample has the ID {key}."
                issues.append(Issue(Severity.NOTED, "key-made-unique", name, None, "id", wanted, done))
            called = key + PurePosixPath(name).suffix
            new.append(SampleRecord(key, NO_CONTENT, called))
            pictures[called] = found
            known[found.pk] = key
    return new, pictures


def _free(benchmark: Benchmark, wanted: str, taken: set[str]) -> str:
    """Return ``wanted``, or the name with the first free number appended."""
    key, number = wanted, 1
    while key in taken or Sample.objects.filter(benchmark=benchmark, key=key).exists():
        number += 1
        key = f"{wanted[: KEY - 8]}-{number}"
    return key
