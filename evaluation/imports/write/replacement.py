"""Replacing an earlier import by the same file under other choices, or by another edition, in one step.

Rows are staged first: written in batches into hidden runs (``Run.staged_for``). A killed import therefore continues
where it stopped, and existing runs stay unchanged. When all rows are staged, one transaction replaces the earlier ones.
A trajectory is the same if model, setting, sample, rollout and condition are equal. If the only run of the file has
another name now, its trajectories are matched with the earlier run. Tags, notes and failures set by people are moved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any

from django.db import transaction
from django.db.models import Case, Exists, F, OuterRef, Q, Value, When

from annotation.exchange.write.samples import finish_record
from annotation.importers.interface import ImportProblem
from annotation.models import Benchmark, ImportRecord
from evaluation.common.judging.write import drop_questions
from evaluation.common.lineage.write import place_in, place_run
from evaluation.common.saving.batches import Key, RunRegistry, StoredRow, stored_of
from evaluation.common.saving.marks import MARKED, collect_user_marks, restore_user_marks
from evaluation.detections import DETECTOR
from evaluation.imports.write.lists import lists_of, take_lists, whole_of
from evaluation.imports.write.plan import IN_RUNS
from evaluation.models import Intervention, Judgement, JudgingItem, Model, Run, Scoring, ToolList, Trajectory
from evaluation.store.files import rows_changed
from webapp.accounts.models import User
from webapp.common.bulk import update_rows
from webapp.common.locks import lock_rows

BATCH = 1000
REPLACEABLE = 50
"""Number of imports that are offered for replacement."""
REPLACE = "replace"
"""The option of an import that replaces what its file brought before."""
REPLACES = "replaces"
"""The option of an import that replaces one that brought other bytes: the number of that one."""
_JUDGE = Case(When(decides=True, then=Value("")), default=F("judge"))
"""A trajectory has one decision, regardless of the author."""
OTHERS: tuple[tuple[Any, tuple[Any, ...], tuple[str, ...]], ...] = (
    (Intervention, ("sample_id", "condition"), ("correct", "answer", "extra")),
    (
        Judgement,
        ("sample_id", "kind", _JUDGE, "decides", "trajectory__rollout", "trajectory__condition"),
        ("verdict", "answer", "extra", "text_digest", "key_digest"),
    ),
)
"""Other rows of a run that may come from a file, with their identity in a run, and their values."""
Name = tuple[str, str]
"""Of a run: its model and its setting."""


def earlier_readings(benchmark: Benchmark, sha256: str, format: str, options: Mapping[str, Any]) -> list[ImportRecord]:
    """The imports of a file's bytes under other choices, and the one it replaces by name, of which rows are there, the
    latest first."""
    named = options.get(REPLACES) or 0
    found = _with_rows(benchmark).filter(Q(sha256=sha256) | Q(pk=named))
    chosen = choices_of(format, options)
    return [one for one in found if one.pk == named or choices_of(one.format, one.options) != chosen]


def replaceable(benchmark: Benchmark, but: ImportRecord | None = None) -> list[ImportRecord]:
    """The last imports of runs whose place another may take, the latest first."""
    return list(_with_rows(benchmark).exclude(pk=but.pk if but else 0)[:REPLACEABLE])


def require_replaceable(benchmark: Benchmark, number: int) -> ImportRecord:
    """Raises ``ImportProblem`` when no import of this number has runs that could give way."""
    found: ImportRecord | None = _with_rows(benchmark).filter(pk=number).first()
    if found is None:
        raise ImportProblem(
            f"No import {number} with runs on this benchmark. The number is in the address of the import page."
        )
    return found


def _with_rows(benchmark: Benchmark) -> Any:
    """The imports of runs that are done and of which rows are there."""
    rows = (Exists(table.objects.filter(source=OuterRef("pk"))) for table in (*IN_RUNS, ToolList))
    brought = reduce(or_, map(Q, rows))
    done = benchmark.imports.filter(brought, kind=ImportRecord.Kind.RUNS, state=ImportRecord.State.DONE)
    return done.select_related("created_by")


_PLACE = (REPLACE, REPLACES, "lineage", "step")


def choices_of(format: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options that decide how a file is read, except whether it replaces an import and the names of its runs."""
    return {"format": format, **{name: value for name, value in options.items() if name not in _PLACE and value}}


def describe_choices(record: ImportRecord) -> str:
    """Return the choices of an import: "as deepeyes, coordinates norm1000, setting base"."""
    choices = choices_of(record.format, record.options)
    said = [f"as {choices.pop('format')}"]
    said += [f"{name} {value}" if isinstance(value, str) else f"with a {name}" for name, value in choices.items()]
    return ", ".join(said)


