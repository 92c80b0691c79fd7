"""Running a chain on a sample's image. Results are kept in memory by content: nothing is written."""

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
"""Previews while a person edits. Full results, which are larger, don't evict them."""

CACHE = ResultCache(400_000_000, beside=PREVIEWS)
"""Images and whole results. Both are shared by the threads of this process.

Eight people with chains of ten steps on 4K images find theirs here; with less each would push out the others'.
"""

_OPENING = Lock()
"""One stored image is opened at a time: the largest take 600 MB, and several people ask for the same one."""

LIMITS = Limits()
LANES = Lanes()
EDITORS = Editors()


class RunDeferred(Conflict):
    """It was not this request's turn, for now or for good: ``code`` is busy (ask again) or superseded."""


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
        """Whether every image that there is is the real one."""
        return all(number in self.exact for number in self.steps)


def original_of(sample: Sample) -> Picture:
    """The pixels of the sample's image, from memory where they were asked for lately. Raises ``Conflict``."""
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
    """The chain at full resolution. Raises ``Conflict``; ``RunDeferred`` when it is not its turn."""
    return _run(sample, calls, CACHE, asked or Asked(), whole=True)


def show_whole(sample: Sample, calls: Sequence[ToolCall], side: int, asked: Asked) -> ShownChain:
    """The same, with the original as step 0, reduced to ``side`` pixels if it is only shown."""
    result = run_whole(sample, calls, asked)
    original = _original_step(sample, side if calls else 0)
    steps = {0: original} | {step.number: step for step in result.steps}
    return ShownChain(steps, frozenset(steps), result.error, {0: _size_of(sample)})


def show_preview(sample: Sample, calls: Sequence[ToolCall], side: int, asked: Asked) -> ShownChain:
    """The chain on images reduced to ``side`` pixels where they are larger: quick, and exact where it says so.

    What can be foreseen to stop the chain is said without running it whole.
    """
    width, height = _size_of(sample)
    error = foreseen(calls, width, height, LIMITS)
    chain = reduced(calls[: error.number - 1] if error else calls, width, height, side)
    result = _run(sample, chain.calls, PREVIEWS, asked, whole=False)
    if result.error is not None:
        # What is wrong is said of the real chain, whose numbers the person knows.
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
    """One call on an image that was sent along, or on one that has a ``key``, whose results are kept. ``tools`` are
    those of a profile. Raises ``RunDeferred``."""
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
    """What the lanes say, as what is answered."""
    try:
        yield
    except BusyError:
        text = "Other toolchains are running. Try again in a moment."
        raise RunDeferred(text, code="busy") from None
    except SupersededError:
        raise RunDeferred("The toolchain was changed in the meantime.", code="superseded") from None


def image_of(sample: Sample) -> Image:
    """The stored image of a sample. Raises ``Conflict`` where it is missing or not prepared yet."""
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
    """The image of a chain whose first results may all be known."""
    return Unopened(*_size_of(sample), lambda: original_of(sample))


def _key(sample: Sample) -> str:
    return sample.image.sha256 if sample.image else ""


def _original_step(sample: Sample, side: int) -> StepResult:
    """The original as step 0, at ``side`` pixels at most; 0 = as it is."""
    unopened, key = _unopened(sample), _key(sample)
    image = on_screen(unopened, key, side, PREVIEWS) if side else unopened.open()
    return StepResult(0, "", "original", image, {}, IDENTITY, 0.0, key=key, cached=True)
