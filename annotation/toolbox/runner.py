"""Runs a toolchain on an image within limits, and keeps the transformation back to the original."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from types import MappingProxyType
from typing import Any

import cv2

from annotation.schema import ORIGINAL, ToolCall, shortened
from annotation.toolbox.affine import IDENTITY, Affine
from annotation.toolbox.cache import ResultCache, picture_key, result_key
from annotation.toolbox.names import UnknownToolError, resolve
from annotation.toolbox.results import Picture, ToolError, ToolResult
from annotation.toolbox.signature import checked_arguments, snake_case
from annotation.toolbox.table import TOOLS, ToolSpec

TOOLS_VERSION = 2
"""Increase it when a tool produces other pixels or accepts other calls."""
ENGINE = f"{cv2.__version__}, tools {TOOLS_VERSION}"
"""The versions of OpenCV and of the tools. A replay with other versions is run again."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a toolchain. ``seconds`` is checked between steps; a running step is not interrupted.

    ``output_pixels`` limits each image before it is created, by its predicted size, and ``kept_pixels`` all results
    together. ``call_seconds`` and ``call_bytes`` limit the predicted time and memory of one call.
    """

    steps: int = 30
    output_pixels: int = 50_000_000
    kept_pixels: int = 400_000_000
    seconds: float = 30.0
    call_seconds: float = 20.0
    call_bytes: int = 3_000_000_000


@dataclass(frozen=True, slots=True)
class StepResult:
    """The result of step ``number`` (1, 2, ...). ``to_original`` maps its pixels to the original's; None = position
    lost.

    ``key`` identifies the result by its inputs; ``cached``: it was not run again.
    """

    number: int
    tool: str
    image_id: str
    image: Picture | None
    measurements: Mapping[str, Any]
    to_original: Affine | None
    milliseconds: float
    image_in: tuple[str, ...] = ()
    arguments: Mapping[str, Any] = field(default_factory=dict)
    key: str = ""
    cached: bool = False


@dataclass(frozen=True, slots=True)
class ChainError:
    """The error that stopped a toolchain at step ``number``. ``parameter`` is empty if no parameter caused it.
    ``by_tool``: the call was valid, but the tool failed on this image.
    """

    number: int
    tool: str
    parameter: str
    value: str
    allowed: str
    message: str
    by_tool: bool = False


@dataclass(frozen=True, slots=True)
class ChainResult:
    """The completed steps in order, and the error that stopped the toolchain, if any.

    ``final_image`` is the id of the image that is the result of the toolchain; "" = the result of the last step.
    """

    steps: tuple[StepResult, ...] = ()
    error: ChainError | None = None
    final_image: str = ""

    @property
    def last(self) -> StepResult | None:
        return self.steps[-1] if self.steps else None

    @property
    def final(self) -> StepResult | None:
        """The step whose image is the result; the latest with that id."""
        if not self.final_image:
            return self.last
        return next((step for step in reversed(self.steps) if step.image_id == self.final_image), None)


@dataclass(frozen=True, slots=True)
class Unopened:
    """An image of known size, which is opened when a tool needs its pixels."""

    width: int
    height: int
    open: Callable[[], Picture]


Work = Callable[[float, Callable[[], ToolResult]], ToolResult]
"""Runs a call with a predicted duration in seconds: at once, or when it is its turn."""


@dataclass(frozen=True, slots=True)
class _Named:
    """An image of a toolchain: its (width, height), a function for its pixels, its transformation to the original, its
    key.
    """

    size: tuple[int, int]
    pixels: Callable[[], Picture]
    back: Affine | None = None
    key: str = ""


@dataclass(slots=True)
class _Chain:
    """The images of a running toolchain by id; ``latest`` is the default input. ``seconds``: spent by tools."""

    pictures: dict[str, _Named]
    limits: Limits
    clock: Callable[[], float] = perf_counter
    cache: ResultCache | None = None
    work: Work = lambda _, call: call()
    tools: Mapping[str, ToolSpec] = field(default_factory=dict)
    latest: str = ORIGINAL
    kept: int = 0
    seconds: float = 0.0
    at_work: bool = False
    steps: list[StepResult] = field(default_factory=list)

    def at(self, call: Callable[[], ToolResult]) -> ToolResult:
        """Run the tool and measure its time, without the time spent waiting."""
        started = self.clock()
        self.at_work = True
        result = call()
        self.at_work = False
        self.seconds += self.clock() - started
        return result


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A checked call: ids of its inputs, arguments, predicted (width, height) and seconds."""

    spec: ToolSpec
    image_id: str
    ids: tuple[str, ...]
    arguments: dict[str, Any]
    size: tuple[int, int]
    seconds: float


