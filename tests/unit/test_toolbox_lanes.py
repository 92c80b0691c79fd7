"""Lanes: calls take turns, a long one stops nobody, and what an editor asked for before is left."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event

import pytest

from annotation.toolbox.lanes import LONG, Asked, BusyError, Editors, Lane, Lanes, SupersededError
from annotation.toolbox.results import ToolResult

RESULT = ToolResult(None)
SECONDS = 20


def held(
    lane: Callable[[Callable[[], ToolResult]], ToolResult], pool: ThreadPoolExecutor
) -> tuple[Event, Future[ToolResult]]:
    """A call that is at work until the event is set."""
    begun, end = Event(), Event()

    def call() -> ToolResult:
        begun.set()
        end.wait(SECONDS)
        return RESULT

    done = pool.submit(lane, call)
    assert begun.wait(SECONDS)
    return end, done


def test_a_long_call_is_alone_in_its_lane_and_others_go_on() -> None:
    lanes = Lanes()
    with ThreadPoolExecutor(1) as pool:
        end, done = held(lambda call: lanes.work(LONG, call, whole=False, asked=Asked()), pool)
        for whole in (False, True):
            assert lanes.work(LONG / 2, lambda: RESULT, whole=whole, asked=Asked()) is RESULT
        end.set()
        assert done.result(SECONDS) is RESULT


def test_so_many_wait_and_one_more_is_told_to_ask_again() -> None:
    lane = Lane(most_waiting=0, nice=0)
    with ThreadPoolExecutor(1) as pool:
        end, done = held(lambda call: lane.run(call, Asked()), pool)
        with pytest.raises(BusyError):
            lane.run(lambda: RESULT, Asked())
        end.set()
        assert done.result(SECONDS) is RESULT
    assert lane.run(lambda: RESULT, Asked()) is RESULT


def test_what_waits_is_left_when_its_editor_asks_for_something_else() -> None:
    lane, editors = Lane(most_waiting=1, nice=0), Editors()
    ran: list[str] = []
    waits = Event()

    def first_request() -> None:
        with editors.asking("Ana") as asked:
            waits.set()
            lane.run(lambda: ran.append("first") or RESULT, asked)

    with ThreadPoolExecutor(2) as pool:
        end, done = held(lambda call: lane.run(call, Asked()), pool)
        first = pool.submit(first_request)
        assert waits.wait(SECONDS)
        with editors.asking("Rui"), editors.asking("Ana") as second:
            with pytest.raises(SupersededError):
                first.result(SECONDS)
            assert not second.over
        end.set()
        assert done.result(SECONDS) is RESULT
    assert ran == []


def test_requests_without_a_name_leave_each_other_alone() -> None:
    editors = Editors()
    with editors.asking("") as one, editors.asking("") as other:
        assert not one.over
        assert not other.over


def test_what_a_tool_raises_comes_through_its_lane() -> None:
    def call() -> ToolResult:
        raise ValueError("too small")

    with pytest.raises(ValueError, match="too small"):
        Lane(most_waiting=0, nice=0).run(call, Asked())
