"""Recognising hand tools by their look, telling alike ones apart, and planning by a simple rule on the task's words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from demo.agents.matching import Field, Place, best_places, grey, resized
from demo.agents.reading import clearest
from demo.agents.sample import Piece, ToolBank
from demo.agents.views import View
from demo.scenes.hand_tools import TOOLS, WORK, kind_of

RECOGNISED = 0.72
"""Correlation from which a tool counts as seen."""
LETTER = 0.92
"""Correlation from which a plate counts as the one with its letter: the most alike letters reach 0.89."""
_SCALE = 0.15
"""Tools are large: views are compared at this many pixels per original pixel at most."""
_PLATE_SCALE = 0.27
"""Plates are smaller: their letters are read from afar, at about the scale of the full image."""
_GLIMPSED = 0.75
"""Correlation at that scale from which a plate may be there; plates that are there reach 0.83."""

Order = Callable[[Sequence[str], str], list[str]]


def recognise(views: Iterable[View], tools: ToolBank) -> dict[str, float]:
    """The kinds of tool seen in any view with their best correlation, most certain first."""
    best = dict.fromkeys(tools.looks, 0.0)
    for view in views:
        for name, score in _scores(view, tools).items():
            best[name] = max(best[name], score)
    seen = {name: score for name, score in best.items() if score >= RECOGNISED}
    return dict(sorted(seen.items(), key=lambda item: (-item[1], item[0])))


@lru_cache(maxsize=32)
def _scores(view: View, tools: ToolBank) -> dict[str, float]:
    field, scale = _from_afar(view, _SCALE)
    places = {n: best_places(field.scores(grey(resized(look, scale))), 1, 1) for n, look in tools.looks.items()}
    return {name: found[0].score if found else 0.0 for name, found in places.items()}


@lru_cache(maxsize=64)
def _from_afar(view: View, most: float) -> tuple[Field, float]:
    """The view at ``most`` pixels per original pixel or fewer, and at how many it is."""
    shrink = min(1.0, most / view.scale)
    return Field(resized(view.pixels, shrink)), view.scale * shrink


@lru_cache(maxsize=1024)
def _glimpses(view: View, plate: Piece) -> tuple[View, ...]:
    """The parts of a view that look like a plate from afar, two at most: reading those alone is far quicker."""
    field, scale = _from_afar(view, _PLATE_SCALE)
    mean = np.mean([grey(look) for look in plate.values.values()], axis=0).astype(np.uint8)
    small = grey(resized(mean, scale))
    places = best_places(field.scores(small), 2, max(small.shape) // 2)
    return tuple(_part(view, p, small.shape, view.scale / scale) for p in places if p.score >= _GLIMPSED)


def _part(view: View, place: Place, shape: tuple[int, ...], scale: float) -> View:
    """What is seen at a place found in a copy of the view ``scale`` times smaller, and a little around it."""
    margin, (h, w) = 2 * scale + 2, shape
    top, left = max(0, round(place.y * scale - margin)), max(0, round(place.x * scale - margin))
    return replace(
        view,
        pixels=view.pixels[top : round((place.y + h) * scale + margin), left : round((place.x + w) * scale + margin)],
    )


def names_of(kinds: Iterable[str], views: Sequence[View], tools: ToolBank) -> list[str]:
    """What the tools of these kinds are called: where several of a kind hang, each whose plate is in some view."""
    names: list[str] = []
    for kind in kinds:
        plates = tools.plates.get(kind, {})
        names += [name for name, plate in plates.items() if any(_glimpses(view, plate) for view in views)] or [kind]
    return names


def tell_apart(kind: str, task: str, views: Sequence[View], tools: ToolBank) -> list[str]:
    """The tools of a kind that may be the one the task means: the one whose plate was read and bears a mark that
    stands in the task, else those whose plates could not be read."""
    plates = tools.plates.get(kind, {})
    read = {n: clearest((part for v in views for part in _glimpses(v, p)), p, LETTER) for n, p in plates.items()}
    marks = {name: found[0].value for name, found in read.items() if found}
    right = [name for name, value in marks.items() if f" {value}" in task]
    return right[:1] or [name for name in plates if name not in marks] or list(plates) or [kind]


def choose(seen: Mapping[str, float], task: str) -> list[str]:
    """For every work the task names: the seen kinds of tool whose name shares a word with it, else the surest one."""
    words = {word.strip(".,:?").casefold() for word in task.replace("-", " ").split()}
    chosen: list[str] = []
    for work in (word for word in WORK if word in words):
        able = [name for name in seen if TOOLS[name].work == work]
        named = [name for name in able if words & set(name.split())]
        chosen += named or able[:1]
    return chosen


def as_written(tools: Sequence[str], task: str) -> list[str]:
    """In the order in which the task names the work."""
    return sorted(tools, key=lambda name: task.find(TOOLS[kind_of(name)].work))


def alphabetical(tools: Sequence[str], task: str) -> list[str]:
    return sorted(tools)


def workshop(tools: Sequence[str], task: str) -> list[str]:
    """In the order in which a workshop does the work: measure before cut, drive before tighten."""
    return sorted(tools, key=lambda name: WORK.index(TOOLS[kind_of(name)].work))
