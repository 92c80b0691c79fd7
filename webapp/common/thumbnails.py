"""An image with marks over it as markup. Here and not in a template: a page of images has fifty, with marks each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.utils.safestring import SafeString

from webapp.common import drawing
from webapp.common.box_density import density_layers
from webapp.common.drawing import Mark, format_number
from webapp.common.markup import fast_format_html, fast_format_html_join

RATIOS = {"16x9": 16 / 9, "4x3": 4 / 3, "1x1": 1.0}
NOTHING = SafeString()

SHOT = (
    '<span class="shot shot--{}"><img src="{}" width="{}" height="{}" alt="{}" loading="{}" decoding="async">'
    '<svg class="{}" viewBox="{}" preserveAspectRatio="none" aria-hidden="true">{}{}</svg>{}{}</span>'
)
LOUPE = '<span class="{}"><img src="{}" alt="" loading="lazy" decoding="async"></span>'
LAYER = '<path class="dense" fill-opacity="{}" d="{}"/>'
PATH = '<path class="{}" d="{}"/>'
RECT = '<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>'
PIN = '<svg x="{}" y="{}" overflow="visible">{}</svg>'
ROUND_PIN = (
    '<g transform="translate(0 0)"><rect class="pin-crop" x="-{}" y="-8" width="{}" height="16" rx="8"/>'
    "<text>{}</text></g>"
)
SQUARE_PIN = (
    '<g transform="translate(-1 -{})"><rect class="pin-{}" width="{}" height="16" rx="2"/>'
    '<text x="{}" y="8">{}</text></g>'
)


def annotated_thumbnail(
    src: str,
    width: float,
    height: float,
    alt: str = "",
    gold: Iterable[Any] = (),
    crops: Iterable[Any] = (),
    asked: Iterable[Any] = (),
    old: Iterable[Any] = (),
    pa: Iterable[Any] = (),
    pb: Iterable[Any] = (),
    found: Iterable[Any] = (),
    people: Sequence[str] = ("", ""),
    ratio: str = "",
    shown: float = 280,
    small: bool = True,
    tags: bool = False,
    loupe: str = "",
    loading: str = "lazy",
) -> SafeString:
    """An image of ``width`` × ``height`` original pixels with marks over it, for any size of ``src``.

    Boxes are four numbers, or anything with x1, y1, x2, y2, in pixels of the original; with ``points`` they are drawn
    as a polygon or a point. A crop may have ``turn`` (its number) and ``focused``. ``pa`` and ``pb`` are boxes of two
    ``people``, whose names their first boxes carry; gold then has no tag. ``found``: boxes of a detector, each with its
    ``label``. ``ratio`` ("16x9", "4x3", "1x1") crops the image to its place, "" shows all of it. ``shown`` is its
    approximate width on the screen. ``tags`` draws G1 …, the turn numbers and the names. ``loupe`` is the address of an
    image of the evidence. With too many crops, their shared areas are shaded and only the focused ones are outlined.
    """
    window = drawing.visible_area(float(width), float(height), RATIOS[ratio] if ratio else None)
    crops = list(crops or ())
    layers = density_layers(crops, float(width), float(height))
    marks = [drawing.mark("old", box, window, shown=shown) for box in old or ()]
    marks += [drawing.mark("asked", box, window, shown=shown) for box in (not layers and asked) or ()]
    marks += [
        drawing.mark("crop", crop, window, shown=shown, text=_turn(crop, place), focused=bool(_of(crop, "focused")))
        for place, crop in enumerate(crops, 1)
        if not layers or _of(crop, "focused")
    ]
    marks += [drawing.mark("found", one, window, shown=shown, text=str(_of(one, "label") or "")) for one in found or ()]
    for kind, boxes, name in (("pa", pa, people[0]), ("pb", pb, people[1])):
        marks += [
            drawing.mark(kind, box, window, shown=shown, text="" if n else name, below=kind == "pb")
            for n, box in enumerate(boxes or ())
        ]
    golds = [
        drawing.mark("gold", box, window, shown=shown, text="" if any(people) else f"G{n}")
        for n, box in enumerate(gold or (), 1)
    ]
    marks += golds
    covered = any(window.across(float(box.x)) > 60 and window.down(float(box.y)) > 50 for box in golds)
    return fast_format_html(
        SHOT, ratio or "whole", src, int(width), int(height), alt, loading, "marks marks--sm" if small else "marks",
        window.view_box, fast_format_html_join("", LAYER, layers), _rectangles(marks),
        _pins(marks) if tags else NOTHING,
        fast_format_html(LOUPE, "loupe loupe--left" if covered else "loupe", loupe) if loupe else NOTHING,
    )  # fmt: skip


def _rectangles(marks: Iterable[Mark]) -> SafeString:
    """Each mark over its dark casing; what was only asked for has none. A polygon is a path."""
    rows = []
    for mark in marks:
        dot = " is-point" if mark.is_point else ""
        for kind in ("case",) * (mark.kind != "asked") + (f"{mark.kind} is-on" if mark.focused else mark.kind,):
            rows.append(
                fast_format_html(PATH, kind, mark.path)
                if mark.path
                else fast_format_html(RECT, kind + dot, mark.x, mark.y, mark.width, mark.height)
            )
    return fast_format_html_join("", "{}", [(row,) for row in rows])


def _pins(marks: Iterable[Mark]) -> SafeString:
    """Tags at the corners: a square one for gold, a round one for a turn."""
    pins = fast_format_html_join("", PIN, ((mark.left, mark.top, _pin(mark)) for mark in marks if mark.text))
    return fast_format_html('<svg class="pins" aria-hidden="true">{}</svg>', pins)


def _pin(mark: Mark) -> SafeString:
    if mark.kind == "crop":
        across = 16 if len(mark.text) < 2 or (mark.text.isdecimal() and len(mark.text) < 3) else 5 + 7 * len(mark.text)
        return fast_format_html(ROUND_PIN, format_number(across / 2), across, mark.text)
    return fast_format_html(SQUARE_PIN, mark.lift, mark.kind, mark.tag_width, round(mark.tag_width / 2), mark.text)


def _of(thing: Any, name: str) -> Any:
    return thing.get(name) if isinstance(thing, dict) else getattr(thing, name, None)


def _turn(crop: Any, place: int) -> str:
    turn = _of(crop, "turn")
    return str(place if turn is None else turn)
