"""Runs a toolchain on a sample's image. Results are cached in memory by content; nothing is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Lock

from django.utils.translation import gettext

from annotation.images.store import picture_path
from annotation.imaging.decoding import decode
from annotation.models import Image, Sample
from annotation.schema import ToolCall
from annotation.toolbox.affine import IDENTITY
from annotation.toolbox.cache import ResultCache
from annotation.toolbox.lanes import Asked, BusyError, Editors, Lanes, SupersededError
from annotation.toolbox.preview import on_screen, reduced
from annotation.toolbox.results import Picture, ToolResult
from annotation.toolbox.runner import ChainError, ChainResult, Limits, StepResult, Unopened, foreseen, run_chain
from annotation.toolbox.table import ToolSpec
from webapp.common import objects
from webapp.common.errors import Conflict

PREVIEWS = ResultCache(240_000_000)
"""Cache of previews while a person edits. Full results, which are larger, don't evict them."""

CACHE = ResultCache(400_000_000, beside=PREVIEWS)
"""Cache of images and full results. All threads of this process share both caches.

Its size fits the results of eight people with toolchains of ten steps on 4K images. A smaller cache would evict them.
"""

_OPENING = Lock()
"""Only one stored image is opened at a time: the largest take 600 MB, and several people request the same one."""

LIMITS = Limits()
LANES = Lanes()
EDITORS = Editors()


class RunDeferred(Conflict):
    """The request did not run, for now or for good: ``code`` is busy (ask again) or superseded."""


@dataclass(frozen=True, slots=True)
class ShownChain:
    """``steps`` of the toolchain by number, the original first as step 0; ``exact``: the steps with an exact result;
    ``sizes``: the width and height of the exact results of the others.
    """

    steps: dict[int, StepResult]
    exact: frozenset[int]
    error: ChainError | None
    sizes: Mapping[int, tuple[int, int]] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """Whether every image is exact."""
        return all(number in self.exact for number in self.steps)


def original_of(sample: Sample) -> Picture:
    """Return the pixels of the sample's image, from the cache if recently used. Raises ``Conflict``."""
    image = image_of(sample)
    known = CACHE.get(image.sha256)
    if known is not None and known.image is not None:
        return known.image
    with _OPENING:
        known = CACHE.get(image.sha256)
        if known is not None and known.image is not None:
            return known.image
        pixels = decode(objects.read(picture_path(image)))
        CACHE.put(image.sha256, ToolResult(pixels))
    return pixels


def run_whole(sample: Sample, calls: Sequence[ToolCall], asked: Asked | None = None) -> ChainResult:
    """Run the toolchain at full resolution. Raises ``Conflict``; ``RunDeferred`` if it is not its turn."""
    return _run(sample, calls, CACHE, asked or Asked(), whole=True)


def show_whole(sample: Sample, calls: Sequence[ToolCall], side: int, asked: Asked) -> ShownChain:
    """The same, with the original as step 0, reduced to ``side`` pixels if it is only shown."""
    result = run_whole(sample, calls, asked)
    original = _original_step(sample, side if calls else 0)
    steps = {0: original} | {step.number: step for step in result.steps}
    return ShownChain(steps, frozenset(steps), result.error, {0: _size_of(sample)})


def show_preview(sample: Sample, calls: Sequence[ToolCall], side: int, asked: Asked) -> ShownChain:
    """Run the toolchain on images reduced to ``side`` pixels if they are larger: fast, and exact for the steps in
    ``exact``.

    Predictable errors of the toolchain are reported without running it at full resolution.
    """
    width, height = _size_of(sample)
    error = foreseen(calls, width, height, LIMITS)
    chain = reduced(calls[: error.number - 1] if error else calls, width, height, side)
    result = _run(sample, chain.calls, PREVIEWS, asked, whole=False)
    if result.error is not None:
        # Report the error of the toolchain at full resolution, whose numbers the person knows.
        return show_whole(sample, calls, side, asked)
    steps = {
        number: replace(step, number=number, image_in=chain.inputs[number])
        for number, step in zip(chain.number_of, result.steps, strict=True)
        if number
    }
    exact = chain.exact | ({0} if max(width, height) <= side else set())
    sizes = {**chain.sizes, 0: (width, height)}
    return ShownChain({0: _original_step(sample, side)} | steps, exact, error, sizes)


def run_uploaded_call(
    picture: Picture | Unopened,
    call: ToolCall,
    others: Mapping[str, Picture | Unopened],
    key: str = "",
    other_keys: Mapping[str, str] | None = None,
    tools: Mapping[str, ToolSpec] | None = None,
) -> ChainResult:
    """Run one call on an uploaded image, or on one with a ``key``, whose results are cached. ``tools`` are those of a
    profile. Raises ``RunDeferred``.
    """
    work, cache = partial(LANES.work, whole=True, asked=Asked()), CACHE if key else None
    with _in_turn():
        return run_chain(
            picture,
            [call],
            LIMITS,
            others=others,
            work=work,
            cache=cache,
            original_key=key,
            other_keys=other_keys,
            tools=tools or {},
        )


def _run(sample: Sample, calls: Sequence[ToolCall], cache: ResultCache, asked: Asked, *, whole: bool) -> ChainResult:
    work = partial(LANES.work, whole=whole, asked=asked)
    with _in_turn():
        return run_chain(_unopened(sample), calls, LIMITS, cache=cache, original_key=_key(sample), work=work)


@contextmanager
def _in_turn() -> Iterator[None]:
    """Convert exceptions of the lanes to ``RunDeferred``."""
    try:
        yield
    except BusyError:
        text = "Other toolchains are running. Try again in a moment."
        raise RunDeferred(text, code="busy") from None
    except SupersededError:
        raise RunDeferred("The toolchain was changed in the meantime.", code="superseded") from None


def image_of(sample: Sample) -> Image:
    """Return the stored image of a sample. Raises ``Conflict`` if it is missing or not prepared yet."""
    image = sample.image
    if image is None or image.state != Image.State.READY:
        why = sample.image_problem or "it is still being prepared"
        raise Conflict(
            gettext("The image of %(key)s can't be used: %(why)s.") % {"key": sample.key, "why": why}, code="no_picture"
        )
    return image


def _size_of(sample: Sample) -> tuple[int, int]:
    image = image_of(sample)
    return image.width, image.height


def _unopened(sample: Sample) -> Unopened:
    """Return the image of a toolchain unopened, because its first results may be cached."""
    return Unopened(*_size_of(sample), lambda: original_of(sample))


def _key(sample: Sample) -> str:
    return sample.image.sha256 if sample.image else ""


def _original_step(sample: Sample, side: int) -> StepResult:
    """Return the original as step 0, with at most ``side`` pixels per side; 0 = full size."""
    unopened, key = _unopened(sample), _key(sample)
    image = on_screen(unopened, key, side, PREVIEWS) if side else unopened.open()
    return StepResult(0, "", "original", image, {}, IDENTITY, 0.0, key=key, cached=True)
