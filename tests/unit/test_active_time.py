"""Active time: what a report claims is granted at most for the time since the last one, and counts once."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from annotation.active_time import KEPT, SLACK, Span, grant, length, merged

moments = st.floats(0, 4000, allow_nan=False)
claims = st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), max_size=12)


@given(st.lists(st.tuples(moments, moments), max_size=20))
def test_merged_spans_are_apart_and_hold_the_same_time(spans: list[Span]) -> None:
    found = merged(spans)
    assert all(one[1] < other[0] for one, other in itertools.pairwise(found))
    for at in {moment for span in spans for moment in span}:
        inside = any(begin <= at < end for begin, end in spans)
        assert inside == any(begin <= at < end for begin, end in found)


@given(claims, moments, st.floats(0, 4000))
def test_a_report_adds_at_most_the_elapsed_time_and_two_seconds(ago: list[Span], since: float, later: float) -> None:
    found = grant(ago, now=since + later, since=since, counted=[])
    assert 0 <= found.seconds <= later + SLACK + 1e-6


@given(st.lists(st.tuples(st.integers(0, 2), st.floats(0, 90), claims), min_size=1, max_size=15))
def test_any_reports_of_any_pages_add_at_most_the_elapsed_time(reports: list[tuple[int, float, list[Span]]]) -> None:
    """Three pages of one person, forged reports among them."""
    now, counted, total = 10_000.0, [], 0.0
    since = dict.fromkeys(range(3), now)
    for page, wait, ago in reports:
        now += wait
        found = grant(ago, now=now, since=since[page], counted=counted)
        counted, since[page] = found.counted, now
        total += found.seconds
    assert total <= now - 10_000 + SLACK + 1e-6


@given(st.lists(st.tuples(st.floats(0, 60), st.floats(0, 60)), max_size=8))
def test_two_pages_with_the_same_time_count_once(ago: list[Span]) -> None:
    first = grant(ago, now=1060, since=1000, counted=[])
    again = grant(ago, now=1060, since=1000, counted=first.counted)
    assert again.seconds == 0
    assert abs(first.seconds - length(first.counted)) < 1e-6


def test_pages_that_take_turns_add_up() -> None:
    first = grant([(30, 10)], now=1030, since=1000, counted=[])
    second = grant([(20, 0)], now=1040, since=1000, counted=first.counted)
    assert (first.seconds, second.seconds) == (20, 20)


def test_time_that_was_counted_long_ago_is_forgotten_and_cannot_be_claimed_again() -> None:
    old = [(1000.0, 1010.0)]
    found = grant([(1e6, 0)], now=1010 + KEPT + 5, since=900, counted=old)
    assert found.seconds <= KEPT
    assert found.counted[0][0] >= 1010
