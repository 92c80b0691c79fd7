"""Limits of an endpoint: requests and tokens in a minute, and requests in flight."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.endpoints.errors import CallCancelled
from evaluation.endpoints.limiter import Limiter, Limits, Slot
from tests.evaluation.endpoints.server import Time


def limiter(limits: Limits, time: Time, **more: int) -> Limiter:
    return Limiter(limits, clock=time.clock, sleep=time.sleep, **more)


def most_in(times: list[tuple[float, int]], seconds: float) -> int:
    """The largest sum within this many seconds."""
    return max((sum(n for at, n in times if start <= at < start + seconds) for start, _ in times), default=0)


@given(st.integers(4, 80), st.lists(st.floats(0, 3), min_size=1, max_size=150), st.integers(1, 4), st.booleans())
def test_a_minute_never_has_more_requests_than_the_limit(
    limit: int, pauses: list[float], shares: int, spent: bool
) -> None:
    time = Time()
    jobs = [
        Limiter(Limits(requests_per_minute=limit), shares=shares, spent=spent, clock=time.clock, sleep=time.sleep)
        for _ in range(shares)
    ]
    sent: list[tuple[float, int]] = [(time.now, limit)] if spent else []
    for number, pause in enumerate(pauses):
        time.sleep(pause)
        jobs[number % shares].enter(0).succeeded(0)
        sent.append((time.now, 1))
    assert most_in(sent, 60) <= limit


@given(
    st.integers(1, 2000),
    st.lists(st.tuples(st.floats(0, 20), st.integers(0, 900), st.integers(0, 900)), min_size=1, max_size=60),
)
def test_a_minute_never_has_more_tokens_than_the_limit(limit: int, requests: list[tuple[float, int, int]]) -> None:
    """Tokens that were used count instead of those that were estimated. A request above the limit goes alone."""
    time = Time()
    one = limiter(Limits(tokens_per_minute=limit), time)
    sent: list[tuple[float, int]] = []
    for pause, estimated, used in requests:
        time.sleep(pause)
        slot = one.enter(estimated)
        recent = sum(tokens for at, tokens in sent if at > time.now - 60)
        assert recent + estimated <= limit or recent == 0
        slot.succeeded(used)
        sent.append((time.now, used))


def test_a_full_minute_is_used() -> None:
    """The limit is a limit, not a pace: what is free can be used at once, and again a minute later."""
    time = Time()
    one = limiter(Limits(requests_per_minute=60), time)
    for _ in range(60):
        one.enter(0).succeeded(0)
    assert time.now == 1000
    one.enter(0).succeeded(0)
    assert time.now == pytest.approx(1061)


def test_a_share_below_one_request_is_a_longer_wait() -> None:
    time = Time()
    one = limiter(Limits(requests_per_minute=2), time, shares=6)
    for _ in range(3):
        one.enter(0).succeeded(0)
    assert time.now == pytest.approx(1000 + 2 * 3 * 61)


def test_a_new_job_takes_its_share_from_the_others() -> None:
    time = Time()
    first = limiter(Limits(requests_per_minute=10, tokens_per_minute=1000, in_flight=8), time)
    for _ in range(10):
        first.enter(10).succeeded(10)
    first.share(2)
    second = Limiter(first.limits, shares=2, spent=True, clock=time.clock, sleep=time.sleep)
    begun = time.now
    sent: list[tuple[float, int]] = [(begun, 10)]
    for job in (first, second) * 5:
        job.enter(10).succeeded(10)
        sent.append((time.now, 1))
    assert most_in(sent, 60) <= 10
    assert time.now < begun + 62
    assert max(first.window, second.window) <= 4


def test_the_window_grows_by_successes_and_halves_at_overload() -> None:
    time = Time()
    one = limiter(Limits(in_flight=6), time)
    slots = [one.try_enter(0)[0] for _ in range(5)]
    assert [slot is not None for slot in slots] == [True] * 4 + [False]
    for slot in slots[:4]:
        assert slot
        slot.succeeded(0)
    assert one.window == pytest.approx(4 + 1 / 4 + 1 / 4.25 + 1 / 4.4853 + 1 / 4.7083, abs=1e-3)
    for _ in range(100):
        one.enter(0).succeeded(0)
    assert one.window == 6
    for pause, window in ((0, 3), (0.5, 3), (0.6, 1.5), (1, 1), (5, 1)):
        time.sleep(pause)
        one.enter(0).overloaded()
        assert one.window == window
    one.enter(0).failed()
    assert one.window == 1, "a failure that says nothing about load changed the window"


def test_a_slot_ends_once() -> None:
    one = limiter(Limits(in_flight=8), Time())
    slot = one.enter(0)
    for end in (lambda: slot.succeeded(5), slot.overloaded, slot.failed, slot.failed):
        end()
    assert one.window > 4
    assert sum(one.try_enter(0)[0] is not None for _ in range(9)) == 4


def test_waiting_can_be_cancelled() -> None:
    time = Time()
    one = limiter(Limits(requests_per_minute=1), time)
    one.enter(0).succeeded(0)
    with pytest.raises(CallCancelled):
        one.enter(0, cancelled=lambda: time.now > 1010)
    assert time.now == pytest.approx(1011)


def served(until: float, overloaded: Callable[[float], bool], latency: float, in_flight: int) -> list[float]:
    """Times of successes of an endpoint that is always asked as much as the limiter allows."""
    time = Time()
    time.now = 0.0
    one = limiter(Limits(in_flight=in_flight), time)
    under_way: list[tuple[float, int, Slot]] = []
    done: list[float] = []
    count = 0
    while time.now < until:
        slot, _ = one.try_enter(0)
        if slot:
            count += 1
            answer = time.now + (0.02 if overloaded(time.now) else latency)
            heapq.heappush(under_way, (answer, count, slot))
            continue
        at, _, ended = heapq.heappop(under_way)
        time.now = at
        if overloaded(at):
            ended.overloaded()
        else:
            ended.succeeded(0)
            done.append(at)
    return done


@pytest.mark.parametrize(("latency", "in_flight"), [(0.3, 16), (1.0, 16), (0.3, 64)])
def test_throughput_returns_after_a_burst_of_rejections(latency: float, in_flight: int) -> None:
    """A burst of 5 s at 100 s: from 130 s on, more than 80% of what an endpoint without a burst serves."""
    quiet = served(150, lambda now: False, latency, in_flight)
    burst = served(150, lambda now: 100 <= now < 105, latency, in_flight)
    within = [sum(130 <= at < 150 for at in times) for times in (quiet, burst)]
    assert within[1] > 0.8 * within[0] > 0
    assert not [at for at in burst if 100 <= at < 105]


def test_many_threads_keep_the_window() -> None:
    one = Limiter(Limits(in_flight=3), sleep=lambda seconds: None)
    inside, most, lock = 0, 0, threading.Lock()

    def work() -> None:
        nonlocal inside, most
        for _ in range(20):
            slot = one.enter(0)
            with lock:
                inside += 1
                most = max(most, inside)
            with lock:
                inside -= 1
            slot.succeeded(0)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 1 <= most <= 3
    assert inside == 0


def test_a_minute_stays_within_its_limit_and_is_used_after_a_burst_of_rejections() -> None:
    """60 requests per minute, each of a second, rejected from 122 s to 127 s, when the third minute begins."""
    time = Time()
    time.now = 0.0
    one = limiter(Limits(requests_per_minute=60, in_flight=16), time)
    under_way: list[tuple[float, int, Slot]] = []
    sent: list[tuple[float, int]] = []
    done: list[float] = []
    while time.now < 400:
        slot, wait = one.try_enter(0)
        if slot:
            sent.append((time.now, 1))
            heapq.heappush(under_way, (time.now + 1, len(sent), slot))
            continue
        if not under_way or under_way[0][0] > time.now + wait:
            time.now += wait
            continue
        at, _, ended = heapq.heappop(under_way)
        time.now = at
        if 122 <= at < 127:
            ended.overloaded()
        else:
            ended.succeeded(0)
            done.append(at)
    assert most_in(sent, 60) == 60
    rejected = len(sent) - len(done) - len(under_way)
    assert 0 < rejected <= 60
    # The rejected ones count for their minute; from 30 s after the burst on, each minute is used.
    for begun in (157, 217, 277, 337):
        assert sum(begun <= at < begun + 60 for at in done) > 0.8 * 60
