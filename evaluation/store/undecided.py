"""The answers of a benchmark that no rule decides, from the files of its runs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from annotation.models import Benchmark
from annotation.schema import AnswerType
from evaluation.models import Run
from evaluation.store.rows import read_rows
from evaluation.store.snapshot import Snapshot


class UndecidedAnswers:
    """The answers that no rule decides, also those that are unread, under any condition. ``hidden``: the query that
    gives samples that are omitted."""

    def __init__(self, benchmark: Benchmark, runs: Sequence[Run], hidden: Any) -> None:
        self.snapshot = Snapshot(benchmark, runs)
        self.where = "scored AND (undecided OR unread)"
        if hidden is not None:
            samples = np.fromiter((sample for row in hidden for sample in row.values()), np.int64)
            self.snapshot.register("hidden", {"sample": samples})
            self.where += " AND sample NOT IN (SELECT sample FROM hidden)"

    def pks(self, names: Collection[str] | None = None, run: int | None = None) -> list[int]:
        """Their trajectories: of all groups or of those with these names, of all runs or of one."""
        arg, where = self.snapshot.conditions.arg, self.where
        if names is not None:
            where += " AND answer_group IN ({})".format(", ".join(map(arg, names)) or "NULL")
        if run is not None:
            where += f" AND run = {arg(run)}"
        found: list[int] = self.snapshot.columns(f"SELECT pk FROM rows WHERE {where}")["pk"].tolist()
        return found

    def grouped(self) -> list[tuple[Any, ...]]:
        """Name, run, reason ("" for none), whether the question is multiple choice, lowest number, and how many."""
        return self.snapshot.ask(
            f"SELECT answer_group, run, coalesce(unread_reason, ''), answer_type = '{AnswerType.MULTIPLE_CHOICE}', "
            "min(pk) AS first, count(*) FROM rows JOIN samples USING (sample) "
            f"WHERE {self.where} AND answer_group IS NOT NULL AND answer_type IS NOT NULL "
            "GROUP BY ALL ORDER BY first"
        )

    def group_of(self, pks: Collection[int]) -> dict[int, str]:
        """The name of the group of those of these trajectories that are in one."""
        found = read_rows(self.snapshot, pks, {"name": f"CASE WHEN {self.where} THEN answer_group END"})
        return {pk: row["name"] for pk, row in found.items() if row["name"]}
