"""Exports of a lineage: tidy rows, a table for a paper, or a standalone figure."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from textwrap import wrap
from typing import Any

from django.http import FileResponse

from annotation.imaging.raster import png_of
from evaluation.common.downloads import download
from evaluation.common.figures import FIGURES, FONT, HAIR, INK, SOFT
from evaluation.common.provenance import state_words
from evaluation.exporters.documents import DOCUMENTS, Band, Document
from evaluation.exporters.tables import WRITERS
from evaluation.lineages.present.curves import (
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Line,
    Panel,
    panels_of,
)
from evaluation.lineages.present.page import changes_by_run, columns_of, rows_of, separation_words
from evaluation.lineages.read import Series
from evaluation.metrics.catalogue import METRICS
from webapp.common.drawing import format_number
from webapp.common.formatting import decimal
from webapp.common.markup import fast_format_html, fast_format_html_join

FORMATS = (*WRITERS, *DOCUMENTS, *FIGURES)
COLUMNS = (
    "benchmark", "lineage", "query", "step", "run", "model", "setting", "metric", "value", "n", "ci_low", "ci_high",
    "ci_method", "stale",
)  # fmt: skip
APART = ("accuracy_change", "grounding_change", "separation")
"""Changes since the first step, as metrics of the rows."""
LINES = ("#1b1b1a", "#0b7285", "#b35900")
"""Colors of the lines of a panel, in their order; dashes distinguish them without color."""
QUADRANT_LINES = ("#0f766e", "#6d28d9", "#c2410c", "#6b7280")
DASHES = ("", "6 3", "2 3", "8 3 2 3")
SCALE = 2


def lineage_file(series: Series, format: str, smooth: int = 0) -> FileResponse:
    """A file of the series. ``format``: one of ``FORMATS``."""
    lineage = series.lineage
    name = f"{lineage.benchmark.slug}-lineage-{lineage.pk}.{format}"
    if format in FIGURES:
        drawn = figure_svg(series, smooth)
        content = png_of(drawn) if format == "png" else drawn.encode()
        return FileResponse(BytesIO(content), as_attachment=True, filename=name)
    if format in DOCUMENTS:
        return download(name, lambda out: DOCUMENTS[format](out, _document(series)))
    return download(name, lambda out: WRITERS[format](out, value_rows(series), COLUMNS))


def value_rows(series: Series) -> Iterator[dict[str, Any]]:
    """Yield one row for each checkpoint and metric, and for its changes since the first one. Shares are 0 to 1, null
    where undefined.
    """
    changes = changes_by_run(series)
    for point in series.points:
        about = {
            "benchmark": series.lineage.benchmark.slug, "lineage": series.lineage.name, "query": series.query,
            "step": point.step, "run": point.run.pk, "model": point.run.model.name, "setting": point.run.setting,
            "stale": point.stale,
        }  # fmt: skip
        for metric in series.measured:
            if (one := point.metrics.get(metric)) is not None:
                ends = {"ci_low": one.ci_low, "ci_high": one.ci_high, "ci_method": one.ci_method}
                yield about | {"metric": metric, "value": one.value, "n": one.n} | ends
        if (change := changes.get(point.run.pk)) is not None:
            for name, value in zip(APART, (change.accuracy, change.grounding, change.apart), strict=True):
                ends = {"ci_low": change.low, "ci_high": change.high, "ci_method": "cluster-t"}
                none = dict.fromkeys(ends)
                yield about | {"metric": name, "value": value, "n": change.n} | (ends if name == APART[-1] else none)


def _document(series: Series) -> Document:
    metrics = columns_of(series)
    heads = ["Step", "Run", *(_head(metric) for metric in metrics), "Apart, pp", "p Holm"]
    rows = [
        [
            decimal(row.point.step), str(row.point.run),
            *(f"{cell.text} [{cell.ends}]" if cell.ends else cell.text for cell in row.cells), row.apart.text, row.p,
        ]
        for row in rows_of(series, series.points)
    ]  # fmt: skip
    return Document(_caption(series), heads, [""] * len(heads), [Band("", rows)], _notes(series), frozenset({1}))


def _head(metric: str) -> str:
    return metric if "@" in metric else METRICS[metric].label


def _caption(series: Series) -> str:
    parts = [series.lineage.name, series.setting, series.query]
    return f"{series.lineage.benchmark.title}: checkpoints of {', '.join(part for part in parts if part)}"


def _notes(series: Series) -> list[str]:
    scored = next((point.scoring for point in series.points if point.scoring), None)
    words = ". ".join(part.rstrip(".") for part in separation_words(series) if part)
    return [f"{words}.", "95% intervals.", *([state_words(scored)] if scored else [])]


def figure_svg(series: Series, smooth: int = 0) -> str:
    """Return all panels below each other, with their own colors."""
    panels = panels_of(series, smooth)
    notes = [line for note in _notes(series) for line in wrap(note, 130)]
    step = HEIGHT + 34
    height = 30 + step * len(panels) + 14 * len(notes)
    drawn = ((_figure_panel(panel, 30 + step * at),) for at, panel in enumerate(panels))
    form = '<text x="8" y="{}" font-size="8" fill="{}">{}</text>'
    foot = ((height - 8 - 12 * at, SOFT, note) for at, note in enumerate(reversed(notes)))
    caption = _caption(series)
    return str(fast_format_html(
        '<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" viewBox="0 0 {} {}" font-family="{}" '
        'font-size="10" fill="{}"><title>{}</title><rect width="{}" height="{}" fill="#ffffff"/>'
        '<text x="8" y="16" font-weight="bold">{}</text>{}{}</svg>',
        round(WIDTH * SCALE), round(height * SCALE), format_number(WIDTH), format_number(height), FONT, INK, caption,
        format_number(WIDTH), format_number(height), caption[:100], fast_format_html_join("", "{}", drawn),
        fast_format_html_join("", form, foot),
    ))  # fmt: skip


def _figure_panel(panel: Panel, top: float) -> str:
    grid = '<path d="M{} {}H{}" stroke="{}"/><text x="{}" y="{}" text-anchor="end" fill="{}">{}</text>'
    down = (
        (format_number(LEFT), tick.at, format_number(RIGHT), HAIR, format_number(LEFT - 6),
         format_number(float(tick.at) + 3), SOFT, tick.text)
        for tick in panel.down
    )  # fmt: skip
    across = ((tick.at, tick.anchor, SOFT, tick.text) for tick in panel.across)
    apart = fast_format_html(
        '<path d="M{} {}V{}" stroke="{}" stroke-dasharray="2 2"/>', panel.apart, format_number(TOP), 184, INK
    ) if panel.apart else ""  # fmt: skip
    colors = QUADRANT_LINES if panel.name == "quadrants" else LINES
    return fast_format_html(
        '<g transform="translate(0 {})"><text x="{}" y="0" font-weight="bold">{}{}</text>{}{}{}{}{}</g>',
        format_number(top + 10), format_number(LEFT), panel.title, f", {panel.unit}" if panel.unit else "",
        fast_format_html_join("", grid, down),
        fast_format_html_join("", '<text x="{}" y="198" text-anchor="{}" fill="{}">{}</text>', across),
        fast_format_html_join("", "{}", ((_figure_line(line, colors[line.number - 1]),) for line in panel.lines)),
        apart, _legend(panel, colors),
    )  # fmt: skip


def _figure_line(line: Line, color: str) -> str:
    dots = ((mark.x, mark.y, color) for mark in line.marks)
    return fast_format_html(
        '<path d="{}" fill="{}" fill-opacity="0.12"/><path d="{}" fill="none" stroke="{}" stroke-width="1.2" '
        'stroke-dasharray="{}"/><path d="{}" fill="none" stroke="{}" stroke-width="2.4" stroke-opacity="0.5"/>{}',
        line.band, color, line.path, color, DASHES[line.number - 1], line.smooth, color,
        fast_format_html_join("", '<circle cx="{}" cy="{}" r="1.8" fill="{}"/>', dots),
    )  # fmt: skip


def _legend(panel: Panel, colors: tuple[str, ...]) -> str:
    form = '<path d="M{} 211h18" stroke="{}" stroke-width="1.5" stroke-dasharray="{}"/><text x="{}" y="214">{}</text>'
    found, x = [], LEFT
    for line in panel.lines:
        number = line.number - 1
        found.append((format_number(x), colors[number], DASHES[number], format_number(x + 22), line.label))
        x += 34 + 5.6 * len(line.label)
    return fast_format_html_join("", form, found)
