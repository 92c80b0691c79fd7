"""The toolbox: what a tool costs beside bare OpenCV, a preview at the resolution of a screen, and an edited chain."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import cv2
import numpy as np

from annotation.imaging.encoding import encode, fitted, quick_ending
from annotation.schema import ToolCall
from annotation.toolbox.cache import ResultCache
from annotation.toolbox.preview import on_screen, reduced
from annotation.toolbox.python_code import CODE
from annotation.toolbox.python_tools import Source
from annotation.toolbox.results import Picture
from annotation.toolbox.runner import StepResult, run_chain
from annotation.toolbox.signature import checked_arguments
from annotation.toolbox.table import TOOLS, ToolSpec
from bench.options import Options
from bench.rows import Row, Skipped
from tests.unit.toolbox_cases import ARGUMENTS

SIDE = 1280
ALLOWED = 1.10
"""What checks and measurements may cost, in times of bare OpenCV."""
LONG = 0.001
"""Seconds below which a call is too short to say what its checks cost: they take some microseconds."""
STEPS = 10
SHOW_PROGRESS = {"denoise", "grabcut", "watershed", "inpaint"}
"""Tools whose preview may take longer: they show that they are at work."""
SECONDS = {"denoise", "grabcut"}
"""Tools that take seconds on an image of a screen's size: they are measured on a small one."""
SLOWER: dict[str, tuple[dict[str, Any], ...]] = {
    "blur": ({"method": "bilateral"}, {"method": "median", "ksize": 9}),
    "canny": ({"color_mode": "color"},),
    "contours": ({"mode": "list"},),
    "features": ({"method": "sift"}, {"method": "harris"}, {"method": "shi_tomasi"}),
    "histogram": ({"mode": "clahe", "color_mode": "color"},),
    "morphology": ({"op": "close", "kernel_size": 9, "iterations": 3},),
    "threshold": ({"mode": "adaptive_gaussian", "color_mode": "color"},),
}
"""Settings of the others that take longer than their defaults."""


