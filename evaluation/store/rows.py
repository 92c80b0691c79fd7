"""Rows of the store by the primary keys of their trajectories."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from evaluation.store.snapshot import Snapshot


def read_rows(snapshot: Snapshot, pks: Collection[int], columns: Mapping[str, str]) -> dict[int, dict[str, Any]]:
    """Evaluate these expressions on ``rows`` and ``samples`` for each of these trajectories that exists, by name."""
    if not columns:
        return {pk: {} for pk in pks}
    snapshot.register("wanted", {"pk": np.fromiter(pks, np.int64, len(pks))})
    each = ", ".join(f"{sql} AS v{place}" for place, sql in enumerate(columns.values()))
    found = snapshot.ask(f"SELECT pk, {each} FROM rows SEMI JOIN wanted USING (pk) LEFT JOIN samples USING (sample)")
    return {pk: dict(zip(columns, values, strict=True)) for pk, *values in found}
