"""The tabs of this half on the pages of a benchmark, and its sections of the settings."""

from __future__ import annotations

from django.utils.translation import gettext_lazy

from annotation.common.sections import Section
from annotation.common.tabs import Tab
from annotation.workflow import Right

FAILURES = "?q=failure:any"
"""The list of trajectories that have a failure, as its query says it."""
TABS = [
    Tab("runs", gettext_lazy("Runs"), "evaluation:runs", lambda b, _: b.runs.count(), Right.SEE_GOLD, 40),
    Tab("leaderboard", gettext_lazy("Leaderboard"), "evaluation:leaderboard", right=Right.SEE_GOLD, place=50),
    Tab(
        "failures", gettext_lazy("Failures"), "evaluation:trajectories", right=Right.SEE_GOLD, place=60, query=FAILURES
    ),
    Tab("compare", gettext_lazy("Compare"), "evaluation:compare", right=Right.SEE_GOLD, place=70),
    Tab("toolchains", gettext_lazy("Toolchains"), "evaluation:chains", right=Right.SEE_GOLD, place=80),
    Tab(
        "diagnostics",
        gettext_lazy("Diagnostics"),
        "evaluation:diagnostics",
        right=Right.SEE_GOLD,
        place=125,
        more=True,
    ),
    Tab("judging", gettext_lazy("Judging"), "evaluation:judging", right=Right.JUDGE, place=130, more=True),
    Tab("studies", gettext_lazy("Human study"), "evaluation:studies", right=Right.TAKE_STUDY, place=135, more=True),
    Tab("data-card", gettext_lazy("Data card"), "evaluation:data-card", right=Right.SEE_GOLD, place=145, more=True),
    Tab("slices", gettext_lazy("Slices"), "evaluation:slices", right=Right.SEE_GOLD, place=150, more=True),
    Tab("lineages", gettext_lazy("Lineages"), "evaluation:lineages", right=Right.SEE_GOLD, place=151, more=True),
    Tab("rewards", gettext_lazy("Rewards"), "evaluation:rewards", right=Right.SEE_GOLD, place=152, more=True),
    Tab("answers", gettext_lazy("Answers"), "evaluation:answers", right=Right.SCORE, place=155, more=True),
    Tab(
        "experiments",
        gettext_lazy("Experiments"),
        "evaluation:experiments",
        right=Right.IMPORT_RUNS,
        place=158,
        more=True,
    ),
    Tab("import", gettext_lazy("Import"), "evaluation:import", right=Right.IMPORT_RUNS, place=160, more=True),
    Tab("export", gettext_lazy("Export"), "evaluation:export", right=Right.EXPORT, place=170, more=True),
]
SECTIONS = [
    Section("drafting", gettext_lazy("Drafting"), "evaluation:drafting", place=6),
    Section("evidence", gettext_lazy("Evidence tests"), "evaluation:evidence", place=6),
    Section("metrics", gettext_lazy("Metrics"), "evaluation:metric-settings", place=10),
    Section("trash", gettext_lazy("Trash"), "evaluation:trash", place=30),
]
