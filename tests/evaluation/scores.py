"""The scores of trajectories for tests: read from the files of their runs, and changed there."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

from evaluation.models import Run, ScoreFile, Trajectory
from evaluation.store.build import CHOICES
from evaluation.store.engine import Reader, parquet
from evaluation.store.files import folder, keep_file, paths_of
from evaluation.store.schema import COLUMNS, MEASURES
from evaluation.store.scores import put_scores

_COLUMN_OF = {name: column for column, name in MEASURES.items()}


def with_scores(trajectories: Iterable[Trajectory]) -> list[Trajectory]:
    """These trajectories with their ``score``; those that are not scored are left out."""
    found = list(trajectories)
    put_scores(found)
    return [one for one in found if one.score is not None]


def score_of(trajectory: Trajectory) -> Any:
    """The score of one trajectory; it has one."""
    [found] = with_scores([trajectory])
    return found.score


def all_scores() -> dict[int, Any]:
    """Every measure of each scored trajectory by the names of ``ScoreColumns``, by primary key: codes for choices, None
    where undefined."""
    files = paths_of(list(Run.everything.select_related("scoring", "file")))
    names = [column.name for column in COLUMNS]
    rows = Reader(folder()).rows(f"SELECT {', '.join(names)} FROM {parquet(*files)} WHERE scored", {}) if files else []
    return {row[0]: _by_old_name(dict(zip(names, row, strict=True))) for row in rows}


def scores_by_sample(**trajectories: Any) -> dict[str, Any]:
    """The same by id of the sample, of trajectories that are one to a sample."""
    scores = all_scores()
    keys = Trajectory.objects.filter(**trajectories).values_list("pk", "sample__key")
    return {key: scores[pk] for pk, key in keys if pk in scores}


def _by_old_name(row: dict[str, Any]) -> Any:
    for name, of in CHOICES.items():
        row[name] = -1 if row[name] is None else of.index(row[name])
    for name in ("aligned", "followed"):
        row[name] = "\n".join(row[name] or ())
    own = {name: row[column] for name, column in _COLUMN_OF.items()}
    return SimpleNamespace(
        **row
        | own
        | {
            "correct": {"yes": True, "no": False}.get(row["verdict"]),
            "letter": row["reading"] or "",
            "reading_flags": " ".join(row["reading_flags"] or ()),
            "answer_group": row["answer_group"] or "",
        }
    )


def change_scores(trajectories: Iterable[Trajectory], **values: str) -> None:
    """Write other values, as SQL, into columns of the rows of these trajectories."""
    pks: dict[int, list[int]] = {}
    for one in trajectories:
        pks.setdefault(one.run_id, []).append(one.pk)
    for run in Run.everything.select_related("scoring", "file").filter(pk__in=pks):
        here = f"pk IN ({', '.join(map(str, pks[run.pk]))})"
        changed = ", ".join(f"if({here}, {sql}, {name}) AS {name}" for name, sql in values.items())
        [path] = paths_of([run])
        query = f"SELECT * REPLACE ({changed}) FROM {parquet(path)} ORDER BY sample_key, rollout, condition, pk"
        keep_file(run, run.revision, query, {})


def forget_scores(run: Run) -> None:
    """As if the run was never scored."""
    ScoreFile.objects.filter(run=run).delete()
    run.scoring.delete()