class _ChainStop(Exception):
    """A call that cannot run for a reason other than the values of its parameters."""

    def __init__(self, parameter: str, value: object, allowed: str, message: str) -> None:
        super().__init__(message)
        self.parameter, self.value, self.allowed = parameter, shortened(value), allowed


def run_chain(
    original: Picture | Unopened,
    calls: Sequence[ToolCall],
    limits: Limits = Limits(),
    clock: Callable[[], float] = perf_counter,
    *,
    cache: ResultCache | None = None,
    original_key: str = "",
    final_image: str = "",
    others: Mapping[str, Picture | Unopened] | None = None,
    other_keys: Mapping[str, str] | None = None,
    work: Work = lambda _, call: call(),
    tools: Mapping[str, ToolSpec] = MappingProxyType({}),
) -> ChainResult:
    """Run ``calls`` in order and stop at the first that fails. Never raises for an invalid call.

    A call without ``image_in`` uses the latest image; one without ``image_out`` names its image ``step_N``. A second
    image (template) is the second id of ``image_in``, or the id in the argument ``template``. To run up to a step, pass
    the calls up to it. With a ``cache``, a call that ran before on the same image with the same arguments is not run
    again. ``original_key`` is the key of the original in it (default: computed from its pixels), and ``other_keys``
    those of ``others``, further images that calls may name. ``work`` runs each call that is not cached; its own
    exceptions pass through. ``tools`` are those of a profile, by exact name, and take precedence over the table.
    """
    keys = {ORIGINAL: original_key, **(other_keys or {})}
    chain = _Chain(_beginning(original, others or {}, keys, known=cache is not None), limits, clock, cache, work, tools)
    error = None
    for number, call in enumerate(calls, start=1):
        error = _tried(chain, number, call, _step)
        if error is not None:
            break
    if error is None and final_image and final_image not in chain.pictures:
        error = _no_final(len(calls), final_image, chain)
    return ChainResult(tuple(chain.steps), error, final_image)


def foreseen(calls: Sequence[ToolCall], width: int, height: int, limits: Limits = Limits()) -> ChainError | None:
    """Predict the error of a toolchain on an original of this size, from calls and sizes alone. Nothing is run.

    A tool can still reject the pixels.
    """
    chain = _Chain({ORIGINAL: _Named((width, height), _not_opened)}, limits)
    errors = (_tried(chain, number, call, _foreseen_step) for number, call in enumerate(calls, start=1))
    return next((error for error in errors if error is not None), None)


def _beginning(
    original: Picture | Unopened, others: Mapping[str, Picture | Unopened], keys: Mapping[str, str], *, known: bool
) -> dict[str, _Named]:
    """Return the initial images of a toolchain; with keys for a cache, if there is one."""

    def named(name: str, picture: Picture | Unopened, back: Affine | None) -> _Named:
        if isinstance(picture, Unopened):
            return _Named((picture.width, picture.height), picture.open, back, keys.get(name, ""))
        return _named(picture, back, keys.get(name) or (picture_key(picture) if known else ""))

    return {ORIGINAL: named(ORIGINAL, original, IDENTITY)} | {
        name: named(name, picture, None) for name, picture in others.items()
    }


def _named(picture: Picture, back: Affine | None, key: str) -> _Named:
    return _Named((picture.shape[1], picture.shape[0]), lambda: picture, back, key)


def _not_opened() -> Picture:
    raise RuntimeError("A toolchain that is only planned has no pixels.")


