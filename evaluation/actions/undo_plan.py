"""What undoing an import would remove, and what stands in its way: work that was done on it since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

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
from evaluation.actions.delete_queue import Loss, losses, verdicts_of
from evaluation.actions.take_lists import lists_of, whole_of
from evaluation.actions.twin_records import twin_of
from evaluation.models import (
    FailureLabel,
    Intervention,
    Judgement,
    JudgingItem,
    Note,
    RolloutGroup,
    Run,
    Tagging,
    Trajectory,
)

Kind, State = ImportRecord.Kind, ImportRecord.State
IN_RUNS: tuple[Any, ...] = (Trajectory, Intervention, Judgement)
"""What a run holds that may come from a file."""
RUN_OF: Mapping[str, str] = {
    "trajectories": "run_id",
    "tool lists": "trajectory__run_id",
    "interventions": "run_id",
    "judgements": "run_id",
}
"""Where rows of what an import brought name their run."""


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
        """What stands in the way, in sentences."""
        asked = ["Judging queues ask about its trajectories. Confirm that their questions go."] if self.queues else []
        return " ".join([*self.later, *asked])


def undo_plan(record: ImportRecord) -> UndoPlan:
    """The plan for an import that is done, or whose undoing was begun."""
    if record.state not in (State.DONE, State.UNDOING):
        return UndoPlan(later=("Only an import that is done can be undone.",))
    if record.kind != Kind.SAMPLES:
        return _of_runs(record)
    twin = twin_of(record)
    if twin is None or twin.state not in (State.DONE, State.UNDOING):
        return _of_samples(record)
    runs, samples = _of_runs(twin), _of_samples(record, twin)
    return UndoPlan(
        {**runs.goes, **samples.goes}, (*runs.later, *samples.later), (*runs.stays, *samples.stays), runs.queues
    )


def brought(record: ImportRecord) -> Mapping[str, Any]:
    """The rows of an import of runs that are still as it wrote them, by what they are called."""
    tables: Mapping[str, Any] = {"interventions": Intervention, "judgements": Judgement, "rollout groups": RolloutGroup}
    rows = {name: table.objects.filter(source=record) for name, table in tables.items()}
    return {"trajectories": whole_of([record]), "tool lists": lists_of([record]), **rows}


def questions_of(record: ImportRecord) -> Any:
    """The questions of judging queues about trajectories that an undo would remove."""
    return JudgingItem.objects.filter(trajectory__in=whole_of([record]).values("pk"))


def runs_of(record: ImportRecord) -> list[int]:
    """The runs in which an import has rows."""
    rows = brought(record)
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


def emptied(record: ImportRecord, runs: Sequence[int], tables: Sequence[Any] = IN_RUNS) -> list[int]:
    """Of these runs, those that an import made and that would hold no row of ``tables`` without this one."""
    made = Run.objects.filter(Q(created_at__gte=record.created_at) | _made_by_others(record), pk__in=runs)
    for table in tables:
        made = made.filter(~Exists(table.objects.filter(run=OuterRef("pk")).exclude(source=record)))
    made = made.filter(~Exists(lists_of([record]).filter(trajectory__run=OuterRef("pk"))))
    return list(made.values_list("pk", flat=True))


def _of_runs(record: ImportRecord) -> UndoPlan:
    runs = record.checkpoint.get("runs", []) if record.state == State.UNDOING else runs_of(record)
    goes = {name: rows.count() for name, rows in brought(record).items()}
    rows, lists = sum(goes.values()), goes["tool lists"]
    goes["runs"] = len(emptied(record, runs))
    bare = emptied(record, runs, [Trajectory])
    items = questions_of(record)
    here = (
        ("judgments", Judgement.objects.exclude(pk__in=verdicts_of(items))),
        ("interventions", Intervention.objects.all()),
    )
    later = [
        f"{count:,} {title} of its runs were made here."
        for title, rows_made in here
        if (count := rows_made.filter(run_id__in=bare, source=None).count())
    ]
    work: tuple[tuple[Any, str], ...] = (
        (Tagging, "tags stand on its trajectories"),
        (Note, "notes were written on its trajectories"),
        (FailureLabel, "of its trajectories have a failure named by people"),
    )
    for table, words in work:
        if count := table.objects.filter(trajectory__in=whole_of([record]).values("pk")).count():
            later.append(f"{count:,} {words}.")
    decided = Judgement.objects.decisions().filter(trajectory__in=whole_of([record]).values("pk"), person__isnull=False)
    if count := decided.count():
        later.append(f"{count:,} of its answers were decided here.")
    stays = []
    changed = record.counts.get("changed", 0)
    if lists:
        stays.append(f"{lists:,} of its lists stood beside one of another import; that one stays.")
    if changed > lists:
        stays.append(
            f"Up to {changed - lists:,} of its records took the place of earlier ones, which do not come back."
        )
    gone = record.counts.get("new", 0) + changed - rows
    if gone > 0 and record.state == State.DONE:
        stays.append(f"Up to {gone:,} of its records were replaced or deleted since. They stay as they are now.")
    return UndoPlan(goes, tuple(later), tuple(stays), losses(items))


def samples_of(record: ImportRecord) -> Any:
    """The samples that an import has made."""
    return Sample.objects.filter(source=record)


def _of_samples(record: ImportRecord, twin: ImportRecord | None = None) -> UndoPlan:
    """``twin``: the import of the runs that came from the same file and go first."""
    samples = samples_of(record)
    later = []
    made, new = samples.count(), record.counts.get("new", 0)
    if made < new and record.state == State.DONE:
        later.append(f"Only {made:,} of its {new:,} samples are known as its own; older imports did not keep that.")
    if changed := record.counts.get("changed", 0):
        later.append(f"It changed {changed:,} samples that were there before; what they were is not kept.")
    ids = samples.values("pk")
    work: tuple[tuple[Any, str], ...] = (
        (
            Trajectory.objects.filter(sample__in=ids).exclude(source=twin)
            if twin
            else Trajectory.objects.filter(sample__in=ids),
            "trajectories stand on its samples. Undo the imports of those runs",
        ),
        (Intervention.objects.filter(sample__in=ids), "interventions stand on its samples"),
        (Judgement.objects.filter(sample__in=ids), "judgements stand on its samples"),
        (VersionEntry.objects.filter(sample__in=ids), "of its samples are in a frozen version"),
        (Annotation.objects.filter(sample__in=ids, imported=False), "annotations were made of its samples"),
        (Revision.objects.filter(annotation__sample__in=ids, number__gt=1), "revisions of its samples came later"),
        (Draft.objects.filter(annotation__sample__in=ids), "of its samples are being worked on"),
        (Review.objects.filter(revision__annotation__sample__in=ids), "reviews were made of its samples"),
        (BlindAnswer.objects.filter(revision__annotation__sample__in=ids), "answers were given to its samples"),
        (Comment.objects.filter(annotation__sample__in=ids), "comments were written on its samples"),
        (AcceptedChain.objects.filter(sample__in=ids), "toolchains were accepted for its samples"),
        (GoldCheck.objects.filter(sample__in=ids), "of its samples are gold checks"),
        (AuditItem.objects.filter(sample__in=ids), "of its samples are in an audit"),
    )
    later += [f"{count:,} {words}." for rows, words in work if (count := rows.count())]
    goes = {"samples": made, "pictures": alone(samples.values("image_id"), record).count()}
    stays = ("Names that its plans taught the tool bank stay there.",)
    return UndoPlan(goes, tuple(later), stays)


def alone(images: Any, record: ImportRecord) -> Any:
    """Of these pictures, those that only samples of this import show."""
    others = Sample.objects.filter(image=OuterRef("pk")).exclude(pk__in=samples_of(record).values("pk"))
    return Image.objects.filter(pk__in=images).filter(~Exists(others))
