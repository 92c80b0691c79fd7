"""Running a chain on a sample's picture. Results are kept in memory by content: nothing is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.core.files.storage import default_storage

from annotation.actions.store_images import picture_path
from annotation.imaging.decoding import decode
from annotation.models import Image, Sample
from annotation.schema import ToolCall
from annotation.toolbox.affine import IDENTITY
from annotation.toolbox.cache import ResultCache
from annotation.toolbox.preview import reduced
from annotation.toolbox.results import Picture, ToolResult
from annotation.toolbox.runner import ChainError, ChainResult, Limits, StepResult, run_chain
from webapp.common.errors import Conflict

CACHE = ResultCache()
"""Shared by the threads of this process."""

LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class ShownChain:
    """``steps`` of the chain by number, the original first as step 0; ``exact``: those whose result is the real one;
    ``sizes``: the width and height of the real results of the others."""

    steps: dict[int, StepResult]
    exact: frozenset[int]
    error: ChainError | None
    sizes: Mapping[int, tuple[int, int]] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """Whether every picture that there is is the real one."""
        return all(number in self.exact for number in self.steps)


def original_of(sample: Sample) -> Picture:
    """The pixels of the sample's picture, from memory where they were asked for lately. Raises ``Conflict``."""
    image = sample.image
    if image is None or image.state != Image.State.READY:
        why = sample.image_problem or "it is still being prepared"
        raise Conflict(f"The picture of {sample.key} cannot be worked on: {why}.", code="no_picture")
    known = CACHE.get(image.sha256)
    if known is not None and known.image is not None:
        return known.image
    with default_storage.open(picture_path(image)) as file:
        pixels = decode(file.read())
    CACHE.put(image.sha256, ToolResult(pixels))
    return pixels


def run_whole(sample: Sample, calls: Sequence[ToolCall]) -> ChainResult:
    """The chain at full resolution."""
    original = original_of(sample)
    return run_chain(original, calls, LIMITS, cache=CACHE, original_key=_key(sample))


def show_whole(sample: Sample, calls: Sequence[ToolCall]) -> ShownChain:
    """The same, with the original as step 0."""
    result = run_whole(sample, calls)
    steps = {0: _original_step(sample)} | {step.number: step for step in result.steps}
    return ShownChain(steps, frozenset(steps), result.error)


def show_preview(sample: Sample, calls: Sequence[ToolCall], side: int) -> ShownChain:
    """The chain on pictures reduced to ``side`` pixels where they are larger: quick, and exact where it says so."""
    original = original_of(sample)
    height, width = original.shape[:2]
    chain = reduced(calls, width, height, side)
    result = run_chain(original, chain.calls, LIMITS, cache=CACHE, original_key=_key(sample))
    if result.error is not None:
        # What is wrong is said of the real chain, whose numbers the person knows.
        return show_whole(sample, calls)
    steps = {
        number: replace(step, number=number, image_in=chain.inputs[number])
        for number, step in zip(chain.number_of, result.steps, strict=True)
        if number
    }
    return ShownChain({0: _original_step(sample)} | steps, chain.exact | {0}, None, chain.sizes)


def _key(sample: Sample) -> str:
    return sample.image.sha256 if sample.image else ""


def _original_step(sample: Sample) -> StepResult:
    return StepResult(0, "", "original", original_of(sample), {}, IDENTITY, 0.0, key=_key(sample), cached=True)
