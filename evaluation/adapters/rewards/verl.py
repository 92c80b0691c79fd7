"""verl. With the reward loop: ``compute_score``, which waits at the reward server. With the manager ``batch``:
``compute_scores``, which needs no server.

The manager ``naive`` asks for one rollout after another, so that a group never fills. It is rejected.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evaluation.adapters.rewards.groups import RewardError, Row, reward_at_barrier, reward_rows

_REFUSED = (
    "Use reward_manager=batch with compute_scores, or the reward loop with compute_score: one rollout has no r_m."
)


async def compute_score(
    data_source: str, solution_str: str, ground_truth: Any, extra_info: Row | None = None, **kw: Any
) -> dict[str, float]:
    """Return ``score`` = r_final and its parts. ``extra_info`` has the data columns, and ``rollout``, the name of the
    rollout in its group, if known: a retry then counts once.
    """
    row = _row(extra_info, ground_truth)
    name, group = row.get("rollout"), str(row.get("index", row["sample"]))
    found = await reward_at_barrier(
        row, solution_str, trainer=f"verl {data_source}", name="" if name is None else str(name), group=group
    )
    return {"score": found["r_final"]} | {part: found[part] for part in _PARTS if found[part] is not None}


def compute_scores(
    data_sources: Sequence[str] | None = None,
    solution_strs: Sequence[str] | None = None,
    ground_truths: Sequence[Any] | None = None,
    extra_infos: Sequence[Row] | None = None,
    **kw: Any,
) -> list[dict[str, float]]:
    """Return the rewards of a batch with whole groups; ``extra_info["index"]`` identifies the group."""
    if "solution_str" in kw or isinstance(solution_strs, str):
        raise RewardError(_REFUSED)
    if data_sources is None or solution_strs is None or ground_truths is None or extra_infos is None:
        raise RewardError("The manager batch sends data_sources, solution_strs, ground_truths and extra_infos.")
    rows = [
        {"group": f"{source} {info.get('index', info.get('sample'))}", **_row(info, truth)}
        for source, truth, info in zip(data_sources, ground_truths, extra_infos, strict=True)
    ]
    found = [one.to_json() for one in reward_rows(rows, solution_strs)]
    return [{"score": one["r_final"]} | {part: one[part] for part in _PARTS if one[part] is not None} for one in found]


_PARTS = ("r_acc", "r_format", "r_s", "r_m", "r_box", "r_quadrant")


def _row(info: Row | None, truth: Any) -> dict[str, Any]:
    if not info or "sample" not in info:
        raise RewardError("extra_info needs the data columns sample and size.")
    answers = [truth] if isinstance(truth, str) else list(truth or ())
    return {"answers": answers, **info}