def _tried(
    chain: _Chain, number: int, call: ToolCall, step: Callable[[_Chain, int, ToolCall], None]
) -> ChainError | None:
    """Run one step of the toolchain and return its error, if any."""
    try:
        _check_run(chain, number)
        step(chain, number, call)
    except (ToolError, _ChainStop, UnknownToolError, cv2.error, MemoryError) as error:
        by_tool = chain.at_work and not isinstance(error, MemoryError)
        return replace(_explained(number, call, error), by_tool=by_tool)
    return None


def _no_final(number: int, final_image: str, chain: _Chain) -> ChainError:
    known = ", ".join(chain.pictures)
    text = f"No step creates the final image {shortened(final_image)!r}; there are: {known}."
    return ChainError(number, "", "final_image", shortened(final_image), known, text)


def _check_run(chain: _Chain, number: int) -> None:
    limits = chain.limits
    if number > limits.steps:
        raise _ChainStop("", number, f"{limits.steps} steps", f"a toolchain may have {limits.steps} steps.")
    if chain.seconds > limits.seconds:
        text = f"the toolchain has taken {chain.seconds:.1f} s of {limits.seconds:g} s. Crop or shrink the image first."
        raise _ChainStop("", f"{chain.seconds:.1f} s", f"{limits.seconds:g} s", text)


def _step(chain: _Chain, number: int, call: ToolCall) -> None:
    one = _prepared(chain, number, call)
    first, key = chain.pictures[one.ids[0]], ""
    if chain.cache:
        key = result_key(one.spec.name, one.arguments, [chain.pictures[name].key for name in one.ids])
    known = chain.cache.get(key) if chain.cache else None
    before = chain.seconds
    result = known or _worked(chain, one)
    if chain.cache and known is None:
        chain.cache.put(key, result)
    back = first.back.after(result.transform) if first.back is not None and result.transform is not None else None
    if result.image is not None:
        _keep(chain, one.image_id, _named(result.image, back, key))
    chain.steps.append(StepResult(
        number, one.spec.name, one.image_id, result.image, result.measurements, back,
        (chain.seconds - before) * 1000, one.ids, one.arguments, key, known is not None,
    ))  # fmt: skip


def _worked(chain: _Chain, one: _Prepared) -> ToolResult:
    """Run the tool on its images when it is its turn. Images are opened within the turn, so that only one call at a
    time uses memory for them.
    """

    def call() -> ToolResult:
        pictures = [chain.pictures[name].pixels() for name in one.ids]
        return chain.at(lambda: one.spec.function(*pictures, **one.arguments))

    return chain.work(one.seconds, call)


def _foreseen_step(chain: _Chain, number: int, call: ToolCall) -> None:
    one = _prepared(chain, number, call)
    if one.spec.fits:
        one.spec.fits(*chain.pictures[one.ids[0]].size, **one.arguments)
    _keep(chain, one.image_id, _Named(one.size, _not_opened))


def _prepared(chain: _Chain, number: int, call: ToolCall) -> _Prepared:
    """Return the call, checked as far as possible without running it. Raises its error."""
    spec = chain.tools.get(call.tool) or TOOLS[resolve(call.tool)]
    image_id = _new_id(chain, number, call)
    ids, given = _inputs(chain, spec, call)
    arguments = checked_arguments(spec.function, given)
    size, seconds = _check_room(chain, spec, chain.pictures[ids[0]].size, arguments)
    return _Prepared(spec, image_id, tuple(ids), arguments, size, seconds)


def _new_id(chain: _Chain, number: int, call: ToolCall) -> str:
    name = call.image_out or f"step_{number}"
    if name == ORIGINAL:
        text = f"a result may not be called {ORIGINAL!r}; choose another id."
        raise _ChainStop("image_out", name, "an id of its own", text)
    return name


def _inputs(chain: _Chain, spec: ToolSpec, call: ToolCall) -> tuple[list[str], dict[str, Any]]:
    """Return the ids of the existing images that the call uses, and its other arguments."""
    ids, given = named_pictures(spec, call, chain.latest)
    if len(ids) != len(spec.pictures):
        wanted = f"{len(spec.pictures)} ({', '.join(spec.pictures)})"
        raise _ChainStop("image_in", ids, wanted, f"the tool takes {wanted} images, the call names {len(ids)}.")
    for name in ids:
        if name not in chain.pictures:
            known = ", ".join(chain.pictures)
            raise _ChainStop("image_in", name, known, f"there is no image {shortened(name)!r}; so far: {known}.")
    return ids, given


