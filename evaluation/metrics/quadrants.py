"""The grounding population, the grounded trajectories, and the quadrants (docs/metrics.md#population, #quadrants)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.metrics.answers import AnswerColumns, counted
from evaluation.metrics.boxes import areas
from evaluation.metrics.columns import (
    TRUE,
    UNKNOWN,
    Bools,
    Floats,
    Ints,
    NoGrounding,
    Quadrant,
    RunColumns,
    SampleColumns,
)
from evaluation.metrics.crops import Crops
from evaluation.metrics.grounding import gold_sets, ground, known_sizes
from evaluation.metrics.ragged import TIE, count_true, rows_of
from evaluation.metrics.recorded import on_present_image, recorded_sizes
from evaluation.metrics.settings import MetricSettings


@dataclass(frozen=True)
class GroundingColumns:
    """The grounding columns of ``ScoreColumns``, same names and meanings.

    ``usable_crops + unusable_crops`` is the number of zoom calls attempted. Outside the population every measure of
    the scoring crop is undefined.
    """

    invoked: Bools
    in_population: Bools
    scorable: Bools
    no_grounding: Ints
    grounded: Ints
    grounded_anyway: Ints
    quadrant: Ints
    crop_index: Ints
    crop_box: Floats
    coverage: Floats
    concentration: Floats
    ioa: Floats
    iou: Floats
    union_coverage: Floats
    center_hit: Ints
    zoom_factor: Floats
    usable_crops: Ints
    unusable_crops: Ints
    cropped_region_size: Floats
    step_crops: Floats
    step_coverage: Floats


def score_grounding(
    samples: SampleColumns, run: RunColumns, recorded: Crops, answers: AnswerColumns, settings: MetricSettings
) -> GroundingColumns:
    """Grounding of every trajectory under ``settings``. ``recorded``: crops in pixels of the image of each trajectory.

    Population: scorable samples with a zoom call attempted; under ``no_crop`` fail or full_image all scorable ones.
    Trajectories on an image that was replaced by one with other pixels are outside. Under ``undecided_answer =
    exclude`` an undecided row leaves it. Grounded: IoA above the threshold; equal within 1e-9 is not above.
    """
    size, gold = known_sizes(samples.size)[run.sample], gold_sets(samples).take(run.sample)
    zooms, usable = count_true(recorded.zoom, run.step_start), count_true(recorded.usable, run.step_start)
    crops, lost = on_present_image(recorded, run, size), _lost(run)
    scorable, invoked = (gold.counts > 0) & run.of_model, zooms > 0
    looked = scorable & (invoked | (settings.no_crop != "exclude"))
    everyone = looked & ~lost
    inside = everyone & ~(answers.undecided & (settings.undecided_answer == "exclude"))
    whole = everyone & ~invoked & (settings.no_crop == "full_image")
    found = ground(crops, run.step_start, gold, size, settings.multi_crop, settings.multi_gold, whole)
    grounded = found.shares.ioa > settings.ioa_threshold + TIE
    return GroundingColumns(
        invoked=invoked,
        in_population=inside,
        scorable=scorable,
        no_grounding=_reasons(samples, run, size, [scorable, looked, everyone, inside]),
        grounded=np.where(inside, grounded, UNKNOWN),
        grounded_anyway=np.where(everyone, grounded, UNKNOWN),
        quadrant=quadrants(
            inside & counted(answers.correct, answers.undecided, settings), grounded, answers.correct == TRUE
        ),
        crop_index=np.where(inside, found.crop_index, -1),
        crop_box=np.where(inside[:, None], found.crop_box, np.nan),
        coverage=np.where(inside, found.shares.coverage, np.nan),
        concentration=np.where(inside, found.shares.concentration, np.nan),
        ioa=np.where(inside, found.shares.ioa, np.nan),
        iou=np.where(inside, found.shares.iou, np.nan),
        union_coverage=np.where(inside, np.where(whole, 1.0, last_of(found.step_coverage, run.step_start)), np.nan),
        center_hit=np.where(inside, found.center_hit, UNKNOWN),
        zoom_factor=np.where(inside, found.zoom_factor, np.nan),
        usable_crops=usable,
        unusable_crops=zooms - usable,
        cropped_region_size=cropped_region_sizes(recorded, run.step_start, recorded_sizes(run, size)),
        step_crops=crops.box,
        step_coverage=np.where(lost[rows_of(run.step_start)], np.nan, found.step_coverage),
    )


def _lost(run: RunColumns) -> Bools:
    return run.lost_image if len(run.lost_image) else np.zeros(len(run), np.bool_)


def _reasons(samples: SampleColumns, run: RunColumns, size: Floats, kept: Sequence[Bools]) -> Ints:
    """(n,) ``NoGrounding`` codes. ``kept``: rows that are scorable, of these those with crops by the settings, of these
    those on an image with the pixels of the gold, and the population."""
    scorable, looked, everyone, inside = kept
    drawn = np.diff(samples.gold_start)[run.sample] > 0
    rules = {
        NoGrounding.DETECTOR: ~run.of_model,
        NoGrounding.SIZE_UNKNOWN: drawn & np.isnan(size[:, 0]),
        NoGrounding.NO_GOLD: ~scorable,
        NoGrounding.NO_ZOOM: ~looked,
        NoGrounding.IMAGE_REPLACED: ~everyone,
        NoGrounding.UNDECIDED: ~inside,
    }
    return np.select(list(rules.values()), list(rules), NoGrounding.NONE)


def quadrants(population: Bools, grounded: Bools, correct: Bools) -> Ints:
    """(n,) ``Quadrant`` codes: G+A+, G+A-, G-A+, G-A- of the population rows whose answer counts, OUTSIDE elsewhere."""
    return np.where(population, 2 * ~grounded + ~correct, Quadrant.OUTSIDE)


def last_of(values: Floats, start: Ints) -> Floats:
    """(n,) the last value of each row of a ragged column; 0 for an empty row."""
    last = start[1:] - 1
    found = np.zeros(len(last))
    there = last >= start[:-1]
    found[there] = values[last[there]]
    return found


def cropped_region_sizes(crops: Crops, step_start: Ints, size: Floats) -> Floats:
    """Sum over usable crops of crop area / image area; overlaps count twice, an unknown location adds 0 (5.3)."""
    row = rows_of(step_start)[crops.usable]
    shares = areas(crops.box[crops.usable]) / (size[row, 0] * size[row, 1])
    total: Floats = np.bincount(row, weights=shares, minlength=len(step_start) - 1).astype(np.float64)
    return total
