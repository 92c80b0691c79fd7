"""The tabs of this half on the pages of a benchmark, and its sections of the settings."""

from __future__ import annotations

from annotation.views.settings import Section
from annotation.views.tabs import Tab
from annotation.workflow import Right

TABS = [
    Tab("runs", "Runs", "evaluation:runs", lambda benchmark: benchmark.runs.count(), place=40),
    Tab("leaderboard", "Leaderboard", "evaluation:leaderboard", place=50),
    Tab("compare", "Compare", "evaluation:compare", right=Right.SEE_GOLD, place=60),
    Tab("import", "Import", "evaluation:import", right=Right.IMPORT_RUNS, place=80),
    Tab("export", "Export", "evaluation:export", right=Right.EXPORT, place=90),
]
SECTIONS = [Section("metrics", "Metrics", "evaluation:metric-settings", place=10)]
