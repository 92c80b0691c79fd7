"""Accuracy against cost as a self-contained figure: SVG with its own colors and a legend, or PNG."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.imaging.raster import png_of
from evaluation.common.figures import FONT, HAIR, INK, SOFT
from evaluation.leaderboard.present.chart import Chart, Point, Tick
from webapp.common.drawing import format_number
from webapp.common.markup import fast_format_html, fast_format_html_join

WIDTH, HEIGHT, LINE, SCALE = 340, 142, 22, 4
LONGEST_NAME = 60
LONGEST_BASIS = 100
BASIS = '<text x="8" y="{}" font-size="7" fill="{}">{}</text>'


def figure_svg(chart: Chart, caption: str, basis: Sequence[str]) -> str:
    """Return the drawing of the page with labeled axes and a list of its runs, enlarged by ``SCALE``. ``basis``: the
    basis of the numbers, in the last lines.
    """
    height = HEIGHT + 34 + 10 * len(basis) + LINE * len(chart.points)
    foot = [(height - 8 - 10 * at, SOFT, line[:LONGEST_BASIS]) for at, line in enumerate(reversed(basis))]
    return str(fast_format_html(
        '<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" viewBox="0 0 {} {}" font-family="{}" '
        'font-size="10" fill="{}"><title>{}</title><rect width="{}" height="{}" fill="#ffffff"/>'
        '{}{}<path d="{}" fill="none" stroke="{}" stroke-width="1.5" stroke-dasharray="4 3"/>{}{}'
        '<text x="{}" y="{}" text-anchor="middle" fill="{}">{}</text>'
        '{}</svg>',
        WIDTH * SCALE, height * SCALE, WIDTH, height, FONT, INK, caption, WIDTH, height,
        _rows(chart), _columns(chart.x_ticks), chart.path, SOFT, _points(chart), _names(chart),
        (34 + 336) // 2, HEIGHT + 8, SOFT, f"accuracy in % by {chart.title}",
        fast_format_html_join("", BASIS, foot),
    ))  # fmt: skip


def figure_png(chart: Chart, caption: str, basis: Sequence[str]) -> bytes:
    """The same as pixels. Raises ``ValueError`` on what cannot be drawn."""
    return png_of(figure_svg(chart, caption, basis))


def _rows(chart: Chart) -> str:
    form = (
        '<line x1="34" x2="336" y1="{0}" y2="{0}" stroke="{1}"/>'
        '<text x="28" y="{2}" text-anchor="end" fill="{3}">{4}</text>'
    )
    lines = ((tick.at, HAIR, format_number(float(tick.at) + 4), SOFT, tick.text) for tick in chart.y_ticks)
    return fast_format_html_join("", form, lines)


def _columns(ticks: list[Tick]) -> str:
    form = '<text x="{}" y="134" text-anchor="middle" fill="{}">{}</text>'
    return fast_format_html_join("", form, ((tick.at, SOFT, tick.text) for tick in ticks))


def _points(chart: Chart) -> str:
    form = (
        '<g><title>{0}</title><line x1="{1}" x2="{1}" y1="{2}" y2="{3}" stroke="{4}"/>'
        '<circle cx="{1}" cy="{5}" r="3.5" fill="{6}"/><text x="{7}" y="{8}">{9}</text></g>'
    )
    return fast_format_html_join("", form, (
        (p.words, p.x, p.low, p.high, SOFT, p.y, INK if p.front else SOFT, format_number(float(p.x) + p.aside),
         format_number(float(p.y) + 4), p.letter) for p in chart.points
    ))  # fmt: skip


def _names(chart: Chart) -> str:
    form = (
        '<text x="34" y="{0}"><tspan font-weight="bold">{2}</tspan> {3}</text>'
        '<text x="44" y="{1}" font-size="7" fill="{4}">{5}</text>'
    )
    lines = ((HEIGHT + 26 + LINE * at, p) for at, p in enumerate(chart.points))
    return fast_format_html_join("", form, ((y, y + 9, p.letter, _shortened(p), SOFT, p.uncertain) for y, p in lines))


def _shortened(point: Point) -> str:
    """The name and the numbers of a run; of a long name as much as leaves room for the numbers."""
    numbers = point.words.removeprefix(point.name)
    room = LONGEST_NAME - len(numbers)
    return (point.name if len(point.name) <= room else f"{point.name[: room - 1]}…") + numbers
