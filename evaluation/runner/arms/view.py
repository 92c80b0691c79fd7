"""A recorded trajectory as messages that can be changed and sent again, and the changes made by each arm."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from annotation.imaging.crops import Picture, crop, scaled
from annotation.imaging.decoding import decode
from annotation.importers.fields import Number4
from annotation.marking import gettext_noop
from annotation.schema import Box, Point
from evaluation.runner.arms import pixels, text
from evaluation.runner.arms.catalogue import Arm, CannotApply, Estimand
from evaluation.runner.canonical import digest_of
from evaluation.runner.images import ImagePolicy, SentImage, sent_picture

NOT_AVAILABLE = "[The image is not available.]"
Messages = tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class ShownImage:
    """An image of the conversation. ``box``: the part of the original that it shows, in pixels of the original; None if
    unknown. ``load`` returns the bytes that were sent.
    """

    sha256: str
    load: Callable[[], bytes] = field(repr=False)
    box: Number4 | None = None

    @cached_property
    def picture(self) -> Picture:
        return decode(self.load())


@dataclass(frozen=True)
class Recorded:
    """A trajectory that is repeated under arms.

    ``content``: a digest of the record. ``messages``: those of its last request, images as ``sha256:…``. ``final``: the
    last response up to the answer; ``answer``: its answer. ``images``: by SHA-256; ``original`` is the full image,
    ``crops`` the others in order. ``size``: (width, height) of the original. ``picture`` returns its pixels.
    ``polygons``: the corners of the gold's polygons, by position among the boxes of ``gold``.
    ``foreign``: a crop of another image. ``written``: texts by judges: ``mistake`` is a list of pairs (old, new), of
    which the first that fits is used, ``paraphrase`` a text. ``rebuilt``: the messages were reconstructed from the
    steps, because the requests are unknown.
    """

    sample: str
    content: str
    messages: Messages
    final: str
    answer: str
    original: str
    crops: Sequence[str]
    images: Mapping[str, ShownImage]
    size: tuple[int, int]
    picture: Callable[[], Picture] = field(repr=False)
    gold: Sequence[Number4] = ()
    polygons: Mapping[int, Sequence[Point]] = field(default_factory=dict)
    question: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    foreign: ShownImage | None = None
    written: Mapping[str, Any] = field(default_factory=dict)
    rebuilt: bool = False

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything that is repeated."""
        about = [self.content, self.question, dict(self.options), list(self.gold), self.rebuilt]
        # Without polygons a record keeps the digest that it had before there were any.
        about += [[[at, *points] for at, points in self.polygons.items()]] if self.polygons else []
        return digest_of([*about, self.foreign.sha256 if self.foreign else None, dict(self.written)])


@dataclass(frozen=True)
class Changed:
    """The request of an arm: messages, the start of the last response ("" if it is sampled again), the images by
    SHA-256, and the previous letter of each rotated option.
    """

    messages: Messages
    prefix: str
    images: Mapping[str, SentImage]
    letters: Mapping[str, str] = field(default_factory=dict)


def changed(arm: Arm, recorded: Recorded, seed: int, family: str = "") -> Changed:
    """Return the request for a recorded trajectory under an arm. ``seed``: the number of the draw.

    Raises ``CannotApply`` if there is nothing to change. Everything except the change of the arm is sent as before.
    """
    work = _Work(arm, recorded, seed, family)
    _CHANGES[arm.family](work)
    if arm.estimand is Estimand.PREFIX and not recorded.final.endswith(text.MARKER):
        raise CannotApply(gettext_noop("The recorded response has no <answer>, so nothing can be continued."))
    return work.done()


class _Work:
    def __init__(self, arm: Arm, recorded: Recorded, seed: int, family: str) -> None:
        self.arm, self.recorded, self.family = arm, recorded, family
        self.messages: list[Mapping[str, Any]] = list(recorded.messages)
        self.final = recorded.final
        self.new: dict[str, SentImage | None] = {}
        self.letters: Mapping[str, str] = {}
        parts = [str(arm), recorded.sample, str(seed)]
        self.rng = np.random.default_rng(
            int.from_bytes(hashlib.sha256("\x1f".join(parts).encode()).digest()[:8], "big")
        )

    @property
    def crops(self) -> Sequence[str]:
        if not self.recorded.crops:
            raise CannotApply(gettext_noop("The trajectory has no crops."))
        return self.recorded.crops

    def done(self) -> Changed:
        """Return the messages with their new images. Removed images are described as not available."""
        messages = tuple(_with_images(message, self.new) for message in self.messages)
        named = {part["image_url"]["url"] for message in messages for part in _image_parts(message)}
        images: dict[str, SentImage] = {}
        for url in named:
            sha256 = url.removeprefix("sha256:")
            made = next((one for one in self.new.values() if one is not None and one.sha256 == sha256), None)
            images[sha256] = made or _as_sent(self.recorded.images[sha256])
        prefix = self.final if self.arm.estimand is Estimand.PREFIX else ""
        return Changed(messages, prefix, images, self.letters)

    def put(self, sha256: str, picture: Picture) -> None:
        self.new[sha256] = sent_picture(picture, ImagePolicy(), self.family)

    def each_crop(self, change: Callable[[ShownImage], Picture]) -> None:
        for sha256 in dict.fromkeys(self.crops):
            self.put(sha256, change(self.recorded.images[sha256]))

    def texts(self) -> list[str]:
        """The responses of the model in order; the last one up to the answer."""
        written = [str(message.get("content") or "") for message in self.messages if message["role"] == "assistant"]
        return [*written, self.final.removesuffix(text.MARKER)]

    def put_texts(self, texts: Sequence[str]) -> None:
        """Replace the texts by as many as ``texts`` returned."""
        given = iter(texts)
        for place, message in enumerate(self.messages):
            if message["role"] == "assistant":
                content = next(given)
                kept = content or (None if message.get("tool_calls") else "")
                self.messages[place] = {**message, "content": kept}
        marker = text.MARKER if self.final.endswith(text.MARKER) else ""
        self.final = next(given) + marker
        if not any(text.reasoning_in(one).strip() for one in texts) and self.arm.family not in ("truncate",):
            raise CannotApply(gettext_noop("The trajectory has no text before the answer."))


