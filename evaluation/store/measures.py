"""The measures of trajectories under their export names, read from the files of runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.metrics.catalogue import SAMPLE_COLUMNS
from evaluation.metrics.reading import REASONS
from evaluation.store import schema
from evaluation.store.engine import Reader, parquet
from evaluation.store.files import folder

CHUNK = 2000
_STORED: Mapping[str, str] = {measure: column for column, measure in schema.MEASURES.items()} | {
    "correct": schema.CORRECT,
    "letter": "CASE WHEN scored THEN coalesce(reading, '') END",
    # The query language has another word for this value, because "none" means undefined there.
    "unread_reason": f"CASE unread_reason WHEN 'nothing' THEN '{REASONS[0]}' ELSE unread_reason END",
}
MEASURES: Mapping[str, str] = {
    name: _STORED.get(name, name) for name in SAMPLE_COLUMNS if name not in ("run", "model", "sample")
}
"""Expression for each measure of docs/metrics.md#exports: choices by name, null where undefined."""
_MEASURED = "scored AND condition = 'none'"
"""The scored trajectories without an intervention."""


def measured_rows(file: Path) -> Iterator[tuple[Any, ...]]:
    """Yield the scored trajectories of a run without an intervention, by sample and rollout: primary key, id of the
    sample, and ``MEASURES`` in their order."""
    columns = ", ".join(f"{sql} AS m{place}" for place, sql in enumerate(MEASURES.values()))
    statement = f"SELECT pk, sample_key, {columns} FROM {parquet(file)} WHERE {_MEASURED} ORDER BY sample_key, rollout"
    return Reader(folder()).stream(statement, CHUNK)


def count_measured(files: Sequence[Path]) -> int:
    """The number of rows of ``measured_rows`` for these runs."""
    if not files:
        return 0
    [(found,)] = Reader(folder()).rows(f"SELECT count(*) FROM {parquet(*files)} WHERE {_MEASURED}", {})
    return int(found)