def runs_brought(records: Sequence[ImportRecord]) -> dict[Name, int]:
    """The runs in which earlier readings have rows, by name."""
    held = [Exists(table.objects.filter(source__in=records, run=OuterRef("pk"))) for table in IN_RUNS]
    held.append(Exists(ToolList.objects.filter(source__in=records, trajectory__run=OuterRef("pk"))))
    rows = Run.objects.filter(reduce(or_, map(Q, held))).values_list("model__name", "setting", "pk")
    return {(model, setting): pk for model, setting, pk in rows}


def match_renamed_runs(before: Iterable[Name], now: Iterable[Name]) -> dict[Name, Name]:
    """Match the runs of an earlier import with those of this one: equal names, or the only run left on each side.

    >>> named_anew([("unnamed", "")], [("Model A", "base")])
    {('unnamed', ''): ('Model A', 'base')}
    """
    old, new = set(before), set(now)
    same = {name: name for name in old & new}
    gone, come = old - new, new - old
    return same | (dict(zip(gone, come, strict=True)) if len(gone) == len(come) == 1 else {})


def count_user_marks(records: Sequence[ImportRecord]) -> Counter[tuple[str, str, str, int, str]]:
    """The trajectories of earlier readings on which people left tags, notes or failures, and how many marks."""
    found: Counter[tuple[str, str, str, int, str]] = Counter()
    names = ("run__model__name", "run__setting", "sample__key", "rollout", "condition")
    for model in MARKED:
        rows = model.objects.filter(trajectory__source__in=records, trajectory__run__deleted_at=None).order_by()
        found.update(rows.values_list(*(f"trajectory__{name}" for name in names)))
    return found


def questions_on(records: Sequence[ImportRecord]) -> int:
    """Questions of judging queues about trajectories of earlier readings: they were about the crops as read then."""
    return JudgingItem.objects.filter(trajectory__source__in=records).count()


def swap_in_staged_runs(*, actor: User | None, record: ImportRecord, counts: Counter[str]) -> list[Run]:
    """Put what is staged for an import instead of what its file brought before, in one transaction that also ends
    the import. Returns the runs it is in now; ``counts`` says new, changed, unchanged and removed."""
    with transaction.atomic():
        earlier = earlier_readings(record.benchmark, record.sha256, record.format, record.options)
        staged = list(Run.everything.filter(staged_for=record).select_related("model", "lineage", "benchmark"))
        book = RunRegistry(record.benchmark, actor)
        numbers = dict(Run.objects.filter(benchmark=record.benchmark).values_list("pk", "number"))
        book.begin_runs((run.model.name, run.setting) for run in staged)
        # Their questions go, run by run: all are locked first, in the order of other transactions.
        lock_rows(JudgingItem.everything.filter(trajectory__source__in=earlier))
        live = {run: book.run(run.model.name, run.setting) for run in staged}
        before = runs_brought(earlier)
        anew = match_renamed_runs(before, [(run.model.name, run.setting) for run in staged])
        for name in ("new", "changed", "unchanged"):
            counts[name] = 0
        for run in staged:
            named = (run.model.name, run.setting)
            origins = [live[run].pk, *(before[old] for old, now in anew.items() if now == named and old != named)]
            if DETECTOR in run.extra:
                live[run].extra = {**live[run].extra, DETECTOR: run.extra[DETECTOR]}
                live[run].save(update_fields=["extra"])
            if run.lineage is not None:
                place_run(actor=actor, run=live[run], place=place_in(run), move=True)
            for batch in _batches(Trajectory.objects.filter(run=run)):
                counts.update(_trajectories(batch, origins, {one.pk for one in earlier}, record))
            for table, key, said in OTHERS:
                counts.update(_others(table, key, said, run, live[run]))
        counts["removed"] = _remove(earlier, record)
        touched = {run.pk for run in live.values()} | set(before.values())
        rows_changed(touched)
        Scoring.objects.filter(run__in=touched).mark_stale()
        _drop(staged, [pk for pk in before.values() if pk not in {run.pk for run in live.values()}])
        made = {(run.model.name, run.setting): run for run in live.values() if run.pk not in numbers}
        for old, now in anew.items():
            if now in made and not Run.objects.filter(pk=before[old]).exists():
                # It is that run under another name, so it has that run's letter.
                made[now].number = numbers[before[old]]
                made[now].save(update_fields=["number"])
        finish_record(actor, record, counts)
    return book.runs


def discard_staged_runs(record: ImportRecord) -> None:
    """Remove what was staged by an import that came to nothing."""
    Run.everything.filter(staged_for=record).delete()


def _batches(rows: Any) -> Iterator[list[Any]]:
    names = ("pk", "sample_id", "rollout", "condition", "digest", "row_digest")
    last = 0
    while batch := list(rows.filter(pk__gt=last).order_by("pk").values_list(*names)[:BATCH]):
        last = batch[-1][0]
        yield batch


