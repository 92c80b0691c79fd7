"""From an uploaded portable file to a benchmark: store it, read it without writing, and import it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from annotation.benchmarks.write.benchmark import may_create, was_purged
from annotation.common.access import allowed, require
from annotation.common.uploads import require_room
from annotation.exchange.write.files import Upload, local_copy, store, tidy_scratch
from annotation.models import Benchmark, PortableUpload, Sample
from annotation.portable.read.discussion import brought_by, counts_of, new_discussion
from annotation.portable.read.preview import preview_of
from annotation.portable.read.update import Choice, Entry, Kind, Plan, plan_update
from annotation.portable.write import opened
from annotation.portable.write.update import check_choice, require_same, store_new_images, update_from
from annotation.project_file import InvalidFileError, Reader
from annotation.workflow import Right
from evaluation.exports.read.run_changes import FileRun, RunEntry, RunKind, as_json, has_runs, plan_runs, runs_in
from evaluation.exports.read.runs import JUDGEMENTS
from evaluation.exports.write.project import import_project, resume_project
from evaluation.exports.write.runs import add_new_marks, add_runs, check_runs
from evaluation.scoring.queue import score_in_parts
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import ApplicationError, Conflict, InvalidInput, NotAllowed, NotFound
from webapp.jobs.actions import enqueue_on_commit
from webapp.jobs.context import JobContext
from webapp.jobs.registry import Parts

READ, CREATE = "evaluation.portable_read", "evaluation.portable_create"
UPDATE = "evaluation.portable_update"
MOST_LISTED = 1000
"""Samples of each kind that the preview of an update lists. Conflicts are listed completely."""
LONGEST_NAME = 200
UPDATED = "updated"
"""The key of a preview for what the update did so far."""
State = PortableUpload.State


def require_creator(actor: User) -> None:
    """Raises ``NotAllowed`` unless this person can create benchmarks. A token for one benchmark can't."""
    if actor.limited_to:
        message = gettext("Your token is for one benchmark. Create benchmarks with a token for all benchmarks.")
        raise NotAllowed(message, code="scope")
    if not may_create(actor):
        raise NotAllowed(gettext("You can't create benchmarks on this site. Ask a site admin to create yours."))


def upload_of(actor: User, pk: UUID, benchmark: Benchmark | None = None) -> PortableUpload:
    """The upload of this person for a new benchmark, or to update this one. Raises ``NotFound``."""
    mine = PortableUpload.objects.select_related("benchmark").filter(created_by=actor, updates=benchmark is not None)
    found = (mine if benchmark is None else mine.filter(benchmark=benchmark)).filter(pk=pk).first()
    if found is None:
        raise NotFound(gettext("This upload does not exist, or it was deleted. Upload the file again."))
    return found


def preview_known_to(person: User, upload: PortableUpload) -> dict[str, Any]:
    """The preview, without the runs of the benchmark if this person judges them at the moment."""
    update, benchmark = upload.preview.get("update"), upload.benchmark
    if update is None or "runs" not in update or benchmark is None or allowed(person, benchmark, Right.IMPORT_RUNS):
        return dict(upload.preview)
    known = {name: value for name, value in update.items() if name != "runs"}
    return {**upload.preview, "update": {**known, "runs_left_out": True}}


def upload_file(*, actor: User, file: Upload, benchmark: Benchmark | None = None) -> PortableUpload:
    """Keep the file, and have a job read and check it: for a new benchmark, or to update ``benchmark``. Raises
    ``NotAllowed``, ``TooLarge``."""
    if benchmark is None:
        require_creator(actor)
    else:
        require(actor, benchmark, Right.MANAGE)
        require_room(benchmark, file.size or 0)
    tidy_scratch()
    stored = store(file)
    with transaction.atomic():
        made = PortableUpload.objects.create(
            file_name=stored.path.name[:LONGEST_NAME], bytes=stored.bytes, upload=stored.upload, created_by=actor,
            benchmark=benchmark, updates=benchmark is not None,
        )  # fmt: skip
        data = {"file": made.file_name, "bytes": made.bytes}
        audit.record(actor, "portable.upload", made, benchmark.slug if benchmark else "", data=data)
        _start(made, READ, actor)
    return made


def create_benchmark_from(*, actor: User, upload: PortableUpload, slug: str) -> PortableUpload:
    """Have a job make the benchmark ``slug`` out of the file. Raises ``Conflict``, ``NotAllowed``."""
    require_creator(actor)
    with transaction.atomic():
        found = _decidable(upload)
        if was_purged(slug) or Benchmark.everything.filter(slug=slug).exists():
            raise Conflict(
                gettext("The address %(slug)s is already in use. Choose another.") % {"slug": slug}, field="slug"
            )
        found.state, found.slug = State.RUNNING, slug
        _start(found, CREATE, actor)
    return found


