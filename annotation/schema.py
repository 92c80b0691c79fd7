"""The shared terms as frozen records that validate themselves: no I/O, no framework.

Conventions. Boxes are ``[x1, y1, x2, y2]`` in pixels of the original image, continuous (no "+1 pixel"), origin top
left. The width and height of an image are in pixels. Texts are kept as written.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from annotation.workflow import SampleState

if TYPE_CHECKING:
    from dataclasses import dataclass as frozen_record
else:

    def frozen_record(*, frozen, slots):
        """Return a dataclass that only the type checker considers frozen. Importers create such records by the million,
        and setting the fields of a frozen one takes two thirds of its creation time.
        """
        return dataclass(slots=slots)


__all__ = [
    "ORIGINAL", "AnswerType", "Box", "Issue", "Outline", "OutlineKind", "SampleContent", "SampleRecord", "Severity",
    "Target", "ToolCall", "ToolPlan", "boxes_of", "corners_in", "frozen_record", "outline_of", "said",
    "shortened", "whole_numbers",
]  # fmt: skip

ORIGINAL = "original"
"""The id of the first image of a trajectory or a reference toolchain."""
PLAIN_FACETS = ("category", "tier", "dimension")
"""Facets with their own key in the native format; its ``segments`` are the facet ``segment``."""
SAMPLE_KEYS = frozenset({
    "id", "image", "image_group", "width", "height", "question", "answer_type", "options", "answer", "gold_boxes",
    *PLAIN_FACETS, "segments", "facets", "reference_toolchain", "accepted_chains", "targets", "distractors",
    "likeness", "ordered", "state",
})  # fmt: skip
"""All keys of a sample of the native format; other keys of a sample are kept under their own names."""
_WHOLE = 2.0**53


class AnswerType(StrEnum):
    """The form of an answer: an option letter, or a free text."""

    MULTIPLE_CHOICE = "mc"
    OPEN = "open"


class Severity(StrEnum):
    """The treatment of the content that an issue is about."""

    REFUSED = "refused"
    REPAIRED = "repaired"
    NOTED = "noted"


@dataclass(frozen=True, slots=True)
class Issue:
    """Rejected, repaired or noted content of an imported file.

    ``rule`` is a short stable kebab-case name ("unknown-sample", "box-not-finite"); ``found`` the offending value,
    shortened; ``done`` a full sentence about what was done and, if possible, what to do. ``row`` is the number of its
    record, counted from 1, in files that are not line-based ("17", "17 of samples").
    """

    severity: Severity
    rule: str
    file: str
    line: int | None
    field: str
    found: str
    done: str
    row: str = ""

    @property
    def place(self) -> str:
        """The position in its file, as text."""
        return place(self.line, self.row)


def place(line: int | None, row: str) -> str:
    """Return the position of a record in its file, "" if unknown. All records of a list may be in one line.

    >>> place(5, ""), place(203, "17"), place(1, "17"), place(None, "17 of samples")
    ('line 5', 'record 17, line 203', 'record 17', 'record 17 of samples')
    """
    parts = [f"record {row}"] if row else []
    if line is not None and (not row or line > 1):
        parts.append(f"line {line:,}")
    return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in pixels. Raises ``ValueError`` if a number is not finite or the box is empty or reversed."""

    x1: float
    y1: float
    x2: float
    y2: float

    def __post_init__(self) -> None:
        if not all(math.isfinite(v) for v in (self.x1, self.y1, self.x2, self.y2)):
            raise ValueError("box-not-finite")
        if self.x2 <= self.x1 or self.y2 <= self.y1:
            raise ValueError("box-empty")

    @property
    def width(self) -> float:
        return self.x2 - self.x1

    @property
    def height(self) -> float:
        return self.y2 - self.y1

    @property
    def area(self) -> float:
        return self.width * self.height

    def clipped(self, width: float, height: float) -> Box | None:
        """Return the part inside a ``width`` × ``height`` image, or None if nothing is left."""
        x1, y1 = max(self.x1, 0.0), max(self.y1, 0.0)
        x2, y2 = min(self.x2, width), min(self.y2, height)
        return Box(x1, y1, x2, y2) if x2 > x1 and y2 > y1 else None

    def as_list(self) -> list[float]:
        """Return ``[x1, y1, x2, y2]``, whole numbers as ``int`` so that a round trip through JSON is exact."""
        return [_whole(v) for v in (self.x1, self.y1, self.x2, self.y2)]

    def written(self) -> Any:
        """Return the form of files: a box is its four numbers."""
        return self.as_list()


class OutlineKind(StrEnum):
    """Evidence that is no box."""

    POLYGON = "polygon"
    POINT = "point"


