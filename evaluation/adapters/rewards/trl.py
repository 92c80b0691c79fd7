"""TRL: a reward function that is called on the slice of each process. It computes the rewards if the slice contains
complete groups; otherwise it waits at the reward server.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from evaluation.adapters.rewards.environment import RANK, value_of
from evaluation.adapters.rewards.groups import Row, group_of, holds_whole_groups, reward_at_barrier, reward_rows


async def sightline_reward(
    prompts: Sequence[Any],
    completions: Sequence[Any],
    completion_ids: Sequence[Any] | None = None,
    trainer_state: Any = None,
    log_extra: Callable[[str, list[Any]], None] | None = None,
    log_metric: Callable[[str, float], None] | None = None,
    **columns: Any,
) -> list[float | None]:
    """Return r_final of each completion; None, not applicable, where a row has no sample."""
    rows = rows_of_columns(columns, len(completions))
    places = [place for place, row in enumerate(rows) if row.get("sample") is not None]
    chosen, texts = [rows[place] for place in places], [completions[place] for place in places]
    step = getattr(trainer_state, "global_step", 0)
    found = await rewards_of_slice(chosen, texts, trainer="trl", step=step)
    rewards: list[float | None] = [None] * len(rows)
    for place, one in zip(places, found, strict=True):
        rewards[place] = one["r_final"]
    if log_extra is not None:
        by_place = dict(zip(places, found, strict=True))
        log_extra("r_m", [by_place[place]["r_m"] if place in by_place else None for place in range(len(rows))])
    if log_metric is not None and found:
        log_metric("sightline/r_s", sum(one["r_s"] for one in found) / len(found))
    return rewards


def rows_of_columns(columns: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """Return the columns as rows; a value that is no list of ``count`` is not a column."""
    used = {name: values for name, values in columns.items() if isinstance(values, list) and len(values) == count}
    return [{name: values[place] for name, values in used.items()} for place in range(count)]


async def rewards_of_slice(
    rows: Sequence[Row], completions: Sequence[Any], *, trainer: str, step: Any
) -> list[dict[str, Any]]:
    """Return the rewards of rows by name: computed for complete groups with the size of the image, else those of the
    reward server.
    """
    if holds_whole_groups(rows) and all(row.get("image_size") for row in rows):
        return [one.to_json() for one in reward_rows(rows, completions)]
    rank = value_of(RANK, "0")
    # All at once: one after another would never fill a group.
    waiting = [
        reward_at_barrier(row, text, trainer=trainer, name=f"{rank}-{place}", group=f"{group_of(row)}@{step}")
        for place, (row, text) in enumerate(zip(rows, completions, strict=True))
    ]
    return list(await asyncio.gather(*waiting))