def update_benchmark_from(*, actor: User, upload: PortableUpload, choices: Mapping[str, str]) -> PortableUpload:
    """Have a job update the benchmark from the file. ``choices``: what becomes of conflicts, by sample; the default is
    to keep what is here. Raises ``Conflict``, ``NotAllowed``, ``InvalidInput``."""
    assert upload.benchmark is not None
    require(actor, upload.benchmark, Right.MANAGE)
    with transaction.atomic():
        found = _decidable(upload)
        conflicts = {one["key"]: one for one in found.preview["update"]["samples"] if one["kind"] == Kind.CONFLICT}
        for key, choice in choices.items():
            if key not in conflicts:
                raise InvalidInput(gettext("%(key)s is no conflict of this file.") % {"key": key}, field="conflicts")
            check_choice(Entry(key, Kind.CONFLICT, open=conflicts[key]["open"]), Choice(choice))
        found.state, found.choices = State.RUNNING, dict(choices)
        found.preview.pop(UPDATED, None)
        _start(found, UPDATE, actor)
    return found


def run_update(context: JobContext, *, upload_id: str) -> dict[str, Any] | Parts:
    """Check the runs of the file, update the benchmark in one transaction, then add the runs, then score them. Running
    it twice updates once."""
    upload = PortableUpload.objects.select_related("created_by", "benchmark").get(pk=upload_id)
    benchmark = upload.benchmark
    assert benchmark is not None
    if upload.state == State.RUNNING:
        with opened(local_copy(upload.upload)) as file:
            person, plan = upload.created_by, plan_update(benchmark, file)
            entries = _runs_of(context, benchmark, file)
            new = None if entries is None else _added(entries)
            if UPDATED not in upload.preview:
                _check_new_runs(benchmark, file, plan, new or ())
                images = store_new_images(actor=person, benchmark=benchmark, file=file, plan=plan)
                with transaction.atomic():
                    counts: dict[str, Any] = dict(
                        update_from(actor=person, benchmark=benchmark, file=file, choices=upload.choices, images=images)
                    )
                    if entries is not None:
                        counts |= {"runs": 0, "trajectories": 0, "marks": _add_marks(context, benchmark, file, entries)}
                    context.checkpoint()
                    _note_updated(upload, counts, done=not new)
            if new:
                _add_new_runs(context, upload, file, plan, new)
    context.result_url = reverse("evaluation:portable-update", args=[benchmark.slug, upload.pk])
    counts = dict(upload.preview.get(UPDATED, {}))
    scores_change = counts.get("runs") or counts.get("marks", {}).get(JUDGEMENTS)
    return _scored(context, benchmark, counts) if scores_change else counts


def _note_updated(upload: PortableUpload, counts: Mapping[str, Any], *, done: bool) -> None:
    """Keep what the update did. Until it is done, it can be continued."""
    upload.preview = {**upload.preview, UPDATED: {**upload.preview.get(UPDATED, {}), **counts}}
    if done:
        upload.state, upload.upload, upload.finished_at = State.DONE, "", timezone.now()
    upload.save(update_fields=["preview", "state", "upload", "finished_at"])


def _runs_of(context: JobContext, benchmark: Benchmark, file: Reader) -> list[RunEntry] | None:
    """What the update does with each run. None if there are no runs that the person may add."""
    actor = context.job.created_by
    if not has_runs(file):
        return None
    if actor is None or not allowed(actor, benchmark, Right.IMPORT_RUNS):
        context.warn("The runs of the file were left out: you can't import runs at the moment.")
        return None
    return plan_runs(actor, benchmark, file)


def _add_marks(context: JobContext, benchmark: Benchmark, file: Reader, entries: Sequence[RunEntry]) -> dict[str, int]:
    """Add marks to runs that are here. Those of new runs come with the runs."""
    return add_new_marks(actor=context.job.created_by, benchmark=benchmark, file=file, entries=entries)


def _check_new_runs(benchmark: Benchmark, file: Reader, plan: Plan, new: Sequence[FileRun]) -> None:
    """Raise for a row that will reject these runs, before anything of the file is saved."""
    if new:
        added = [one.key for one in plan.of(Kind.ADDED)]
        without = _on_other_images(benchmark, plan)
        check_runs(benchmark=benchmark, file=file, runs=new, without=without, added=added)


def _on_other_images(benchmark: Benchmark, plan: Plan) -> set[str]:
    """The samples that have another image in the file."""
    images = Sample.objects.filter(benchmark=benchmark).values_list("key", "image__sha256")
    return {key for key, sha256 in images if key in plan.samples and plan.samples[key].image != (sha256 or "")}


def _added(entries: Iterable[RunEntry]) -> list[FileRun]:
    return [one.run for one in entries if one.kind is RunKind.ADDED and one.run is not None]


def _add_new_runs(
    context: JobContext, upload: PortableUpload, file: Reader, plan: Plan, new: Sequence[FileRun]
) -> None:
    """Add the runs that only the file has. Nothing is changed in those of the benchmark."""
    benchmark, actor = upload.benchmark, context.job.created_by
    assert benchmark is not None

    def finish(counts: dict[str, int]) -> None:
        context.checkpoint()
        _note_updated(upload, counts, done=True)

    try:
        add_runs(
            actor=actor, benchmark=benchmark, file=file, runs=new, without=_on_other_images(benchmark, plan),
            finish=finish, checkpoint=context.checkpoint,
        )  # fmt: skip
    except (ApplicationError, InvalidFileError) as error:
        message = gettext("The samples are updated, but the runs of the file were not added: %(why)s")
        raise InvalidInput(message % {"why": error}, code="runs") from error


