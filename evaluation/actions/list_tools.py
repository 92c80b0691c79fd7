"""Which trajectories of a table call a tool, from the chains kept at scoring: without a look at the steps.

Calls are kept by canonical name. Where a run writes one tool in several ways, and for trajectories that have no kept
chain (further rollouts, interventions, runs that are not scored), the database is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from django.db.models import Q
from numpy.typing import NDArray

from evaluation.metrics.columns import Bools, Ints
from evaluation.metrics.ragged import rows_of
from evaluation.query.syntax import DEFINED, UNDEFINED
from evaluation.querysets_chains import names_of

if TYPE_CHECKING:
    from evaluation.actions.chain_columns import KeptChains


@dataclass(frozen=True)
class ToolRows:
    """Of n trajectories, as bits. ``calling``: by name as written; ``made``: a call of any tool; ``covered``: with a
    kept chain. ``unlike``: runs that write the tool in other ways too, by name; ``unkept``: runs without chains."""

    size: int
    calling: Mapping[str, NDArray[np.uint8]]
    made: NDArray[np.uint8]
    covered: NDArray[np.uint8]
    unlike: Mapping[str, Set[int]]
    unkept: Set[int]


def tool_rows(size: int, runs: Set[int], kept: Mapping[int, KeptChains], places: Callable[[Ints], Ints]) -> ToolRows:
    """``kept``: by run. ``places``: where trajectories stand among the n, in the order of their numbers given."""
    calling: dict[str, Bools] = {}
    made, covered = np.zeros(size, np.bool_), np.zeros(size, np.bool_)
    unlike: dict[str, set[int]] = {}
    for run, chains in kept.items():
        at = places(chains.pks)
        tool, row = chains.chains.tool, rows_of(chains.chains.start)
        covered[at] = True
        made[at[row]] = True
        for code, canonical in enumerate(chains.chains.names):
            written = chains.called.get(canonical, ())
            for name in written if len(written) > 1 else ():
                unlike.setdefault(name, set()).add(run)
            if len(written) == 1:
                calling.setdefault(written[0], np.zeros(size, np.bool_))[at[row[tool == code]]] = True
    packed = {name: np.packbits(rows) for name, rows in calling.items()}
    return ToolRows(size, packed, np.packbits(made), np.packbits(covered), unlike, runs - set(kept))


def calls_tool(rows: ToolRows, value: str, ask: Callable[[Q], Bools]) -> Bools:
    """(n,) as ``evaluation.querysets_chains.called``. ``ask``: those of some trajectories that the database finds."""
    covered, names = bits(rows.covered, rows.size), names_of(value)
    apart = {run for name in names for run in rows.unlike.get(name, ())}
    if value in (DEFINED, UNDEFINED):
        made = bits(rows.made, rows.size)
        found = covered & (made if value == DEFINED else ~made)
        apart = set()
    else:
        found = np.zeros(rows.size, np.bool_)
        for name in names:
            found |= bits(rows.calling[name], rows.size) if name in rows.calling else False
    if apart or rows.unkept or not covered.all():
        found |= ask(Q(run__in=apart | rows.unkept) | ~Q(condition="none") | Q(rollout__gt=0))
    return found


def bits(packed: NDArray[np.uint8], size: int) -> Bools:
    """(``size``,) truth values that ``np.packbits`` packed."""
    found: Bools = np.unpackbits(packed, count=size).view(np.bool_)
    return found
