"""From the database rows of a run to the rows of its file: facts as recorded, scores, and what follows from both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce
from numpy.typing import NDArray

from evaluation.metrics.chains import Chains
from evaluation.metrics.columns import ChainStatus, NoGrounding, Outcome, Quadrant, ScoreColumns, VerdictBy
from evaluation.metrics.extraction import Read
from evaluation.metrics.failures import FAILURES
from evaluation.metrics.heatmap import COLUMNS as CELLS_ACROSS
from evaluation.metrics.heatmap import NO_CELL, cells_of_boxes
from evaluation.metrics.ragged import rows_of
from evaluation.metrics.reading import CLASSES, RULES, WHERES
from evaluation.metrics.settings import MetricSettings
from evaluation.models import Run, Step, Trajectory
from evaluation.query.fields import READING_REASONS
from evaluation.schema import FILE_READINGS
from evaluation.store.engine import Reader, parquet
from evaluation.store.schema import COLUMNS, CONTRIBUTIONS, CORRECT, Column
from webapp.common.bulk import raw_value

CHUNK = 5000
Arrays = dict[str, NDArray[Any]]
Written = Mapping[str, NDArray[Any]]
"""The scores of some trajectories: ``pk``, and by name those of ``NUMBERS``, ``CHOICES`` and ``TEXTS``."""


@dataclass(frozen=True)
class Evaluated:
    """The results of scoring for the trajectories ``pks`` in addition to their scores. ``added``: by column of
    ``CONTRIBUTIONS``, the contribution of each to metrics. ``chains``: their calls, with the names as written in
    ``names``, in the same order. ``scores``: with the measures of each call. ``read``: how their answers were read.
    """

    pks: Sequence[int]
    added: Mapping[str, NDArray[np.float64]]
    chains: Chains
    names: Sequence[str]
    scores: ScoreColumns
    read: Read


_OWN = {
    "pk": "pk", "sample": "sample_id", "sample_key": "sample__key", "rollout": "rollout", "condition": "condition",
    "error": "error", "usd": "usd", "seconds": "seconds", "input_tokens": "input_tokens",
    "output_tokens": "output_tokens", "width": "sample__width", "height": "sample__height",
}  # fmt: skip
NUMBERS = (
    "ioa", "coverage", "concentration", "iou", "union_coverage", "zoom", "region", "crops", "unusable_crops",
    "crop_index", "crop_x1", "crop_y1", "crop_x2", "crop_y2", "calls", "distinct_tools", "effective_calls",
    "effective_distinct_tools", "reference", "reference_calls", "edit_distance", "lcs", "kendall_tau", "plan_missing",
    "plan_extra", "plan_prefix", "plan_omitted", "plan_unrecognized", "plan_in_scene", "plan_repeated",
    "plan_hallucinated", "plan_chance", "f1_difference", "plan_in_order", "correct", "undecided", "unread",
    "unanswered", "zoomed", "population", "evidence", "grounded", "center_hit", "file_verdict", "reading_correct",
)  # fmt: skip
"""Numbers and truth values of a score: NaN where undefined."""
CHOICES: Mapping[str, Sequence[str]] = {
    "quadrant": Quadrant.NAMES, "outcome": Outcome.NAMES, "chain_status": ChainStatus.NAMES, "failure": FAILURES,
    "verdict_by": VerdictBy.NAMES, "reading_where": WHERES, "reading_rule": RULES, "reading_class": CLASSES,
    "unread_reason": READING_REASONS, "no_grounding": NoGrounding.NAMES,
}  # fmt: skip
"""Choices of a score, and the names of their codes."""
TEXTS: Mapping[str, str] = {
    "aligned": "array_to_string(aligned, chr(10))", "followed": "array_to_string(followed, chr(10))",
    "reading": "coalesce(reading, '')", "reading_flags": "array_to_string(reading_flags, ' ')",
    "answer_group": "coalesce(answer_group, '')",
}  # fmt: skip
"""Texts of a score, and how a file gives them back: lists as lines or words."""
_FILE_READING = Coalesce(*(KT(f"extra__{name}") for name in FILE_READINGS))


def load_rows(
    run: Run,
    settings: MetricSettings,
    written: Sequence[Written] | None = None,
    evaluated: Evaluated | None = None,
    scored: Path | None = None,
) -> dict[str, Arrays]:
    """Return the tables that ``statement`` reads, by name. Two queries.

    ``written``: the scores of the run, if they were just computed. ``scored``: else the file of the last scoring, whose
    scores stay for the trajectories that still exist. ``evaluated``: of the trajectories that metrics use; None if
    unknown.
    """
    rows = Trajectory.objects.filter(run=run).order_by("sample__key", "rollout", "condition", "pk")
    own = rows.values_list(*map(raw_value, _OWN.values()), _FILE_READING)
    read = list(zip(*own.iterator(chunk_size=CHUNK), strict=True))
    *columns, file_reading = read or [()] * (1 + len(_OWN))
    found: Arrays = {name: _recorded(name, values) for name, values in zip(_OWN, columns, strict=True)}
    if written is None:
        written = [] if scored is None else [_scores_of(scored)]
    found |= _placed(found["pk"], written) | {"run": np.full(len(found["pk"]), run.pk)}
    found |= {"crop_cell": _cells(found)} | _verdicts(found, settings)
    found["file_reading"] = np.array(file_reading, np.object_)
    for column in CONTRIBUTIONS:
        found[column.name] = np.full(len(found["pk"]), np.nan if evaluated is None else 0.0)
    if evaluated is not None:
        places = _places(found["pk"], evaluated.pks)
        for name, values in evaluated.added.items():
            found[name][places] = values
    return {"trajectories": found, "calls": _calls(run), **(_NOT_KNOWN if evaluated is None else _of_calls(evaluated))}


def _scores_of(file: Path) -> Written:
    """The scores in a file of the store."""
    columns = {name: f"({CORRECT if name == 'correct' else name})::DOUBLE" for name in NUMBERS}
    columns |= {name: name for name in CHOICES} | dict(TEXTS)
    each = ", ".join(f"{sql} AS {name}" for name, sql in columns.items())
    found = Reader(file.parent).columns(f"SELECT pk, {each} FROM {parquet(file)} WHERE scored", {})
    return {name: _filled(values, np.nan if name in NUMBERS else None) for name, values in found.items()}


def _filled(values: NDArray[Any], missing: float | None) -> NDArray[Any]:
    found: NDArray[Any] = np.array(np.ma.getdata(values), np.object_ if missing is None else None)
    found[np.ma.getmaskarray(values)] = missing
    return found


def _recorded(name: str, values: Sequence[Any]) -> NDArray[Any]:
    if name in ("sample_key", "condition"):
        return np.array(values, np.object_)
    if name == "error":
        return np.array([bool(text) for text in values], np.bool_)
    if name in ("pk", "sample", "rollout"):
        return np.array(values, np.int64)
    return _numbers(values)


def _numbers(values: Sequence[Any]) -> NDArray[np.float64]:
    """Return the numbers, NaN for missing ones."""
    return np.array(values, np.float64)


def _placed(pks: NDArray[np.int64], written: Sequence[Written]) -> Arrays:
    """Scores in the order of the trajectories ``pks``; NaN and None for those without. Scores of trajectories that are
    gone are omitted."""
    found: Arrays = {name: np.full(len(pks), np.nan) for name in NUMBERS}
    found |= {name: np.full(len(pks), None, np.object_) for name in (*CHOICES, *TEXTS)}
    for part in written:
        there = np.isin(part["pk"], pks)
        at = _places(pks, part["pk"][there])
        for name, values in found.items():
            values[at] = part[name][there]
    return found


def _places(pks: NDArray[np.int64], wanted: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    if not len(wanted):
        return np.zeros(0, np.int64)
    order = np.argsort(pks)
    places: NDArray[np.int64] = order[np.searchsorted(pks, np.array(wanted, np.int64), sorter=order)]
    return places


def _cells(rows: Arrays) -> NDArray[Any]:
    """Return the cell of the heat map that contains the scored crop, as column-row; None without one."""
    box = np.stack([rows[f"crop_{corner}"] for corner in ("x1", "y1", "x2", "y2")], axis=1)
    cells = cells_of_boxes(box, np.stack([rows.pop("width"), rows.pop("height")], axis=1), rows["population"] == 1)
    named = [None if cell == NO_CELL else f"{cell % CELLS_ACROSS}-{cell // CELLS_ACROSS}" for cell in cells.tolist()]
    return np.array(named, np.object_)


def _verdicts(rows: Arrays, settings: MetricSettings) -> Arrays:
    """Return which trajectories are scored, and their verdicts; which of them metrics use, and which count
    in accuracy.
    """
    scored, undecided = ~np.isnan(rows["calls"]), rows["undecided"] == 1
    correct, incorrect = rows["correct"] == 1, (rows["correct"] == 0) | undecided
    codes = np.select([~scored, undecided, correct, rows["correct"] == 0], [3, 2, 1, 0], 3)
    if settings.undecided_answer == "exclude":
        incorrect &= ~undecided
    unknown = np.where(scored, 0.0, np.nan)
    return {
        "scored": scored,
        "failed": rows.pop("error"),
        "evaluated": _lowest(rows["sample"], rows["rollout"], rows["condition"] == "none"),
        "verdict": np.array(["no", "yes", "undecided", None], np.object_)[codes],
        "incorrect": incorrect + unknown,
        "counted": (correct | incorrect) + unknown,
    }


def _lowest(sample: NDArray[Any], rollout: NDArray[Any], plain: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the lowest rollout of each sample without an intervention: see ``TrajectoryQuerySet.evaluated``."""
    order = np.lexsort((rollout, ~plain, sample))
    first = np.ones(len(order), np.bool_)
    first[1:] = sample[order][1:] != sample[order][:-1]
    lowest = np.zeros(len(order), np.bool_)
    lowest[order] = first
    return lowest & plain


