"""Diagnostics as files: tables, and figures with their own colors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from typing import Any

from django.http import FileResponse
from django.utils.translation import gettext, gettext_lazy

from annotation.imaging.raster import png_of
from evaluation.common.downloads import rows_file
from evaluation.common.figures import FIGURES, FONT, HAIR, INK, SOFT
from evaluation.common.provenance import state_words
from evaluation.diagnostics.present.page import Shown, shown
from evaluation.diagnostics.read.analysis import Diagnostics
from evaluation.diagnostics.read.tables import TABLES
from webapp.common.errors import InvalidInput
from webapp.common.formatting import percent
from webapp.common.markup import fast_format_html, fast_format_html_join
from webapp.common.translation import Text

DRAWINGS: Mapping[str, Text] = {
    "curves": gettext_lazy("Curves by number of targets"),
    "segments": gettext_lazy("Segments by runs"),
    "scatters": gettext_lazy("Pass rate, calls and efficiency"),
}
HOLLOW = gettext_lazy("Hollow: published in the VTC-Bench paper (Table 5), on other samples; in no ρ.")
SCALE, ACROSS, WIDE, HIGH = 2, 3, 280, 180
"""Times as large as on the page; panels in a row, and the size of one."""
COLORS = ("#1b1b1a", "#2f6fb3", "#b4551d", "#2a7f6f", "#7a4fa3", "#8a6d00", "#a8325e", "#6b6a65")
"""Of the runs in the curves, in their order; their letters distinguish them as well."""


def diagnostics_file(slug: str, found: Diagnostics, table: str, format: str) -> FileResponse:
    """Raises ``InvalidInput`` for a table or a format that there is not."""
    export = _named(table, TABLES, "table")
    name = "-".join([slug, "diagnostics", table, *(str(run.pk) for run in found.runs[:6])])
    return rows_file(name, format, export.rows(found), export.columns)


def figure_file(benchmark: Any, found: Diagnostics, figure: str, format: str) -> FileResponse:
    """Raises ``InvalidInput`` for a figure or a format that there is not."""
    title = _named(figure, DRAWINGS, "figure")
    if format not in FIGURES:
        message = gettext("A figure is exported as %(formats)s, not as %(format)s.")
        raise InvalidInput(message % {"formats": " or ".join(FIGURES), "format": repr(format[:40])}, field="format")
    drawn = figure_svg(f"{benchmark.title}: {title}", found, shown(found), figure)
    content = png_of(drawn) if format == "png" else drawn.encode()
    return FileResponse(BytesIO(content), as_attachment=True, filename=f"{benchmark.slug}-{figure}.{format}")


def _named(name: str, among: Mapping[str, Any], field: str) -> Any:
    if name not in among:
        message = gettext("Unknown %(field)s %(name)s. Choose from %(names)s.")
        raise InvalidInput(message % {"field": field, "name": repr(name[:40]), "names": ", ".join(among)}, field=field)
    return among[name]


def figure_svg(caption: str, found: Diagnostics, page: Shown, figure: str) -> str:
    """Return the drawing with its own colors, a legend of its runs under it, and its basis."""
    body, width, height = _DRAW[figure](page)
    drawn = found.runs if figure == "scatters" else found.planners
    foot = [f"{run.letter}: {run}"[:90] for run in drawn]
    foot += [f"{one.up}, {one.across}: {one.sentence}" for one in page.scatters if figure == "scatters"]
    foot += [str(HOLLOW)] if figure == "scatters" else []
    foot += [page.heat.sentence] if figure == "segments" and page.heat else []
    foot.append("; ".join(sorted({state_words(run.scoring) for run in drawn})[:3]))
    whole = height + 44 + 13 * len(foot)
    lines = ((height + 48 + 13 * at, SOFT, line) for at, line in enumerate(foot))
    return str(fast_format_html(
        '<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" viewBox="0 0 {} {}" font-family="{}" '
        'font-size="10" fill="{}"><title>{}</title><rect width="{}" height="{}" fill="#ffffff"/>'
        '<text x="8" y="16" font-weight="bold">{}</text><g transform="translate(0 34)">{}</g>{}</svg>',
        width * SCALE, whole * SCALE, width, whole, FONT, INK, caption, width, whole, caption[:110], body,
        fast_format_html_join("", '<text x="8" y="{}" fill="{}">{}</text>', lines),
    ))  # fmt: skip


def _panels(parts: list[str]) -> tuple[str, int, int]:
    rows = -(-len(parts) // ACROSS) or 1
    places = ((at % ACROSS * WIDE, at // ACROSS * HIGH, part) for at, part in enumerate(parts))
    body = fast_format_html_join("", '<g transform="translate({} {})">{}</g>', places)
    return body, WIDE * min(ACROSS, max(len(parts), 2)), rows * HIGH


_FRAME = (
    '<text x="30" y="2">{0}</text><path d="M30 10H264M30 70H264M30 130H264" stroke="{1}" fill="none"/>'
    '<g fill="{2}"><text x="25" y="14" text-anchor="end">100</text><text x="25" y="74" text-anchor="end">50</text>'
    '<text x="25" y="134" text-anchor="end">0</text>{3}</g>{4}'
)
_UNDER = '<text x="{}" y="{}" text-anchor="middle">{}</text>'
_ENDS = '<line x1="{0}" x2="{0}" y1="{1}" y2="{2}" stroke="{3}"/>'
_MARK = '<g><title>{2}</title><circle cx="{0}" cy="{1}" r="3" fill="{3}"/></g>'
_HOLLOW = '<g><title>{2}</title><circle cx="{0}" cy="{1}" r="3" fill="#ffffff" stroke="{3}"/></g>'
_LETTER = '<text x="{}" y="{}" dx="{}" dy="{}">{}</text>'


def _curves(page: Shown) -> tuple[str, int, int]:
    ticks = [(x, 147, size) for size, x in page.sizes]
    parts = []
    for panel in page.curves:
        lines = []
        for line in panel.lines:
            color = COLORS[line.kind]
            lines.append(fast_format_html('<path d="{}" fill="none" stroke="{}"/>', line.path, color))
            ends = ((dot.x, dot.low, dot.high, color) for dot in line.dots if dot.low)
            lines.append(fast_format_html_join("", _ENDS, ends))
            lines.append(fast_format_html_join("", _MARK, ((dot.x, dot.y, dot.words, color) for dot in line.dots)))
            lines.append(fast_format_html(_LETTER, *line.end, 6, 4, line.letter))
        under = fast_format_html_join("", _UNDER, [*ticks, (142, 161, gettext("targets"))])
        parts.append(_frame(f"{panel.label}, %", under, lines))
    return _panels(parts)


def _scatters(page: Shown) -> tuple[str, int, int]:
    parts = []
    for scatter in page.scatters:
        marks = [
            fast_format_html_join("", _HOLLOW, ((one.x, one.y, one.words, SOFT) for one in scatter.published)),
            fast_format_html_join("", _MARK, ((one.x, one.y, one.words, INK) for one in scatter.points)),
            fast_format_html_join(
                "", _LETTER, ((one.x, one.y, one.aside, one.down, one.letter) for one in scatter.points)
            ),
        ]
        ticks = [(30, 145, "0"), (142, 145, "50"), (254, 145, "100"), (142, 158, f"{scatter.across}, %")]
        under = fast_format_html_join("", _UNDER, ticks)
        parts.append(_frame(f"{scatter.up}, %", under, marks))
    return _panels(parts)


def _frame(title: str, under: str, marks: Sequence[str]) -> str:
    return fast_format_html(_FRAME, title, HAIR, SOFT, under, fast_format_html_join("", "{}", ((m,) for m in marks)))


_CELL = (
    '<rect x="{0}" y="{1}" width="44" height="20" fill="{2}" fill-opacity="{3}"/>'
    '<text x="{4}" y="{5}" text-anchor="middle">{6}</text>'
)


def _segments(page: Shown) -> tuple[str, int, int]:
    heat = page.heat
    if heat is None:
        return fast_format_html('<text x="8" y="20">{}</text>', gettext("No cell has enough plans.")), 300, 40
    heads = [(182 + 46 * at, letter) for at, (letter, _) in enumerate(heat.heads)]
    heads.append((182 + 46 * len(heat.heads), gettext("mean")))
    parts = [fast_format_html_join("", '<text x="{}" y="14" text-anchor="middle">{}</text>', heads)]
    for row, of in enumerate(heat.rows):
        name, mean, cells = of.name, of.mean, of.cells
        y = 20 + 22 * row
        parts.append(fast_format_html('<text x="154" y="{}" text-anchor="end">{}</text>', y + 14, name[:28]))
        shares = [cell.share for cell in cells]
        drawn = (
            (160 + 46 * at, y, COLORS[1], round(0.7 * (share or 0), 3), 182 + 46 * at, y + 14, _said(share))
            for at, share in enumerate([*shares, mean])
        )
        parts.append(fast_format_html_join("", _CELL, drawn))
    body = fast_format_html_join("", "{}", ((part,) for part in parts))
    return body, max(220 + 46 * len(heat.heads), 480), 26 + 22 * len(heat.rows)


def _said(share: float | None) -> str:
    return "·" if share is None else percent(share, 0)


_DRAW: Mapping[str, Callable[[Shown], tuple[str, int, int]]] = {
    "curves": _curves, "segments": _segments, "scatters": _scatters,
}  # fmt: skip