def _trajectories(
    batch: Sequence[Any], origins: Sequence[int], earlier: set[int], record: ImportRecord
) -> Counter[str]:
    """Move staged trajectories into the first run of ``origins``. Those with equal content stay staged."""
    live = origins[0]
    old: dict[int, StoredRow] = {}
    for origin in origins:
        keys: dict[Key, int] = {(origin, *row[1:4]): row[0] for row in batch if row[0] not in old}
        there = stored_of(keys)
        old |= {keys[key]: found for key, found in there.items() if origin == live or found.source_id in earlier}
    same = {pk: old[pk].pk for pk, _, _, _, digest, _ in batch if pk in old and old[pk].digest == digest}
    _keep([(row[5], same[row[0]]) for row in batch if row[0] in same], record)
    _keep_lists(same)
    changed = {found.pk: pk for pk, found in old.items() if pk not in same}
    marks = collect_user_marks(changed)
    if changed:
        drop_questions(list(changed), record)
    Trajectory.objects.filter(pk__in=changed).delete()
    Trajectory.objects.filter(pk__in=[row[0] for row in batch if row[0] not in same]).update(run=live)
    restore_user_marks(marks, changed)
    return Counter(new=len(batch) - len(old), changed=len(changed), unchanged=len(same))


def _keep(same: Sequence[tuple[Any, int]], record: ImportRecord) -> None:
    """Assign trajectories that equal staged ones to this import, with the digests of its rows."""
    update_rows(Trajectory, "row_digest", [(digest, pk) for digest, pk in same if digest])
    Trajectory.objects.filter(pk__in=[pk for _, pk in same]).update(source=record)


def _keep_lists(same: Mapping[int, int]) -> None:
    """Update the sources of the lists of joined trajectories if they equal the staged ones (staged number
    -> number).
    """
    ToolList.objects.filter(trajectory__in=same.values()).delete()
    staged = list(ToolList.objects.filter(trajectory__in=same))
    for one in staged:
        one.trajectory_id = same[one.trajectory_id]
    ToolList.objects.bulk_update(staged, ["trajectory"])


def _others(table: Any, names: Sequence[Any], said: Sequence[str], staged: Run, live: Run) -> Counter[str]:
    """Moves the few other rows of a staged run; of those that are there already, the staged ones count."""
    counts: Counter[str] = Counter()
    there = dict(_placed(table, names, live))
    for place, row in _placed(table, names, staged):
        old = there.get(place)
        if getattr(old, "person_id", None):
            # The new row is equal, otherwise its import rejects it: a person's own judgment stays theirs.
            row.delete()
            counts["unchanged"] += 1
            continue
        same = old and all(getattr(old, name) == getattr(row, name) for name in said)
        if old:
            old.delete()
        counts["unchanged" if same else "changed" if old else "new"] += 1
    table.objects.filter(run=staged).update(run=live)
    if table is Judgement:
        _onto_live(staged, live)
    return counts


def _placed(table: Any, names: Sequence[Any], run: Run) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The rows of a run, each with what there is one of."""
    rows = table.objects.filter(run=run).order_by()
    found = rows.in_bulk()
    for pk, *place in rows.values_list("pk", *names):
        yield tuple(place), found[pk]


def _onto_live(staged: Run, live: Run) -> None:
    """Move judgments from staged trajectories, which are deleted, to the equal ones that stay."""
    moved = list(Judgement.objects.filter(run=live, trajectory__run=staged).select_related("trajectory"))
    samples = {row.sample_id for row in moved}
    stay = Trajectory.objects.filter(run=live, sample__in=samples).values_list("sample", "rollout", "condition", "pk")
    numbers = {(sample, rollout, condition): pk for sample, rollout, condition, pk in stay}
    for row in moved:
        of: Any = row.trajectory
        row.trajectory_id = numbers.get((of.sample_id, of.rollout, of.condition), of.pk)
    Judgement.objects.bulk_update(moved, ["trajectory"])


def _remove(earlier: Sequence[ImportRecord], record: ImportRecord) -> int:
    """Remove the rows of earlier imports without a counterpart in this one; return their number."""
    lists = list(lists_of(earlier).values_list("pk", flat=True))
    removed = len(lists)
    drop_questions(whole_of(earlier).order_by().values("pk"), record)
    others = (table.objects.filter(source__in=earlier, run__deleted_at=None) for table in (Intervention, Judgement))
    for rows in (whole_of(earlier), *others):
        removed += rows.count()
        rows.delete()
    take_lists(lists)
    return removed


def _drop(staged: Sequence[Run], before: Sequence[int]) -> None:
    """The staged runs, and those of earlier readings that hold nothing any more."""
    Run.everything.filter(pk__in=[run.pk for run in staged]).delete()
    empty = Run.objects.filter(pk__in=before)
    for table in IN_RUNS:
        empty = empty.filter(~Exists(table.objects.filter(run=OuterRef("pk"))))
    models = list(empty.values_list("model_id", flat=True))
    empty.delete()
    Model.objects.filter(pk__in=models, runs=None, baseline=False, url="").delete()
