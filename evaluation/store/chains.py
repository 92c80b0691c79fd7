"""The toolchains of some runs as columns, read from their files."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.metrics.chains import Chains
from evaluation.metrics.columns import Ints
from evaluation.metrics.ragged import starts_of
from evaluation.store.schema import ORDER
from evaluation.store.snapshot import Snapshot


@dataclass(frozen=True)
class StoredChains:
    """n trajectories in list order. ``facts``: (n,) further columns by name, NaN where undefined. ``called``: how calls
    write each tool, by canonical name."""

    chains: Chains
    facts: Mapping[str, NDArray[Any]]
    called: Mapping[str, Sequence[str]]


def analyzed_runs(snapshot: Snapshot) -> set[int]:
    """The runs whose toolchains are in their files: all that were scored and not changed since."""
    return {run for [run] in snapshot.ask("SELECT DISTINCT run FROM rows WHERE call_tools IS NOT NULL")}


def read_chains(
    snapshot: Snapshot, runs: Collection[int], facts: Sequence[str], *, samples: Ints | None = None
) -> StoredChains:
    """Read the toolchains of the trajectories of these runs that metrics use, on all samples or on these. ``facts``:
    columns of ``contributions`` or ``samples``."""
    among = ", ".join(map(str, sorted(runs))) or "NULL"
    only = ""
    if samples is not None:
        snapshot.register("chosen", {"sample": samples})
        only = "AND sample IN (SELECT sample FROM chosen)"
    source = (
        f"SELECT rows.*, samples.cluster, row_number() OVER (ORDER BY {', '.join(ORDER)}) - 1 AS row "
        f"FROM contributions AS rows JOIN samples USING (sample) "
        f"WHERE run IN ({among}) AND evaluated AND call_tools IS NOT NULL {only}"
    )
    snapshot.view("analyzed", source)
    columns = snapshot.columns(
        f"SELECT {', '.join(facts)}, reference_chain IS NOT NULL AS known, len(call_tools) AS calls_n, "
        "coalesce(len(reference_chain), 0) AS references_n FROM analyzed ORDER BY row"
    )
    names = [
        name
        for [name] in snapshot.ask(
            "SELECT DISTINCT name FROM (SELECT unnest(call_tools) AS name FROM analyzed UNION ALL "
            "SELECT unnest(reference_chain) FROM analyzed) ORDER BY name"
        )
    ]
    snapshot.register("names", {"name": np.array(names, np.object_), "code": np.arange(len(names))})
    attempts = snapshot.columns(
        "SELECT code, effective, paired FROM (SELECT row, generate_subscripts(call_tools, 1) AS place, "
        "unnest(call_tools) AS name, unnest(call_effective) AS effective, unnest(call_paired) AS paired FROM analyzed) "
        "JOIN names USING (name) ORDER BY row, place"
    )
    wanted = snapshot.columns(
        "SELECT code FROM (SELECT row, generate_subscripts(reference_chain, 1) AS place, "
        "unnest(reference_chain) AS name FROM analyzed) JOIN names USING (name) ORDER BY row, place"
    )
    chains = Chains(
        names=tuple(names),
        start=starts_of(_ints(columns["calls_n"])),
        tool=_ints(attempts["code"]),
        effective=np.asarray(attempts["effective"], np.bool_),
        paired=_ints(attempts["paired"]),
        known=np.asarray(columns["known"], np.bool_),
        reference_start=starts_of(_ints(columns["references_n"])),
        reference=_ints(wanted["code"]),
    )
    called: dict[str, list[str]] = {}
    for tool, name in snapshot.ask(
        "SELECT DISTINCT tool, name FROM (SELECT unnest(call_tools) AS tool, unnest(call_names) AS name FROM analyzed) "
        "ORDER BY tool, name"
    ):
        called.setdefault(tool, []).append(name)
    return StoredChains(
        chains, {name: np.ma.filled(columns[name].astype(np.float64), np.nan) for name in facts}, called
    )


def _ints(values: NDArray[Any]) -> Ints:
    found: Ints = np.asarray(values, np.int64)
    return found
