"""Previews of a toolchain at screen resolution: the same calls on reduced images, in a fraction of the time.

Only images larger than the screen are reduced, and as late as possible: a crop is taken from the full image, so that
all results after a small crop are exact. If an image is reduced by a factor, all parameters in pixels are multiplied by
it. Measurements of a reduced image differ from those of the toolchain, and are never shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from annotation.schema import ORIGINAL, ToolCall
from annotation.toolbox.cache import ResultCache
from annotation.toolbox.names import UnknownToolError, resolve
from annotation.toolbox.results import Picture, ToolError, Unit
from annotation.toolbox.runner import Unopened, named_pictures, run_chain
from annotation.toolbox.signature import Kind, Parameter, checked_arguments
from annotation.toolbox.table import TOOLS, ToolSpec

_OWN_SIZE = ("resize", "zoom_in")
_CUTS = ("crop", "zoom_in")


@dataclass(frozen=True, slots=True)
class ReducedChain:
    """A toolchain for reduced images.

    ``calls`` are the calls to run. ``number_of[i]``: the step of the full toolchain that ``calls[i]`` represents; 0 for
    a reduction. ``exact``: the steps with an exact result. By step of the full toolchain: ``inputs``, the images it
    names, and ``sizes``, the width and height of its result at full resolution.
    """

    calls: tuple[ToolCall, ...]
    number_of: tuple[int, ...]
    exact: frozenset[int]
    inputs: Mapping[int, tuple[str, ...]]
    sizes: Mapping[int, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class _Shown:
    """An image of the toolchain: its ``full`` size, its size ``now``, the factor between them, whether it is exact."""

    full: tuple[int, int]
    now: tuple[int, int]
    factor: float = 1.0
    exact: bool = True
    name: str = ORIGINAL


def reduced(calls: Sequence[ToolCall], width: int, height: int, side: int) -> ReducedChain:
    """Return ``calls`` for images with at most ``side`` pixels per side; the original is ``width`` × ``height``.

    From the first invalid call on, the calls stay unchanged: running them reports the error.
    """
    shown = {ORIGINAL: _Shown((width, height), (width, height))}
    latest = ORIGINAL
    made: list[ToolCall] = []
    numbers: list[int] = []
    exact: set[int] = set()
    named: dict[int, tuple[str, ...]] = {}
    sizes: dict[int, tuple[int, int]] = {}
    for number, call in enumerate(calls, start=1):
        try:
            spec = TOOLS[resolve(call.tool)]
            ids, given = named_pictures(spec, call, latest)
            arguments = checked_arguments(spec.function, given)
            inputs = [shown[name] for name in ids]
            steps, result = _reduced(spec, call, inputs, arguments, number, side)
        except (ToolError, UnknownToolError, KeyError):
            rest = range(number, len(calls) + 1)
            return ReducedChain((*made, *calls[number - 1 :]), (*numbers, *rest), frozenset(exact), named, sizes)
        made += steps
        numbers += [0] * (len(steps) - 1) + [number]
        latest = call.image_out or f"step_{number}"
        shown[latest] = replace(result, name=latest)
        exact |= {number} if result.exact else set()
        named[number], sizes[number] = tuple(ids), result.full
    return ReducedChain(tuple(made), tuple(numbers), frozenset(exact), named, sizes)


def on_screen(picture: Picture | Unopened, key: str, side: int, cache: ResultCache) -> Picture:
    """Return the image of this key with at most ``side`` pixels per side. A larger one is reduced once, as by
    ``reduced``, and cached like results.
    """
    if isinstance(picture, Unopened):
        width, height = picture.width, picture.height
    else:
        height, width = picture.shape[:2]
    if max(width, height) <= side:
        return picture.open() if isinstance(picture, Unopened) else picture
    size = {"width": max(1, round(width * side / max(width, height))),
            "height": max(1, round(height * side / max(width, height)))}  # fmt: skip
    call = ToolCall("resize", size)
    found = run_chain(picture, [call], cache=cache if key else None, original_key=key).steps[0].image
    return cast(Picture, found)


def _reduced(
    spec: ToolSpec, call: ToolCall, inputs: list[_Shown], arguments: Mapping[str, Any], number: int, side: int
) -> tuple[list[ToolCall], _Shown]:
    """Return the call on reduced inputs, preceded by the reductions it needs, and its result."""
    full = _size(spec, inputs[0].full, arguments)
    most = side * (spec.preview(**arguments) if spec.preview else 1.0)
    factor = min(one.factor if spec.name in _CUTS else _wanted(one, most) for one in inputs)
    smaller = [_shrunk(one, factor, f"step_{number}/{at}") for at, one in enumerate(inputs)]
    out = min(1.0, side / max(full)) if spec.name in _OWN_SIZE else factor
    changed = _scaled(spec, arguments, factor, out, full, smaller[0][1].now)
    ids = tuple(one.name for _, one in smaller)
    name = call.image_out or f"step_{number}"
    one = ToolCall(spec.name, changed, ids[0] if len(ids) == 1 else ids, name)
    exact = all(one.exact for _, one in smaller) and (spec.name not in _OWN_SIZE or out == 1.0)
    result = _Shown(full, _size(spec, smaller[0][1].now, changed), out, exact)
    return [*(step for step, _ in smaller if step is not None), one], result


def _size(spec: ToolSpec, size: tuple[int, int], arguments: Mapping[str, Any]) -> tuple[int, int]:
    return spec.size(*size, **arguments) if spec.size else size


def _wanted(one: _Shown, side: float) -> float:
    return min(one.factor, side / max(one.full))


def _shrunk(one: _Shown, factor: float, name: str) -> tuple[ToolCall | None, _Shown]:
    """Return the image at this factor, and the call that creates it if it has another factor."""
    if factor == one.factor:
        return None, one
    size = (max(1, round(one.full[0] * factor)), max(1, round(one.full[1] * factor)))
    step = ToolCall("resize", {"width": size[0], "height": size[1]}, one.name, name)
    return step, _Shown(one.full, size, factor, False, name)


def _scaled(
    spec: ToolSpec,
    arguments: Mapping[str, Any],
    factor: float,
    out: float,
    full: tuple[int, int],
    now: tuple[int, int],
) -> dict[str, Any]:
    """Return the arguments for an image of the size ``now``, which is ``factor`` of the full size."""
    if spec.name == "resize":
        return {"width": max(1, round(full[0] * out)), "height": max(1, round(full[1] * out))}
    if factor == 1.0 and (spec.name != "zoom_in" or out == 1.0):
        return dict(arguments)
    known = {one.name: one for one in spec.parameters}
    values = {name: known[name].default for name in known if not known[name].required} | dict(arguments)
    changed = {name: _times(known[name], value, factor) for name, value in values.items()}
    if spec.name in _CUTS:
        changed |= _inside(changed, now)
    if spec.name == "zoom_in":
        size = {"target_width": max(1, round(full[0] * out)), "target_height": max(1, round(full[1] * out))}
        changed |= size | {"scale": None}
    return changed


def _times(parameter: Parameter, value: Any, factor: float) -> Any:
    if parameter.unit is not Unit.PIXELS or value is None or parameter.range is None or value == 0:
        return value
    low, high = parameter.range.low, parameter.range.high
    scaled = min(max(value * factor, low), high)
    if parameter.kind is not Kind.INTEGER:
        return scaled
    whole = max(round(scaled), 1 if value > 0 else 0)
    return whole + 1 - whole % 2 if parameter.range.odd else whole


def _inside(values: Mapping[str, Any], size: tuple[int, int]) -> dict[str, int]:
    """Move a rectangle inside the image, which rounding may have pushed over the edge."""
    x, y = min(values["x"], size[0] - 1), min(values["y"], size[1] - 1)
    return {"x": x, "y": y, "width": min(values["width"], size[0] - x), "height": min(values["height"], size[1] - y)}
