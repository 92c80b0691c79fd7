"""The page of the variants of a sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext

from annotation.common.sample import thumbnail_of
from annotation.imaging.variants.plane import Point
from annotation.imaging.variants.recipes import CHOICES, FORMS, Form, Kind, Recipe, ladder
from annotation.models import Sample
from annotation.variants.read import Planned
from webapp.common.translation import any_of

STATES = {"to_do": "todo", "in_review": "review"}


@dataclass(frozen=True)
class KindLink:
    label: str
    href: str
    current: bool


@dataclass(frozen=True)
class DoseLink:
    """A dose of the ladder. ``loses``: gold that would be rejected."""

    words: str
    href: str
    current: bool
    loses: bool


@dataclass(frozen=True)
class Figure:
    """An image with outlines of its gold. ``bad``: outlines of rejected gold."""

    address: str
    width: int
    height: int
    outlines: list[str]
    bad: list[str]
    label: str


@dataclass(frozen=True)
class VariantRow:
    """A variant that was made."""

    key: str
    href: str
    thumbnail: str
    recipe: str
    state: str
    size: tuple[int | None, int | None]
    directions: str


def kind_links(kind: Kind) -> list[KindLink]:
    return [KindLink(gettext(FORMS[one].label), f"?kind={one.value}", one is kind) for one in Kind]


def dose_links(shown: Recipe, plans: Sequence[Planned]) -> list[DoseLink]:
    """The ladder of a kind, each dose with the address of its preview."""
    return [
        DoseLink(f"{plan.recipe.dose:g}", f"?{query_of(plan.recipe)}", plan.recipe == shown, bool(plan.rejected))
        for plan in plans
        if plan.recipe.dose is not None
    ]


def query_of(recipe: Recipe) -> str:
    """The recipe in an address."""
    said = recipe.as_json() | ({"seed": recipe.seed} if recipe.form.seeded else {})
    return urlencode(said)


def offered_doses(form: Form) -> list[float]:
    return ladder(form, *form.ladder, 12) if form.dose else []


def before_and_after(slug: str, sample: Sample, identity: Planned, plan: Planned) -> list[Figure]:
    image = sample.image
    assert image is not None
    whole = f"0,0,{image.width},{image.height}"
    address = reverse("annotation:region", args=[slug, image.sha256, whole, 960])
    after = gettext("After: %(recipe)s") % {"recipe": words_of(plan.recipe)}
    preview = reverse("annotation:variant-preview", args=[slug, sample.key])
    return [
        _figure(address, identity, gettext("Before")),
        _figure(f"{preview}?{query_of(plan.recipe)}", plan, after),
    ]


def _figure(address: str, plan: Planned, label: str) -> Figure:
    good = [points_of(outline) for outline in plan.outlines_of(rejected=False)]
    bad = [points_of(outline) for outline in plan.outlines_of(rejected=True)]
    return Figure(address, plan.width, plan.height, good, bad, label)


def points_of(outline: Sequence[Point]) -> str:
    """As the attribute of a polygon."""
    return " ".join(f"{x:.2f},{y:.2f}" for x, y in outline)


def words_of(recipe: Recipe) -> str:
    """Rotate 45; Perspective, left side, 10."""
    parts = [gettext(recipe.form.label)]
    parts += [gettext(CHOICES[recipe.choice])] if recipe.choice else []
    parts += [f"{recipe.dose:g}"] if recipe.dose is not None else []
    return ", ".join(parts)


def rejection_of(plan: Planned) -> str:
    """Return why a variant is not created."""
    lost = 100 * (1 - plan.smallest_share)
    message = gettext("%(recipe)s: rejected, as gold box %(boxes)s loses up to %(share)s%% of its area.")
    boxes = ", ".join(map(str, plan.rejected))
    return message % {"recipe": words_of(plan.recipe), "boxes": boxes, "share": f"{lost:.3g}"}


def row_of(slug: str, row: Any) -> VariantRow:
    said, variant = row.variant.recipe, row.variant
    recipe = Recipe(Kind(said["kind"]), said.get("dose"), said.get("choice", ""), variant.seed)
    words = words_of(recipe) + (gettext(", seed %(seed)s") % {"seed": variant.seed} if recipe.form.seeded else "")
    return VariantRow(
        row.key, reverse("evaluation:sample", args=[slug, row.key]), thumbnail_of(row), words,
        STATES.get(row.state, row.state), (row.width, row.height), any_of([f"“{word}”" for word in variant.directions]),
    )  # fmt: skip
