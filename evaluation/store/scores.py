"""The scores of single trajectories, read from the files of their runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from evaluation.metrics.columns import Outcome
from evaluation.models import Run, Trajectory
from evaluation.store.engine import Reader, parquet
from evaluation.store.files import folder, paths_of
from evaluation.store.rows import read_rows
from evaluation.store.schema import CORRECT, MEASURES
from evaluation.store.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Score:
    """The scores of one trajectory for pages: measures of docs/metrics.md#exports, None if undefined.

    ``letter``: the answer as read, "" for none. ``quadrant``, ``failure`` (by rule) and ``no_grounding`` (see
    ``NoGrounding``): names, "" for none.
    ``plan_outcome``: see ``Outcome``. ``crop_index``: the position of the step with the scored crop, which has the
    corners ``crop_x1`` to ``crop_y2`` in original pixels.
    """

    correct: bool | None
    undecided: bool
    unread: bool
    missing_answer: bool
    letter: str
    invoked: bool
    in_population: bool
    grounded: bool | None
    quadrant: str
    no_grounding: str
    crop_index: int | None
    crop_x1: float | None
    crop_y1: float | None
    crop_x2: float | None
    crop_y2: float | None
    coverage: float | None
    concentration: float | None
    ioa: float | None
    iou: float | None
    union_coverage: float | None
    usable_crops: int
    unusable_crops: int
    calls: int
    effective_calls: int
    reference_chain: int | None
    reference_calls: int | None
    edit_distance: int | None
    lcs: int | None
    plan_outcome: int
    failure: str

    @property
    def verdict(self) -> str:
        """ "correct", "incorrect" or "undecided"; "" without a gold answer."""
        if self.correct is None:
            return "undecided" if self.undecided else ""
        return "correct" if self.correct else "incorrect"

    @property
    def crop(self) -> tuple[float, float, float, float] | None:
        """The scored crop; None without one."""
        if self.crop_x1 is None or self.crop_y1 is None or self.crop_x2 is None or self.crop_y2 is None:
            return None
        return self.crop_x1, self.crop_y1, self.crop_x2, self.crop_y2


_STORED: Mapping[str, str] = {measure: column for column, measure in MEASURES.items()} | {
    "correct": CORRECT,
    "letter": "coalesce(reading, '')",
    "quadrant": "coalesce(quadrant, '')",
    "no_grounding": "coalesce(no_grounding, '')",
    "plan_outcome": f"list_position({list(Outcome.NAMES)!r}, outcome)",
    "failure": "coalesce({rule}, '')",
}
_NAMES = [field.name for field in fields(Score)]


def score_columns(rule: str = "failure") -> dict[str, str]:
    """The expressions on rows of the store for ``score_of``. ``rule``: the column of the failure by rule."""
    return {"scored": "scored"} | {f"score_{name}": _STORED.get(name, name).format(rule=rule) for name in _NAMES}


def score_of(values: Mapping[str, Any]) -> Score | None:
    """The score in a row with the columns of ``score_columns``; None for a trajectory that is not scored."""
    if not values["scored"]:
        return None
    place = values["score_plan_outcome"]
    found = {name: values[f"score_{name}"] for name in _NAMES}
    return Score(**(found | {"plan_outcome": Outcome.NONE if place is None else place - 1}))


def put_scores(trajectories: Sequence[Trajectory], runs: Sequence[Run] | None = None) -> None:
    """Set the ``score`` of each of these trajectories, None if it has none. One query and one statement.

    ``runs``: their runs with scorings and files, if they are loaded; this saves the query."""
    if runs is None:
        of = {trajectory.run_id for trajectory in trajectories}
        runs = list(Run.everything.filter(pk__in=of).select_related("scoring", "file")) if of else []
    scores = _read_scores([trajectory.pk for trajectory in trajectories], paths_of(runs))
    for trajectory in trajectories:
        trajectory.score = scores.get(trajectory.pk)


def put_listed_scores(snapshot: Snapshot, trajectories: Sequence[Trajectory]) -> None:
    """The same for trajectories of a list, at its moment. One statement."""
    found = read_rows(snapshot, [trajectory.pk for trajectory in trajectories], score_columns("rule"))
    for trajectory in trajectories:
        trajectory.score = score_of(found[trajectory.pk]) if trajectory.pk in found else None


def _read_scores(pks: Sequence[int], paths: Sequence[Path]) -> dict[int, Score]:
    """The scores of those of these trajectories that are scored, by primary key."""
    if not paths:
        return {}
    columns = score_columns()
    each = ", ".join(f"{sql} AS {name}" for name, sql in columns.items())
    wanted = ", ".join(str(int(pk)) for pk in pks)
    rows = Reader(folder()).rows(f"SELECT pk, {each} FROM {parquet(*paths)} WHERE scored AND pk IN ({wanted})", {})
    found = ((pk, score_of(dict(zip(columns, values, strict=True)))) for pk, *values in rows)
    return {pk: score for pk, score in found if score is not None}


_PAIRS = """
    SELECT min(seen.pk), arg_min(missed.pk, (missed.coverage, missed.pk))
    FROM {rows} seen JOIN {rows} missed USING (sample)
    WHERE seen.quadrant = 'G+A+' AND missed.quadrant = 'G-A-'
        AND seen.condition = 'none' AND missed.condition = 'none'
        AND seen.crop_x1 IS NOT NULL AND missed.crop_x1 IS NOT NULL
    GROUP BY sample ORDER BY 1 LIMIT {most}
"""


def opposite_pairs(runs: Sequence[Run], most: int) -> list[tuple[int, int]]:
    """Return pairs of trajectories of the same sample, for at most ``most`` samples.

    The first is grounded and correct. The second has the lowest coverage of those that are neither. Both have a scored
    crop and no intervention."""
    paths = paths_of(runs)
    return Reader(folder()).rows(_PAIRS.format(rows=parquet(*paths), most=int(most)), {}) if paths else []
