"""Many runs out of one: its rows are copied inside the database, with other answers right in each copy.

A leaderboard of fifty runs is then built in the time of a few. The first run is imported and scored for real; metrics
of a copy are those of the first. Standings and comparisons are then made for real, from the copied scores.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.db import connection, models, transaction

from annotation.models import Benchmark
from evaluation.models import Metric, Model, Run, Scoring, Step, Trajectory
from evaluation.store.engine import parquet
from evaluation.store.files import keep_file, paths_of

FLIPPED = 23
"""Every so manieth answer of a copy is judged the other way."""


def copy_runs(benchmark: Benchmark, first: int, last: int) -> None:
    """Copies number ``first`` to ``last - 1`` of the oldest run."""
    source = Run.objects.of(benchmark).order_by("pk")[0]
    step = 1 + Trajectory.objects.filter(run=source).order_by("-pk")[0].pk
    for number in range(first, last):
        with transaction.atomic():
            model = Model.objects.create(name=f"Model {number:03}")
            run = Run.objects.create(benchmark=benchmark, model=model, number=100 + number)
            _copy(source, run, number * step, number)


def _copy(source: Run, run: Run, shift: int, number: int) -> None:
    scoring = Scoring.objects.get(run=source)
    old, scoring.pk, scoring.run = scoring.pk, None, run
    scoring.save()
    own = f"SELECT id FROM {Trajectory._meta.db_table} WHERE run_id = {source.pk}"  # noqa: S608
    _insert(Trajectory, {"id": f"id + {shift}", "run_id": str(run.pk)}, f"run_id = {source.pk}")
    _insert(Step, {"id": "NULL", "trajectory_id": f"trajectory_id + {shift}"}, f"trajectory_id IN ({own})")
    _insert(Metric, {"id": "NULL", "scoring_id": str(scoring.pk)}, f"scoring_id = {old}")
    _copy_file(source, run, shift, number)


def _copy_file(source: Run, run: Run, shift: int, number: int) -> None:
    """The file of the source with the numbers and the verdicts of the copy."""
    [path] = paths_of([Run.objects.select_related("file", "scoring").get(pk=source.pk)])
    flipped = f"(pk + {number}) % {FLIPPED} = 0 AND verdict IN ('yes', 'no')"
    query = f"""
        SELECT * REPLACE (
            pk + {shift} AS pk,
            {run.pk}::BIGINT AS run,
            CASE WHEN {flipped} THEN if(verdict = 'yes', 'no', 'yes') ELSE verdict END AS verdict,
            CASE WHEN {flipped} THEN NOT incorrect ELSE incorrect END AS incorrect
        )
        FROM {parquet(path)}
        ORDER BY sample_key, rollout, condition, pk
    """  # noqa: S608
    keep_file(run, run.revision, query, {})


def _insert(table: type[models.Model], changed: Mapping[str, str], where: str) -> None:
    """Rows of a table once more, with other values in some columns. A NULL key becomes the next number."""
    columns = [str(field.column) for field in table._meta.local_concrete_fields]
    columns = [column for column in columns if changed.get(column) != "NULL"]
    quoted = ", ".join(connection.ops.quote_name(column) for column in columns)
    values = ", ".join(changed.get(column, connection.ops.quote_name(column)) for column in columns)
    name = table._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {name} ({quoted}) SELECT {values} FROM {name} WHERE {where}")  # noqa: S608
