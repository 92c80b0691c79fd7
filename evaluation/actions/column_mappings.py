"""What the columns of a table are read as: chosen, else as saved for the same columns, else guessed; and its saving."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from annotation.importers.any_table import Column, columns_of
from annotation.importers.interface import ImportProblem
from annotation.importers.mapping import TableFields, header_digest
from annotation.importers.sample_columns import SAMPLE_FIELDS
from annotation.models import Benchmark, ImportRecord
from evaluation.importers.mapping import RUN_FIELDS
from evaluation.models import SavedMapping
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput

FORMAT = "table"
FIELDS: Mapping[str, TableFields] = {
    ImportRecord.Kind.SAMPLES.value: SAMPLE_FIELDS,
    ImportRecord.Kind.RUNS.value: RUN_FIELDS,
}
"""What columns may be read as, in a table of samples and in one of runs."""


def columns_in(path: Path) -> list[Column]:
    """The columns of a table; none of a file that is no table, of which the reading will say why."""
    try:
        return columns_of(path)
    except ImportProblem:
        return []


def saved_for(benchmark: Benchmark, kind: str, columns: Iterable[str]) -> SavedMapping | None:
    """The mapping that was saved for a table of these columns, read as samples or as runs."""
    return benchmark.column_mappings.select_related("saved_by").filter(header=_header(kind, columns)).first()


def _header(kind: str, columns: Iterable[str]) -> str:
    return header_digest(columns, "" if kind == ImportRecord.Kind.RUNS else kind)


def options_for(benchmark: Benchmark, kind: str, path: Path, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a table: what was chosen stays; what was not comes from the saved mapping, else from the names."""
    if options.get("mapping"):
        return dict(options)
    names = [column.name for column in columns_in(path)]
    if saved := saved_for(benchmark, kind, names):
        return {**options, "mapping": saved.mapping, "coordinates": options["coordinates"] or saved.coordinates}
    return {**options, "mapping": FIELDS[kind].guessed(names).as_dict()}


def checked(kind: str, value: object) -> dict[str, Any]:
    """A mapping as options keep it. Raises ``InvalidInput``."""
    try:
        return FIELDS[kind].mapping_from(value).as_dict()
    except ImportProblem as problem:
        raise InvalidInput(str(problem), field="mapping") from problem


def save_mapping(
    *, actor: User | None, benchmark: Benchmark, kind: str, path: Path, options: Mapping[str, Any]
) -> None:
    """Keep the mapping of a table for the next one of the same columns. Call inside a transaction."""
    header = _header(kind, (column.name for column in columns_in(path)))
    values = {"mapping": options["mapping"], "coordinates": options["coordinates"]}
    now = SavedMapping.objects.filter(benchmark=benchmark, header=header).first()
    if now and {"mapping": now.mapping, "coordinates": now.coordinates} == values:
        return
    saved, _ = SavedMapping.objects.update_or_create(
        benchmark=benchmark, header=header, defaults={**values, "saved_by": actor}
    )
    audit.record(actor=actor, action="mapping.save", subject=saved, benchmark=benchmark.slug, data=values)
