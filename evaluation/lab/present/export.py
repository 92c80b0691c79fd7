"""Exports of a lab: tidy rows, a table for a paper, or a standalone figure."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any

from django.http import FileResponse

from annotation.imaging.raster import png_of
from evaluation.common.downloads import download
from evaluation.common.figures import FIGURES, FONT, HAIR, INK, SOFT, axis_of
from evaluation.common.provenance import state_words
from evaluation.exporters.documents import DOCUMENTS, Band, Document
from evaluation.exporters.tables import WRITERS
from evaluation.lab.read import Found
from evaluation.metrics.lab import ArmEffect
from evaluation.models import Run
from evaluation.runner.arms.catalogue import Arm
from webapp.common.drawing import format_number, scale
from webapp.common.formatting import NOT_AVAILABLE, decimal, p_value, percent, percentage_points
from webapp.common.markup import fast_format_html, fast_format_html_join

FORMATS = (*WRITERS, *DOCUMENTS, *FIGURES)
COLUMNS = (
    "run", "model", "setting", "estimand", "arm", "dose", "seeds", "n", "clusters", "accuracy", "accuracy_sham",
    "delta", "se", "ci_low", "ci_high", "p_value", "p_holm", "conclusion", "margin", "p_equivalence", "detectable",
    "changed", "churn", "excess", "failed", "undecided",
)  # fmt: skip
HEADS = ("Arm", "n", "Seeds", "Accuracy", "Sham", "Effect, pp", "p", "p Holm", "Conclusion", "Detectable, pp")
LEFT, RIGHT, TOP, STEP, WIDTH, SCALE = 210, 460, 34, 18, 660, 2


def lab_file(run: Run, found: Found, format: str) -> FileResponse:
    """A file of the effects. ``format``: one of ``FORMATS``."""
    name = f"{run.benchmark.slug}-lab-{run.pk}-{found.data.estimand}.{format}"
    if format in FIGURES:
        drawn = forest_svg(run, found)
        content = png_of(drawn) if format == "png" else drawn.encode()
        return FileResponse(BytesIO(content), as_attachment=True, filename=name)
    if format in DOCUMENTS:
        return download(name, lambda out: DOCUMENTS[format](out, lab_document(run, found)))
    return download(name, lambda out: WRITERS[format](out, effect_rows(run, found), COLUMNS))


def effect_rows(run: Run, found: Found) -> Iterator[dict[str, Any]]:
    """One row per arm. Shares are 0 to 1, null where undefined."""
    for arm, effect in found.effects.items():
        holm = found.holm.get(str(arm))
        yield {
            "run": run.pk, "model": run.model.name, "setting": run.setting, "estimand": found.data.estimand.value,
            "arm": arm.family, "dose": arm.dose, "seeds": found.data.seeds(arm), "n": effect.n,
            "clusters": effect.clusters, "accuracy": effect.accuracy, "accuracy_sham": effect.sham,
            "delta": effect.delta, "se": effect.se, "ci_low": effect.low, "ci_high": effect.high,
            "p_value": effect.p, "p_holm": holm, "conclusion": effect.label(holm), "margin": effect.margin,
            "p_equivalence": effect.p_equivalence, "detectable": effect.detectable, "changed": effect.changed,
            "churn": effect.churn, "excess": effect.excess, "failed": found.data.failed.get(arm, 0),
            "undecided": found.data.undecided.get(arm, 0),
        }  # fmt: skip


def lab_document(run: Run, found: Found) -> Document:
    rows = [_texts(arm, effect, found) for arm, effect in found.effects.items()]
    notes = [
        f"Each arm repeats the trajectories of {run} with one change, estimand {found.data.estimand}. It is compared "
        "with the sham arm, which repeats them unchanged, on the same samples. Draws of a sample are averaged.",
        "Effect: accuracy under the arm minus accuracy under sham, with a clustered 95% t interval. p: exact sign flip "
        "over image clusters. p Holm: over the arms that were named confirmatory before the start.",
        f"Conclusion: two one-sided t tests against ±{decimal(100 * found.design.margin, 0)} points. Detectable: the "
        "smallest true effect found with 80% power.",
        state_words(run.scoring),
    ]
    caption = f"{run}: arms of the faithfulness lab, {found.data.estimand}"
    return Document(caption, list(HEADS), [""] * len(HEADS), [Band("", rows)], notes)


def _texts(arm: Arm, effect: ArmEffect, found: Found) -> list[str]:
    holm = found.holm.get(str(arm))
    return [
        arm.label, decimal(effect.n), decimal(found.data.seeds(arm)), percent(effect.accuracy), percent(effect.sham),
        _with_ends(effect), p_value(effect.p), p_value(holm) if holm is not None else "–", effect.label(holm),
        NOT_AVAILABLE if (seen := effect.detectable) is None or seen >= 1 else decimal(100 * seen, 1),
    ]  # fmt: skip


def _with_ends(effect: ArmEffect) -> str:
    if effect.delta is None:
        return NOT_AVAILABLE
    if effect.low is None or effect.high is None:
        return percentage_points(effect.delta)
    return f"{percentage_points(effect.delta)} [{percentage_points(effect.low)} to {percentage_points(effect.high)}]"


def forest_svg(run: Run, found: Found) -> str:
    """The effects with their intervals and the margin as a figure with its own colors."""
    effects = list(found.effects.items())
    margin = found.design.margin
    axis = axis_of([*(end for _, one in effects for end in (one.low, one.high, one.delta)), -margin, margin, 0.0])
    height = TOP + STEP * len(effects) + 24
    whole = height + 30

    def across(value: float) -> str:
        return format_number(LEFT + (RIGHT - LEFT) * scale(value, axis.low, axis.high) / 100)

    caption = f"{run}: accuracy under each arm minus sham, pp, 95% intervals ({found.data.estimand})"
    lines = ((_line(arm, one, TOP + STEP * at, across),) for at, (arm, one) in enumerate(effects))
    wide = format_number(float(across(margin)) - float(across(-margin)))
    return str(fast_format_html(
        '<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" viewBox="0 0 {} {}" font-family="{}" '
        'font-size="10" fill="{}"><title>{}</title><rect width="{}" height="{}" fill="#ffffff"/>'
        '<text x="8" y="14" font-weight="bold">{}</text><rect x="{}" y="{}" width="{}" height="{}" fill="{}"/>'
        '<line x1="{}" x2="{}" y1="{}" y2="{}" stroke="{}"/>{}<text x="8" y="{}" fill="{}">{}</text></svg>',
        WIDTH * SCALE, whole * SCALE, WIDTH, whole, FONT, INK, caption, WIDTH, whole, caption[:110],
        across(-margin), TOP - 8, wide, height - TOP - 12, HAIR, across(0.0), across(0.0), TOP - 8, height - 20, SOFT,
        fast_format_html_join("", "{}", lines),
        height + 10, SOFT, f"Band: margin of ±{decimal(100 * margin, 0)} points. {state_words(run.scoring)}",
    ))  # fmt: skip


def _line(arm: Arm, effect: ArmEffect, y: int, across: Any) -> str:
    label = fast_format_html(
        '<text x="8" y="{0}">{1}</text><text x="{2}" y="{0}" text-anchor="end" fill="{3}">{4}</text>',
        y + 4, arm.label, LEFT - 14, SOFT, decimal(effect.n),
    )  # fmt: skip
    if effect.delta is None or effect.low is None or effect.high is None:
        return fast_format_html(
            '{}<text x="{}" y="{}" fill="{}">{}</text>', label, RIGHT + 12, y + 4, SOFT, NOT_AVAILABLE
        )
    return fast_format_html(
        '{0}<line x1="{1}" x2="{2}" y1="{3}" y2="{3}" stroke="{4}" stroke-width="1.5"/>'
        '<circle cx="{5}" cy="{3}" r="3.5"/><text x="{6}" y="{7}">{8}</text>',
        label, across(effect.low), across(effect.high), y, INK, across(effect.delta), RIGHT + 12, y + 4,
        _with_ends(effect),
    )  # fmt: skip
