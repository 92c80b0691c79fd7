"""Decisions on groups of answers as CSV: what ``manage.py answers --unread --format csv`` prints, filled in."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

from annotation.importers.interface import ImportProblem

COLUMNS = ("group", "decision")
LONGEST = 20
"""Characters of a decision."""
GROUP = re.compile(r"[0-9a-f]{16}\Z")
"""Names of groups: see ``evaluation.metrics.answers.group_key``."""


def decisions_in(path: Path) -> Iterator[tuple[str, str]]:
    """Group and decision of each row that has one. Raises ``ImportProblem``."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            if missing := set(COLUMNS) - set(rows.fieldnames or ()):
                raise ImportProblem(f"{path} has no column {' and '.join(sorted(missing))}.")
            for row in rows:
                if decision := (row["decision"] or "").strip():
                    if len(decision) > LONGEST or not decision.isprintable():
                        raise ImportProblem(f"{path}, line {rows.line_num}: {decision[:40]!r} is not a decision.")
                    group = (row["group"] or "").strip()
                    if not GROUP.match(group):
                        raise ImportProblem(
                            f"{path}, line {rows.line_num}: {group[:40]!r} is not a group. A spreadsheet program may "
                            "have changed it to a number."
                        )
                    yield group, decision.lower() if decision.lower() in ("y", "n") else decision
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ImportProblem(f"{path} cannot be read as CSV. Check the path.") from error
