"""Effective toolchains by backtracking, and counts of tools."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.metrics.columns import ChainStatus
from evaluation.schema import Step
from tests.unit.metrics_cases import sample, score_one

OK, EMPTY, BROKEN = ChainStatus.OK, ChainStatus.EMPTY, ChainStatus.BROKEN


def call(image_in: Any, image_out: str | None, tool: str = "blur", ok: bool = True) -> Step:
    return Step(tool, image_in=image_in, image_out=image_out, ok=ok)


BRANCHED = (
    call("original", "a", "blur"),
    call("a", "b", "threshold"),
    call("original", "c", "rotate"),
    call("b", "d", "canny"),
)

JOINED = (call("original", "a"), call("a", "b"), call("a", "c"), call(("b", "c", "original"), "d"))


@pytest.mark.parametrize(
    ("steps", "final", "effective", "status"),
    [
        (BRANCHED, "d", [0, 1, 3], OK),
        (BRANCHED, None, [0, 1, 3], OK),
        (BRANCHED, "c", [2], OK),
        (BRANCHED, "original", [], EMPTY),
        (BRANCHED, "never made", [], BROKEN),
        ((), None, [], EMPTY),
        ((), "x", [], EMPTY),
        ((call("original", "a", ok=False),), None, [], EMPTY),
        ((call("original", "a", ok=False),), "a", [], EMPTY),
        # the last successful call ends the chain, picture or not
        ((call("original", "a"), call("a", None)), None, [0, 1], OK),
        ((call("original", "a"), call("a", "b", ok=False)), None, [0], OK),
        # a call without an input, or a picture without a maker
        ((call(None, "a"),), None, [], BROKEN),
        ((call("ghost", "a"),), None, [], BROKEN),
        ((call("original", "a", ok=False), call("a", "b")), None, [], BROKEN),
        ((call(None, "a"), call("original", "b")), None, [1], OK),
        # one broken branch breaks the whole
        ((call("original", "a"), call(("a", "ghost"), "b")), None, [], BROKEN),
        # reused ids: the latest earlier maker, and never itself
        ((call("original", "a"), call("a", "a"), call("a", "b")), None, [0, 1, 2], OK),
        ((call("original", "a"), call("original", "a"), call("a", "b")), None, [1, 2], OK),
        ((call("a", "b"), call("original", "a")), "b", [], BROKEN),
        # several inputs: all branches, each step once
        (
            (call("original", "a"), call("a", "b"), call("a", "c"), call(("b", "c", "original"), "d")),
            None,
            [0, 1, 2, 3],
            OK,
        ),
    ],
)
def test_backtracking(steps: tuple[Step, ...], final: str | None, effective: list[int], status: int) -> None:
    found = score_one(sample(), *steps, final_image=final)
    assert [i for i, on in enumerate(found.effective) if on] == effective
    assert (found.effective_calls[0], found.chain_status[0]) == (len(effective), status)
    assert found.calls[0] == len(steps)


@pytest.mark.parametrize(("aliases", "unique"), [("exact", 3), ("canonical", 2)])
def test_unique_tools_are_names_as_written_or_canonical(aliases: str, unique: int) -> None:
    steps = [call("original", "a", t) for t in ("colorspace_gray", "Convert Color", "blur", "blur")]
    found = score_one(sample(), *steps, settings={"tool_aliases": aliases})
    assert (found.unique_tools[0], found.effective_unique_tools[0]) == (unique, 1)


def test_failed_and_repeated_calls_are_calls() -> None:
    found = score_one(sample(), call("original", "a"), call("original", "a"), call("original", "b", ok=False))
    assert (found.calls[0], found.effective_calls[0]) == (3, 1)


@pytest.mark.parametrize(("reference", "calls"), [((), -1), (("blur", "blur"), 2)])
def test_the_reference_length(reference: tuple[str, ...], calls: int) -> None:
    assert score_one(sample(reference=reference)).reference_calls[0] == calls
