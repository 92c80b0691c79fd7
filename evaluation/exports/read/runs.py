"""The runs that a portable file of a benchmark has: finished ones, whose results the exporter may read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any, TypeVar

from django.db.models import Q, QuerySet

from annotation.models import Benchmark, ImportRecord, Version, VersionEntry
from annotation.portable.read.further import Rows
from annotation.project_file import line_of
from evaluation.common.judging.known import judgements_known_to, withheld_samples
from evaluation.common.protocols import protocols_of
from evaluation.common.records import group_records, intervention_record, judgement_record, run_trajectories
from evaluation.exporters.portable import (
    portable_group,
    portable_intervention,
    portable_judgement,
    portable_trajectory,
)
from evaluation.exports.read.marks import AUTHORS, MARKS, mark_rows, marks_of
from evaluation.models import Experiment, Intervention, Judgement, RolloutGroup, Run, Trajectory
from evaluation.scoring.settings import settings_of
from webapp.accounts.models import User
from webapp.common.ordering import by_code_points

Found = TypeVar("Found", bound=QuerySet[Any])
BATCH = 1000
RUN, TRAJECTORIES, INTERVENTIONS, JUDGEMENTS, GROUPS, SETTINGS = (
    "run",
    "trajectories",
    "interventions",
    "judgements",
    "rolloutgroups",
    "settings",
)
UNFINISHED = (Experiment.State.TRIAL, Experiment.State.READY, Experiment.State.RUNNING, Experiment.State.PAUSED)


@dataclass(frozen=True, slots=True)
class RunCounts:
    """Numbers of a file. ``left_out``: runs that are unfinished, or of human studies."""

    runs: int
    trajectories: int
    left_out: int


class RunsInFile:
    """The runs of the working state, or those that were scored against the gold of a ``version``, with their
    trajectories on its samples. Without runs in the trash, and without those of human studies, whose studies stay here.

    ``actor``: who may read the judgments; None is a command, which reads all."""

    name = "runs"

    def __init__(self, benchmark: Benchmark, actor: User | None, version: Version | None = None) -> None:
        self.benchmark, self.actor, self.version = benchmark, actor, version

    @cached_property
    def runs(self) -> list[Run]:
        """In the order of their letters."""
        return [run for run in self._all if not run.by_people and not self._is_unfinished(run)]

    def counts(self) -> RunCounts:
        """How many rows ``tables`` has. One count of the rows that it reads."""
        trajectories = self._of_samples(Trajectory.objects.filter(run__in=self.runs)).order_by().count()
        return RunCounts(len(self.runs), trajectories, len(self._all) - len(self.runs))

    def people(self) -> set[int]:
        judges = self._judgements(self.runs).exclude(person=None).order_by().values_list("person", flat=True)
        found = {run.created_by_id for run in self.runs if run.created_by_id} | set(judges.distinct())
        for table, rows in self._marks(self.runs).items():
            found |= set(rows.order_by().values_list(f"{AUTHORS[table]}_id", flat=True).distinct())
        return {one for one in found if one is not None}

    def has_all_judgements(self) -> bool:
        """Whether the actor may read the judgments of all samples. A judge may not."""
        return self.actor is None or not withheld_samples(self.actor, self.benchmark).exists()

    def tables(self, people: Mapping[int, int]) -> Iterator[tuple[str, Rows]]:
        yield RUN, (self.run_row(run, people) for run in self.runs)
        yield TRAJECTORIES, (row for run in self.runs for row in self.trajectories(run))
        yield INTERVENTIONS, (row for run in self.runs for row in self.interventions(run))
        yield JUDGEMENTS, (row for run in self.runs for row in self.judgements(run, people))
        yield GROUPS, map(portable_group, group_records(self._groups))
        for table in MARKS:
            yield table, (row for run in self.runs for row in self.marks(table, run, people))
        changed = settings_of(self.benchmark).changed()
        yield SETTINGS, [changed] if changed else []

    def run_row(self, run: Run, people: Mapping[int, int]) -> dict[str, Any]:
        row: dict[str, Any] = {
            "uid": str(run.uid), "model": run.model.name, "setting": run.setting, "note": run.note,
            "created_at": run.created_at, "created_by": people.get(run.created_by_id or 0),
            "protocols": protocols_of(run),
        }  # fmt: skip
        return row | ({"baseline": True} if run.model.baseline else {})

    def trajectories(self, run: Run) -> Iterator[dict[str, Any]]:
        """By sample, rollout and condition, in the same order on every database."""
        rows = self._of_samples(Trajectory.objects.filter(run=run))
        yield from map(portable_trajectory, run_trajectories(rows))

    def interventions(self, run: Run) -> Iterator[dict[str, Any]]:
        rows = self._of_samples(Intervention.objects.filter(run=run)).select_related("run__model", "sample")
        for row in rows.order_by(by_code_points("sample__key"), by_code_points("condition")).iterator(BATCH):
            yield portable_intervention(intervention_record(row))

    def judgements(self, run: Run, people: Mapping[int, int]) -> Iterator[dict[str, Any]]:
        """By sample, and for each in the order of their lines."""
        rows = self._judgements([run]).select_related("run__model", "sample", "trajectory")
        rows = rows.defer("trajectory__answer", "trajectory__extra").order_by(by_code_points("sample__key"))
        for _, some in groupby(rows.iterator(chunk_size=BATCH), key=lambda row: row.sample_id):
            found = (portable_judgement(judgement_record(row), people.get(row.person_id or 0)) for row in some)
            yield from sorted(found, key=line_of)

    def marks(self, table: str, run: Run, people: Mapping[int, int]) -> Iterator[dict[str, Any]]:
        """What people left on the trajectories: notes, shared tags or failures."""
        return mark_rows(table, self._marks([run])[table], people)

    def groups(self, run: Run) -> Iterator[dict[str, Any]]:
        """The rollout groups that name this run."""
        named = self._groups.filter(extra__model=run.model.name, extra__setting=run.setting)
        return map(portable_group, group_records(named))

    @property
    def _groups(self) -> QuerySet[RolloutGroup]:
        """The rollout groups of these runs. The working state has those that name no model, too."""
        chosen = Q(pk__in=[])
        for run in self.runs:
            any_setting = Q(extra__setting=run.setting) | Q(extra__setting__isnull=True)
            chosen |= Q(any_setting, extra__model=run.model.name)
        if self.version is None:
            chosen |= Q(extra__model__isnull=True)
        return RolloutGroup.objects.filter(chosen, benchmark=self.benchmark).order_by(by_code_points("group_id"))

    def _marks(self, runs: Collection[Run]) -> dict[str, QuerySet[Any]]:
        found = marks_of(runs)
        if self.version is None:
            return found
        samples = VersionEntry.objects.filter(version=self.version).order_by().values("sample")
        return {table: rows.filter(trajectory__sample__in=samples) for table, rows in found.items()}

    @cached_property
    def _all(self) -> list[Run]:
        runs = Run.objects.of(self.benchmark).order_by("number")
        if self.version is not None:
            runs = runs.filter(scoring__gold_digest=self.version.checksum)
        return list(runs)

    @cached_property
    def _unfinished(self) -> tuple[set[tuple[str, str]], set[int]]:
        """Runs that an experiment or an import still fills: by model and setting, and by primary key."""
        open_ones = Experiment.objects.filter(benchmark=self.benchmark, state__in=UNFINISHED).of_models()
        named = {(model, setting) for model, setting in open_ones.values_list("model", "setting")}
        sources = set(open_ones.exclude(source=None).values_list("source", flat=True))
        imports = list(
            ImportRecord.objects.filter(
                benchmark=self.benchmark, kind=ImportRecord.Kind.RUNS, state=ImportRecord.State.RUNNING
            ).values_list("pk", flat=True)
        )
        if imports:
            sources |= set(Trajectory.objects.filter(source__in=imports).order_by().values_list("run", flat=True))
        return named, sources

    def _is_unfinished(self, run: Run) -> bool:
        named, sources = self._unfinished
        return (run.model.name, run.setting) in named or run.pk in sources

    def _of_samples(self, rows: Found) -> Found:
        if self.version is None:
            return rows
        return rows.filter(sample__in=VersionEntry.objects.filter(version=self.version).order_by().values("sample"))

    def _judgements(self, runs: Collection[Run]) -> QuerySet[Judgement]:
        return self._of_samples(judgements_known_to(self.actor, self.benchmark).filter(run__in=runs))


def counts_by_state(
    benchmark: Benchmark, actor: Any, versions: Iterable[Version]
) -> list[tuple[Version | None, RunCounts]]:
    """The numbers of the file of the working state, and of each version that has runs."""
    found: list[tuple[Version | None, RunCounts]] = [(None, RunsInFile(benchmark, actor).counts())]
    for version in versions:
        counts = RunsInFile(benchmark, actor, version).counts()
        found += [(version, counts)] if counts.runs else []
    return found
