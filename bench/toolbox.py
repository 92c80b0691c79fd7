"""The toolbox: what a tool costs beside bare OpenCV, a preview at the resolution of a screen, and an edited chain."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import cv2
import numpy as np

from annotation.imaging.encoding import encode, fitted
from annotation.schema import ToolCall
from annotation.toolbox.cache import ResultCache
from annotation.toolbox.preview import reduced
from annotation.toolbox.python_code import CODE
from annotation.toolbox.python_tools import Source
from annotation.toolbox.results import Picture
from annotation.toolbox.runner import run_chain
from annotation.toolbox.signature import checked_arguments
from annotation.toolbox.table import HEAVIEST, HEAVY, TOOLS
from bench.options import Options
from bench.rows import Row, Skipped
from tests.unit.toolbox_cases import ARGUMENTS

SIDE = 1280
SHOW_PROGRESS = {"denoise", "grabcut", "watershed", "inpaint"}
"""Tools whose preview may take longer: they show that they are at work."""


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


def _ratios(image: Picture, rounds: int) -> Iterator[tuple[str, float]]:
    for name, spec in TOOLS.items():
        if spec.max_input_pixels:
            limit = {HEAVY: 1600, HEAVIEST: 480}[spec.max_input_pixels]
            shown = fitted(image, limit).copy()
        else:
            shown = image
        arguments = checked_arguments(spec.function, ARGUMENTS.get(name, {}))
        part = shown[: shown.shape[0] // 8, : shown.shape[1] // 8].copy()
        others = [part] * (len(spec.pictures) - 1)
        plain, tool = bare(name, shown, arguments), lambda: spec.function(shown, *others, **arguments)  # noqa: B023
        plain()
        yield name, seconds(tool, rounds) / seconds(plain, rounds)


def _previews(image: Picture, rounds: int) -> Iterator[tuple[str, float]]:
    """Seconds from a changed last step to its encoded picture, the step before it known."""
    height, width = image.shape[:2]
    for name, spec in TOOLS.items():
        if name in SHOW_PROGRESS:
            continue
        cache = ResultCache()
        first = ToolCall("crop", {"x": 0, "y": 0, "width": width - 1, "height": height - 1}, "original", "whole")
        second: Any = ("whole", "part") if len(spec.pictures) > 1 else "whole"
        small = ToolCall("crop", {"x": 9, "y": 9, "width": width // 8, "height": height // 8}, "original", "part")
        chain = reduced([first, small, ToolCall(name, ARGUMENTS.get(name, {}), second)], width, height, SIDE)
        run_chain(image, chain.calls[:-1], cache=cache, original_key="picture")
        for _ in range(rounds):
            known = ResultCache()
            known._results.update(cache._results)
            begun = time.thread_time()
            result = run_chain(image, chain.calls, cache=known, original_key="picture")
            if result.last is None or result.last.image is None:
                raise RuntimeError(f"{name} was not run: {result.error}")
            encode(fitted(result.last.image, SIDE), ".webp")
            yield name, time.thread_time() - begun


def _edited(image: Picture) -> tuple[int, int]:
    """Steps run again when step 7 of 10 changes, and when the last does."""
    found = []
    for changed in (7, 10):
        cache = ResultCache()
        sizes = [3] * 10
        run_chain(image, [ToolCall("blur", {"method": "average", "ksize": s}) for s in sizes], cache=cache)
        sizes[changed - 1] = 5
        again = run_chain(image, [ToolCall("blur", {"method": "average", "ksize": s}) for s in sizes], cache=cache)
        found.append(sum(not step.cached for step in again.steps))
    return found[0], found[1]


def measure(options: Options) -> Iterator[Row | Skipped]:
    cv2.setNumThreads(1)
    image = picture(320, 240) if options.small else picture(3840, 2160)
    rounds = 1 if options.small else 3
    size = f"{image.shape[1]} × {image.shape[0]}"
    ratios = dict(_ratios(image, rounds))
    worst = max(ratios, key=lambda name: ratios[name])
    yield Row(
        "toolbox", f"a tool call beside bare OpenCV, {size}, one core, median of 36",
        statistics.median(ratios.values()), "times", target=1.10, limit=f"most: {worst} {ratios[worst]:.2f}",
    )  # fmt: skip
    previews = list(_previews(image, rounds))
    ordered = sorted(spent for _, spent in previews)
    slowest = max(previews, key=lambda one: one[1])
    yield Row(
        "toolbox", f"a changed step at {SIDE} px, of {size}, with encoding, processor time, p95 of {len(ordered)}",
        1000 * ordered[int(0.95 * (len(ordered) - 1))], "ms", target=120,
        limit=f"slowest: {slowest[0]} {1000 * slowest[1]:.0f} ms",
    )  # fmt: skip
    seventh, last = _edited(fitted(image, 640).copy())
    yield Row("toolbox", "steps run again when step 7 of 10 changes", seventh, "steps", target=4)
    yield Row("toolbox", "steps run again when the last of 10 changes", last, "steps", target=1)