LEAST_VERTICES, MOST_VERTICES = 3, 1000
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Outline(Box):
    """A polygon or a point of evidence. As a ``Box`` it is its bounding box, which is what crops and masks use; the
    bounding box of a point is the pixel that contains it, (x - 1, x] in both directions, and the first pixel for 0.

    ``points``: the vertices of a polygon in order, the last one joined to the first, or one point. Made by ``of``.
    """

    kind: OutlineKind
    points: tuple[Point, ...]

    @classmethod
    def of(cls, kind: OutlineKind, points: Sequence[Point]) -> Outline:
        """Return the outline through these points, without repetitions of a vertex that follow each other. Raises
        ``ValueError`` for a number that is not finite, a polygon with fewer than 3 or more than 1,000 vertices or
        without width or height, and a point that is not one.
        """
        if not all(math.isfinite(v) for point in points for v in point):
            raise ValueError("shape-not-finite")
        if kind is OutlineKind.POINT:
            if len(points) != 1:
                raise ValueError("point-not-one")
            right, bottom = (max(math.ceil(v), 1) for v in points[0])
            return cls(right - 1, bottom - 1, right, bottom, kind, tuple(points))
        kept = [point for at, point in enumerate(points) if point != points[at - 1]]
        if not LEAST_VERTICES <= len(kept) <= MOST_VERTICES:
            raise ValueError("polygon-vertices")
        xs, ys = zip(*kept, strict=True)
        return cls(min(xs), min(ys), max(xs), max(ys), kind, tuple(kept))

    @property
    def area(self) -> float:
        """Square pixels: of a polygon by the shoelace formula, of a point 0."""
        following = (*self.points[1:], self.points[0])
        return abs(sum(x * v - u * y for (x, y), (u, v) in zip(self.points, following, strict=True))) / 2

    def is_inside(self, width: float, height: float) -> bool:
        """Whether every vertex lies in the image, its edges included."""
        return all(0 <= x <= width and 0 <= y <= height for x, y in self.points)

    def clipped(self, width: float, height: float) -> Outline | None:
        """Return the part inside a ``width`` × ``height`` image, or None if nothing is left. Parts that lie apart stay
        joined along the edge of the image."""
        if self.is_inside(width, height):
            return self
        points = list(self.points) if self.kind is OutlineKind.POLYGON else []
        for axis, edge, side in ((0, 0.0, 1), (0, width, -1), (1, 0.0, 1), (1, height, -1)):
            points = _cut(points, axis, edge, side)
        try:
            return Outline.of(self.kind, points) if points else None
        except ValueError:
            return None

    def moved(self, place: Callable[[float, float], Point]) -> Outline:
        """Return the outline with every vertex at another place. Raises ``ValueError`` as ``of``."""
        return Outline.of(self.kind, [place(x, y) for x, y in self.points])

    def written(self) -> Any:
        """Return the form of files: ``{"kind": "polygon", "points": [[x, y], …]}``."""
        return {"kind": self.kind.value, "points": [[_whole(v) for v in point] for point in self.points]}


def _whole(value: float) -> float:
    """Return a whole number as ``int``."""
    return int(value) if float(value).is_integer() else value


