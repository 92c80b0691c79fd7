"""Exports of a comparison: tidy rows, or a table for a paper. The pairs come first, then the slices of the
first pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from typing import Any

from django.http import FileResponse
from django.utils.translation import gettext

from evaluation.common.downloads import download
from evaluation.common.figures import FIGURES
from evaluation.common.provenance import state_words
from evaluation.compare.present.comparison import Shown, open_words
from evaluation.compare.present.figure import forest_png, forest_svg
from evaluation.compare.read.runs import RunComparison, counts_of
from evaluation.exporters.documents import DOCUMENTS, Band, Document
from evaluation.exporters.tables import WRITERS
from evaluation.metrics.catalogue import COMPARISON_COLUMNS
from evaluation.metrics.comparison import Comparison
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.settings_help import counting_words, uncertain_words
from evaluation.models import Run
from webapp.common.errors import InvalidInput
from webapp.common.formatting import NOT_AVAILABLE, decimal, p_value, percentage_points, rate

FORMATS = (*WRITERS, *DOCUMENTS, *FIGURES)
COLUMNS = ("slice_by", "slice", *COMPARISON_COLUMNS, "detectable")
HEADS = (
    "Slice", "n", "Accuracy {}", "Accuracy other", "only {}", "only other", "Difference", "Range allowed by undecided",
    "p exact", "p Holm", "p (clustered)",
)  # fmt: skip


def comparison_file(
    slug: str, found: RunComparison, drawn: Shown, letters: Mapping[int, str], format: str
) -> FileResponse:
    """Return the file. ``letters``: of every run of the benchmark. Raises ``InvalidInput`` for an unknown format."""
    if format not in FORMATS:
        raise InvalidInput(
            gettext("A comparison is exported as %(formats)s, not as %(format)s.")
            % {"formats": ", ".join(FORMATS), "format": repr(format)},
            field="format",
        )
    name = f"{slug}-comparison-{'-'.join(str(run.pk) for run in found.runs)}.{format}"
    names = [f"{letters[run.pk]} {run}" for run in found.runs]
    if format in FIGURES:
        said = (drawn, names[:2], _basis(found, drawn))
        content = forest_png(*said) if format == "png" else forest_svg(*said).encode()
        return FileResponse(BytesIO(content), as_attachment=True, filename=name)
    if format in DOCUMENTS:
        return download(name, lambda out: DOCUMENTS[format](out, _document(found, drawn.a, names)))
    return download(name, lambda out: WRITERS[format](out, _rows(found), COLUMNS))


def _basis(found: RunComparison, drawn: Shown) -> list[str]:
    """Return the basis of a figure as lines; then the answers of each run that are neither correct nor incorrect."""
    pair, scoring = found.pairs[0], found.runs[0].scoring
    on = f"{decimal(pair.n)} samples of both in {decimal(pair.clusters)} image clusters"
    first = f"{on} · Newcombe’s 95% intervals, unadjusted · {state_words(scoring)}"
    named = zip((drawn.a, drawn.b), _accuracies(pair), strict=True)
    accuracies = [f"{letter} {rate(*one)}%" for letter, one in named]
    left_open = open_words(pair)
    second = f"Accuracy: {', '.join(accuracies)}{left_open and f'. Undecided answers allow {left_open}'}"
    two = [f"{letter}: {words}" for letter, words in zip((drawn.a, drawn.b), _uncertain(found), strict=False)]
    return [first, second, f"{' · '.join(two)}. {counting_words(found.settings)}"]


def _accuracies(pair: Comparison) -> list[tuple[float | None, float | None, float | None]]:
    return [(pair.accuracy_a, *pair.range_a), (pair.accuracy_b, *pair.range_b)]


def _uncertain(found: RunComparison) -> list[str]:
    settings = [MetricSettings.from_mapping(run.scoring.settings) for run in found.runs]
    return [uncertain_words(*one) for one in zip(counts_of(found.runs), settings, strict=True)]


def _rows(found: RunComparison) -> Iterator[dict[str, Any]]:
    first, second = found.runs[:2]
    for run, pair in zip(found.runs[1:], found.pairs, strict=True):
        yield {"slice_by": "", "slice": ""} | _row(pair, first, run)
    for one in found.slices:
        yield {"slice_by": one.by, "slice": one.value} | _row(one.found, first, second)


def _row(pair: Comparison, a: Run, b: Run) -> dict[str, Any]:
    row = {name: getattr(pair, name) for name in (*COMPARISON_COLUMNS, "detectable") if hasattr(pair, name)}
    row |= pair.ranges
    low, high = (pair.interval.low, pair.interval.high) if pair.interval else (None, None)
    return row | {"model_a": str(a), "model_b": str(b), "ci_low": low, "ci_high": high}


def _document(found: RunComparison, first: str, names: Sequence[str]) -> Document:
    """Return the document. ``first``: the letter of the first run; ``names``: of all, with their letters."""
    bands = [Band("", [_texts(name, pair) for name, pair in zip(names[1:], found.pairs, strict=True)])]
    bands += [Band(f"{names[1]}, by slice", [_texts(f"{one.by} {one.value}", one.found) for one in found.slices])]
    compared = (*found.pairs, *(one.found for one in found.slices))
    families = dict.fromkeys(one.family_words for one in compared)
    notes = [
        f"Each row compares its run, “other”, with {names[0]}. Difference: accuracy of the other minus that of {first} "
        "in pp, on the samples both answered, with Newcombe’s 95% interval, unadjusted.",
        "p exact: McNemar. p (clustered): sign flip over image clusters, the same with one sample per image. p Holm: "
        f"p (clustered), adjusted: {' and '.join(families)}.",
        counting_words(found.settings),
        *(f"{name}: {words}." for name, words in zip(names, _uncertain(found), strict=True)),
        f"{found.samples} samples in {found.clusters} image clusters; {found.common} answered by all runs.",
    ]
    caption = f"{'; '.join(names[1:])}, compared with {names[0]}"
    heads = [head.format(first) for head in HEADS]
    return Document(caption, heads, [""] * len(HEADS), [band for band in bands if band.rows], notes)


def _texts(label: str, pair: Comparison) -> list[str]:
    if pair.difference is None:
        counts = [decimal(n) for n in (pair.a_only, pair.b_only)]
        return [label, decimal(pair.n), *[NOT_AVAILABLE] * 2, *counts, *[NOT_AVAILABLE] * 5]
    ends = ""
    if pair.interval:
        ends = f" [{percentage_points(pair.interval.low)} to {percentage_points(pair.interval.high)}]"
    tests = [p_value(p) for p in (pair.p_value, pair.p_holm, pair.p_cluster)]
    counts = [decimal(n) for n in (pair.a_only, pair.b_only)]
    accuracies = [rate(*one) for one in _accuracies(pair)]
    difference = percentage_points(pair.difference) + ends
    return [label, decimal(pair.n), *accuracies, *counts, difference, open_words(pair) or "–", *tests]
