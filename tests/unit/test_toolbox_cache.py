"""Results are kept by what went into them: a changed step runs again with what follows, and nothing before it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from annotation.schema import ToolCall
from annotation.toolbox.cache import ResultCache, picture_key, result_key
from annotation.toolbox.results import ToolResult
from annotation.toolbox.runner import run_chain
from tests.unit.toolbox_cases import scene


def chain_of(*sizes: int) -> list[ToolCall]:
    return [ToolCall("blur", {"method": "average", "ksize": size}) for size in sizes]


@pytest.mark.parametrize("changed", range(10))
def test_a_change_of_step_k_runs_k_and_what_follows(changed: int) -> None:
    cache = ResultCache()
    sizes = [3] * 10
    run_chain(scene(), chain_of(*sizes), cache=cache)
    sizes[changed] = 5
    result = run_chain(scene(), chain_of(*sizes), cache=cache)
    assert [step.cached for step in result.steps] == [True] * changed + [False] * (10 - changed)
    fresh = run_chain(scene(), chain_of(*sizes))
    for one, other in zip(result.steps, fresh.steps, strict=True):
        assert np.array_equal(one.image, other.image)  # type: ignore[arg-type]


def test_a_branch_runs_again_only_where_it_hangs_on_the_change() -> None:
    def calls(angle: int) -> list[ToolCall]:
        return [
            ToolCall("rotate", {"angle": angle}, "original", "turned"),
            ToolCall("canny", {}, "original", "edges"),
            ToolCall("flip", {"direction": "vertical"}, "turned"),
        ]

    cache = ResultCache()
    run_chain(scene(), calls(10), cache=cache)
    assert [step.cached for step in run_chain(scene(), calls(20), cache=cache).steps] == [False, True, False]


def test_names_of_pictures_and_spellings_of_arguments_make_no_other_result() -> None:
    cache = ResultCache()
    run_chain(scene(), [ToolCall("Line Detect", {"minLineLength": 20})], cache=cache)
    again = run_chain(scene(), [ToolCall("hough_lines", {"min_line_length": 20.0}, "original", "lines")], cache=cache)
    assert again.steps[0].cached


def test_another_picture_has_other_results() -> None:
    cache = ResultCache()
    run_chain(scene(), [ToolCall("canny")], cache=cache)
    assert not run_chain(scene()[::-1].copy(), [ToolCall("canny")], cache=cache).steps[0].cached
    assert picture_key(scene()) != picture_key(scene().reshape(160, 120, 3))
    assert result_key("a", {"x": 1, "y": 2}, ["k"]) == result_key("a", {"y": 2, "x": 1}, ["k"])


def test_a_full_cache_forgets_what_was_not_asked_for_longest() -> None:
    picture = np.zeros((100, 100), np.uint8)
    cache = ResultCache(most_bytes=25_000)
    for name in "ab":
        cache.put(name, ToolResult(picture.copy()))
    assert cache.get("a")
    cache.put("c", ToolResult(picture.copy()))
    assert [cache.get(name) is not None for name in "abc"] == [True, False, True]
    cache.put("large", ToolResult(np.zeros((200, 200), np.uint8)))
    assert cache.get("large") is None


def test_a_kept_picture_cannot_be_changed() -> None:
    cache: Any = ResultCache()
    result = run_chain(scene(), [ToolCall("sharpen")], cache=cache)
    with pytest.raises(ValueError, match="read-only"):
        result.steps[0].image[:] = 0  # type: ignore[index]


def test_the_final_picture_is_the_named_one() -> None:
    calls = [ToolCall("canny", {}, "original", "edges"), ToolCall("flip", {"direction": "vertical"}, "original")]
    result = run_chain(scene(), calls, final_image="edges")
    assert result.final is not None
    assert result.final.tool == "canny"
    missing = run_chain(scene(), calls, final_image="lines").error
    assert missing is not None
    assert (missing.parameter, missing.allowed) == ("final_image", "original, edges, step_2")
