"""Deleting a benchmark: it goes to the trash, from which it is restored, or purged by a job, a batch at a time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import chain
from typing import Any

from django.db import models, transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext, gettext_noop

from annotation.benchmarks.read.trash import deleted_benchmarks, owned_tables
from annotation.common.access import require
from annotation.common.trash import deleted_before
from annotation.content.benchmark_events import notify_purged
from annotation.content.people import PLACEHOLDERS
from annotation.images.store import remove_files, remove_unshown
from annotation.models import (
    Benchmark,
    BuildItem,
    GuidelineImage,
    Image,
    ImageReplacement,
    ImageVariant,
    PersonUid,
    PortableUpload,
    Sample,
)
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.jobs.actions import cancel, enqueue_on_commit
from webapp.jobs.context import JobContext
from webapp.jobs.models import Job
from webapp.notifications.write import forget_benchmark

KIND = "annotation.purge_benchmark"
BATCH = 500
IMAGES_OF: dict[Any, str] = {
    Sample: "image_id", ImageVariant: "parent_id", ImageReplacement: "image_id", BuildItem: "image_id",
    GuidelineImage: "image_id",
}  # fmt: skip
"""Tables whose rows name images, which other benchmarks may show too."""


def delete_benchmark(*, actor: User, benchmark: Benchmark, title: str) -> None:
    """Put a benchmark in the trash. No person can open it from now on, and its jobs stop.

    ``title``: as the person entered it. Raises ``InvalidInput`` unless it is that of the benchmark.
    """
    require(actor, benchmark, Right.MANAGE)
    if title.strip() != benchmark.title.strip():
        raise InvalidInput(
            gettext("Enter “%(title)s” exactly to delete the benchmark.") % {"title": benchmark.title}, field="title"
        )
    with transaction.atomic():
        if not Benchmark.objects.filter(pk=benchmark.pk).update(deleted_at=Now(), deleted_by=actor):
            return
        audit.record(actor, "benchmark.delete", benchmark, benchmark.slug, data={"title": benchmark.title})
        for job in Job.objects.live().filter(benchmark=benchmark.slug, parent=None):
            cancel(job, actor=actor)


def restore_benchmark(*, actor: User, benchmark: Benchmark) -> None:
    """Take a benchmark out of the trash with all of its rows. Its jobs can be tried again."""
    _require_lead(actor, benchmark)
    with transaction.atomic():
        waiting = Benchmark.everything.filter(pk=benchmark.pk, purging=False, deleted_at__isnull=False)
        if not waiting.update(deleted_at=None, deleted_by=None):
            raise Conflict(gettext("%(title)s is not in the trash any more.") % {"title": benchmark.title})
        audit.record(actor, "benchmark.restore", benchmark, benchmark.slug, data={"title": benchmark.title})


def purge_benchmark(*, actor: User, benchmark: Benchmark) -> None:
    """Delete a benchmark in the trash permanently, in a job."""
    _require_lead(actor, benchmark)
    with transaction.atomic():
        _begin(actor, Benchmark.everything.select_for_update(of=("self",), no_key=True).get(pk=benchmark.pk))


def purge_old(now: datetime) -> int:
    """Delete benchmarks permanently that were deleted ``SIGHTLINE_TRASH_DAYS`` ago, and those whose job was lost."""
    old = Q(deleted_at__lt=deleted_before(now)) | Q(purging=True)
    with transaction.atomic():
        found = list(Benchmark.everything.filter(old).order_by("pk").select_for_update(of=("self",), no_key=True))
        for benchmark in found:
            _begin(None, benchmark)
    return len(found)


def _require_lead(actor: User, benchmark: Benchmark) -> None:
    if not deleted_benchmarks(actor).filter(pk=benchmark.pk).exists():
        raise NotAllowed(gettext("Only its leads and site admins can do this with a deleted benchmark."))


def _begin(actor: User | None, benchmark: Benchmark) -> None:
    if not benchmark.purging:
        audit.record(actor, "benchmark.purge", benchmark, benchmark.slug, data={"title": benchmark.title})
        Benchmark.everything.filter(pk=benchmark.pk).update(purging=True)
    # Not a job of the benchmark: those stop.
    enqueue_on_commit(
        KIND, payload={"benchmark_id": benchmark.pk}, actor=actor, key=f"{KIND}:{benchmark.pk}",
        values={"benchmark": benchmark.title},
    )  # fmt: skip


def purge_in_job(context: JobContext, *, benchmark_id: int) -> dict[str, Any]:
    """The body of the job. Each batch is a separate transaction; when run again, it continues with the rest."""
    benchmark = Benchmark.everything.filter(pk=benchmark_id, purging=True).first()
    done = int(context.state.get("done", 0))
    if benchmark is None:
        return {"rows": done}
    # Deleted and withdrawn samples are of no benchmark, so they are purged on their own.
    removed = purge_rows(Sample, Sample.everything.filter(removed_from=benchmark))
    for rows in chain(removed, purge_rows(Benchmark, Benchmark.everything.filter(pk=benchmark.pk))):
        done += rows
        context.save({"done": done}, done=done)
        context.progress(done, None, unit=gettext_noop("rows"))
    with transaction.atomic():
        forget_benchmark(benchmark.slug)
        # The entry says which address is not given to another benchmark: it is written while the row is there.
        audit.record(
            context.job.created_by, "benchmark.purged", benchmark, benchmark.slug, data={"title": benchmark.title}
        )
        benchmark.delete()
        notify_purged()
    return {"rows": done}


def remove_unfinished(*, actor: User | None, benchmark: Benchmark) -> None:
    """Delete a benchmark whose import failed, a batch at a time, with the placeholders that it made. From the first
    moment no one sees it; afterward its address is free. If this breaks off, ``purge_old`` continues."""
    with transaction.atomic():
        Benchmark.everything.filter(pk=benchmark.pk).update(deleted_at=Now(), purging=True)
        PortableUpload.objects.filter(benchmark=benchmark, updates=False).update(benchmark=None)
        audit.record(actor, "import.project_removed", benchmark, benchmark.slug, data={"title": benchmark.title})
    made = PersonUid.objects.filter(benchmark=benchmark, user__is_active=False, user__email__endswith=PLACEHOLDERS)
    placeholders = list(made.values_list("user", flat=True))
    withdrawn = Sample.everything.filter(removed_from=benchmark)
    for _ in chain(purge_rows(Sample, withdrawn), purge_rows(Benchmark, Benchmark.everything.filter(pk=benchmark.pk))):
        pass
    with transaction.atomic():
        forget_benchmark(benchmark.slug)
        Benchmark.everything.filter(pk=benchmark.pk).delete()
        User.objects.filter(pk__in=placeholders).delete()


def purge_rows(root: type[models.Model], owners: models.QuerySet[Any]) -> Iterator[int]:
    """Delete the rows that belong to these rows of ``root``, and samples themselves, with the files of images that
    nothing shows any more: the number of rows of each batch, after its transaction."""
    own: list[tuple[type[models.Model], str]] = [(Sample, "pk")] if root is Sample else []
    for model, path in (*owned_tables(root), *own):
        while batch := _purge_batch(model, path, owners):
            for image in batch[1]:
                remove_files(image)
            yield batch[0]


@transaction.atomic
def _purge_batch(model: type[models.Model], path: str, owners: models.QuerySet[Any]) -> tuple[int, list[Image]] | None:
    """Delete some rows of a table: how many, and the images that nothing shows any more. None without rows."""
    rows = model._base_manager.filter(**{f"{path}__in": owners.order_by().values("pk")})
    batch = list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH])
    if not batch:
        return None
    rows = model._base_manager.filter(pk__in=batch)
    shown = set(rows.values_list(IMAGES_OF[model], flat=True)) if model in IMAGES_OF else set()
    rows.delete()
    return len(batch), remove_unshown(shown)
