"""What the columns of a table are read as: chosen, else as saved for the same columns, else guessed; and its saving."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.importers.interface import ImportProblem
from annotation.models import Benchmark
from evaluation.importers.mapping import guessed, header_digest, mapping_from
from evaluation.importers.table import Column, columns_of
from evaluation.models import SavedMapping
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import InvalidInput

FORMAT = "table"


def columns_in(path: Path) -> list[Column]:
    """The columns of a table; none of a file that is no table, of which the reading will say why."""
    try:
        return columns_of(path)
    except ImportProblem:
        return []


def saved_for(benchmark: Benchmark, columns: list[str]) -> SavedMapping | None:
    """The mapping that was saved for a table of these columns."""
    return benchmark.column_mappings.select_related("saved_by").filter(header=header_digest(columns)).first()


def options_for(benchmark: Benchmark, path: Path, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a table: what was chosen stays; what was not comes from the saved mapping, else from the names."""
    if options.get("mapping"):
        return dict(options)
    names = [column.name for column in columns_in(path)]
    if saved := saved_for(benchmark, names):
        return {**options, "mapping": saved.mapping, "coordinates": options["coordinates"] or saved.coordinates}
    return {**options, "mapping": guessed(names).as_dict()}


def checked(value: object) -> dict[str, Any]:
    """A mapping as options keep it. Raises ``InvalidInput``."""
    try:
        return mapping_from(value).as_dict()
    except ImportProblem as problem:
        raise InvalidInput(str(problem), field="mapping") from problem


def save_mapping(*, actor: User | None, benchmark: Benchmark, path: Path, options: Mapping[str, Any]) -> None:
    """Keep the mapping of a table for the next one of the same columns. Call inside a transaction."""
    header = header_digest(column.name for column in columns_in(path))
    values = {"mapping": options["mapping"], "coordinates": options["coordinates"]}
    now = SavedMapping.objects.filter(benchmark=benchmark, header=header).first()
    if now and {"mapping": now.mapping, "coordinates": now.coordinates} == values:
        return
    saved, _ = SavedMapping.objects.update_or_create(
        benchmark=benchmark, header=header, defaults={**values, "saved_by": actor}
    )
    audit.record(actor=actor, action="mapping.save", subject=saved, benchmark=benchmark.slug, data=values)
