"""The tabs of this half on the pages of a benchmark, and its sections of the settings."""

from __future__ import annotations

from annotation.common.sections import Section
from annotation.common.tabs import Finder, Tab
from annotation.workflow import Right

IN_TRAJECTORIES = Finder("evaluation:trajectories", "Find trajectories", "evaluation:query-words", Right.SEE_GOLD)
TABS = [
    Tab("runs", "Runs", "evaluation:runs", lambda b, _: b.runs.count(), Right.SEE_GOLD, 40, IN_TRAJECTORIES),
    Tab("leaderboard", "Leaderboard", "evaluation:leaderboard", right=Right.SEE_GOLD, place=50, finder=IN_TRAJECTORIES),
    Tab("compare", "Compare", "evaluation:compare", right=Right.SEE_GOLD, place=60, finder=IN_TRAJECTORIES),
    Tab("import", "Import", "evaluation:import", right=Right.IMPORT_RUNS, place=80),
    Tab("export", "Export", "evaluation:export", right=Right.EXPORT, place=90),
]
SECTIONS = [Section("metrics", "Metrics", "evaluation:metric-settings", place=10)]