def named_pictures(spec: ToolSpec, call: ToolCall, latest: str) -> tuple[list[str], dict[str, Any]]:
    """Return the ids of the images that a call names, and its other arguments. ``image_in`` defaults to the latest."""
    ids = [call.image_in] if isinstance(call.image_in, str) else list(call.image_in or [latest])
    given = dict(call.arguments)
    for name in spec.pictures[len(ids) :]:
        key = next((key for key in given if snake_case(key) in (name, f"{name}_path")), None)
        if key is not None:
            ids.append(str(given.pop(key)))
    return ids, given


def _check_room(
    chain: _Chain, spec: ToolSpec, given: tuple[int, int], arguments: Mapping[str, Any]
) -> tuple[tuple[int, int], float]:
    """Return the predicted (width, height) of the result and seconds of the call, within the limits."""
    (width, height), limits = given, chain.limits
    if spec.max_input_pixels is not None and height * width > spec.max_input_pixels:
        allowed = f"an image of at most {spec.max_input_pixels:,} pixels; crop or resize it first"
        raise ToolError(spec.name, "image", f"{width} × {height}", allowed)
    seconds = _check_cost(spec, width, height, arguments, limits)
    size = spec.size(width, height, **arguments) if spec.size else given
    if math.prod(size) > limits.output_pixels and math.prod(size) > height * width:
        allowed = f"a result of at most {limits.output_pixels:,} pixels"
        raise ToolError(spec.name, _enlarging(arguments), f"{size[0]} × {size[1]}", allowed)
    if chain.kept + math.prod(size) > limits.kept_pixels:
        text = f"all results together may have {limits.kept_pixels:,} pixels. Crop or shrink the image first."
        raise _ChainStop("image", f"{size[0]} × {size[1]}", f"{limits.kept_pixels:,} pixels", text)
    return size, seconds


def _check_cost(spec: ToolSpec, width: int, height: int, arguments: Mapping[str, Any], limits: Limits) -> float:
    """Check the predicted time and memory of one call. An error names the most expensive parameter."""
    parameter, each = spec.effort(**arguments) if spec.effort else ("image", 0.0)
    seconds = width * height * each / 1e9
    if seconds > limits.call_seconds:
        text = f"what takes at most {limits.call_seconds:g} s, not about {seconds:.0f} s on {width} × {height} pixels"
        allowed = f"{text}; choose a smaller value, or crop or resize first"
        raise ToolError(spec.name, parameter, arguments.get(parameter, "its default"), allowed)
    if width * height * spec.working_bytes > limits.call_bytes:
        most = f"{limits.call_bytes // spec.working_bytes:,} pixels"
        allowed = f"an image of at most {most}, which fits in {limits.call_bytes / 1e9:g} GB; crop or resize it first"
        raise ToolError(spec.name, "image", f"{width} × {height}", allowed)
    return seconds


def _enlarging(arguments: Mapping[str, Any]) -> str:
    names = ("scale", "target_width", "target_height", "preset", "mode", "angle", "width")
    return next((name for name in names if arguments.get(name) is not None), "image")


def _keep(chain: _Chain, image_id: str, picture: _Named) -> None:
    chain.pictures[image_id] = picture
    chain.latest = image_id
    chain.kept += math.prod(picture.size)


def _explained(number: int, call: ToolCall, error: Exception) -> ChainError:
    start = f"Step {number} ({shortened(call.tool, 60)}): "
    if isinstance(error, ToolError):
        return ChainError(
            number, error.tool, error.parameter, shortened(error.value), error.allowed, start + str(error)
        )
    if isinstance(error, _ChainStop):
        return ChainError(number, call.tool, error.parameter, error.value, error.allowed, start + str(error))
    if isinstance(error, UnknownToolError):
        allowed = ", ".join(error.candidates or error.close or tuple(TOOLS))
        return ChainError(number, call.tool, "tool", shortened(call.tool), allowed, start + str(error))
    text = f"{start}OpenCV could not do this: {shortened(str(error))}. Try another size or other parameters."
    return ChainError(number, call.tool, "", "", "", text)
