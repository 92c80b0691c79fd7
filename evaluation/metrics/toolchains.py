"""Effective toolchains by backtracking, and counts of calls and tools (docs/metrics.md#toolchains)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.metrics.columns import NO_IMAGE, ORIGINAL_IMAGE, Bools, ChainStatus, Ints, RunColumns
from evaluation.metrics.names import name_codes
from evaluation.metrics.producers import NO_STEP, Producers
from evaluation.metrics.ragged import count_true, distinct_counts, latest_true, positions_of, rows_of


@dataclass(frozen=True)
class Toolchains:
    """Lengths and tools of the toolchains of a run.

    Attributes:
        calls: (n,) L_T, calls attempted. effective_calls: (n,) L_e, 0 when empty or broken.
        unique_tools, effective_unique_tools: (n,) distinct tool names under ``tool_aliases``.
        chain_status: (n,) see ``ChainStatus``. effective: (s,) the step is on the effective toolchain.
    """

    calls: Ints
    unique_tools: Ints
    effective_calls: Ints
    effective_unique_tools: Ints
    chain_status: Ints
    effective: Bools


def measure_toolchains(run: RunColumns, producers: Producers, canonical: bool = False) -> Toolchains:
    """The toolchain measures of every trajectory; ``canonical``: tools are distinguished by canonical name."""
    codes = name_codes(run.tools, {}, canonical)[run.steps.tool] if len(run.steps) else np.empty(0, np.int64)
    effective, status = backtrack(run, producers)
    return Toolchains(
        calls=np.diff(run.step_start),
        unique_tools=distinct_counts(codes, run.step_start),
        effective_calls=count_true(effective, run.step_start),
        effective_unique_tools=distinct_counts(codes, run.step_start, effective),
        chain_status=status,
        effective=effective,
    )


def backtrack(run: RunColumns, producers: Producers) -> tuple[Bools, Ints]:
    """The steps on the effective toolchain (s,), and the status of each (n,) (docs/metrics.md#effective-toolchain).

    From the final output back to the original, over all inputs, each step once. The final output is the producer of
    the named final image, else the last successful call. EMPTY: no successful call, or the final image is the
    original. BROKEN: an image on the way has no producer, or a call names no input; then no step is effective.
    """
    steps = run.steps
    reached = np.zeros(len(steps), bool)
    final, status = _final_steps(run, producers)
    reached[final[final != NO_STEP]] = True
    reader = rows_of(steps.in_start)
    _spread(reached, reader, producers.of_input, positions_of(run.step_start))
    lost = (steps.image_in != ORIGINAL_IMAGE) & (producers.of_input == NO_STEP)
    faulty = np.diff(steps.in_start) == 0
    faulty[reader[lost]] = True
    trajectory = rows_of(run.step_start)
    status[trajectory[faulty & reached]] = ChainStatus.BROKEN
    reached &= status[trajectory] == ChainStatus.OK
    return reached, status


def _final_steps(run: RunColumns, producers: Producers) -> tuple[Ints, Ints]:
    """Return the step of each trajectory's final output, or NO_STEP with the status that gives the reason."""
    last_ok = np.full(len(run), NO_STEP)
    has_steps = np.diff(run.step_start) > 0
    last_ok[has_steps] = latest_true(run.steps.ok, run.step_start)[run.step_start[1:][has_steps] - 1]
    final = np.where(run.final_image == NO_IMAGE, last_ok, producers.of_final)
    empty = (last_ok == NO_STEP) | (run.final_image == ORIGINAL_IMAGE)
    status = np.where(empty, ChainStatus.EMPTY, np.where(final == NO_STEP, ChainStatus.BROKEN, ChainStatus.OK))
    return np.where(empty, NO_STEP, final), status


def _spread(reached: Bools, reader: Ints, producer: Ints, position: Ints) -> None:
    """Mark the inputs of reached steps, last positions first: a producer always precedes its reader."""
    made = np.flatnonzero(producer != NO_STEP)
    made = made[np.argsort(position[reader[made]], kind="stable")]
    counts = np.bincount(position[reader[made]])
    for rows in reversed(np.split(made, np.cumsum(counts)[:-1])):
        reached[producer[rows][reached[reader[rows]]]] = True
