"""Mappings of imports."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.models import Benchmark
from evaluation.imports.read.mappings import KEYS, columns_in, header_of, is_of, shape_digest
from evaluation.models import SavedMapping
from webapp.accounts.models import User
from webapp.common import audit


def save_mapping(
    *, actor: User | None, benchmark: Benchmark, kind: str, path: Path, options: Mapping[str, Any]
) -> None:
    """Keep the mapping of a table for the next one of the same columns. Call inside a transaction."""
    by_keys = is_of(KEYS, options["mapping"])
    header = shape_digest(path) if by_keys else header_of(kind, (column.name for column in columns_in(path)))
    values = {"mapping": options["mapping"], "coordinates": options["coordinates"]}
    now = SavedMapping.objects.filter(benchmark=benchmark, header=header).first()
    if now and {"mapping": now.mapping, "coordinates": now.coordinates} == values:
        return
    saved, _ = SavedMapping.objects.update_or_create(
        benchmark=benchmark, header=header, defaults={**values, "saved_by": actor}
    )
    audit.record(actor=actor, action="mapping.save", subject=saved, benchmark=benchmark.slug, data=values)
