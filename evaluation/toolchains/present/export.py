"""The tables of the analysis of toolchains to take away."""

from __future__ import annotations

from django.http import FileResponse

from evaluation.common.downloads import rows_file
from evaluation.toolchains.read.analysis import ChainAnalysis
from evaluation.toolchains.read.tables import CHAIN_TABLES
from webapp.common.errors import InvalidInput


def chains_file(slug: str, found: ChainAnalysis, table: str, format: str) -> FileResponse:
    """Raises ``InvalidInput`` for a table or a format that there is not."""
    if table not in CHAIN_TABLES:
        raise InvalidInput(f"Unknown table {table[:40]!r}. Choose from {', '.join(CHAIN_TABLES)}.", field="table")
    export = CHAIN_TABLES[table]
    name = "-".join([slug, "toolchains", table, *(str(run.pk) for run in found.runs[:6])])
    return rows_file(name, format, export.rows(found), export.columns)
