"""The columns of the leaderboard: which metric, in which group, how it is written, and which trajectories it counts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext, gettext_lazy, gettext_noop

from evaluation.metrics.catalogue import METRICS
from webapp.common.translation import Text

GROUPS: Mapping[str, Text] = {
    "grounding": gettext_lazy("Grounding"),
    "toolchain": gettext_lazy("Toolchain"),
    "planning": gettext_lazy("Planning"),
    "faithfulness": gettext_lazy("Faithfulness"),
    "cost": gettext_lazy("Cost"),
}
QUADRANTS: Mapping[str, str] = {
    "valid_grounded_reasoning": "G+A+",
    "ground_success_answer_failure": "G+A-",
    "ungrounded_correct_answer": "G-A+",
    "dual_failure": "G-A-",
}


_DIVIDED = {
    "Coverage": "Cover\u00adage", "Concentration": "Concen\u00adtration", "Efficiency": "Effi\u00adciency",
    "Task-completable": "Task-com\u00adpletable", "Sufficiency": "Suffi\u00adciency", "corrupted": "corrup\u00adted",
    "(effective)": "(effec\u00adtive)", "selection": "selec\u00adtion",
}  # fmt: skip


@dataclass(frozen=True)
class Column:
    """One metric."""

    metric: str

    @property
    def label(self) -> str:
        return gettext(METRICS[self.metric].label)

    @property
    def heading(self) -> str:
        """The label, with places where a long word of it may be divided in a narrow head."""
        return " ".join(_DIVIDED.get(word, word) for word in self.label.split(" "))

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


ACCURACY = Column("accuracy")
GROUNDED = Column("grounded_score")
SEEN = Column("valid_grounded_reasoning")
UNREAD = Column("unread_rate")
IN_FILE = Column("accuracy_in_file")
PLAIN: tuple[Column, ...] = (
    UNREAD,
    IN_FILE,
    Column("mean_coverage"),
    Column("mean_concentration"),
    Column("tool_ratio"),
    Column("calls_mean"),
    Column("tool_efficiency"),
    Column("effective_chain_mae"),
    Column("selection_f1"),
    Column("exact_match"),
    Column("task_completable_rate"),
    Column("ate_text"),
    Column("ate_visual"),
    Column("sufficiency"),
    Column("usd_mean"),
)
"""The columns of one number, after accuracy, difference, grounded score and quadrants, which have drawings."""

ALWAYS = frozenset({ACCURACY.metric, GROUNDED.metric, *QUADRANTS})
"""Columns that every board shows, so that they need not be chosen."""
CHOICE: Mapping[str, Column] = {column.metric: column for column in PLAIN} | {
    name: Column(name)
    for name, metric in METRICS.items()
    if metric.group in GROUPS and name not in ALWAYS and all(column.metric != name for column in PLAIN)
}
"""Every column that can be chosen, by its metric: those shown without a choice first."""

DIFFERENCE, QUADRANT_BAR = "difference", "quadrants"
DRAWN = frozenset({DIFFERENCE, GROUNDED.metric, QUADRANT_BAR})
"""Columns with drawings, except accuracy, which is always visible."""


@dataclass(frozen=True)
class Preset:
    """Columns by a name: those with drawings, and the metrics of the plain ones in their order."""

    label: str
    columns: tuple[str, ...]
    drawn: frozenset[str] = frozenset()


OVERVIEW = "overview"
PRESETS: Mapping[str, Preset] = {
    OVERVIEW: Preset(gettext_noop("Overview"), ("tool_efficiency",), DRAWN),
    "grounding": Preset(
        gettext_noop("Grounding"),
        (
            "mean_ioa", "mean_coverage", "mean_concentration", "tool_ratio", "accuracy_when_grounded",
            "accuracy_when_ungrounded",
        ),
        frozenset({GROUNDED.metric, QUADRANT_BAR}),
    ),
    "tools": Preset(
        gettext_noop("Tools"),
        (
            "calls_mean", "unique_tools_mean", "tool_efficiency", "effective_calls_mean", "effective_unique_tools_mean",
            "effective_chain_mae", "chain_mae", "tool_call_rate", "pass_rate", "usd_mean",
        ),
    ),
    "planning": Preset(
        gettext_noop("Planning"),
        (
            "recognition_f1", "selection_precision", "selection_recall", "selection_f1", "exact_match",
            "task_completable_rate", "success_rate_at_1", "order_violations", "functional_omission", "f1_difference",
        ),
    ),
    "faithfulness": Preset(
        gettext_noop("Faithfulness"),
        (
            "ate_text", "ate_visual", "ate_placebo", "visual_beyond_placebo", "text_beyond_placebo", "reliability",
            "sufficiency",
        ),
    ),
    "paper": Preset(gettext_noop("Paper"), tuple(column.metric for column in PLAIN), DRAWN),
}  # fmt: skip
"""Overview: five columns, one of each kind that has any; Paper: what the tables of papers report."""

FLIPS: Mapping[str, str] = {"ate_text": "text", "ate_visual": "visual"}
"""Effects of a condition: answers lost and gained under it."""


def plain_columns(names: Sequence[str], pinned: Collection[str] = ()) -> list[tuple[Column, str]]:
    """Return the columns of these metrics in their order, each with its classes: a vertical hairline at the beginning
    of a group.

    A pinned column belongs to no group: it is never hidden on a small screen.
    """
    found, before = [], "grounding"
    for column in (CHOICE[name] for name in names):
        group = "pinned" if column.metric in pinned else column.group
        classes = "p" if group == "pinned" else f"g g-{group}"
        found.append((column, f"{classes}{' grp' if group != before else ''}"))
        before = group
    return found
