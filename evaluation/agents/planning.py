"""Recognising hand tools by their look, and planning with them by a simple rule on the words of the task."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from annotation.scenes.hand_tools import TOOLS, WORK
from evaluation.agents.matching import Field, best_places, grey, resized
from evaluation.agents.sample import ToolBank
from evaluation.agents.views import View

RECOGNISED = 0.72
"""Correlation from which a tool counts as seen."""
_SCALE = 0.15
"""Tools are large: views are compared at this many pixels per original pixel at most."""

Order = Callable[[Sequence[str], str], list[str]]


def recognise(views: Iterable[View], tools: ToolBank) -> dict[str, float]:
    """The tools seen in any view with their best correlation, most certain first."""
    best = dict.fromkeys(tools.looks, 0.0)
    for view in views:
        for name, score in _scores(view, tools).items():
            best[name] = max(best[name], score)
    seen = {name: score for name, score in best.items() if score >= RECOGNISED}
    return dict(sorted(seen.items(), key=lambda item: (-item[1], item[0])))


@lru_cache(maxsize=32)
def _scores(view: View, tools: ToolBank) -> dict[str, float]:
    shrink = min(1.0, _SCALE / view.scale)
    scale, field = view.scale * shrink, Field(resized(view.pixels, shrink))
    places = {n: best_places(field.scores(grey(resized(look, scale))), 1, 1) for n, look in tools.looks.items()}
    return {name: found[0].score if found else 0.0 for name, found in places.items()}


def choose(seen: Mapping[str, float], task: str) -> list[str]:
    """For every kind of work the task names: the seen tools whose name shares a word with it, else the surest one."""
    words = {word.strip(".,:?").casefold() for word in task.replace("-", " ").split()}
    chosen: list[str] = []
    for work in (word for word in WORK if word in words):
        able = [name for name in seen if TOOLS[name].work == work]
        named = [name for name in able if words & set(name.split())]
        chosen += named or able[:1]
    return chosen


def as_written(tools: Sequence[str], task: str) -> list[str]:
    """In the order in which the task names the work."""
    return sorted(tools, key=lambda name: task.find(TOOLS[name].work))


def alphabetical(tools: Sequence[str], task: str) -> list[str]:
    return sorted(tools)


def workshop(tools: Sequence[str], task: str) -> list[str]:
    """In the order in which a workshop does the work: measure before cut, drive before tighten."""
    return sorted(tools, key=lambda name: WORK.index(TOOLS[name].work))
