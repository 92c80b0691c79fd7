"""Many runs out of one: its rows are copied inside the database, with other answers right in each copy.

A leaderboard of fifty runs is then built in the time of a few. The first run is imported and scored for real; metrics
of a copy are those of the first. Standings and comparisons are then made for real, from the copied scores.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from django.db import connection, models, transaction
from numpy.typing import NDArray

from annotation.models import Benchmark
from evaluation.actions.list_columns import keep_columns, read_columns
from evaluation.actions.list_values import packed_rows, put_rows
from evaluation.models import ListColumn, ListValue, Metric, Model, Run, Score, Scoring, Step, Trajectory
from webapp.common.bulk import insert_rows

FLIPPED = 23
"""Every so manieth answer of a copy is judged the other way."""


def copy_runs(benchmark: Benchmark, first: int, last: int) -> None:
    """Copies number ``first`` to ``last - 1`` of the oldest run."""
    source = Run.objects.of(benchmark).order_by("pk")[0]
    step = 1 + Trajectory.objects.filter(run=source).order_by("-pk")[0].pk
    for number in range(first, last):
        with transaction.atomic():
            model = Model.objects.create(name=f"Model {number:03}")
            run = Run.objects.create(benchmark=benchmark, model=model)
            _copy(source, run, number * step, number)


def _copy(source: Run, run: Run, shift: int, number: int) -> None:
    scoring = Scoring.objects.get(run=source)
    old, scoring.pk, scoring.run = scoring.pk, None, run
    scoring.save()
    own = f"SELECT id FROM {Trajectory._meta.db_table} WHERE run_id = {source.pk}"  # noqa: S608
    flipped = f"CASE WHEN (trajectory_id + {number}) % {FLIPPED} = 0 THEN NOT correct ELSE correct END"
    _insert(Trajectory, {"id": f"id + {shift}", "run_id": str(run.pk)}, f"run_id = {source.pk}")
    _insert(Step, {"id": "NULL", "trajectory_id": f"trajectory_id + {shift}"}, f"trajectory_id IN ({own})")
    changed = {"trajectory_id": f"trajectory_id + {shift}", "scoring_id": str(scoring.pk), "correct": flipped}
    _insert(Score, changed, f"scoring_id = {old}")
    _insert(Metric, {"id": "NULL", "scoring_id": str(scoring.pk)}, f"scoring_id = {old}")
    _copy_values(old, scoring.pk, keep_columns(scoring) - shift)
    _copy_kept(old, scoring.pk, shift)


def _copy_kept(old: int, new: int, shift: int) -> None:
    """The kept columns that are not made of rows: chains, and what each trajectory adds to a metric."""
    there = ListColumn.objects.filter(scoring=new).values_list("name")
    rows = ListColumn.objects.filter(scoring=old).exclude(name__in=there).values_list("name", "kind", "data")
    moved = {"chain pk": lambda data: (np.frombuffer(data, np.int64) + shift).tobytes()}
    copied = [(new, name, kind, moved.get(name, bytes)(data)) for name, kind, data in rows]
    insert_rows(ListColumn, ["scoring", "name", "kind", "data"], copied)


def _copy_values(old: int, new: int, pks: NDArray[np.int64]) -> None:
    """What is kept by value, of the trajectories in the order of the copy's columns."""
    theirs = read_columns([old], ["pk"])[old]["pk"]
    place = np.argsort(theirs)[np.searchsorted(np.sort(theirs), pks)]
    copied = []
    for field, value, kind, data in ListValue.objects.filter(scoring=old).values_list("field", "value", "kind", "rows"):
        there = np.zeros(len(theirs), np.bool_)
        put_rows(there, kind, data)
        copied.append((new, field, value, *packed_rows(np.flatnonzero(there[place]), len(pks))))
    insert_rows(ListValue, ["scoring", "field", "value", "kind", "rows"], copied)


def _insert(table: type[models.Model], changed: Mapping[str, str], where: str) -> None:
    """Rows of a table once more, with other values in some columns. A NULL key becomes the next number."""
    columns = [str(field.column) for field in table._meta.local_concrete_fields]
    columns = [column for column in columns if changed.get(column) != "NULL"]
    quoted = ", ".join(connection.ops.quote_name(column) for column in columns)
    values = ", ".join(changed.get(column, connection.ops.quote_name(column)) for column in columns)
    name = table._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {name} ({quoted}) SELECT {values} FROM {name} WHERE {where}")  # noqa: S608
