"""The columns of a run's file, one row per trajectory. This table is the only list of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.metrics.selection import SELECTED, columns_of

SCHEMA = 7
"""Raised with every change of the columns, together with a migration that marks all scores as stale. The scores in a
file of another schema are not read."""


@dataclass(frozen=True, slots=True)
class Column:
    """``type``: of DuckDB. ``null``: what null means; "" for a column that is never null."""

    name: str
    type: str
    null: str = ""


UNSCORED = "the trajectory is not scored"
UNDEFINED = "undefined, or the trajectory is not scored"
NOT_RECORDED = "not recorded"


def _columns(type: str, null: str, names: str) -> tuple[Column, ...]:
    return tuple(Column(name, type, null) for name in names.split())


IDENTITY = (
    *_columns("BIGINT", "", "pk run sample"),
    *_columns("VARCHAR", "", "sample_key condition"),
    *_columns("INTEGER", "", "rollout"),
    *_columns("BOOLEAN", "", "evaluated scored failed"),
)
RECORDED = (
    *_columns("DOUBLE", NOT_RECORDED, "usd seconds"),
    *_columns("BIGINT", NOT_RECORDED, "input_tokens output_tokens"),
    *_columns("VARCHAR[]", "", "tools failed_tools"),
)
ANSWER = (
    Column("verdict", "VARCHAR", "nothing says what is correct, or the trajectory is not scored"),
    *_columns("BOOLEAN", UNSCORED, "counted incorrect undecided unread unanswered"),
    Column("reading", "VARCHAR", "nothing was read, or the trajectory is not scored"),
    Column("file_reading", "VARCHAR", "the imported file names none"),
    *_columns("VARCHAR", UNDEFINED, "reading_where reading_rule reading_class unread_reason verdict_by"),
    *_columns("BOOLEAN", UNDEFINED, "file_verdict reading_correct"),
    Column("reading_flags", "VARCHAR[]", UNSCORED),
    Column("answer_group", "VARCHAR", "something decides the answer, or the trajectory is not scored"),
)
GROUNDING = (
    *_columns("BOOLEAN", UNSCORED, "zoomed population evidence"),
    *_columns("BOOLEAN", UNDEFINED, "grounded center_hit"),
    *_columns("VARCHAR", UNDEFINED, "quadrant crop_cell"),
    Column("no_grounding", "VARCHAR", "in the grounding population, or the trajectory is not scored"),
    *_columns("DOUBLE", UNDEFINED, "ioa coverage concentration iou union_coverage zoom region"),
    *_columns("INTEGER", UNSCORED, "crops unusable_crops"),
    Column("crop_index", "INTEGER", "no scored crop, or the trajectory is not scored; else the index of its turn"),
    *_columns("DOUBLE", "no scored crop, or the trajectory is not scored", "crop_x1 crop_y1 crop_x2 crop_y2"),
)
TOOLCHAIN = (
    *_columns("INTEGER", UNSCORED, "calls distinct_tools effective_calls effective_distinct_tools"),
    Column("reference", "INTEGER", "no accepted toolchain, or not scored; 0 the gold's, then further ones in order"),
    *_columns("INTEGER", UNDEFINED, "reference_calls edit_distance lcs plan_missing plan_extra plan_prefix"),
    *_columns("INTEGER", UNDEFINED, "plan_omitted plan_unrecognized plan_in_scene plan_repeated plan_hallucinated"),
    Column("plan_in_order", "BOOLEAN", UNDEFINED),
    *_columns("DOUBLE", UNDEFINED, "kendall_tau plan_chance f1_difference"),
    *_columns("VARCHAR", UNDEFINED, "chain_status outcome failure"),
    *_columns("VARCHAR[]", UNSCORED, "aligned followed reference_tools"),
)
CHAINS = (
    *_columns(
        "VARCHAR[]",
        "metrics are not made of the row, or rows changed since the run was scored",
        "call_tools call_names",
    ),
    *_columns("BOOLEAN[]", "as call_tools", "call_effective"),
    *_columns("INTEGER[]", "as call_tools; place in reference_chain, UNPAIRED where added", "call_paired"),
    Column("reference_chain", "VARCHAR[]", "no reference toolchain, or as call_tools"),
    Column("call_coverage", "DOUBLE[]", "no gold in the pixels of the crops: see no_grounding, or as call_tools"),
    Column("crop_boxes", "DOUBLE[]", "as call_tools"),
)
"""The attempted calls of each trajectory in order, by canonical name and as written, and the reference toolchain that
they are compared with, for the analysis of toolchains. ``call_coverage``: the share of the gold region that the usable
crops up to and including each call cover; ``crop_boxes``: four numbers of each usable crop, in pixels of the image.
"""
READ_AS = (
    Column("answer_state", "VARCHAR", "as call_tools"),
    Column("unread_text", "VARCHAR", "something decides the answer, or as call_tools"),
)
"""The states of an answer, as counted by reports on the reading of answers (``evaluation.metrics.extraction``)."""
WITHIN_RUN = (
    Column("flip", "VARCHAR", "no intervention, or it did not change whether the answer is correct"),
    Column("repeats", "VARCHAR", "fewer than two rollouts of the sample count in accuracy"),
    Column("paired", "VARCHAR", "without a scored trajectory of the run on the sample that has no intervention"),
    Column("beside", "VARCHAR[]", "the run has no scored trajectory on the sample"),
)
MEASURED = tuple(name for metric in SELECTED for name in columns_of(metric))
"""Metrics, and the ends of those that undecided answers could change."""
CONTRIBUTIONS = tuple(
    Column(f"{side}_{name}", "DOUBLE", "rows changed since the run was scored")
    for name in dict.fromkeys(MEASURED)
    for side in ("n", "d")
)
"""The contribution of a row to numerator and denominator of each metric; 0 for rows that metrics do not use."""

COLUMNS: tuple[Column, ...] = (
    *IDENTITY, *RECORDED, *ANSWER, *GROUNDING, *TOOLCHAIN, *CHAINS, *READ_AS, *WITHIN_RUN, *CONTRIBUTIONS,
)  # fmt: skip
MEASURES: Mapping[str, str] = {
    "zoom": "zoom_factor", "region": "cropped_region_size", "crops": "usable_crops", "distinct_tools": "unique_tools",
    "effective_distinct_tools": "effective_unique_tools", "reference": "reference_chain", "zoomed": "invoked",
    "unanswered": "missing_answer", "population": "in_population", "evidence": "visual_evidence",
    "outcome": "plan_outcome",
}  # fmt: skip
"""Columns that docs/metrics.md#exports and ``ScoreColumns`` call otherwise, and how."""
CORRECT = "CASE verdict WHEN 'yes' THEN TRUE WHEN 'no' THEN FALSE END"
"""The verdict as a truth value; null for an undecided one and without one."""
ORDER = ("sample_key", "run", "rollout", "condition", "pk")
"""The order of a list; within a file also that of its rows."""
