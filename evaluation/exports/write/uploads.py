"""From an uploaded portable file to a benchmark: store it, read it without writing, and import it."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.benchmarks.write.benchmark import may_create, was_purged
from annotation.exchange.write.files import Upload, local_copy, store, tidy_scratch
from annotation.models import Benchmark, PortableUpload
from annotation.portable.read.preview import preview_of
from annotation.portable.write import opened
from evaluation.exports.write.project import import_project
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, NotAllowed, NotFound
from webapp.jobs.actions import enqueue_on_commit
from webapp.jobs.context import JobContext

READ, CREATE = "evaluation.portable_read", "evaluation.portable_create"
LONGEST_NAME = 200
State = PortableUpload.State


def require_creator(actor: User) -> None:
    """Raises ``NotAllowed`` unless this person can create benchmarks. A token for one benchmark can't."""
    if actor.limited_to:
        words = gettext("Your token is for one benchmark. Create benchmarks with a token for all benchmarks.")
        raise NotAllowed(words, code="scope")
    if not may_create(actor):
        raise NotAllowed(gettext("You can't create benchmarks on this site. Ask a site admin to create yours."))


def upload_of(actor: User, pk: UUID) -> PortableUpload:
    """The upload of this person. Raises ``NotFound`` for those of others."""
    found = PortableUpload.objects.select_related("benchmark").filter(pk=pk, created_by=actor).first()
    if found is None:
        raise NotFound(gettext("This upload does not exist, or it was deleted. Upload the file again."))
    return found


def upload_file(*, actor: User, file: Upload) -> PortableUpload:
    """Keep the file, and have a job read and check it. Raises ``NotAllowed``, ``TooLarge``."""
    require_creator(actor)
    tidy_scratch()
    stored = store(file)
    with transaction.atomic():
        made = PortableUpload.objects.create(
            file_name=stored.path.name[:LONGEST_NAME], bytes=stored.bytes, upload=stored.upload, created_by=actor
        )
        audit.record(actor, "portable.upload", made, data={"file": made.file_name, "bytes": made.bytes})
        _start(made, READ, actor)
    return made


def create_benchmark_from(*, actor: User, upload: PortableUpload, slug: str) -> PortableUpload:
    """Have a job make the benchmark ``slug`` out of the file. Raises ``Conflict``, ``NotAllowed``."""
    require_creator(actor)
    with transaction.atomic():
        found = PortableUpload.objects.select_for_update().get(pk=upload.pk)
        if found.state == State.DONE:
            raise Conflict(gettext("%(file)s is already imported.") % {"file": found.file_name})
        if found.works:
            raise Conflict(gettext("%(file)s is being read or imported.") % {"file": found.file_name})
        if not found.preview:
            raise Conflict(gettext("%(file)s can't be imported: %(why)s") % {"file": found, "why": found.error})
        if was_purged(slug) or Benchmark.everything.filter(slug=slug).exists():
            raise Conflict(
                gettext("The address %(slug)s is already in use. Choose another.") % {"slug": slug}, field="slug"
            )
        found.state, found.slug = State.RUNNING, slug
        _start(found, CREATE, actor)
    return found


def read_upload(context: JobContext, *, upload_id: str) -> dict[str, str]:
    """Check all of the file against its manifest, and keep what it holds in numbers."""
    upload = PortableUpload.objects.get(pk=upload_id)
    with opened(local_copy(upload.upload)) as file:
        preview = preview_of(file)
    with transaction.atomic():
        context.checkpoint()
        PortableUpload.objects.filter(pk=upload.pk, state=State.READING).update(state=State.READY, preview=preview)
    return {"checksum": preview["checksum"]}


def import_upload(context: JobContext, *, upload_id: str) -> dict[str, str]:
    """Make the benchmark. Running it twice makes one."""
    upload = PortableUpload.objects.select_related("created_by", "benchmark").get(pk=upload_id)
    if upload.state == State.RUNNING:

        def finish(benchmark: Benchmark) -> None:
            context.checkpoint()
            upload.benchmark, upload.state, upload.upload = benchmark, State.DONE, ""
            upload.finished_at = timezone.now()
            upload.save(update_fields=["benchmark", "state", "upload", "finished_at"])

        person = upload.created_by
        require_creator(person)
        path = local_copy(upload.upload)
        import_project(actor=person, path=path, slug=upload.slug, lead=person, finish=finish)
    assert upload.benchmark is not None
    context.result_url = upload.benchmark.get_absolute_url()
    return {"benchmark": upload.benchmark.slug}


def note_stopped(sentence: str, *, upload_id: str) -> None:
    """Store why the job of an upload stopped; "": it runs again."""
    upload = PortableUpload.objects.filter(pk=upload_id).exclude(state=State.DONE).first()
    if upload is None:
        return
    again = State.RUNNING if upload.preview else State.READING
    upload.state, upload.error = (State.FAILED if sentence else again), sentence
    upload.save(update_fields=["state", "error"])


def delete_old_uploads(now: datetime) -> int:
    """Delete uploads that nobody imported for ``UPLOAD_KEEP_DAYS``. Their files are swept with those of imports."""
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
        key=f"{kind}:{upload.pk}",
    )
    upload.job_id, upload.error = str(job.pk), ""
    upload.save(update_fields=["state", "slug", "job_id", "error"])