def picture(width: int, height: int) -> Picture:
    """Soft shapes with grain, from a fixed seed."""
    coarse = np.random.default_rng(5).integers(0, 255, (height // 80, width // 80, 3), dtype=np.uint8)
    soft = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC).astype(np.int16)
    grain = np.random.default_rng(6).integers(-4, 5, soft.shape, dtype=np.int16)
    return (soft + grain).clip(0, 255).astype(np.uint8)


def seconds(work: Callable[[], object], rounds: int) -> float:
    """Processor time of the shortest of some rounds, on one core: what else the machine does stays out of it."""
    found = []
    for _ in range(rounds):
        begun = time.thread_time()
        work()
        found.append(time.thread_time() - begun)
    return max(min(found), 1e-6)


def bare(name: str, image: Picture, arguments: dict[str, Any]) -> Callable[[], object]:
    """The tool as the program that a chain is copied as, compiled once: OpenCV without checks or measurements."""
    spec = TOOLS[name]
    whole = {one.name: one.default for one in spec.parameters if not one.required} | arguments
    height, width = image.shape[:2]
    part = image[: height // 8, : width // 8].copy()
    sources = [Source("img", False, width, height), Source("part", False, part.shape[1], part.shape[0])]
    lines, _ = CODE[name](sources[: len(spec.pictures)], "out", whole)
    program = compile("\n".join(lines), name, "exec")
    return lambda: exec(program, {"cv2": cv2, "np": np, "img": image, "part": part})  # noqa: S102  # our own lines


@dataclass(frozen=True)
class Cost:
    """Seconds of one tool: bare OpenCV, the tool with its checks and measurements, and a chain of this one call."""

    name: str
    bare: float
    tool: float
    chain: float


def _image(step: StepResult) -> Picture:
    if step.image is None:
        raise RuntimeError(f"{step.tool} gave no picture.")
    return step.image


def _costs(image: Picture, rounds: int) -> Iterator[Cost]:
    for name, spec in TOOLS.items():
        shown = fitted(image, 480 if name in SECONDS else 1600).copy() if spec.max_input_pixels else image
        arguments = checked_arguments(spec.function, ARGUMENTS.get(name, {}))
        part = shown[: shown.shape[0] // 8, : shown.shape[1] // 8].copy()
        others = [part] * (len(spec.pictures) - 1)
        plain, tool = bare(name, shown, arguments), partial(spec.function, shown, *others, **arguments)
        call = ToolCall(name, ARGUMENTS.get(name, {}), ("original", "part") if others else "original")
        chain = partial(run_chain, shown, [call], others={"part": part})
        plain()
        yield Cost(name, *(seconds(work, rounds) for work in (plain, tool, chain)))


def _previews(image: Picture, rounds: int) -> Iterator[tuple[str, float]]:
    """Seconds from a changed last step to its image and the one before it, both encoded; the step before is known.
    Every tool that shows no progress, as it is by default and in its slower ways."""
    for name, spec in TOOLS.items():
        if name not in SHOW_PROGRESS:
            for arguments in ({}, *SLOWER.get(name, ())):
                yield from _preview(image, spec, ARGUMENTS.get(name, {}) | arguments, rounds)


def _preview(image: Picture, spec: ToolSpec, arguments: dict[str, Any], rounds: int) -> Iterator[tuple[str, float]]:
    height, width = image.shape[:2]
    first = ToolCall("crop", {"x": 0, "y": 0, "width": width - 1, "height": height - 1}, "original", "whole")
    small = ToolCall("crop", {"x": 9, "y": 9, "width": width // 8, "height": height // 8}, "original", "part")
    second: Any = ("whole", "part") if len(spec.pictures) > 1 else "whole"
    chain = reduced([first, small, ToolCall(spec.name, arguments, second)], width, height, SIDE)
    cache = ResultCache()
    before = run_chain(image, chain.calls[:-1], cache=cache, original_key="picture").steps[0]
    on_screen(_image(before), before.key, SIDE, cache)
    for _ in range(rounds):
        known = ResultCache()
        known._results.update(cache._results)
        begun = time.thread_time()
        result = run_chain(image, chain.calls, cache=known, original_key="picture")
        if result.error is not None:
            raise RuntimeError(f"{spec.name} was not run: {result.error}")
        for step in (before, result.steps[-1]):
            shown = on_screen(_image(step), step.key, SIDE, known)
            encode(shown, quick_ending(shown))
        yield " ".join([spec.name, *map(str, arguments.values())]), time.thread_time() - begun


def _run_too_often(image: Picture) -> int:
    """Steps that are run again though neither they nor one before them has changed, or the other way round: each step
    of ten is changed in turn, on the full image and on a reduced one."""
    height, width = image.shape[:2]
    wrong = 0
    for changed, side in product(range(1, STEPS + 1), (max(width, height), max(width, height) // 2)):
        cache = ResultCache()
        for sizes in ([9] * STEPS, [9] * (changed - 1) + [15] + [9] * (STEPS - changed)):
            calls = [ToolCall("blur", {"method": "average", "ksize": size}) for size in sizes]
            chain = reduced(calls, width, height, side)
            done = run_chain(image, chain.calls, cache=cache, original_key="picture")
        ran = {number for number, step in zip(chain.number_of, done.steps, strict=True) if number and not step.cached}
        wrong += len(ran ^ set(range(changed, STEPS + 1)))
    return wrong


def measure(options: Options) -> Iterator[Row | Skipped]:
    cv2.setNumThreads(1)
    image = picture(320, 240) if options.small else picture(3840, 2160)
    rounds = 1 if options.small else 3
    size = f"{image.shape[1]} × {image.shape[0]}"
    costs = list(_costs(image, rounds))
    long = [one for one in costs if one.bare >= LONG]
    dearest = max(long or costs, key=lambda one: one.tool / one.bare)
    over = sum(one.tool / one.bare > ALLOWED for one in long)
    yield Row(
        "toolbox", f"a tool call compared with bare OpenCV, {size}, one core, median of {len(costs)}",
        statistics.median(one.tool / one.bare for one in costs), "times", target=ALLOWED,
        limit=f"{over} of {len(long)} that take a millisecond are above; most: "
        f"{dearest.name} {dearest.tool / dearest.bare:.2f}",
    )  # fmt: skip
    yield Row(
        "toolbox", f"the same as a toolchain of one call, {size}, one core, median of {len(costs)}",
        statistics.median(one.chain / one.bare for one in costs), "times", target=ALLOWED,
    )  # fmt: skip
    previews = list(_previews(image, rounds))
    ordered = sorted(spent for _, spent in previews)
    slowest = max(previews, key=lambda one: one[1])
    yield Row(
        "toolbox", f"a changed step at {SIDE} px, of {size}, with encoding, processor time, p95 of {len(ordered)}",
        1000 * ordered[int(0.95 * (len(ordered) - 1))], "ms", target=120,
        limit=f"slowest: {slowest[0]} {1000 * slowest[1]:.0f} ms",
    )  # fmt: skip
    yield Row(
        "toolbox", f"steps run too often when each of {STEPS} is changed in turn, whole and reduced",
        _run_too_often(fitted(image, 640).copy()), "steps", target=0,
    )  # fmt: skip