def _calls(run: Run) -> Arrays:
    """Each tool of each trajectory once, and once more where a call of it failed; calls after the answer count
    nowhere."""
    steps = Step.objects.filter(trajectory__run=run).exclude(flag="post_answer").order_by()
    rows = list(zip(*steps.values_list("trajectory_id", "tool", "ok").distinct().iterator(CHUNK), strict=True))
    pk, tool, ok = rows or [(), (), ()]
    return {"pk": np.array(pk, np.int64), "tool": np.array(tool, np.object_), "ok": np.array(ok, np.bool_)}


def _of_calls(known: Evaluated) -> dict[str, Arrays]:
    """The trajectories, their calls, usable crops and references, one row each."""
    chains, scores = known.chains, known.scores
    own, tools = np.array(known.pks, np.int64), np.array(chains.names, np.object_)
    row, wanted = rows_of(chains.start), rows_of(chains.reference_start)
    usable = np.flatnonzero(np.isfinite(scores.step_crops).all(axis=1))
    return {
        "analyzed": {
            "pk": own,
            "known": chains.known,
            "scorable": scores.scorable & (scores.no_grounding != NoGrounding.IMAGE_REPLACED),
            "answer_state": np.array(known.read.state, np.object_),
            "unread_text": np.array(known.read.text, np.object_),
        },
        "attempts": {
            "pk": own[row],
            "position": np.arange(len(row)),
            "tool": tools[chains.tool],
            "name": np.array(known.names, np.object_),
            "effective": chains.effective,
            "paired": chains.paired,
            "coverage": scores.step_coverage,
        },
        "crops": {
            "pk": np.repeat(own[row[usable]], 4),
            "position": np.arange(4 * len(usable)),
            "edge": scores.step_crops[usable].ravel(),
        },
        "wanted": {"pk": own[wanted], "position": np.arange(len(wanted)), "tool": tools[chains.reference]},
    }


