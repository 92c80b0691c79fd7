"""A list of trajectories to take away: all of its rows, in its order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import FileResponse

from evaluation.actions.list_rows import LIST_COLUMNS, list_rows
from evaluation.actions.read_list import TrajectoryList
from evaluation.exporters.tables import WRITERS
from evaluation.models import Run
from evaluation.views.exports import download
from webapp.common.errors import InvalidInput


def list_file(slug: str, found: TrajectoryList, runs: Sequence[Run], person: Any, format: str) -> FileResponse:
    """Raises ``InvalidInput`` for a format that there is not."""
    if format not in WRITERS:
        raise InvalidInput(f"A list is exported as {', '.join(WRITERS)}, not as {format!r}.", field="format")
    rows = list_rows(found.pks.tolist(), runs, person)
    return download(f"{slug}-trajectories.{format}", lambda out: WRITERS[format](out, rows, LIST_COLUMNS))
