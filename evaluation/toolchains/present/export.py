"""Exports of the tables of the analysis of toolchains."""

from __future__ import annotations

from django.http import FileResponse
from django.utils.translation import gettext

from evaluation.common.downloads import rows_file
from evaluation.toolchains.read.analysis import ChainAnalysis
from evaluation.toolchains.read.tables import CHAIN_TABLES
from webapp.common.errors import InvalidInput


def chains_file(slug: str, found: ChainAnalysis, table: str, format: str) -> FileResponse:
    """Return a table as a file. Raises ``InvalidInput`` for an unknown table or format."""
    if table not in CHAIN_TABLES:
        raise InvalidInput(
            gettext("Unknown table %(table)s. Choose from %(chain_tables)s.")
            % {"table": repr(table[:40]), "chain_tables": ", ".join(CHAIN_TABLES)},
            field="table",
        )
    export = CHAIN_TABLES[table]
    name = "-".join([slug, "toolchains", table, *(str(run.pk) for run in found.runs[:6])])
    return rows_file(name, format, export.rows(found), export.columns)