_INTEGERS, _TRUTHS, _OBJECTS = np.zeros(0, np.int64), np.zeros(0, np.bool_), np.zeros(0, np.object_)
_FLOATS = np.zeros(0, np.float64)
_NOT_KNOWN: dict[str, Arrays] = {
    "analyzed": {
        "pk": _INTEGERS, "known": _TRUTHS, "scorable": _TRUTHS, "answer_state": _OBJECTS, "unread_text": _OBJECTS,
    },
    "attempts": {
        "pk": _INTEGERS, "position": _INTEGERS, "tool": _OBJECTS, "name": _OBJECTS, "effective": _TRUTHS,
        "paired": _INTEGERS, "coverage": _FLOATS,
    },
    "crops": {"pk": _INTEGERS, "position": _INTEGERS, "edge": _FLOATS},
    "wanted": {"pk": _INTEGERS, "position": _INTEGERS, "tool": _OBJECTS},
}  # fmt: skip
"""The tables of ``_of_calls`` without a row: of a run that changed since it was scored."""


def statement() -> str:
    """The query that makes the rows of a file from the tables of ``load_rows``. DuckDB reads NaN of a table as null."""
    return _STATEMENT.format(columns=", ".join(map(_column, COLUMNS)))


def _column(column: Column) -> str:
    # Numbers come as DOUBLE. Planning two hundred casts takes longer than converting the rows of a small run.
    if column.type == "DOUBLE":
        return column.name
    found = f"{column.name} = 1" if column.type == "BOOLEAN" else column.name
    return f"({_DERIVED.get(column.name, found)})::{column.type} AS {column.name}"