def _sham(work: _Work) -> None:
    """Change nothing."""


def _noise(work: _Work) -> None:
    work.each_crop(lambda one: pixels.noisy(one.picture, float(work.arm.dose), work.rng))


def _blank(work: _Work) -> None:
    work.each_crop(lambda one: pixels.blank(one.picture))


def _blur(work: _Work) -> None:
    work.each_crop(lambda one: pixels.blurred(one.picture, int(work.arm.dose)))


def _gold(work: _Work) -> None:
    region = pixels.gold_region(work.recorded.picture(), work.recorded.gold)

    def view(one: ShownImage) -> Picture:
        height, width = one.picture.shape[:2]
        return pixels.letterboxed(region, width, height)

    work.each_crop(view)


def _foreign(work: _Work) -> None:
    foreign = work.recorded.foreign
    if foreign is None:
        raise CannotApply(gettext_noop("No other image of the run has a crop."))
    other = foreign.picture

    def view(one: ShownImage) -> Picture:
        height, width = one.picture.shape[:2]
        return pixels.letterboxed(other, width, height)

    work.each_crop(view)


def _random(work: _Work) -> None:
    original = work.recorded.picture()

    def view(one: ShownImage) -> Picture:
        if one.box is None:
            raise CannotApply(gettext_noop("A crop has no known place in the image."))
        box = pixels.random_box(one.box, work.recorded.gold, work.recorded.size, work.rng)
        height, width = one.picture.shape[:2]
        return scaled(crop(original, Box(*box)), width, height)

    work.each_crop(view)


def _order(work: _Work) -> None:
    crops = list(dict.fromkeys(work.crops))
    if len(crops) < 2:
        raise CannotApply(gettext_noop("The trajectory has fewer than two crops."))
    for sha256, other in zip(crops, [*crops[1:], crops[0]], strict=True):
        work.new[sha256] = _as_sent(work.recorded.images[other])


def _mask_gold(work: _Work) -> None:
    recorded = work.recorded
    if not recorded.gold:
        raise CannotApply(gettext_noop("The sample has no gold boxes."))
    wanted = [recorded.original] if work.arm.dose in ("image", "both") else []
    wanted += work.crops if work.arm.dose in ("crops", "both") else []
    for sha256 in dict.fromkeys(wanted):
        one = recorded.images[sha256]
        whole = (0.0, 0.0, float(recorded.size[0]), float(recorded.size[1]))
        region = whole if sha256 == recorded.original else one.box
        if region is None:
            raise CannotApply(gettext_noop("A crop has no known place in the image."))
        work.put(sha256, _without_gold(recorded, one.picture, region))


def _without_gold(recorded: Recorded, picture: Picture, region: Number4) -> Picture:
    """Return the image, which shows a region of the original, with the gold in it masked."""
    height, width = picture.shape[:2]
    across, down = width / (region[2] - region[0]), height / (region[3] - region[1])
    boxes = [
        ((x1 - region[0]) * across, (y1 - region[1]) * down, (x2 - region[0]) * across, (y2 - region[1]) * down)
        for x1, y1, x2, y2 in recorded.gold
    ]
    polygons = {
        at: [((x - region[0]) * across, (y - region[1]) * down) for x, y in points]
        for at, points in recorded.polygons.items()
    }
    try:
        return pixels.masked(picture, boxes, polygons)
    except CannotApply:
        # All of it is gold, so its surroundings are outside the image.
        around = pixels.masked(recorded.picture(), recorded.gold, recorded.polygons)
        return scaled(crop(around, Box(*region)), width, height)


def _no_image(work: _Work) -> None:
    work.new[work.recorded.original] = None


