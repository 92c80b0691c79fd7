"""Download of a list of trajectories: all rows, in the order of the list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import FileResponse
from django.utils.translation import gettext

from annotation.common.access import known_to
from evaluation.common.downloads import download
from evaluation.exporters.tables import WRITERS
from evaluation.store.trajectory_list import TrajectoryList
from evaluation.trajectories.read.rows import columns_with, list_rows
from webapp.common.errors import InvalidInput


def list_file(benchmark: Any, found: TrajectoryList, person: Any, format: str, shown: Sequence[str]) -> FileResponse:
    """Return the list as a file, with a column for each shown field. Raises ``InvalidInput`` for an unknown
    format."""
    if format not in WRITERS:
        raise InvalidInput(
            gettext("A list is exported as %(writers)s, not as %(format)s.")
            % {"writers": ", ".join(WRITERS), "format": repr(format)},
            field="format",
        )
    columns = columns_with(shown)
    rows = list_rows(found.snapshot, found.pks.tolist(), columns, named=known_to(person, benchmark).marks)
    return download(f"{benchmark.slug}-trajectories.{format}", lambda out: WRITERS[format](out, rows, columns))
