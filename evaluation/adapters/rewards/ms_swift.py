"""ms-swift: the reward as a class, for a plugin that derives from ``AsyncORM`` and registers it::

class Reward(SightlineReward, AsyncORM): ...
orms["sightline"] = Reward
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evaluation.adapters.rewards.trl import rewards_of_slice, rows_of_columns


class SightlineReward:
    """r_final of each completion. It waits at the reward server unless the call holds whole groups."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)

    async def __call__(self, completions: Sequence[Any], **kwargs: Any) -> list[float]:
        rows = rows_of_columns(kwargs, len(completions))
        step = getattr(kwargs.get("trainer_state"), "global_step", 0)
        found = await rewards_of_slice(rows, completions, trainer="ms-swift", step=step)
        return [float(one["r_final"]) for one in found]
