"""The effect of tools on the box that a model requested: the pixels actually cropped, in the image they were cropped
from.

Boxes are ``(x1, y1, x2, y2)`` in pixels of that image, sizes ``(width, height)``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, floor

from annotation.importers.fields import Number4, Report
from annotation.schema import ORIGINAL
from evaluation.importers.interface import BoxSpace
from evaluation.schema import Coordinates

Size = tuple[float, float]


@dataclass(frozen=True, slots=True)
class ImageFrame:
    """An image of a dialogue: its id, and its size where known."""

    id: str
    size: Size | None = None


@dataclass(slots=True)
class ImageFrames:
    """The images of a dialogue in the order they came, the original first. A failed call brings none."""

    size: Size | None = None
    _known: list[ImageFrame] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._known.append(ImageFrame(ORIGINAL, self.size))

    def __len__(self) -> int:
        return len(self._known)

    def at(self, index: object) -> ImageFrame | None:
        """Return the image with this number, counted from 0; None if there is none (yet)."""
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < len(self._known):
            return None
        return self._known[index]

    def add(self, size: Size | None) -> ImageFrame:
        """The next image; it is named by its number. One without any pixels has no size to place a box by."""
        self._known.append(ImageFrame(f"crop_{len(self._known)}", size if size and min(size) > 0 else None))
        return self._known[-1]


def in_pixels(box: Number4, coords: Coordinates, size: Size) -> Number4:
    """A box in the space ``coords`` of an image, in its pixels."""
    across, down = _unit(coords, size)
    return box[0] * across, box[1] * down, box[2] * across, box[3] * down


def from_pixels(box: Number4, coords: Coordinates, size: Size) -> Number4:
    """The inverse of ``in_pixels``."""
    across, down = _unit(coords, size)
    return box[0] / across, box[1] / down, box[2] / across, box[3] / down


def _unit(coords: Coordinates, size: Size) -> Size:
    parts = {Coordinates.PIXEL: None, Coordinates.NORM1: 1.0, Coordinates.NORM1000: 1000.0}[coords]
    return (1.0, 1.0) if parts is None else (size[0] / parts, size[1] / parts)


def on_picture(numbers: Number4, space: BoxSpace, picture: ImageFrame | None) -> tuple[Number4, Coordinates]:
    """A box and its space, as its step stores them.

    Numbers for the original as sent to the model (a ``space`` with a size) are converted to its own pixels, or to
    fractions if its size is unknown."""
    if space.size is None or (picture is not None and picture.id != ORIGINAL):
        return numbers, space.kind
    shares = from_pixels(numbers, Coordinates.NORM1, space.size)
    if picture is None or picture.size is None:
        return shares, Coordinates.NORM1
    return in_pixels(shares, Coordinates.NORM1, picture.size), Coordinates.PIXEL


def clamped(box: Number4, size: Size) -> Number4:
    """Return the box with each edge clamped to the image."""
    return max(0.0, box[0]), max(0.0, box[1]), min(size[0], box[2]), min(size[1], box[3])


def is_box(box: Number4) -> bool:
    """Whether it spans any pixels."""
    return box[0] < box[2] and box[1] < box[3]


def note_unless_box(box: Number4, field: str, report: Report, executed: Number4 | None = None) -> None:
    """Says of a box without an inside what became of it. ``executed``: what the tool made of it, and cut."""
    if is_box(box):
        return
    if executed is not None and is_box(executed):
        done = "The corners are reversed, or the box is empty; what the tool made of it and cut is used."
        report.repaired("box-reversed", field, box, done)
    else:
        done = "The box is empty or its corners are reversed. It is kept as written and never scored."
        report.noted("box-empty", field, box, done)


def expanded_to(box: Number4, size: Size, least: int = 32) -> Number4:
    """Qwen3-VL's zoom: clamped; where a side is then under ``least``, grown around its center with the aspect kept to
    whole pixels and clamped again, unless that still leaves a side of at most ``least``.

    >>> grown_to((100, 100, 111, 120), (1000, 1000))
    (89, 80, 122, 140)
    """
    box = clamped(box, size)
    wide, high = box[2] - box[0], box[3] - box[1]
    if min(wide, high) >= least or not is_box(box):
        return box
    ratio = least / min(wide, high)
    # A side of next to nothing grows without end; beyond the image all is cut off again.
    half_wide, half_high = (ceil(min(side * ratio * 0.5, most)) for side, most in ((wide, size[0]), (high, size[1])))
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    grown = clamped((floor(x - half_wide), floor(y - half_high), ceil(x + half_wide), ceil(y + half_high)), size)
    return grown if grown[2] - grown[0] > least and grown[3] - grown[1] > least else box


def padded(box: Number4, share: float = 0.1) -> Number4:
    """Pixel-Reasoner's crop, in fractions of the image: ``share`` of the full image more on every side, within it.

    >>> [round(edge, 3) for edge in padded((0.40, 0.30, 0.50, 0.45))]
    [0.3, 0.2, 0.6, 0.55]
    """
    x1, y1, x2, y2 = box
    return clamped((x1 - share, y1 - share, x2 + share, y2 + share), (1.0, 1.0))


def floored(box: Number4, size: Size) -> Number4:
    """Mini-o3's crop: edges as whole pixels, none beyond the last column and row."""
    limits = (size[0] - 1, size[1] - 1) * 2
    x1, y1, x2, y2 = (float(floor(max(0, min(edge, limit)))) for edge, limit in zip(box, limits, strict=True))
    return x1, y1, x2, y2


def at_least(box: Number4, size: Size, least: int = 64) -> Number4:
    """Apply the rules of Thyme's sandbox: edges are sorted and clamped, then each side is extended to ``least`` pixels
    by moving its far edge, and its near one at the border of the image.

    >>> at_least((700, 500, 730, 520), (1600, 1200))
    (700, 500, 764, 564)
    """
    (x1, x2), (y1, y2) = sorted((box[0], box[2])), sorted((box[1], box[3]))
    x1, y1, x2, y2 = clamped((x1, y1, x2, y2), size)
    x1, x2 = _side(x1, x2, size[0], least)
    y1, y2 = _side(y1, y2, size[1], least)
    return x1, y1, x2, y2


def _side(low: float, high: float, limit: float, least: int) -> tuple[float, float]:
    if high - low >= least:
        return low, high
    high = min(low + least, limit)
    return max(0, min(low, high - least)), high


def size_of(box: Number4) -> Size:
    """Width and height."""
    return box[2] - box[0], box[3] - box[1]


def box_in(arguments: object) -> object:
    """Return the box of a call: a list under a usual name, or edges, or position and size under separate names.

    Known names: ``bbox_2d``, ``bbox``, ``box``, ``region``, ``crop_box``; ``x1 y1 x2 y2``; ``left top right bottom``;
    ``x y width height``. None if there is no box.
    """
    if not isinstance(arguments, dict):
        return None
    for name in ("bbox_2d", "bbox", "box", "region", "crop_box", "bounding_box", "coordinates"):
        if name in arguments:
            return arguments[name]
    for names in (("x1", "y1", "x2", "y2"), ("left", "top", "right", "bottom"), ("xmin", "ymin", "xmax", "ymax")):
        if all(name in arguments for name in names):
            return [arguments[name] for name in names]
    return _placed(arguments)


def _placed(arguments: dict[str, object]) -> object:
    values = [arguments.get(name) for name in ("x", "y", "width", "height")]
    if any(isinstance(value, bool) or not isinstance(value, int | float) for value in values):
        return None
    x, y, wide, high = values
    return [x, y, x + wide, y + high]  # type: ignore[operator]  # checked to be numbers one line up
