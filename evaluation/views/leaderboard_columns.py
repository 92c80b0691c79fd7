"""The columns of the leaderboard: which metric, in which group, how it is written, and which trajectories it counts."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from evaluation.metrics.catalogue import METRICS

GROUPS: Mapping[str, str] = {
    "grounding": "Grounding",
    "toolchain": "Toolchain",
    "planning": "Planning",
    "faithfulness": "Faithfulness",
    "cost": "Cost",
}
QUADRANTS: Mapping[str, str] = {
    "valid_grounded_reasoning": "G+A+",
    "ground_success_answer_failure": "G+A-",
    "ungrounded_correct_answer": "G-A+",
    "dual_failure": "G-A-",
}


@dataclass(frozen=True)
class Column:
    """One metric. ``terms``: the list of trajectories that its numerator counts, where there is one."""

    metric: str
    label: str
    terms: Mapping[str, str] = field(default_factory=dict)

    @property
    def unit(self) -> str:
        return METRICS[self.metric].unit

    @property
    def group(self) -> str:
        return METRICS[self.metric].group

    @property
    def definition(self) -> str:
        return METRICS[self.metric].definition

    @property
    def lower_is_better(self) -> bool:
        return METRICS[self.metric].better == "lower"


ACCURACY = Column("accuracy", "Accuracy", {"correct": "yes"})
GROUNDED = Column("grounded_score", "Grounded", {"grounded": "yes", "population": "yes"})
SEEN = Column("valid_grounded_reasoning", "G+A+")
PLAIN: tuple[Column, ...] = (
    Column("mean_coverage", "Cover\u00adage"),
    Column("mean_concentration", "Concen\u00adtration"),
    Column("tool_ratio", "Zooms at all", {"zoomed": "yes"}),
    Column("calls_mean", "Calls"),
    Column("tool_efficiency", "Effi\u00adcient"),
    Column("effective_chain_mae", "MAE effective"),
    Column("selection_f1", "Tools F1"),
    Column("exact_match", "Exact plan", {"outcome": "exact_match"}),
    Column("task_completable_rate", "Com\u00adpletable"),
    Column("ate_text", "Text mistakes"),
    Column("ate_visual", "Noise crops"),
    Column("sufficiency", "Suffi\u00adcient"),
    Column("usd_mean", "Per sample"),
)
"""The columns of one number, after accuracy, difference, grounded score and quadrants, which have drawings."""

METRICS_SHOWN = frozenset({ACCURACY.metric, GROUNDED.metric, *QUADRANTS, *(column.metric for column in PLAIN)})
FLIPS: Mapping[str, str] = {"ate_text": "text", "ate_visual": "visual"}
"""Effects of a condition: answers lost and gained under it."""


def plain_columns(groups: Collection[str]) -> list[tuple[Column, str]]:
    """The plain columns of these groups, each with its classes: a vertical hairline where a group begins."""
    found, before = [], "grounding"
    for column in PLAIN:
        group = column.group
        if group in groups:
            found.append((column, f"g g-{group}{' grp' if group != before else ''}"))
            before = group
    return found