def _no_crops(work: _Work) -> None:
    for sha256 in work.crops:
        work.new[sha256] = None


def _mistake_rule(work: _Work) -> None:
    work.put_texts(text.with_mistakes(work.texts(), int(work.arm.dose), work.rng, work.recorded.answer))


def _mistake_judge(work: _Work) -> None:
    found = work.recorded.written.get("mistake")
    if not found:
        raise CannotApply(gettext_noop("No judge has written a mistake for this trajectory."))
    for place, one in enumerate(found, 1):
        try:
            work.put_texts(text.replaced(work.texts(), one["old"], one["new"], work.recorded.answer))
        except CannotApply:
            if place == len(found):
                raise
        else:
            return


def _paraphrase(work: _Work) -> None:
    found = work.recorded.written.get("paraphrase")
    if not found:
        raise CannotApply(gettext_noop("No judge has paraphrased this trajectory."))
    *earlier, last = work.texts()
    if not text.reasoning_in(last).strip():
        raise CannotApply(gettext_noop("The trajectory has no text before the answer."))
    work.put_texts([*earlier, f"<think>{found}</think>\n"])


def _filler(work: _Work) -> None:
    work.put_texts([text.edited(one, text.dotted) for one in work.texts()])


def _truncate(work: _Work) -> None:
    """Keep the first steps. Steps are the responses with calls, then the sentences before the answer."""
    first = next((place for place, one in enumerate(work.messages) if one["role"] == "assistant"), len(work.messages))
    starts = [place for place in range(first, len(work.messages)) if work.messages[place]["role"] == "assistant"]
    last = text.sentences(text.reasoning_in(work.final.removesuffix(text.MARKER)).strip())
    whole = len(starts) + len(last)
    if not whole:
        raise CannotApply(gettext_noop("The trajectory has no text before the answer."))
    kept = round(whole * int(work.arm.dose) / 100)
    if kept < len(starts):
        work.messages = work.messages[: starts[kept]]
    said = "".join(last[: max(0, kept - len(starts))]).strip()
    work.final = (f"<think>{said}</think>\n" if said else "") + text.MARKER


def _options(work: _Work) -> None:
    options, before = text.rotated(work.recorded.options)
    old, new = (_listed(one) for one in (work.recorded.options, options))
    place = next((n for n, one in enumerate(work.messages) if one["role"] == "user" and old in _text(one)), None)
    if place is None:
        raise CannotApply(gettext_noop("The prompt does not list the options."))
    work.messages[place] = _with_text(work.messages[place], lambda words: words.replace(old, new))
    work.letters = before


def _question(work: _Work) -> None:
    said = [one for one in work.messages if one["role"] != "assistant"]
    asked = next((one for one in said if one["role"] == "user"), None)
    if asked is None:
        raise CannotApply(gettext_noop("The trajectory has no prompt."))
    work.messages = [asked]
    work.new = dict.fromkeys(work.recorded.images)


_CHANGES: Mapping[str, Callable[[_Work], None]] = {
    "sham": _sham, "noise": _noise, "blank": _blank, "blur": _blur, "gold": _gold, "foreign": _foreign,
    "random": _random, "order": _order, "mask-gold": _mask_gold, "no-image": _no_image, "no-crops": _no_crops,
    "mistake-rule": _mistake_rule, "mistake-judge": _mistake_judge, "paraphrase": _paraphrase, "filler": _filler,
    "truncate": _truncate, "options": _options, "question": _question,
}  # fmt: skip


def _listed(options: Mapping[str, str]) -> str:
    return "".join(f"\n{letter}. {words}" for letter, words in options.items())


def _image_parts(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    return [part for part in parts if part.get("type") == "image_url"]


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if part.get("type") == "text")
    return str(content or "")


def _with_text(message: Mapping[str, Any], change: Callable[[str], str]) -> Mapping[str, Any]:
    content = message.get("content")
    if not isinstance(content, list):
        return {**message, "content": change(str(content or ""))}
    parts = [{**part, "text": change(part["text"])} if part.get("type") == "text" else part for part in content]
    return {**message, "content": parts}


def _with_images(message: Mapping[str, Any], new: Mapping[str, SentImage | None]) -> Mapping[str, Any]:
    if not _image_parts(message):
        return message
    parts: list[Mapping[str, Any]] = []
    for part in message["content"]:
        sha256 = part["image_url"]["url"].removeprefix("sha256:") if part.get("type") == "image_url" else ""
        if sha256 not in new:
            parts.append(part)
        elif (made := new[sha256]) is not None:
            parts.append({"type": "image_url", "image_url": {"url": made.url}})
        else:
            parts.append({"type": "text", "text": NOT_AVAILABLE})
    return {**message, "content": parts}


def _as_sent(image: ShownImage) -> SentImage:
    data = image.load()
    height, width = image.picture.shape[:2]
    kinds = {b"\x89PNG": "image/png", b"RIFF": "image/webp"}
    return SentImage(image.sha256, data, kinds.get(data[:4], "image/jpeg"), width, height)