def _cut(points: list[Point], axis: int, edge: float, side: int) -> list[Point]:
    """Return the part of a polygon on one side of a straight edge (Sutherland and Hodgman 1974)."""
    found: list[Point] = []
    for at, end in enumerate(points):
        start = points[at - 1]
        before, after = side * (start[axis] - edge), side * (end[axis] - edge)
        if (before < 0) != (after < 0):
            share = before / (before - after)
            crossing = [start[i] + share * (end[i] - start[i]) for i in (0, 1)]
            crossing[axis] = edge
            found.append((crossing[0], crossing[1]))
        if after >= 0:
            found.append(end)
    return found


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a reference toolchain. ``image_in`` is one image id or several; ids are local to the toolchain.

    ``source``: the model whose draft it was adopted from, "" for a person's own. It does not distinguish calls.
    """

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    image_in: str | tuple[str, ...] | None = None
    image_out: str | None = None
    source: str = field(default="", compare=False)


class Likeness(StrEnum):
    """How a distractor resembles a target: it looks alike, does something similar, or is used in the same trade."""

    VISUAL = "visual"
    FUNCTIONAL = "functional"
    DOMAIN = "domain"


@dataclass(frozen=True, slots=True)
class Target:
    """A tool that a query needs, and its step (1, 2, ...). Targets of one step can be used in any order. ``either``:
    the number of a group of targets of one step, of which one is enough; None: in no group."""

    tool: str
    step: int
    either: int | None = None

    def __post_init__(self) -> None:
        if self.step < 1:
            raise ValueError("step-below-one")


@dataclass(frozen=True, slots=True)
class ToolPlan:
    """The expected answer of a planning query. ``ordered`` is the benchmark's own mark; None = derived from
    the steps. ``likeness``: how each distractor resembles a target, in their order, "" = unknown; () = all unknown.
    """

    targets: tuple[Target, ...] = ()
    distractors: tuple[str, ...] = ()
    ordered: bool | None = None
    likeness: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not any(self.likeness):
            object.__setattr__(self, "likeness", ())

    def __bool__(self) -> bool:
        return bool(self.targets or self.distractors)

    @property
    def rows(self) -> list[tuple[str, int | None, str, int | None]]:
        """Name, step, likeness and group of each tool: targets, then distractors (step None)."""
        needed: list[tuple[str, int | None, str, int | None]]
        needed = [(target.tool, target.step, "", target.either) for target in self.targets]
        kinds = self.likeness or ("",) * len(self.distractors)
        return needed + [(tool, None, kind, None) for tool, kind in zip(self.distractors, kinds, strict=True)]

    @property
    def likeness_by_name(self) -> dict[str, str]:
        """How distractors resemble a target, where it is known."""
        return {tool: kind for tool, kind in zip(self.distractors, self.likeness, strict=False) if kind}

    @property
    def names(self) -> tuple[str, ...]:
        """The tools it names: targets, then distractors."""
        return (*(target.tool for target in self.targets), *self.distractors)


@dataclass(frozen=True, slots=True)
class SampleContent:
    """The content of a sample by one person: the question, its answer and the gold evidence.

    ``answers`` contains the gold letter (multiple choice) or the accepted strings (open). ``gold_boxes`` are the
    evidence: valid boxes, polygons and points (``Outline``) in original pixels, clipped to the image if its size is
    known. ``unanswerable``: the reason why the question
    cannot be answered, which an annotator gives instead of an answer; None if it is answered. Gold always has an
    answer.
    """

    question: str = ""
    answer_type: AnswerType = AnswerType.OPEN
    options: Mapping[str, str] = field(default_factory=dict)
    answers: tuple[str, ...] = ()
    gold_boxes: tuple[Box, ...] = ()
    reference_toolchain: tuple[ToolCall, ...] = ()
    plan: ToolPlan = field(default_factory=ToolPlan)
    unanswerable: str | None = None

    @property
    def choices(self) -> Mapping[str, str]:
        """The options to choose from: none of an open-ended question, also if its file states options."""
        return self.options if self.answer_type is AnswerType.MULTIPLE_CHOICE else {}


FILED_STATES = (SampleState.ACCEPTED, SampleState.TO_DO, SampleState.DISCARDED)
"""States that a file can give a sample; the others need work of people, which no file contains."""
MOST_CHAINS = 20
"""The maximum number of accepted toolchains of a sample, without that of the gold."""
LONGEST_NOTE = 500


@dataclass(frozen=True, slots=True)
class FurtherChain:
    """A reference toolchain accepted in addition to that of the gold, with a note on the difference."""

    calls: tuple[ToolCall, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class SampleRecord:
    """One sample of a benchmark file: its source, its image, its content, its facets.

    ``facets`` maps a facet name to one value or, for ``segment``, several; it includes ``category``, ``tier`` and
    ``dimension``. Values keep their JSON type (text, number, boolean). ``image`` is a path relative to the file.
    ``image_group`` None means: the image is the cluster. ``accepted_chains`` None means: the file does not mention
    them. ``boxes_called``: the file's own name of the gold boxes. ``state`` None means: accepted with a content, to do
    without.
    """

    id: str
    content: SampleContent
    image: str | None = None
    image_group: str | None = None
    width: int | None = None
    height: int | None = None
    facets: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    accepted_chains: tuple[FurtherChain, ...] | None = None
    state: SampleState | None = None
    boxes_called: str = field(default="gold_boxes", compare=False)
    file: str = ""
    line: int | None = None
    row: str = field(default="", compare=False)

    @property
    def place(self) -> str:
        """The position in its file, as text."""
        return place(self.line, self.row)


def shortened(value: object, limit: int = 200) -> str:
    """Return ``value`` as one line of at most ``limit`` characters of JSON, for messages about invalid input, without
    characters that a database cannot store.
    """
    try:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        text = repr(value)
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()
    text = " ".join(text.replace("\x00", "").split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def whole_numbers(value: Any) -> Any:
    """Return ``value`` with whole floats as ``int``, tuples as lists, and text keys, so that values that are equal in
    JSON are equal.
    """
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _WHOLE else value
    if isinstance(value, Mapping):
        return {str(key): whole_numbers(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [whole_numbers(item) for item in value]
    return value


def said(text: str) -> str:
    """Return a text for comparison, regardless of case and spaces."""
    return " ".join(text.split()).casefold()


def outline_of(kind: str, points: Sequence[Sequence[float]]) -> Outline:
    """Return a stored outline; raises ``ValueError`` as ``Outline.of``, and for an unknown kind."""
    return Outline.of(OutlineKind(kind), [(float(x), float(y)) for x, y in points])


def corners_in(entry: Any) -> tuple[float, float, float, float] | None:
    """Return the corners of an entry of ``gold_boxes`` in a file: of a polygon, the box around it. None for a point,
    and for anything that is neither a box nor a polygon.
    """
    try:
        box = outline_of(entry["kind"], entry["points"]) if isinstance(entry, Mapping) else boxes_of([entry])[0]
    except (KeyError, TypeError, ValueError):
        return None
    is_point = isinstance(box, Outline) and box.kind is OutlineKind.POINT
    return None if is_point else (box.x1, box.y1, box.x2, box.y2)


def boxes_of(values: Sequence[Sequence[float]]) -> tuple[Box, ...]:
    """Return boxes from lists of four numbers; raises ``ValueError`` on the first invalid one."""
    return tuple(Box(*(float(v) for v in box)) for box in values)
