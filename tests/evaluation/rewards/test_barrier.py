"""Rollouts wait for their group: the numbers of the batch, retries, conflicts, and groups that stay incomplete."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from evaluation.management.reward_barrier import Barrier, GroupTerms, Late, Refused
from evaluation.runner.rollouts import RolloutPrompt, Scheme, SentRollout, calls_at, reward_group

PROMPT = RolloutPrompt((1000, 1000), ((100, 100, 300, 300), (250, 250, 400, 320)))
TERMS = GroupTerms(8, "mug", PROMPT, Scheme())
ROLLOUTS = [
    SentRollout(
        str(n), n % 2, 1, calls=calls_at([(10.5 * n, 100, 300 + n, 300), None, (0, 0, 1000, 1000)][: 1 + n % 3])
    )
    for n in range(8)
]


def test_eight_clients_get_the_numbers_of_the_batch():
    async def run():
        barrier = Barrier()
        return await asyncio.gather(*(barrier.reward("g", "g", TERMS, one) for one in reversed(ROLLOUTS)))

    wanted = {one.rollout: one for one in reward_group("g", ROLLOUTS, PROMPT, Scheme())}
    for one in asyncio.run(run()):
        batch = wanted[one.rollout]
        for name in ("image_tokens", "r_s", "r_m", "r_final", "r_box", "r_quadrant"):
            assert getattr(one, name) == pytest.approx(getattr(batch, name), abs=1e-12)
        assert one.calls == pytest.approx(batch.calls, abs=1e-12)


def test_the_same_rollout_again_gets_the_same_and_counts_once():
    async def run():
        barrier = Barrier()
        twice = [*ROLLOUTS, ROLLOUTS[0]]
        found = await asyncio.gather(*(barrier.reward("g", "g", TERMS, one) for one in twice))
        return found, await barrier.reward("g", "g", TERMS, ROLLOUTS[3])

    found, again = asyncio.run(run())
    assert found[0] == found[8]
    assert again == found[3]


@pytest.mark.parametrize(
    ("terms", "rollout"),
    [
        (TERMS, replace(ROLLOUTS[0], acc=0.5)),
        (replace(TERMS, size=4), ROLLOUTS[1]),
        (replace(TERMS, sample="cup"), ROLLOUTS[1]),
        (replace(TERMS, scheme=Scheme(family="gemini")), ROLLOUTS[1]),
    ],
)
def test_other_content_or_another_group_under_the_same_name_is_refused(terms, rollout):
    async def run():
        barrier = Barrier()
        waiting = asyncio.ensure_future(barrier.reward("g", "g", TERMS, ROLLOUTS[0]))
        await asyncio.sleep(0)
        with pytest.raises(Refused) as refused:
            await barrier.reward("g", "g", terms, rollout)
        waiting.cancel()
        return refused.value.status

    assert asyncio.run(run()) == 409


def test_one_rollout_too_many_is_refused():
    async def run():
        barrier = Barrier()
        await asyncio.gather(*(barrier.reward("g", "g", TERMS, one) for one in ROLLOUTS))
        await barrier.reward("g", "g", TERMS, replace(ROLLOUTS[0], name="8"))

    with pytest.raises(Refused, match="has all 8"):
        asyncio.run(run())


def test_a_group_that_stays_incomplete_says_what_is_known_and_can_be_completed_later():
    async def run():
        barrier = Barrier(wait=0.01)
        with pytest.raises(Late) as late:
            await barrier.reward("g", "g", TERMS, ROLLOUTS[1])
        return late.value, await asyncio.gather(*(barrier.reward("g", "g", TERMS, one) for one in ROLLOUTS))

    late, found = asyncio.run(run())
    alone = reward_group("g", [ROLLOUTS[1]], PROMPT, Scheme())[0]
    assert (late.arrived, late.size) == (["1"], 8)
    assert late.known == alone.to_json() | {"r_m": None, "r_final": None}
    assert len(found) == 8


def test_groups_expire_after_ten_minutes():
    now = [0.0]

    async def run():
        barrier = Barrier(clock=lambda: now[0])
        terms = replace(TERMS, size=1)
        await barrier.reward("first", "first", terms, ROLLOUTS[0])
        now[0] = 599.0
        await barrier.reward("second", "second", terms, ROLLOUTS[0])
        kept = len(barrier)
        now[0] = 600.0
        # Its name is free again: other content is a new group.
        await barrier.reward("first", "first", terms, replace(ROLLOUTS[0], acc=1))
        return kept, len(barrier)

    assert asyncio.run(run()) == (2, 2)


def test_rollouts_without_names_are_all_new_and_groups_follow_each_other():
    async def run():
        barrier = Barrier()
        terms = replace(TERMS, size=2)
        same = [ROLLOUTS[1]] * 4
        return await asyncio.gather(*(barrier.reward_next("g", "g", terms, one) for one in same))

    assert [one.rollout for one in asyncio.run(run())] == ["0", "1", "0", "1"]


def test_a_group_without_names_that_was_late_begins_anew():
    async def run():
        barrier = Barrier(wait=0.01)
        terms = replace(TERMS, size=2)
        with pytest.raises(Late):
            await barrier.reward_next("g", "g", terms, ROLLOUTS[1])
        return await asyncio.gather(*(barrier.reward_next("g", "g", terms, one) for one in ROLLOUTS[:2]))

    assert len(asyncio.run(run())) == 2


def test_a_group_whose_rewards_are_undefined_says_so_to_all():
    async def run():
        barrier, terms = Barrier(), replace(TERMS, size=2, prompt=RolloutPrompt((10, 10)))
        waiting = (barrier.reward("g", "g", terms, one) for one in ROLLOUTS[:2])
        return await asyncio.gather(*waiting, return_exceptions=True)

    assert [(type(one), one.status) for one in asyncio.run(run())] == [(Refused, 400)] * 2
