"""The barrier at which rollouts of a group wait for each other. One event loop: no threads, locks or database."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Any

from evaluation.runner.rollouts import RolloutPrompt, RolloutReward, Scheme, SentRollout, reward_group

WAIT = 150.0
"""Seconds that a rollout waits for the others."""
KEPT = 600.0
"""Seconds that a group is kept after its first rollout."""
MOST_GROUPS = 20_000
"""Groups that are kept at once."""


class Refused(Exception):
    """A rollout that its group cannot take: status (400, 409 or 503), code and a sentence."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


class Late(Exception):
    """The group is not complete after ``WAIT`` seconds. ``arrived``: names of its rollouts. ``known``: the rewards of
    this rollout, without r_m and r_final, which need the group."""

    def __init__(self, size: int, arrived: list[str], known: dict[str, Any] | None) -> None:
        super().__init__(f"{len(arrived)} of {size} rollouts have arrived.")
        self.size, self.arrived, self.known = size, arrived, known


@dataclass(frozen=True, slots=True)
class GroupTerms:
    """Data that all rollouts of a group share."""

    size: int
    sample: str
    prompt: RolloutPrompt
    scheme: Scheme


@dataclass(slots=True)
class _Group:
    terms: GroupTerms
    name: str
    begun: float
    rewards: asyncio.Future[dict[str, RolloutReward]]
    rollouts: dict[str, SentRollout] = field(default_factory=dict)


class Barrier:
    """All open groups. ``wait`` and ``kept`` are in seconds, ``clock`` never goes back."""

    def __init__(self, wait: float = WAIT, kept: float = KEPT, clock: Callable[[], float] = time.monotonic) -> None:
        self._wait, self._kept, self._clock = wait, kept, clock
        self._groups: dict[Hashable, _Group] = {}

    def __len__(self) -> int:
        return len(self._groups)

    async def reward(self, key: Hashable, name: str, terms: GroupTerms, rollout: SentRollout) -> RolloutReward:
        """Add a rollout to its group, wait for the others, and return its rewards: those of ``reward_group``.

        The same rollout again gets the same. Raises ``Refused`` for other terms or content and for one too many,
        ``Late`` when the group does not fill in time.
        """
        return await self._waited(self._joined(key, name, terms, rollout), rollout)

    async def reward_next(self, key: Hashable, name: str, terms: GroupTerms, rollout: SentRollout) -> RolloutReward:
        """The same for trainers that do not name their rollouts: each is a new one. A group that is complete, or that a
        rollout has waited for in vain, gives way to the next one."""
        group = self._groups.get(key)
        if group is not None and len(group.rollouts) == group.terms.size:
            del self._groups[key]
            group = None
        rollout = replace(rollout, name=str(len(group.rollouts) if group else 0))
        group = self._joined(key, name, terms, rollout)
        try:
            return await self._waited(group, rollout)
        except Late:
            if self._groups.get(key) is group:
                del self._groups[key]
            raise

    async def _waited(self, group: _Group, rollout: SentRollout) -> RolloutReward:
        # Each waits with its own patience; whoever leaves does not cancel the result of the others.
        done, _ = await asyncio.wait([group.rewards], timeout=self._wait)
        if not done:
            raise Late(group.terms.size, list(group.rollouts), _alone(group, rollout))
        return group.rewards.result()[rollout.name]

    def _joined(self, key: Hashable, name: str, terms: GroupTerms, rollout: SentRollout) -> _Group:
        self._forget()
        group = self._groups.get(key)
        if group is None:
            if len(self._groups) >= MOST_GROUPS:
                raise Refused(503, "busy", f"{MOST_GROUPS} groups are open. Send the rollout again later.")
            future = asyncio.get_running_loop().create_future()
            # A group whose last request has left leaves its error unread.
            future.add_done_callback(lambda done: done.exception())
            group = self._groups[key] = _Group(terms, name, self._clock(), future)
        if group.terms != terms:
            raise Refused(409, "conflict", "The group has another size, sample, dialect, family, gold or setting.")
        earlier = group.rollouts.get(rollout.name)
        if earlier is not None and earlier != rollout:
            raise Refused(409, "conflict", "The group has this rollout with other content.")
        if earlier is None:
            if len(group.rollouts) == terms.size:
                raise Refused(409, "conflict", f"The group has all {terms.size} rollouts.")
            group.rollouts[rollout.name] = rollout
            if len(group.rollouts) == terms.size:
                _complete(group)
        return group

    def _forget(self) -> None:
        """Drop groups that have expired. Groups are in order of their begin."""
        now = self._clock()
        while self._groups:
            key = next(iter(self._groups))
            if now - self._groups[key].begun < self._kept:
                return
            del self._groups[key]


def _complete(group: _Group) -> None:
    try:
        found = reward_group(group.name, list(group.rollouts.values()), group.terms.prompt, group.terms.scheme)
        group.rewards.set_result({one.rollout: one for one in found})
    except ValueError as error:
        group.rewards.set_exception(Refused(400, "invalid", str(error)))


def _alone(group: _Group, rollout: SentRollout) -> dict[str, Any] | None:
    try:
        found = reward_group(group.name, [rollout], group.terms.prompt, group.terms.scheme)[0]
    except ValueError:
        return None  # without a verdict and gold, nothing is defined
    return {**found.to_json(), "r_m": None, "r_final": None}
