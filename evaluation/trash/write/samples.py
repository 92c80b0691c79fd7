"""Deleting samples: they go to the trash, or are withdrawn where a frozen version names them. A job purges the deleted
ones, a batch at a time."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from annotation.benchmarks.write.trash import purge_rows
from annotation.common.access import require
from annotation.common.notices import notify_ended
from annotation.common.trash import deleted_before
from annotation.content.removal import put_back, take_out
from annotation.models import Benchmark, ImageVariant, Sample, VersionEntry
from annotation.workflow import Right
from evaluation.common.judging.write import remove_questions
from evaluation.models import Experiment, JudgingItem, JudgingSeat, Run, Scoring, Trajectory
from evaluation.scoring.queue import queue_scoring
from evaluation.trash.read import in_versions
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput, NotFound
from webapp.jobs.actions import enqueue_on_commit
from webapp.jobs.context import JobContext

KIND = "evaluation.delete_samples"
MOST = 1000
"""Samples that are deleted at once."""


@dataclass(frozen=True)
class Removed:
    """How many samples went to the trash, and how many were withdrawn."""

    deleted: int
    withdrawn: int


def delete_samples(*, actor: User, benchmark: Benchmark, keys: Collection[str], reason: str = "") -> Removed:
    """Put samples in the trash. Those of frozen versions are withdrawn instead: the versions keep them.

    They are in no list, queue, metric or export from now on, and work on them ends. Raises ``InvalidInput`` without a
    reason where samples are withdrawn, and ``Conflict`` while an experiment runs on one of them.
    """
    require(actor, benchmark, Right.MANAGE)
    with transaction.atomic():
        # A version that is frozen at the same time has them completely or not at all.
        Benchmark.objects.select_for_update(no_key=True).get(pk=benchmark.pk)
        samples = _locked(benchmark, keys)
        kept = in_versions(samples)
        if kept and not reason.strip():
            raise InvalidInput(
                gettext("Enter a reason: %(key)s is in a frozen version, so it is withdrawn.")
                % {"key": next(one.key for one in samples if one.pk in kept)},
                field="reason",
            )
        numbers = [sample.pk for sample in samples]
        _refuse_running(benchmark, numbers)
        _close_questions(numbers)
        notify_ended("deleted", actor, benchmark, numbers)
        now = timezone.now()
        _shift_runs(dict.fromkeys(numbers, now), +1)
        deleted = [pk for pk in numbers if pk not in kept]
        take_out(actor=actor, benchmark=benchmark, samples=deleted, at=now)
        take_out(actor=actor, benchmark=benchmark, samples=kept, at=now, withdrawn=reason.strip())
        audit.record_many(
            audit.entry(
                actor, "sample.withdraw" if one.pk in kept else "sample.delete", one, benchmark.slug,
                reason=reason.strip(), data={"sample": one.key},
            )
            for one in samples
        )  # fmt: skip
    return Removed(len(numbers) - len(kept), len(kept))


def _locked(benchmark: Benchmark, keys: Collection[str]) -> list[Sample]:
    """The samples with these keys, locked until the transaction ends: submissions and decisions wait."""
    if not keys:
        raise InvalidInput(gettext("Choose at least one sample."), field="id")
    if len(keys) > MOST:
        raise InvalidInput(gettext("At most %(limit)s samples at once. Narrow the list.") % {"limit": MOST}, field="id")
    rows = Sample.objects.select_for_update(no_key=True).filter(benchmark=benchmark, key__in=keys)
    samples = list(rows.order_by("pk"))
    if missing := sorted(set(keys) - {sample.key for sample in samples}):
        raise NotFound(gettext("There is no sample %(key)s.") % {"key": missing[0]})
    return samples


def _refuse_running(benchmark: Benchmark, samples: Collection[int]) -> None:
    running = Experiment.objects.live().filter(
        benchmark=benchmark, attempts__sample__in=samples, attempts__state__in=("queued", "running")
    )
    if (found := running.first()) is not None:
        raise Conflict(
            gettext("The experiment %(experiment)s is running on these samples. Stop it, then delete them.")
            % {"experiment": found}
        )


def _close_questions(samples: Collection[int]) -> None:
    """End what judges are about to answer. A judge may be submitting a verdict: the lock waits until it is saved."""
    items = JudgingItem.everything.filter(trajectory__sample__in=samples).order_by("pk")
    asked = list(items.select_for_update(of=("self",), no_key=True).values_list("pk", flat=True))
    JudgingSeat.objects.filter(item__in=asked, place__isnull=False, done_at=None).delete()


def _shift_runs(samples: Mapping[int, datetime], sign: int) -> None:
    """Move the revision of each run with trajectories on these samples, by the time of their deletion: its file is
    made again without them.

    The step depends on the sample and its deletion only. Restoring takes it back, so that a run that nothing else
    changed has its revision, and the file of its scores, again."""
    shifts: Counter[int] = Counter()
    rows = Trajectory.everything.filter(sample__in=samples).order_by().values_list("run", "sample").distinct()
    for run, sample in rows:
        shifts[run] += _step(sample, samples[sample])
    for run, shift in sorted(shifts.items()):
        Run.everything.filter(pk=run).update(revision=F("revision") + sign * shift)


def _step(sample: int, deleted_at: datetime) -> int:
    digest = hashlib.sha256(f"{sample} {deleted_at.timestamp():.6f}".encode()).digest()
    return 1 + int.from_bytes(digest[:5])


def restore_sample(*, actor: User, benchmark: Benchmark, sample: Sample) -> None:
    """Take a deleted or withdrawn sample back, with everything that it had. Raises ``Conflict`` where another one has
    its ID now, and for a variant of an image that its original no longer has."""
    require(actor, benchmark, Right.MANAGE)
    with transaction.atomic():
        Benchmark.objects.select_for_update(no_key=True).get(pk=benchmark.pk)
        rows = Sample.everything.select_for_update(no_key=True).filter(pk=sample.pk, removed_from=benchmark)
        found = rows.first()
        if found is None:
            return
        if found.purging:
            raise Conflict(gettext("%(key)s is being deleted permanently.") % {"key": found.key})
        if benchmark.samples.filter(key=found.key).exists():
            raise Conflict(
                gettext("There is another sample %(key)s now. Delete it, then restore this one.") % {"key": found.key}
            )
        _refuse_outdated_variant(found)
        _shift_runs({found.pk: found.deleted_at}, -1)
        if hasattr(found, "gold"):
            # Scores of this time lack the sample, even if as many samples were scored.
            since = Scoring.objects.filter(run__benchmark=benchmark, computed_at__gte=found.deleted_at)
            since.mark_stale()
        put_back(benchmark=benchmark, samples=[found.pk])
        audit.record(actor, "sample.restore", found, benchmark.slug, data={"sample": found.key})


def _refuse_outdated_variant(sample: Sample) -> None:
    """A variant is compared with its original, so both show the same image."""
    source = Sample.everything.filter(pk=sample.variant_of_id or 0).first()
    made = ImageVariant.objects.filter(sample=sample).first()
    if source is not None and made is not None and made.parent_id != source.image_id:
        message = gettext(
            "%(key)s is a variant of the image that %(source)s had before it was replaced. Make the variant again."
        )
        raise Conflict(message % {"key": sample.key, "source": source.key}, code="image_replaced")


def empty_samples(*, actor: User, benchmark: Benchmark) -> int:
    """Delete all samples in the trash of a benchmark permanently, in a job, but no withdrawn ones. Return their
    number."""
    require(actor, benchmark, Right.MANAGE)
    with transaction.atomic():
        return _purge(actor, Sample.everything.filter(removed_from=benchmark, withdrawn="", purging=False))


def purge_old_samples(now: datetime) -> int:
    """Delete samples permanently that were deleted ``SIGHTLINE_TRASH_DAYS`` ago, and those whose job was lost."""
    old = Q(deleted_at__lt=deleted_before(now)) | Q(purging=True)
    with transaction.atomic():
        return _purge(None, Sample.everything.filter(old, removed_from__deleted_at=None, withdrawn=""))


def _purge(actor: User | None, samples: Any) -> int:
    """Begin to delete these samples permanently: none of them can be restored from now on. No version names one."""
    named = VersionEntry.objects.filter(sample=OuterRef("pk"))
    rows = samples.filter(~Exists(named), removed_from__isnull=False).select_related("removed_from")
    found = list(rows.order_by("pk").select_for_update(of=("self",), no_key=True))
    new = [sample for sample in found if not sample.purging]
    Sample.everything.filter(pk__in=[sample.pk for sample in new]).update(purging=True)
    audit.record_many(
        audit.entry(actor, "sample.purge", one, one.removed_from.slug, data={"sample": one.key}) for one in new
    )
    for benchmark in {sample.removed_from for sample in found}:
        enqueue_on_commit(
            KIND, payload={"benchmark_id": benchmark.pk}, actor=actor, benchmark=benchmark.slug,
            key=f"{KIND}:{benchmark.pk}", values={"benchmark": benchmark.title},
        )  # fmt: skip
    return len(found)


def purge_samples(context: JobContext, *, benchmark_id: int) -> dict[str, Any]:
    """The body of the job: each batch in a transaction of its own; run again, it goes on with the rest. Runs are
    scored again where their files have rows of these samples."""
    done = int(context.state.get("done", 0))
    benchmark = Benchmark.objects.filter(pk=benchmark_id).first()
    if benchmark is None:
        return {"rows": done}
    context.result_url = reverse("evaluation:trash", args=[benchmark.slug])
    actor = context.job.created_by
    samples = Sample.everything.filter(removed_from=benchmark, purging=True)
    remove_questions(
        actor=actor, benchmark=benchmark, items=JudgingItem.everything.filter(trajectory__sample__in=samples)
    )
    for rows in purge_rows(Sample, samples):
        done += rows
        context.save({"done": done}, done=done)
        context.progress(done, None, unit=gettext_noop("rows"))
    with transaction.atomic():
        audit.record(actor, "sample.purged", benchmark, benchmark.slug, data={"rows": done})
        if Scoring.objects.filter(run__benchmark=benchmark).exists():
            queue_scoring(actor=actor, benchmark=benchmark)
    return {"rows": done}
