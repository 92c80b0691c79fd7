"""bench/RESULTS.md: a section for each bench, with the machine and the hour of its own measurement."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

RESULTS = Path(__file__).parent / "RESULTS.md"
HEAD = """# Measurements

Written by `make bench`, and by `python -m bench NAME` for one section. The ratio is the value over its target; the
limit says what is left to gain, or what others need for the same.
"""
_SECTION = re.compile(r"^## (\w+)$", re.MULTILINE)


def keep(name: str, described: Iterable[str], shown: str, order: Sequence[str]) -> None:
    """Put the table of one bench instead of the former one; ``order``: of all benches."""
    sections = _sections(RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else "")
    listed = "\n".join(f"- {line}" for line in [*described, f"Measured on {datetime.now(UTC):%d %B %Y}"])
    sections[name] = f"{listed}\n\n{shown}"
    parts = [f"## {one}\n\n{sections[one]}\n" for one in order if one in sections]
    RESULTS.write_text("\n".join([HEAD, *parts]), encoding="utf-8")


def _sections(text: str) -> dict[str, str]:
    """Name of a bench -> what stands under it."""
    parts = _SECTION.split(text)[1:]
    return {name: body.strip() for name, body in zip(parts[::2], parts[1::2], strict=True)}
