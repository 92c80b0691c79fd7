"""The tables of the analysis of toolchains to take away."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import FileResponse

from evaluation.actions.chain_tables import CHAIN_TABLES, Rows
from evaluation.actions.read_chains import ChainAnalysis
from evaluation.exporters.tables import WRITERS
from evaluation.views.exports import download
from webapp.common.errors import InvalidInput

FORMATS = ("csv", "json")


def chains_file(slug: str, found: ChainAnalysis, table: str, format: str) -> FileResponse:
    """Raises ``InvalidInput`` for a table or a format that there is not."""
    if table not in CHAIN_TABLES:
        raise InvalidInput(f"There are the tables {', '.join(CHAIN_TABLES)}, and no {table[:40]!r}.", field="table")
    export = CHAIN_TABLES[table]
    name = "-".join([slug, "toolchains", table, *(str(run.pk) for run in found.runs[:6])])
    return rows_file(name, format, export.rows(found), export.columns)


def rows_file(name: str, format: str, rows: Rows, columns: Sequence[str]) -> FileResponse:
    """Raises ``InvalidInput`` for a format that there is not."""
    if format not in FORMATS:
        raise InvalidInput(f"A table is exported as {' or '.join(FORMATS)}, not as {format[:40]!r}.", field="format")
    return download(f"{name}.{format}", lambda out: WRITERS[format](out, rows, columns))
