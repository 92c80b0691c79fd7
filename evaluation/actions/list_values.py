"""Which trajectories of a scored run have one value of a field of names, kept beside the columns of its list: a value
is found without a look at any other, at a step or at a score.

Fields and values mean what they mean in ``evaluation.querysets_query``: tests hold the two together.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from evaluation.actions.load_columns import LoadedRun
from evaluation.metrics.chains import (
    BETWEEN,
    Chains,
    confusion_rows,
    half_word,
    pair_word,
    reference_rows,
    transition_rows,
)
from evaluation.metrics.columns import Bools, Ints, SampleColumns, ScoreColumns
from evaluation.metrics.heatmap import COLUMNS, NO_CELL, cells_of_crops
from evaluation.metrics.names import canonical_name
from evaluation.metrics.ragged import grouped, rows_of
from evaluation.models import ListValue, Scoring
from evaluation.querysets_chains import names_of
from webapp.common.bulk import insert_rows

Values = dict[str, dict[str, Ints]]
"""By field and key: the trajectories, as rows."""
ANY = ""
"""The key of those that have the field at all."""
LONGEST = 150
"""A longer value is kept by its digest."""
BITS, NUMBERS = "|u1", "<i4"
"""Rows are kept as a bit for each trajectory of the run, or as numbers where that takes fewer bytes."""


def keys_of(field: str, value: str) -> list[str]:
    """The keys that a value of the field means in a query, any of which will do."""
    return [_key(one) for one in NAMED[field](value)]


def _pair(value: str) -> list[str]:
    first, between, second = value.partition(BETWEEN)
    return [pair_word(canonical_name(first), canonical_name(second))] if between else []


def _cell(value: str) -> list[str]:
    found = re.fullmatch(r"(\d{1,3})-(\d{1,3})", value)
    return [f"{int(found[1])}-{int(found[2])}"] if found else []


NAMED: Mapping[str, Callable[[str], list[str]]] = {
    "tool": names_of,
    "tool_failed": names_of,
    "reference_tool": lambda value: [half_word(canonical_name(value))],
    "aligned": _pair,
    "followed": _pair,
    "crop_cell": _cell,
}
"""The fields that are kept: what is kept of a value that is asked for."""


def values_of(samples: SampleColumns, loaded: LoadedRun, scores: ScoreColumns, chains: Chains) -> Values:
    """Of trajectories as rows of ``loaded``."""
    n, run = len(scores), loaded.columns
    caller, tool = rows_of(run.step_start), run.steps.tool
    cells = cells_of_crops(samples, scores)
    placed = np.flatnonzero(cells != NO_CELL)
    found = {
        "tool": {run.tools[code]: rows for code, rows in grouped(tool, caller, n)},
        "tool_failed": {run.tools[code]: rows for code, rows in grouped(tool[loaded.failed], caller[loaded.failed], n)},
        "reference_tool": reference_rows(chains),
        "aligned": confusion_rows(chains),
        "followed": transition_rows(chains),
        "crop_cell": {f"{cell % COLUMNS}-{cell // COLUMNS}": rows for cell, rows in grouped(cells[placed], placed, n)},
    }
    keyed = {field: {_key(value): rows for value, rows in named.items()} for field, named in found.items()}
    for named in keyed.values():
        named[ANY] = np.unique(np.concatenate([np.empty(0, np.int64), *named.values()]))
    keyed["reference_tool"][ANY] = np.flatnonzero(chains.known)
    return keyed


def _key(value: str) -> str:
    return f"={value}" if len(value) <= LONGEST else f"#{blake2b(value.encode(), digest_size=16).hexdigest()}"


def keep_values(scoring: Scoring, pks: Ints, parts: Sequence[tuple[Sequence[int], Values]]) -> None:
    """Store them beside the scores. Call in the transaction that wrote these.

    ``pks``: the trajectories of the run in the order of its columns. ``parts``: the values of some of them.
    """
    order, found = np.argsort(pks), defaultdict[tuple[str, str], list[Ints]](list)
    for theirs, values in parts:
        places = order[np.searchsorted(pks, np.array(theirs, np.int64), sorter=order)]
        for field, keyed in values.items():
            for key, rows in keyed.items():
                found[field, key].append(places[rows])
    insert_rows(
        ListValue,
        ["scoring", "field", "value", "kind", "rows"],
        [(scoring.pk, *named, *packed_rows(np.concatenate(rows), len(pks))) for named, rows in found.items()],
    )


def packed_rows(rows: Ints, n: int) -> tuple[str, bytes]:
    """Kind and bytes of some of n rows."""
    if 32 * len(rows) < n:
        return NUMBERS, np.sort(rows).astype(NUMBERS).tobytes()
    there = np.zeros(n, np.bool_)
    there[rows] = True
    return BITS, np.packbits(there).tobytes()


def put_rows(there: Bools, kind: str, data: bytes) -> None:
    """Set the rows that ``packed_rows`` packed among ``there`` (n,)."""
    rows = np.frombuffer(data, np.dtype(kind))
    if kind == NUMBERS:
        there[rows] = True
    else:
        there |= bits(rows, len(there))


def bits(packed: NDArray[np.uint8], size: int) -> Bools:
    """(``size``,) truth values that ``np.packbits`` packed."""
    found: Bools = np.unpackbits(packed, count=size).view(np.bool_)
    return found


def read_values(scorings: Collection[int], field: str, keys: Collection[str]) -> dict[int, list[tuple[str, bytes]]]:
    """Kind and bytes of the rows with each of these keys, by scoring; one that keeps none, as it is older or something
    was imported since, is left out. One query."""
    rows = ListValue.objects.filter(scoring__in=scorings, field=field, value__in={ANY, *keys})
    found: dict[int, list[tuple[str, bytes]]] = {}
    for scoring, key, kind, data in rows.values_list("scoring_id", "value", "kind", "rows").iterator(chunk_size=100):
        found.setdefault(scoring, [])
        if key in keys:
            found[scoring].append((kind, bytes(data)))
    return found