def _scored(context: JobContext, benchmark: Benchmark, counts: dict[str, Any]) -> dict[str, Any] | Parts:
    """Score what has no scores in parts of the job, then return the counts."""
    if context.job.created_by is None or not allowed(context.job.created_by, benchmark, Right.SCORE):
        context.warn("Not scored: your roles don't allow scoring. Ask the lead.")
        return counts
    return score_in_parts(context, benchmark) or counts


def _decidable(upload: PortableUpload) -> PortableUpload:
    """The locked upload, if it was read and waits for a decision. Raises ``Conflict``."""
    found = PortableUpload.objects.select_for_update(of=("self",), no_key=True).get(pk=upload.pk)
    if found.state == State.DONE:
        raise Conflict(gettext("%(file)s is already imported.") % {"file": found.file_name})
    if found.works:
        raise Conflict(gettext("%(file)s is being read or imported.") % {"file": found.file_name})
    if not found.preview:
        raise Conflict(gettext("%(file)s can't be imported: %(why)s") % {"file": found, "why": found.error})
    return found


def read_upload(context: JobContext, *, upload_id: str) -> dict[str, str]:
    """Check all of the file against its manifest, and keep what it holds in numbers."""
    upload = PortableUpload.objects.select_related("benchmark", "created_by").get(pk=upload_id)
    with opened(local_copy(upload.upload)) as file:
        preview = preview_of(file)
        if upload.updates and upload.benchmark is not None:
            require_same(upload.benchmark, file)
            plan = plan_update(upload.benchmark, file)
            new = new_discussion(upload.benchmark, file, plan, brought=brought_by(plan))
            preview["update"] = plan.as_json(MOST_LISTED) | {"discussion": counts_of(new)}
            if has_runs(file):
                runs = plan_runs(upload.created_by, upload.benchmark, file)
                _check_new_runs(upload.benchmark, file, plan, _added(runs))
                preview["update"] |= {"runs": as_json(runs)}
        elif has_runs(file):
            runs_in(file)
    with transaction.atomic():
        context.checkpoint()
        PortableUpload.objects.filter(pk=upload.pk, state=State.READING).update(state=State.READY, preview=preview)
    return {"checksum": preview["checksum"]}


def import_upload(context: JobContext, *, upload_id: str) -> dict[str, Any] | Parts:
    """Make the benchmark, then add its runs, then score them. Running it twice makes one."""
    upload = PortableUpload.objects.select_related("created_by", "benchmark").get(pk=upload_id)
    if upload.state == State.RUNNING:

        def begun(benchmark: Benchmark) -> None:
            context.checkpoint()
            upload.benchmark = benchmark
            upload.save(update_fields=["benchmark"])

        def finish(benchmark: Benchmark) -> None:
            context.checkpoint()
            upload.state, upload.upload, upload.finished_at = State.DONE, "", timezone.now()
            upload.save(update_fields=["state", "upload", "finished_at"])

        person, path = upload.created_by, local_copy(upload.upload)
        require_creator(person)
        ends: dict[str, Any] = {"lead": person, "finish": finish, "checkpoint": context.checkpoint}
        if upload.benchmark is None:
            import_project(actor=person, path=path, slug=upload.slug, begun=begun, **ends)
        else:
            resume_project(benchmark=upload.benchmark, path=path, **ends)
    assert upload.benchmark is not None
    context.result_url = upload.benchmark.get_absolute_url()
    made = {"benchmark": upload.benchmark.slug}
    return _scored(context, upload.benchmark, made) if upload.preview.get("counts", {}).get("runs") else made


def note_stopped(sentence: str, *, upload_id: str) -> None:
    """Store why the job of an upload stopped; "": it runs again."""
    upload = PortableUpload.objects.filter(pk=upload_id).exclude(state=State.DONE).first()
    if upload is None:
        return
    again = State.RUNNING if upload.preview else State.READING
    upload.state, upload.error = (State.FAILED if sentence else again), sentence
    upload.save(update_fields=["state", "error"])


def delete_old_uploads(now: datetime) -> int:
    """Delete uploads that were not imported for ``UPLOAD_KEEP_DAYS``. Their files are swept with those of imports."""
    before = now - timedelta(days=settings.UPLOAD_KEEP_DAYS)
    old = PortableUpload.objects.filter(created_at__lt=before, state__in=(State.READY, State.FAILED))
    gone, _ = old.delete()
    return gone


def _start(upload: PortableUpload, kind: str, actor: User) -> None:
    job = enqueue_on_commit(
        kind,
        payload={"upload_id": str(upload.pk)},
        actor=actor,
        values={"file": upload.file_name},
        benchmark=upload.benchmark.slug if upload.benchmark else "",
        key=f"{kind}:{upload.pk}",
    )
    upload.job_id, upload.error = str(job.pk), ""
    upload.save(update_fields=["state", "slug", "choices", "preview", "job_id", "error"])
