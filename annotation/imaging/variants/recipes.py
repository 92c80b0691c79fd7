"""Recipes of variants: their kinds, doses and choices, and their effect on positions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from annotation.imaging.variants.plane import Plane, plane_between
from annotation.marking import gettext_noop

MOST_PIXELS = 200_000_000
LONGEST_WARPED = 32_766
"""Pixels of a side of an image that OpenCV can turn or tilt."""
SMALLEST_SIDE = 8
MOST_VARIANTS = 12
LARGEST_SEED = 2**31 - 1


class Kind(StrEnum):
    ROTATE = "rotate"
    FLIP = "flip"
    SCALE = "scale"
    CROP = "crop"
    PERSPECTIVE = "perspective"
    BLUR = "blur"
    MOTION_BLUR = "motion_blur"
    NOISE = "noise"
    HAZE = "haze"
    LOW_LIGHT = "low_light"
    JPEG = "jpeg"
    CONTRAST = "contrast"


@dataclass(frozen=True, slots=True)
class Form:
    """A kind of recipe. ``dose``: what its number means, "" where it has none. ``ladder``: first and last dose that are
    offered. ``choices``: what it can be applied to, the first by default. ``moves``: places change, so that words for
    directions may no longer be true."""

    kind: Kind
    label: str
    dose: str = ""
    low: float = 0.0
    high: float = 0.0
    ladder: tuple[float, float] = (0.0, 0.0)
    choices: tuple[str, ...] = ()
    moves: bool = False
    seeded: bool = False
    whole: bool = False


FORMS: Mapping[Kind, Form] = {
    form.kind: form
    for form in (
        Form(Kind.ROTATE, gettext_noop("Rotate"), gettext_noop("Degrees clockwise"), -180, 180, (15, 180), moves=True),
        Form(Kind.FLIP, gettext_noop("Flip"), choices=("horizontal", "vertical"), moves=True),
        Form(Kind.SCALE, gettext_noop("Scale"), gettext_noop("Percent of the size"), 5, 400, (90, 35)),
        Form(Kind.CROP, gettext_noop("Crop"), gettext_noop("Percent cut off at each edge"), 0.5, 45, (1, 12),
             moves=True),
        Form(Kind.PERSPECTIVE, gettext_noop("Perspective"), gettext_noop("Percent by which one side is shorter"), 1, 80,
             (5, 60), ("left", "right", "top", "bottom"), moves=True),
        Form(Kind.BLUR, gettext_noop("Blur"), gettext_noop("Standard deviation in pixels"), 0.3, 100, (1, 12)),
        Form(Kind.MOTION_BLUR, gettext_noop("Motion blur"), gettext_noop("Length in pixels"), 2, 301, (5, 60),
             ("horizontal", "vertical", "diagonal"), whole=True),
        Form(Kind.NOISE, gettext_noop("Noise"), gettext_noop("Standard deviation of 255"), 1, 128, (5, 60),
             seeded=True),
        Form(Kind.HAZE, gettext_noop("Haze"), gettext_noop("Percent of white"), 1, 95, (5, 60)),
        Form(Kind.LOW_LIGHT, gettext_noop("Low light"), gettext_noop("Percent of light lost"), 1, 99, (40, 95)),
        Form(Kind.JPEG, gettext_noop("JPEG"), gettext_noop("Quality"), 1, 95, (60, 5), whole=True),
        Form(Kind.CONTRAST, gettext_noop("Contrast"), gettext_noop("Percent of the contrast"), 5, 400, (60, 5)),
    )
}  # fmt: skip
CHOICES: Mapping[str, str] = {
    "horizontal": gettext_noop("horizontal"), "vertical": gettext_noop("vertical"),
    "diagonal": gettext_noop("diagonal"), "left": gettext_noop("left"), "right": gettext_noop("right"),
    "top": gettext_noop("top"), "bottom": gettext_noop("bottom"),
}  # fmt: skip


class RecipeError(ValueError):
    """A recipe that cannot be applied. ``field``: what is at fault; ``template`` and ``values``: the message."""

    def __init__(self, field: str, template: str, **values: Any) -> None:
        super().__init__(template % values)
        self.field, self.template, self.values = field, template, values


@dataclass(frozen=True, slots=True)
class Recipe:
    """``dose``: None for a kind without one. ``choice``: "" for a kind without choices."""

    kind: Kind
    dose: float | None = None
    choice: str = ""
    seed: int = 0

    @property
    def form(self) -> Form:
        return FORMS[self.kind]

    def as_json(self) -> dict[str, Any]:
        """The recipe without its seed, which is stored next to it."""
        found: dict[str, Any] = {"kind": self.kind.value}
        if self.dose is not None:
            found["dose"] = plain(self.dose)
        return found | ({"choice": self.choice} if self.choice else {})

    @property
    def name(self) -> str:
        """A short name for IDs: ``rotate-90``, ``flip-vertical``, ``perspective-left-12.5``."""
        parts = [self.kind.value.replace("_", "-"), self.choice]
        parts += [f"{self.dose:g}".replace("-", "minus-")] if self.dose is not None else []
        parts += [f"s{self.seed}"] if self.form.seeded and self.seed else []
        return "-".join(part for part in parts if part)


def recipe_of(kind: Any, dose: Any = None, choice: Any = "", seed: Any = 0) -> Recipe:
    """A recipe from values of a form, a file or a request. Raises ``RecipeError``."""
    if kind not in {one.value for one in Kind}:
        kinds = ", ".join(Kind)
        raise RecipeError("kind", gettext_noop("The recipe must be one of %(kinds)s."), kinds=kinds)
    form = FORMS[Kind(kind)]
    if form.choices and choice and choice not in form.choices:
        raise RecipeError("choice", gettext_noop("Choose one of %(choices)s."), choices=", ".join(form.choices))
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= LARGEST_SEED:
        raise RecipeError(
            "seed", gettext_noop("The seed must be a whole number from 0 to %(most)s."), most=LARGEST_SEED
        )
    chosen = (choice or form.choices[0]) if form.choices else ""
    return Recipe(form.kind, _dose(form, dose), chosen, seed if form.seeded else 0)


def _dose(form: Form, dose: Any) -> float | None:
    if not form.dose:
        return None
    number = not isinstance(dose, bool) and isinstance(dose, int | float) and math.isfinite(dose)
    if not number or not form.low <= dose <= form.high or (form.whole and dose != int(dose)):
        template = (
            gettext_noop("The dose of %(kind)s must be a whole number from %(low)g to %(high)g.")
            if form.whole
            else gettext_noop("The dose of %(kind)s must be a number from %(low)g to %(high)g.")
        )
        raise RecipeError("dose", template, kind=form.kind.value, low=form.low, high=form.high)
    if (form.kind is Kind.ROTATE and not dose % 360) or (form.kind in (Kind.SCALE, Kind.CONTRAST) and dose == 100):
        raise RecipeError("dose", gettext_noop("With this dose, the variant is the same image. Enter another one."))
    return float(dose)


def ladder(form: Form, first: float, last: float, count: int) -> list[float]:
    """Doses from the first to the last in equal steps, rounded to two decimals or whole; equal ones once, and without
    a dose that changes nothing."""
    steps = [first + (last - first) * at / max(count - 1, 1) for at in range(count)]
    rounded = [float(round(one)) if form.whole else round(one, 2) for one in steps]
    same = {Kind.ROTATE: 0.0, Kind.SCALE: 100.0, Kind.CONTRAST: 100.0}.get(form.kind)
    return [one for one in dict.fromkeys(rounded) if one != same]


def recipes_of(kind: Any, doses: Sequence[Any] = (), choice: Any = "", seed: Any = 0) -> list[Recipe]:
    """One recipe for each dose; one alone for a kind without doses. Raises ``RecipeError``."""
    form = FORMS.get(kind)
    if form is not None and not form.dose:
        return [recipe_of(kind, None, choice, seed)]
    found = list(dict.fromkeys(recipe_of(kind, dose, choice, seed) for dose in doses))
    if not found:
        recipe_of(kind, None, choice, seed)
    if len(found) > MOST_VARIANTS:
        raise RecipeError("doses", gettext_noop("At most %(limit)s variants at once."), limit=MOST_VARIANTS)
    return found


def reduced(recipe: Recipe, factor: float) -> Recipe:
    """The recipe for an image that is smaller by this factor, so that it looks the same there."""
    if recipe.kind in (Kind.BLUR, Kind.MOTION_BLUR) and recipe.dose is not None:
        return replace(recipe, dose=recipe.dose * factor)
    return recipe


def size_and_plane(recipe: Recipe, width: int, height: int) -> tuple[int, int, Plane]:
    """Width and height of the variant, and the map from the parent to it. Raises ``RecipeError`` if it is too large or
    too small."""
    wide, high, plane = _GEOMETRY.get(recipe.kind, _same)(recipe, width, height)
    if wide * high > MOST_PIXELS:
        raise RecipeError(
            "dose", gettext_noop("The variant would have %(size)s pixels (limit: %(most)s). Enter a smaller dose."),
            size=f"{wide} × {high}", most=f"{MOST_PIXELS:,}",
        )  # fmt: skip
    if not plane.is_upright and max(width, height, wide, high) > LONGEST_WARPED:
        raise RecipeError(
            "kind", gettext_noop("Images with a side of more than %(most)s pixels can't be turned or tilted."),
            most=f"{LONGEST_WARPED:,}",
        )  # fmt: skip
    if min(wide, high) < SMALLEST_SIDE:
        raise RecipeError("dose", gettext_noop("The variant would be too small. Enter another dose."))
    return wide, high, plane


def _same(recipe: Recipe, width: int, height: int) -> tuple[int, int, Plane]:
    return width, height, Plane()


def _rotate(recipe: Recipe, width: int, height: int) -> tuple[int, int, Plane]:
    """About the center, on a canvas that holds the whole image."""
    # The remainder of a tiny negative angle is 360.0 itself.
    degrees = (recipe.dose or 0.0) % 360 % 360
    if degrees % 90 == 0:
        turned = (height, width) if degrees % 180 else (width, height)
        plane = {
            0.0: Plane(),
            90.0: Plane(((0, -1, height), (1, 0, 0), (0, 0, 1))),
            180.0: Plane(((-1, 0, width), (0, -1, height), (0, 0, 1))),
            270.0: Plane(((0, 1, 0), (-1, 0, width), (0, 0, 1))),
        }[degrees]
        return *turned, plane
    turn = math.radians(degrees)
    cos, sin = math.cos(turn), math.sin(turn)
    wide = math.ceil(width * abs(cos) + height * abs(sin) - 1e-6)
    high = math.ceil(width * abs(sin) + height * abs(cos) - 1e-6)
    x = wide / 2 - (cos * width - sin * height) / 2
    y = high / 2 - (sin * width + cos * height) / 2
    return wide, high, Plane(((cos, -sin, x), (sin, cos, y), (0, 0, 1)))


def _flip(recipe: Recipe, width: int, height: int) -> tuple[int, int, Plane]:
    if recipe.choice == "horizontal":
        return width, height, Plane(((-1, 0, width), (0, 1, 0), (0, 0, 1)))
    return width, height, Plane(((1, 0, 0), (0, -1, height), (0, 0, 1)))


def _scale(recipe: Recipe, width: int, height: int) -> tuple[int, int, Plane]:
    factor = (recipe.dose or 100.0) / 100
    wide, high = max(1, round(width * factor)), max(1, round(height * factor))
    return wide, high, Plane(((wide / width, 0, 0), (0, high / height, 0), (0, 0, 1)))


def crop_window(recipe: Recipe, width: int, height: int) -> tuple[int, int, int, int]:
    """The two corners of what a crop keeps, in whole pixels."""
    share = (recipe.dose or 0.0) / 100
    across, down = round(width * share), round(height * share)
    return across, down, max(width - across, across + 1), max(height - down, down + 1)


def _crop(recipe: Recipe, width: int, height: int) -> tuple[int, int, Plane]:
    left, top, right, bottom = crop_window(recipe, width, height)
    return right - left, bottom - top, Plane(((1, 0, -left), (0, 1, -top), (0, 0, 1)))


def _perspective(recipe: Recipe, width: int, height: int) -> tuple[int, int, Plane]:
    """One side is shorter, as if it were farther away."""
    share = (recipe.dose or 0.0) / 200
    x, y = width * share, height * share
    corners = [(0.0, 0.0), (float(width), 0.0), (float(width), float(height)), (0.0, float(height))]
    sides: dict[str, dict[int, tuple[float, float]]] = {
        "left": {0: (0.0, y), 3: (0.0, height - y)}, "right": {1: (width, y), 2: (width, height - y)},
        "top": {0: (x, 0.0), 1: (width - x, 0.0)}, "bottom": {2: (width - x, height), 3: (x, height)},
    }  # fmt: skip
    moved = sides[recipe.choice]
    return width, height, plane_between(corners, [moved.get(at, corner) for at, corner in enumerate(corners)])


_GEOMETRY = {
    Kind.ROTATE: _rotate, Kind.FLIP: _flip, Kind.SCALE: _scale, Kind.CROP: _crop, Kind.PERSPECTIVE: _perspective,
}  # fmt: skip


def plain(number: float) -> int | float:
    """Whole numbers as ``int``, as facets and JSON have them."""
    return int(number) if float(number).is_integer() else number
