"""Rewards at the barrier: how long the last rollout of a group waits for its rewards while many groups are open.

Limit: the rewards of the same group without a barrier.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

import numpy as np

from bench.options import Options
from bench.rows import Row
from evaluation.management.reward_barrier import Barrier, GroupTerms
from evaluation.metrics.gold_rewards import RolloutCall
from evaluation.runner.rollouts import RolloutPrompt, Scheme, SentRollout, reward_group

SIZE = 8
PROMPT, SCHEME = RolloutPrompt((1000, 800), ((100.0, 100.0, 300.0, 260.0),)), Scheme()


def measure(options: Options) -> Iterator[Row]:
    groups = 20 if options.small else 1000
    seconds, worked = asyncio.run(_completed(groups))
    alone = []
    for _ in range(min(groups, 200)):
        begun = time.perf_counter()
        reward_group("g", [_rollout(n) for n in range(SIZE)], PROMPT, SCHEME)
        alone.append(time.perf_counter() - begun)
    limit = f"median {np.median(seconds) * 1000:.2f} ms, {np.median(alone) * 1000:.2f} ms without a barrier"
    p95 = float(np.quantile(seconds, 0.95)) * 1000
    yield Row("rewards", f"p95 at {groups:,} open groups", p95, "ms", 5, limit=limit)
    limit = "without the time in which other processes had the processor"
    p95 = float(np.quantile(worked, 0.95)) * 1000
    yield Row("rewards", f"p95 at {groups:,} open groups, processor time", p95, "ms", 5, limit=limit)


async def _completed(groups: int) -> tuple[list[float], list[float]]:
    """Seconds from the last rollout of each group to its rewards, one group after another, all others open: as they
    pass, and of the processor."""
    barrier, terms = Barrier(), GroupTerms(size=SIZE, sample="s", prompt=PROMPT, scheme=SCHEME)
    waiting = [
        asyncio.ensure_future(barrier.reward(group, str(group), terms, _rollout(n)))
        for group in range(groups)
        for n in range(SIZE - 1)
    ]
    await asyncio.sleep(0)
    seconds, worked = [], []
    for group in range(groups):
        begun, work_begun = time.perf_counter(), time.thread_time()
        await barrier.reward(group, str(group), terms, _rollout(SIZE - 1))
        seconds.append(time.perf_counter() - begun)
        worked.append(time.thread_time() - work_begun)
    await asyncio.gather(*waiting)
    return seconds, worked


def _rollout(n: int) -> SentRollout:
    calls = (RolloutCall((10.0 * n, 100.0, 300.0 + n, 300.0)), RolloutCall(None, failed=True))
    return SentRollout(str(n), float(n % 2), 1.0, calls=calls)
