"""The plan for undoing an import: what it removes, and later work that prevents it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext, ngettext_lazy

from annotation.models import (
    AcceptedChain,
    Annotation,
    AuditItem,
    BlindAnswer,
    Comment,
    Draft,
    GoldCheck,
    Image,
    ImportRecord,
    Review,
    Revision,
    Sample,
    VersionEntry,
)
from evaluation.common.judging.write import Loss, losses, verdicts_of
from evaluation.imports.read.twins import twin_of
from evaluation.imports.write.lists import lists_of, whole_of
from evaluation.models import (
    FailureLabel,
    Intervention,
    Judgement,
    JudgingItem,
    Note,
    RolloutGroup,
    Run,
    StudySample,
    Tagging,
    Trajectory,
)

Kind, State = ImportRecord.Kind, ImportRecord.State
IN_RUNS: tuple[Any, ...] = (Trajectory, Intervention, Judgement)
"""The rows of a run that may come from a file."""
RUN_OF: Mapping[str, str] = {
    "trajectories": "run_id",
    "tool lists": "trajectory__run_id",
    "interventions": "run_id",
    "judgements": "run_id",
}
"""The fields with the run of imported rows."""
ON_SAMPLES: tuple[tuple[Any, str, Q, Any], ...] = (
    (Intervention, "sample", Q(), ngettext_lazy(
        "%(count)s intervention refers to its samples.", "%(count)s interventions refer to its samples.", "n",
    )),
    (Judgement, "sample", Q(), ngettext_lazy(
        "%(count)s judgment refers to its samples.", "%(count)s judgments refer to its samples.", "n",
    )),
    (VersionEntry, "sample", Q(), ngettext_lazy(
        "%(count)s of its samples is in a frozen version.", "%(count)s of its samples are in a frozen version.", "n",
    )),
    (StudySample, "sample", Q(), ngettext_lazy(
        "%(count)s of its samples is in a human study.", "%(count)s of its samples are in a human study.", "n",
    )),
    (Annotation, "sample", Q(kind=Annotation.Kind.OWN), ngettext_lazy(
        "%(count)s annotation was made of its samples.", "%(count)s annotations were made of its samples.", "n",
    )),
    (Revision, "annotation__sample", Q(number__gt=1), ngettext_lazy(
        "%(count)s revision of its samples came later.", "%(count)s revisions of its samples came later.", "n",
    )),
    (Draft, "annotation__sample", Q(), ngettext_lazy(
        "%(count)s of its samples has a draft.", "%(count)s of its samples have drafts.", "n",
    )),
    (Review, "revision__annotation__sample", Q(), ngettext_lazy(
        "%(count)s review was made of its samples.", "%(count)s reviews were made of its samples.", "n",
    )),
    (BlindAnswer, "revision__annotation__sample", Q(), ngettext_lazy(
        "%(count)s answer was given to its samples.", "%(count)s answers were given to its samples.", "n",
    )),
    (Comment, "annotation__sample", Q(), ngettext_lazy(
        "%(count)s comment was written on its samples.", "%(count)s comments were written on its samples.", "n",
    )),
    (AcceptedChain, "sample", Q(), ngettext_lazy(
        "%(count)s toolchain was accepted for its samples.", "%(count)s toolchains were accepted for its samples.",
        "n",
    )),
    (GoldCheck, "sample", Q(), ngettext_lazy(
        "%(count)s of its samples is a gold check.", "%(count)s of its samples are gold checks.", "n",
    )),
    (AuditItem, "sample", Q(), ngettext_lazy(
        "%(count)s of its samples is in an audit.", "%(count)s of its samples are in an audit.", "n",
    )),
)  # fmt: skip
"""Work on samples: its table, how that names a sample, which of its rows count, and the sentence about them."""


@dataclass(frozen=True)
class UndoPlan:
    """``goes``: how many rows of each kind would go. ``later``: sentences of what depends on them; with any, nothing
    goes. ``queues``: what judging queues would lose; with any, nothing goes before that is agreed to. ``stays``:
    sentences of what an undo does not bring back."""

    goes: Mapping[str, int] = field(default_factory=dict)
    later: tuple[str, ...] = ()
    stays: tuple[str, ...] = ()
    queues: tuple[Loss, ...] = ()

    @property
    def possible(self) -> bool:
        return not self.later and not self.queues

    @property
    def reasons(self) -> str:
        """The reasons why an undo is impossible, as sentences."""
        asked = (
            [gettext("Judging queues contain its trajectories. Confirm that their questions are deleted.")]
            if self.queues
            else []
        )
        return " ".join([*self.later, *asked])


def undo_plan(record: ImportRecord) -> UndoPlan:
    """The plan for an import that is done, or whose undoing was begun."""
    if record.state not in (State.DONE, State.UNDOING):
        return UndoPlan(later=(gettext("Only a finished import can be undone."),))
    if record.kind != Kind.SAMPLES:
        return _of_runs(record)
    twin = twin_of(record)
    if twin is None or twin.state not in (State.DONE, State.UNDOING):
        return _of_samples(record)
    runs, samples = _of_runs(twin), _of_samples(record, twin)
    return UndoPlan(
        {**runs.goes, **samples.goes}, (*runs.later, *samples.later), (*runs.stays, *samples.stays), runs.queues
    )


def imported_rows(record: ImportRecord) -> Mapping[str, Any]:
    """The rows of an import of runs that are still as it wrote them, by what they are called."""
    tables: Mapping[str, Any] = {"interventions": Intervention, "judgements": Judgement}
    rows = {name: table.objects.filter(source=record, run__deleted_at=None) for name, table in tables.items()}
    groups = RolloutGroup.objects.filter(source=record)
    return {"trajectories": whole_of([record]), "tool lists": lists_of([record]), **rows, "rollout groups": groups}


def questions_of(record: ImportRecord) -> Any:
    """The questions of judging queues about trajectories that an undo would remove."""
    return JudgingItem.everything.filter(trajectory__in=whole_of([record]).values("pk"))


def runs_of(record: ImportRecord) -> list[int]:
    """The runs in which an import has rows."""
    rows = imported_rows(record)
    return sorted({run for name, of in RUN_OF.items() for run in rows[name].order_by().values_list(of, flat=True)})


def made_by(record: ImportRecord) -> list[int]:
    """The runs that were made while an import was at work."""
    at_work = (record.created_at, record.finished_at or timezone.now())
    made = Run.objects.filter(benchmark=record.benchmark_id, created_at__range=at_work)
    return list(made.values_list("pk", flat=True))


def _made_by_others(record: ImportRecord) -> Q:
    """Runs that other imports of the benchmark made, undone by now or not. An undone one has written down which."""
    others = ImportRecord.objects.filter(benchmark=record.benchmark_id, kind=Kind.RUNS).exclude(pk=record.pk)
    window = {"created_at__lte": OuterRef("created_at"), "finished_at__gte": OuterRef("created_at")}
    known = others.filter(state__in=(State.UNDOING, State.UNDONE)).values_list("checkpoint", flat=True)
    undone = {run for checkpoint in known for run in checkpoint.get("made", [])}
    return Q(pk__in=undone) | Q(Exists(others.filter(state=State.DONE, **window)))


def runs_left_empty(record: ImportRecord, runs: Sequence[int], tables: Sequence[Any] = IN_RUNS) -> list[int]:
    """Return the runs, of these, that an import made and that would have no row in ``tables`` without this import."""
    made = Run.objects.filter(Q(created_at__gte=record.created_at) | _made_by_others(record), pk__in=runs)
    for table in tables:
        made = made.filter(~Exists(table.objects.filter(run=OuterRef("pk")).exclude(source=record)))
    made = made.filter(~Exists(lists_of([record]).filter(trajectory__run=OuterRef("pk"))))
    return list(made.values_list("pk", flat=True))


def _of_runs(record: ImportRecord) -> UndoPlan:
    runs = record.checkpoint.get("runs", []) if record.state == State.UNDOING else runs_of(record)
    goes = {name: rows.count() for name, rows in imported_rows(record).items()}
    rows, lists = sum(goes.values()), goes["tool lists"]
    goes["runs"] = len(runs_left_empty(record, runs))
    bare = runs_left_empty(record, runs, [Trajectory])
    items = questions_of(record)
    whole = whole_of([record]).values("pk")
    judgments = Judgement.objects.exclude(pk__in=verdicts_of(items)).filter(run_id__in=bare, source=None)
    decided = Judgement.objects.decisions().filter(trajectory__in=whole, person__isnull=False)
    work: tuple[tuple[Any, Any], ...] = (
        (judgments, ngettext_lazy(
            "%(count)s judgment refers to its runs.", "%(count)s judgments refer to its runs.", "n",
        )),
        (Intervention.objects.filter(run_id__in=bare, source=None), ngettext_lazy(
            "%(count)s intervention refers to its runs.", "%(count)s interventions refer to its runs.", "n",
        )),
        (Tagging.objects.filter(trajectory__in=whole), ngettext_lazy(
            "%(count)s tag refers to its trajectories.", "%(count)s tags refer to its trajectories.", "n",
        )),
        (Note.objects.filter(trajectory__in=whole), ngettext_lazy(
            "%(count)s note refers to its trajectories.", "%(count)s notes refer to its trajectories.", "n",
        )),
        (FailureLabel.objects.filter(trajectory__in=whole), ngettext_lazy(
            "%(count)s of its trajectories has a failure set by people.",
            "%(count)s of its trajectories have a failure set by people.", "n",
        )),
        (decided, ngettext_lazy(
            "%(count)s of its answers was decided by people.", "%(count)s of its answers were decided by people.", "n",
        )),
    )  # fmt: skip
    return UndoPlan(goes, _counted(work), _left(record, rows, lists), losses(items))


def _counted(work: tuple[tuple[Any, Any], ...]) -> tuple[str, ...]:
    """A sentence about each of these querysets that has rows."""
    return tuple(_sentence(words, count) for rows, words in work if (count := rows.count()))


def _sentence(words: Any, count: int) -> str:
    return str(words % {"n": count, "count": f"{count:,}"})


def _left(record: ImportRecord, rows: int, lists: int) -> tuple[str, ...]:
    """Return the changes of an import of runs to rows of others. ``rows``: its current number, ``lists`` of
    them lists.
    """
    changed = record.counts.get("changed", 0)
    gone = record.counts.get("new", 0) + changed - rows if record.state == State.DONE else 0
    said = (
        (lists, ngettext_lazy(
            "%(count)s of its lists replaced one of another import, which stays.",
            "%(count)s of its lists replaced ones of other imports, which stay.", "n",
        )),
        (changed - lists, ngettext_lazy(
            "Up to %(count)s of its records replaced an earlier one, which is not restored.",
            "Up to %(count)s of its records replaced earlier ones, which are not restored.", "n",
        )),
        (gone, ngettext_lazy(
            "Up to %(count)s of its records was replaced or deleted later. It doesn't change.",
            "Up to %(count)s of its records were replaced or deleted later. They don't change.", "n",
        )),
    )  # fmt: skip
    return tuple(_sentence(words, count) for count, words in said if count > 0)


def samples_of(record: ImportRecord) -> Any:
    """The samples that an import has made."""
    return Sample.objects.filter(source=record)


def _of_samples(record: ImportRecord, twin: ImportRecord | None = None) -> UndoPlan:
    """``twin``: the import of the runs that came from the same file and go first."""
    samples = samples_of(record)
    later = []
    made, new = samples.count(), record.counts.get("new", 0)
    if made < new and record.state == State.DONE:
        later.append(
            gettext("Only %(made)s of its %(new)s samples are recorded as its own. Older imports did not record this.")
            % {"made": f"{made:,}", "new": f"{new:,}"}
        )
    if changed := record.counts.get("changed", 0):
        words = ngettext_lazy(
            "It changed %(count)s existing sample, whose earlier content is not stored.",
            "It changed %(count)s existing samples, whose earlier content is not stored.",
            "n",
        )
        later.append(_sentence(words, changed))
    later += _counted(_work_on(samples.values("pk"), twin))
    goes = {"samples": made, "pictures": unshared_images(samples.values("image_id"), record).count()}
    stays = (gettext("Tool names that its plans added to the tool bank stay there."),)
    return UndoPlan(goes, tuple(later), stays)


def _work_on(ids: Any, twin: ImportRecord | None) -> tuple[tuple[Any, Any], ...]:
    """The rows that name samples with these ids, but for those of ``twin``, and the sentences about them."""
    trajectories = Trajectory.objects.filter(sample__in=ids)
    words = ngettext_lazy(
        "%(count)s trajectory refers to its samples. Undo the import of its run first.",
        "%(count)s trajectories refer to its samples. Undo the imports of those runs first.",
        "n",
    )
    return (
        (trajectories.exclude(source=twin, run__deleted_at=None) if twin else trajectories, words),
        *((table.objects.filter(only, **{f"{path}__in": ids}), said) for table, path, only, said in ON_SAMPLES),
    )


def unshared_images(images: Any, record: ImportRecord) -> Any:
    """Return the images, of these, that only samples of this import show."""
    others = Sample.everything.filter(image=OuterRef("pk")).exclude(pk__in=samples_of(record).values("pk"))
    return (
        Image.objects.filter(pk__in=images)
        .filter(~Exists(others), replacements=None)
        .exclude(state=Image.State.REMOVED)
    )
