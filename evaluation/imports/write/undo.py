"""Undoes an import: its rows are removed in batches, and the record keeps this state permanently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.content.changes import content_changed
from annotation.exchange.write.records import start_job
from annotation.images.store import remove_files, remove_unshown
from annotation.models import Gold, Image, ImportRecord, Sample
from evaluation.common.judging.write import remove_questions
from evaluation.imports.read.twins import twin_of
from evaluation.imports.write.lists import take_lists
from evaluation.imports.write.plan import (
    RUN_OF,
    Kind,
    State,
    UndoPlan,
    imported_rows,
    made_by,
    questions_of,
    runs_left_empty,
    runs_of,
    samples_of,
    undo_plan,
    unshared_images,
)
from evaluation.imports.write.upload import require_kind
from evaluation.models import Model, Run, Scoring
from evaluation.scoring.write import rank_again
from evaluation.store.files import rows_changed
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict

BATCH = 500

Report = Callable[[int, int], None]
Checkpoint = Callable[[], None]


def ask_undo(*, actor: User, record: ImportRecord, withdraw: bool = False) -> ImportRecord:
    """Begin to undo an import, or continue where it stopped. ``withdraw``: questions about its trajectories leave their
    judging queues, with their verdicts. Raises ``Conflict`` if later work depends on it.
    """
    with transaction.atomic():
        record = (
            ImportRecord.objects.select_for_update(of=("self",), no_key=True)
            .select_related("benchmark")
            .get(pk=record.pk)
        )
        require_kind(actor, record)
        plan = undo_plan(record)
        if withdraw and plan.queues:
            remove_questions(actor=actor, benchmark=record.benchmark, items=questions_of(record))
            plan = undo_plan(record)
        if not plan.possible:
            raise Conflict(
                gettext("The import of %(file_name)s can't be undone. %(reasons)s")
                % {"file_name": record.file_name, "reasons": plan.reasons}
            )
        if (twin := twin_of(record)) and twin.state == State.DONE:
            require_kind(actor, twin)
            _begin(actor, twin, undo_plan(twin))
        _begin(actor, record, plan)
        start_job(record, "evaluation.undo_import", actor=actor, key="undo")
    return record


def _begin(actor: User, record: ImportRecord, plan: UndoPlan) -> None:
    """The record is being undone from now on, and knows what goes. Call inside a transaction."""
    if record.state == State.DONE:
        runs = record.kind == Kind.RUNS
        record.checkpoint = {
            "runs": runs_of(record) if runs else [],
            "made": made_by(record) if runs else [],
            "total": sum(plan.goes.values()),
        }
        audit.record(
            actor=actor, action="import.undo", subject=record, benchmark=record.benchmark.slug,
            before=record.state, after=State.UNDOING, data={"file": record.file_name, "goes": dict(plan.goes)},
        )  # fmt: skip
    record.state = State.UNDOING
    record.save(update_fields=["state", "checkpoint"])


def undo_import(*, record_id: int, report: Report, checkpoint: Checkpoint | None = None) -> dict[str, int]:
    """Remove the rows of an import. For samples, the runs of their file come first. Each batch is a separate
    transaction; after an interruption, it continues with the rest.

    Raises ``Conflict`` if a person has worked on it meanwhile; the rest then stays.
    """
    record = ImportRecord.objects.select_related("benchmark").get(pk=record_id)
    if record.state != State.UNDOING:
        return dict(record.preview.get("undone", {}))
    if (twin := twin_of(record)) and twin.state == State.UNDOING:
        undo_import(record_id=twin.pk, report=report, checkpoint=checkpoint)
    total = int(record.checkpoint.get("total", 0))
    while batch := _batch(record, checkpoint):
        done = sum(batch.values())
        report(min(total, done), total)
    with transaction.atomic():
        record = (
            ImportRecord.objects.select_for_update(of=("self",), no_key=True)
            .select_related("benchmark")
            .get(pk=record_id)
        )
        if record.kind == Kind.RUNS:
            _remove_runs(record)
        record.state, record.finished_at = State.UNDONE, timezone.now()
        record.save(update_fields=["state", "finished_at", "preview"])
        undone = dict(record.preview.get("undone", {}))
        audit.record(
            None, "import.undone", record, record.benchmark.slug, before=State.UNDOING, after=State.UNDONE, data=undone
        )
    return undone


def _batch(record: ImportRecord, checkpoint: Checkpoint | None) -> Counter[str]:
    """Removes up to ``BATCH`` rows; what is removed so far, empty when nothing is left."""
    pictures: list[Image] = []
    with transaction.atomic():
        now = (
            ImportRecord.objects.select_for_update(of=("self",), no_key=True)
            .select_related("benchmark")
            .get(pk=record.pk)
        )
        plan = undo_plan(now)
        if not plan.possible:
            raise Conflict(plan.reasons)
        if now.kind == Kind.SAMPLES:
            gone, pictures = _remove_samples(now)
        else:
            gone = _remove_rows(now)
        if not gone:
            return Counter()
        undone = Counter(now.preview.get("undone", {})) + gone
        now.preview = {**now.preview, "undone": dict(undone)}
        now.save(update_fields=["preview"])
        if checkpoint:
            checkpoint()
    for image in pictures:
        remove_files(image)
    return undone


def _remove_rows(record: ImportRecord) -> Counter[str]:
    for name, rows in imported_rows(record).items():
        if ids := list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH]):
            if name in RUN_OF:
                runs = set(rows.filter(pk__in=ids).order_by().values_list(RUN_OF[name], flat=True))
                rows_changed(runs)
                Scoring.objects.filter(run_id__in=runs).mark_stale()
            if name == "tool lists":
                take_lists(ids)
            else:
                rows.model.objects.filter(pk__in=ids).delete()
            return Counter({name: len(ids)})
    return Counter()


def _remove_runs(record: ImportRecord) -> None:
    """The runs that imports made and that hold nothing now, and the models that have no other run."""
    runs = Run.objects.filter(pk__in=runs_left_empty(record, record.checkpoint.get("runs", [])))
    models = list(runs.values_list("model_id", flat=True))
    if count := runs.count():
        runs.delete()
        Model.objects.filter(pk__in=models, runs=None, baseline=False, url="").delete()
        record.preview = {**record.preview, "undone": {**record.preview.get("undone", {}), "runs": count}}
        rank_again(record.benchmark)


def _remove_samples(record: ImportRecord) -> tuple[Counter[str], list[Image]]:
    """A batch of samples with their gold, and the images that nothing shows any more."""
    ids = list(samples_of(record).order_by("pk").values_list("pk", flat=True)[:BATCH])
    if not ids:
        return Counter(), []
    batch = Sample.objects.filter(pk__in=ids)
    shown = list(unshared_images(batch.exclude(image=None).values("image_id"), record).values_list("pk", flat=True))
    Gold.objects.filter(sample__in=ids).delete()
    batch.delete()
    content_changed(record.benchmark_id)
    images = remove_unshown(shown)
    return Counter(samples=len(ids), pictures=len(images)), images
