"""Images as a model is sent them: their size by the policy of the recipe, their bytes, and what is recorded of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from math import floor, sqrt
from threading import Lock
from typing import Any

from annotation.imaging.crops import Picture, fitted, scaled
from annotation.imaging.decoding import decode
from annotation.imaging.model_view import ModelView, model_view, stored_view
from annotation.schema import ORIGINAL
from evaluation.runner.tokens import image_tokens
from evaluation.runner.view_cache import ViewCache

_MOST_SIDE = 65_535
FORM = (
    r"^(original|fit:(2[89]|[3-9][0-9]|[1-9][0-9]{2,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])"
    r"|pixels:(2[89]|[3-9][0-9]|[1-9][0-9]{2,8}))$"
)
"""The image policies, without zeros before a number."""
_VIEWS = ViewCache(64_000_000)
_ENCODING = Lock()
"""One image is decoded and encoded at a time: a large one takes 600 MB, and many attempts begin together."""


class PolicyError(ValueError):
    """An image policy that does not exist."""


@dataclass(frozen=True, slots=True)
class ImagePolicy:
    """The size at which images are sent: ``original``, ``fit:N`` (longer side at most N pixels) or ``pixels:N`` (area
    at most N pixels). Nothing is ever enlarged. Raises ``PolicyError``.
    """

    text: str = "original"

    def __post_init__(self) -> None:
        kind, _, number = self.text.partition(":")
        limited = kind in ("fit", "pixels") and number.isascii() and number.isdecimal() and len(number) < 10
        most = _MOST_SIDE if kind == "fit" else 10**9
        if self.text != "original" and not (limited and 28 <= int(number) <= most):
            allowed = f"original, fit:N (28 to {_MOST_SIDE:,}) or pixels:N (28 to 1,000,000,000)"
            raise PolicyError(f"{self.text!r} is not an image policy. Allowed: {allowed}.")

    def size(self, width: int, height: int) -> tuple[int, int]:
        """Return the (width, height) at which an image of this size is sent."""
        kind, _, number = self.text.partition(":")
        if kind == "fit":
            return fitted(width, height, int(number))
        scale = sqrt(int(number) / (width * height)) if kind == "pixels" else 1.0
        if scale >= 1:
            return width, height
        wide, high = max(1, floor(width * scale)), max(1, floor(height * scale))
        # A side that is rounded up to one pixel leaves the other one less room.
        return (wide, high) if wide * high <= int(number) else (min(wide, int(number)), min(high, int(number)))


@dataclass(frozen=True, slots=True)
class SourceImage:
    """The stored image of a sample: the digest and size of its file, and how to read it. ``load`` returns the bytes of
    the file, ``pixels`` the decoded image where others share it; without it, the file is decoded."""

    sha256: str
    width: int
    height: int
    load: Callable[[], bytes]
    pixels: Callable[[], Picture] | None = None

    def picture(self) -> Picture:
        """Return the pixels, upright. Raises ``PictureProblem`` for a damaged file."""
        return self.pixels() if self.pixels is not None else decode(self.load())


@dataclass(frozen=True, slots=True)
class SentImage:
    """An image in the form that is sent. ``sha256`` and ``data`` are of the file sent, ``width`` and ``height`` pixels
    in it, ``tokens`` those predicted for the model's family, None where unknown."""

    sha256: str
    data: bytes = field(repr=False)
    media_type: str
    width: int
    height: int
    tokens: int | None = None

    @property
    def url(self) -> str:
        """The address of the image in a stored request."""
        return f"sha256:{self.sha256}"

    def to_json(self) -> dict[str, Any]:
        """Return the data that a trajectory keeps; the bytes are stored by their digest."""
        return {
            "sha256": self.sha256,
            "bytes": len(self.data),
            "media_type": self.media_type,
            "width": self.width,
            "height": self.height,
            "tokens": self.tokens,
        }


def sent_original(image: SourceImage, policy: ImagePolicy, family: str = "") -> SentImage:
    """Return the image of a sample in the form that is sent: the stored file where that is safe and small enough, else
    JPEG 95 with 4:4:4, or PNG for masks. Raises ``PictureProblem`` for a damaged file."""
    size = policy.size(image.width, image.height)
    if size == (image.width, image.height):
        stored = stored_view(image.load(), image.width, image.height)
        if stored is not None:
            return _sent(stored, family)
    key = (image.sha256, *size)
    view = _VIEWS.get(key)
    if view is None:
        with _ENCODING:
            view = _VIEWS.get(key)
            if view is None:
                # Not the pixels that tools share: few attempts need them, and those of all samples would be kept.
                view = model_view(scaled(decode(image.load()), *size))
                _VIEWS.put(key, view)
    return _sent(view, family)


def sent_picture(picture: Picture, policy: ImagePolicy, family: str = "") -> SentImage:
    """Return the image that a tool made in the form that is sent: JPEG 95 with 4:4:4, or PNG for masks."""
    height, width = picture.shape[:2]
    return _sent(model_view(scaled(picture, *policy.size(width, height))), family)


def _sent(view: ModelView, family: str) -> SentImage:
    digest = hashlib.sha256(view.data).hexdigest()
    tokens = image_tokens(view.width, view.height, family)
    return SentImage(digest, view.data, view.media_type, view.width, view.height, tokens)


class SentImages:
    """The images of an attempt by their ids, in the order in which they were sent."""

    def __init__(self, policy: ImagePolicy, family: str = "") -> None:
        self._policy, self._family = policy, family
        self.by_id: dict[str, SentImage] = {}

    def original(self, image: SourceImage) -> SentImage:
        """Return the image of the sample in the form that is sent. Raises ``PictureProblem`` for a damaged file."""
        self.by_id[ORIGINAL] = sent_original(image, self._policy, self._family)
        return self.by_id[ORIGINAL]

    def result(self, image_id: str, picture: Picture) -> SentImage:
        """Return an image that a tool made in the form that is sent."""
        self.by_id[image_id] = sent_picture(picture, self._policy, self._family)
        return self.by_id[image_id]

    def to_json(self) -> dict[str, Any]:
        """Return what the trajectory keeps: the policy, and each image with its id."""
        images = [{"image": name, **image.to_json()} for name, image in self.by_id.items()]
        return {"policy": self._policy.text, "images": images}
