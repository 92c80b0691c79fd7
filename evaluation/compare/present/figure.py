"""The differences of a comparison as a standalone figure: SVG with its own colors, or PNG."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.imaging.raster import png_of
from evaluation.common.figures import FONT, HAIR, INK, SOFT
from evaluation.compare.present.comparison import Line, Shown
from webapp.common.drawing import format_number, scale
from webapp.common.formatting import decimal, percentage_points
from webapp.common.markup import fast_format_html, fast_format_html_join

LEFT, RIGHT, TOP, STEP, WIDTH, SCALE = 190, 460, 34, 16, 620, 2
LONGEST = 30
BASIS = '<text x="8" y="{}" fill="{}">{}</text>'


def forest_svg(shown: Shown, names: Sequence[str], basis: Sequence[str]) -> str:
    """Return the first pair on all samples, then its slices, on the axis of the page. ``names``: of both runs, with
    their letters; ``basis``: the basis of the numbers, in the last lines.
    """
    lines = [shown.first, *shown.slices]
    height = TOP + STEP * len(lines) + 24
    whole = height + 2 + 14 * len(basis)
    zero = _across(0.0, shown)
    caption = f"Accuracy of {names[1]} minus {names[0]}, pp, 95% intervals"
    return str(fast_format_html(
        '<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" viewBox="0 0 {} {}" font-family="{}" '
        'font-size="10" fill="{}"><title>{}</title><rect width="{}" height="{}" fill="#ffffff"/>'
        '<text x="8" y="14" font-weight="bold">{}</text><line x1="{}" x2="{}" y1="{}" y2="{}" stroke="{}"/>{}{}'
        '{}</svg>',
        WIDTH * SCALE, whole * SCALE, WIDTH, whole, FONT, INK, caption, WIDTH, whole, caption[:100],
        zero, zero, TOP - 8, height - 20, SOFT, _ticks(shown, height),
        fast_format_html_join("", "{}", ((_line(line, TOP + STEP * at, shown),) for at, line in enumerate(lines))),
        fast_format_html_join("", BASIS, ((height + 10 + 14 * at, SOFT, line) for at, line in enumerate(basis))),
    ))  # fmt: skip


def forest_png(shown: Shown, names: Sequence[str], basis: Sequence[str]) -> bytes:
    return png_of(forest_svg(shown, names, basis))


def _across(value: float, shown: Shown) -> str:
    return format_number(LEFT + (RIGHT - LEFT) * scale(value, shown.axis.low, shown.axis.high) / 100)


def _ticks(shown: Shown, height: int) -> str:
    form = '<text x="{}" y="{}" text-anchor="middle" fill="{}">{}</text>'
    marks = shown.axis.marks
    return fast_format_html_join(
        "", form, ((_across(mark, shown), height - 8, SOFT, percentage_points(mark, 0)) for mark in marks)
    )  # fmt: skip


def _line(line: Line, y: int, shown: Shown) -> str:
    found = line.found
    label = fast_format_html(
        '<text x="8" y="{0}">{1}</text><text x="{2}" y="{0}" text-anchor="end" fill="{3}">{4}</text>',
        y + 4, line.label[:LONGEST], LEFT - 14, SOFT, decimal(found.n),
    )  # fmt: skip
    if found.difference is None or found.interval is None:
        return fast_format_html('{}<text x="{}" y="{}" fill="{}">n/a</text>', label, RIGHT + 12, y + 4, SOFT)
    low, high = found.interval.low, found.interval.high
    words = f"{percentage_points(found.difference)} [{percentage_points(low)}, {percentage_points(high)}]"
    return fast_format_html(
        '{0}<line x1="{1}" x2="{2}" y1="{3}" y2="{3}" stroke="{4}" stroke-width="1.5"/>'
        '<circle cx="{5}" cy="{3}" r="3.5"/><line x1="{6}" x2="{7}" y1="{8}" y2="{8}" stroke="{9}"/>'
        '<text x="{10}" y="{11}">{12}</text>',
        label, _across(low, shown), _across(high, shown), y, INK, _across(found.difference, shown), LEFT, RIGHT,
        y + STEP // 2, HAIR, RIGHT + 12, y + 4, words,
    )  # fmt: skip