_WORDS = "CASE WHEN scored = 1 THEN list_filter(string_split({0}, chr(10)), lambda word: word <> '') END"
_DERIVED = {
    **{
        name: f"CASE WHEN analyzed THEN coalesce({name}, []) END"
        for name in ("call_tools", "call_names", "call_effective", "call_paired")
    },
    "reference_chain": "CASE WHEN known THEN coalesce(reference_chain, []) END",
    "call_coverage": "CASE WHEN scorable THEN coalesce(call_coverage, []) END",
    "crop_boxes": "CASE WHEN analyzed THEN coalesce(crop_boxes, []) END",
    "unread_text": "nullif(unread_text, '')",
    "tools": "coalesce(tools, [])",
    "failed_tools": "coalesce(failed_tools, [])",
    "aligned": _WORDS.format("aligned"),
    "followed": _WORDS.format("followed"),
    "reference_tools": f"""list_distinct(list_filter(list_transform({_WORDS.format("aligned")},
        lambda word: string_split(word, '>')[1]), lambda name: name <> ''))""",
    "reading": "nullif(reading, '')",
    "answer_group": "nullif(answer_group, '')",
    "reading_flags": "CASE WHEN scored = 1 THEN list_filter(string_split(reading_flags, ' '), lambda f: f <> '') END",
    "flip": """CASE WHEN condition <> 'none' AND was_correct AND verdict IN ('no', 'undecided') THEN 'lost'
        WHEN condition <> 'none' AND was_incorrect AND verdict = 'yes' THEN 'gained' END""",
    "repeats": """CASE WHEN counted_n < 2 THEN NULL WHEN correct_n = counted_n THEN 'always'
        WHEN correct_n > 0 THEN 'some' ELSE 'never' END""",
    "paired": """CASE WHEN scored <> 1 THEN NULL WHEN with_evidence THEN 'evidence'
        WHEN without_condition THEN 'yes' END""",
}
_STATEMENT = """
WITH of_sample AS (
    SELECT sample,
        list(DISTINCT condition ORDER BY condition) FILTER (scored = 1) AS beside,
        count(*) FILTER (condition = 'none' AND counted = 1) AS counted_n,
        count(*) FILTER (condition = 'none' AND verdict = 'yes') AS correct_n,
        bool_or(scored = 1 AND evaluated) AS without_condition,
        bool_or(evaluated AND evidence = 1) AS with_evidence,
        bool_or(evaluated AND verdict = 'yes') AS was_correct,
        bool_or(evaluated AND verdict IN ('no', 'undecided')) AS was_incorrect
    FROM trajectories GROUP BY sample
), called AS (
    SELECT pk, list(DISTINCT tool ORDER BY tool) AS tools,
        list(DISTINCT tool ORDER BY tool) FILTER (NOT ok) AS failed_tools
    FROM calls GROUP BY pk
), chains AS (
    SELECT analyzed.*, TRUE AS analyzed, made.* EXCLUDE (pk), cropped.crop_boxes, held.reference_chain
    FROM analyzed
    LEFT JOIN (
        SELECT pk, list(tool ORDER BY position) AS call_tools, list(name ORDER BY position) AS call_names,
            list(effective ORDER BY position) AS call_effective, list(paired ORDER BY position) AS call_paired,
            list(coverage ORDER BY position) AS call_coverage
        FROM attempts GROUP BY pk
    ) made USING (pk)
    LEFT JOIN (SELECT pk, list(edge ORDER BY position) AS crop_boxes FROM crops GROUP BY pk) cropped USING (pk)
    LEFT JOIN (SELECT pk, list(tool ORDER BY position) AS reference_chain FROM wanted GROUP BY pk) held USING (pk)
)
SELECT {columns}
FROM trajectories
LEFT JOIN of_sample USING (sample)
LEFT JOIN called USING (pk)
LEFT JOIN chains USING (pk)
ORDER BY sample_key, rollout, condition, pk
"""
