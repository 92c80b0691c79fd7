"""The machine of a measurement, without its name or any path."""

from __future__ import annotations

import os
import platform
import sqlite3
import timeit
from importlib.metadata import version
from pathlib import Path


def describe() -> list[str]:
    """What a reader needs to compare: processor, memory, load from others, versions."""
    one, five, _ = os.getloadavg()
    return [
        f"Processor: {_processor()}, {len(os.sched_getaffinity(0))} cores usable",
        f"Memory: {os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
        f"System: {platform.system()} {platform.machine()}",
        f"Load when it began: {one:.1f} over one minute, {five:.1f} over five",
        f"Pace: {_pace():.0f} ns for a turn of a plain loop",
        f"Python {platform.python_version()}, NumPy {version('numpy')}, Django {version('django')}, "
        f"SQLite {sqlite3.sqlite_version}",
    ]


def _pace() -> float:
    """Nanoseconds, the best of five. Processors of one name differ by more than most of what is measured here."""
    turns = 200_000
    return min(timeit.repeat("total += turn * turn % 7", "total = turn = 3", number=turns, repeat=5)) / turns * 1e9


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")
