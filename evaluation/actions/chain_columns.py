"""The toolchains of a scored run, kept beside the columns of its list: what the analysis of toolchains is made of."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.actions.list_columns import read_columns
from evaluation.actions.load_columns import LoadedRun
from evaluation.metrics.chains import Chains
from evaluation.metrics.columns import Ints
from evaluation.metrics.names import canonical_name
from evaluation.metrics.ragged import starts_of
from evaluation.models import ListColumn, Scoring
from webapp.common.bulk import insert_rows

NAMES = "chain names"
_NUMBERS = ("pk", "calls", "tool", "effective", "paired", "known", "references", "reference")
_COLUMNS = (NAMES, *(f"chain {name}" for name in _NUMBERS))


@dataclass(frozen=True)
class KeptChains:
    """``pks``: the trajectory of each row. ``called``: how the run's calls write each tool, by canonical name."""

    pks: Ints
    chains: Chains
    called: Mapping[str, list[str]]


def keep_chains(scoring: Scoring, loaded: LoadedRun, chains: Chains) -> None:
    """Call in the transaction that writes the scores."""
    names = {
        "names": chains.names,
        "called": _written(loaded.columns.tools),
    }
    found: dict[str, NDArray[Any]] = {
        "pk": np.array(loaded.pks, np.int64),
        "calls": np.diff(chains.start).astype(np.int32),
        "tool": chains.tool.astype(np.int32),
        "effective": chains.effective.astype(np.int8),
        "paired": chains.paired.astype(np.int32),
        "known": chains.known.astype(np.int8),
        "references": np.diff(chains.reference_start).astype(np.int32),
        "reference": chains.reference.astype(np.int32),
    }
    columns = {NAMES: np.frombuffer(json.dumps(names).encode(), np.uint8)}
    columns |= {f"chain {name}": values for name, values in found.items()}
    rows = [(scoring.pk, name, values.dtype.str, values.tobytes()) for name, values in columns.items()]
    insert_rows(ListColumn, ["scoring", "name", "kind", "data"], rows)


def read_chains(scorings: Collection[int]) -> dict[int, KeptChains]:
    """By scoring; one that keeps none, as it is older or something was imported since, is left out. One query."""
    found = read_columns(scorings, _COLUMNS)
    return {scoring: _kept(columns) for scoring, columns in found.items() if len(columns) == len(_COLUMNS)}


def _kept(columns: Mapping[str, NDArray[Any]]) -> KeptChains:
    names = json.loads(columns[NAMES].tobytes())
    pk, calls, tool, effective, paired, known, references, reference = (
        columns[f"chain {name}"].astype(np.int64) for name in _NUMBERS
    )
    chains = Chains(
        tuple(names["names"]), starts_of(calls), tool, effective == 1, paired, known == 1, starts_of(references),
        reference,
    )  # fmt: skip
    return KeptChains(pk, chains, names["called"])


def _written(names: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        found.setdefault(canonical_name(name), []).append(name)
    return found
