"""Input and output of the metrics as columns: one array per field, one element per row. No framework.

A run of 100 000 trajectories is a handful of NumPy arrays here; records (``evaluation.schema``) are turned into columns
by ``evaluation.metrics.records``, database rows by the action that scores a run. Ragged data (steps of a trajectory,
gold boxes of a sample) is flat, with ``start`` offsets of length rows + 1: row ``i`` owns ``flat[start[i]:start[i +
1]]``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from annotation.schema import Outline, ToolPlan

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

NO_IMAGE = -1
"""Code of "no picture" in image columns."""
ORIGINAL_IMAGE = 0
"""Code of the original image in image columns."""

PIXEL, NORM1, NORM1000 = 0, 1, 2
"""Codes of ``StepColumns.coords``."""

TRUE, FALSE, UNKNOWN = 1, 0, -1
"""Codes of three-valued columns (verdicts, correctness)."""


@dataclass(frozen=True)
class AnswerKey:
    """The key for judging answers to one sample. ``accepted``: the gold letter (one) or the accepted strings."""

    multiple_choice: bool
    options: Mapping[str, str]
    accepted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's decision on the meaning of one answer: the ``letter`` of an option, or a word of
    ``evaluation.schema.DecisionWord``. It applies to the text and the key with these digests only: see
    ``evaluation.metrics.decided``.
    """

    letter: str
    word: str
    text_digest: str
    key_digest: str


@dataclass(frozen=True, eq=False)
class SampleColumns:
    """The samples of a benchmark (or of one version), m rows.

    Attributes:
        keys: sample ids, m.
        size: (m, 2) width and height in pixels; NaN when unknown ("grounding not scorable: size unknown").
        cluster: (m,) code of the image cluster (``image_group``, by default the image).
        gold_start, gold_boxes: ragged (k, 4) gold boxes as imported, pixels; invalid ones are ignored here.
        gold_outlines: for each gold box the polygon or point that it is around, None for a plain box; empty = all are
            plain.
        answers: m answer keys.
        references: m reference toolchains of the gold as tool names, as written; None = the gold has none.
        accepted: m lists of the accepted toolchains, in the order of acceptance; empty = no sample has any. A sample
            with neither is in no toolchain metric that needs a reference.
        plans: m tool plans; falsy = no plan.
        facets: facet name -> m tuples of values as text; several values allowed (``segment``).
        prompt_words: (m,) whitespace words of the question.
    """

    keys: Sequence[str]
    size: Floats
    cluster: Ints
    gold_start: Ints
    gold_boxes: Floats
    answers: Sequence[AnswerKey]
    references: Sequence[tuple[str, ...] | None]
    plans: Sequence[ToolPlan]
    facets: Mapping[str, Sequence[tuple[str, ...]]] = field(default_factory=dict)
    prompt_words: Ints | None = None
    accepted: Sequence[Sequence[tuple[str, ...]]] = ()
    gold_outlines: Sequence[Outline | None] = ()

    def __len__(self) -> int:
        return len(self.keys)


T = TypeVar("T")


def cached_per_sample_columns(function: Callable[[SampleColumns], T]) -> Callable[[SampleColumns], T]:
    """``function`` computed once for each ``SampleColumns``, which never change, and kept as long as these are: the
    runs of a benchmark are all scored against the same. Nothing of the result may be changed in place."""
    kept: WeakKeyDictionary[SampleColumns, T] = WeakKeyDictionary()

    @wraps(function)
    def known(samples: SampleColumns) -> T:
        if samples not in kept:
            kept[samples] = function(samples)
        return kept[samples]

    return known


@dataclass(frozen=True)
class StepColumns:
    """All steps of a run, s rows, in order of trajectory and position. Steps flagged ``post_answer`` are omitted
    before they get here; ``unused`` marks steps whose crop came too late (a call, but no usable crop).

    Attributes:
        tool: (s,) code into ``RunColumns.tools``.
        bbox, executed: (s, 4) as recorded in ``coords`` of the input image; NaN rows where there is none or where
            it is not four finite numbers (``has_bbox`` distinguishes "given but unreadable" from "none": True iff
            given).
        coords: (s,) PIXEL | NORM1 | NORM1000.
        in_start, image_in: ragged (t,) image codes, local to the trajectory; an empty row = no input named.
        image_out: (s,) image code or NO_IMAGE. Codes are per trajectory: ORIGINAL_IMAGE is the original, others
            are 1, 2, ... in any assignment.
        out_size: (s, 2) width and height of the returned image, NaN when unknown.
        ok: (s,) the call succeeded.
        unused: (s,) see above.
    """

    tool: Ints
    bbox: Floats
    executed: Floats
    has_bbox: Bools
    coords: Ints
    in_start: Ints
    image_in: Ints
    image_out: Ints
    out_size: Floats
    ok: Bools
    unused: Bools

    def __len__(self) -> int:
        return len(self.tool)


@dataclass(frozen=True)
class RunColumns:
    """The trajectories of one run under one condition, n rows; at most one per (sample, rollout).

    Attributes:
        sample: (n,) row into ``SampleColumns``.
        answers: n raw answers, None when missing.
        verdict: (n,) an explicit judge or human verdict on the answer: TRUE | FALSE | UNKNOWN.
        final_image: (n,) image code of the named final image, NO_IMAGE when not named.
        step_start, steps: ragged steps.
        tools: vocabulary, tool names as written.
        recognition, plan: n predicted tool lists or None (not evaluated).
        recognition_map, plan_map: n judge mappings ``predicted -> target or None``.
        cost: (n,) price in US dollars as recorded, NaN when unknown.
        failed: (n,) the trajectory is an error record.
        judged: by row, verdict and answer of each judge model that spoke of the answer; of most rows nothing.
        decided: by row, what people decided that the answer says; of most rows nothing.
        detector: (n,) the trajectory is of a detector, which lists tools and does nothing else; empty: no row is.
        recorded_size: (n, 2) width and height of the image that it was recorded on; NaN, or empty for all rows: the
            image that its sample has.
        lost_image: (n,) that image was replaced by one with other pixels, so that its crops have no place on the gold;
            empty: no row.
    """

    sample: Ints
    answers: Sequence[str | None]
    verdict: Ints
    final_image: Ints
    step_start: Ints
    steps: StepColumns
    tools: Sequence[str]
    recognition: Sequence[tuple[str, ...] | None]
    plan: Sequence[tuple[str, ...] | None]
    recognition_map: Sequence[Mapping[str, str | None]]
    plan_map: Sequence[Mapping[str, str | None]]
    cost: Floats
    failed: Bools
    decided: Mapping[int, Decision] = field(default_factory=dict)
    judged: Mapping[int, Sequence[tuple[str | None, str | None]]] = field(default_factory=dict)
    detector: Bools = field(default_factory=lambda: np.zeros(0, np.bool_))
    recorded_size: Floats = field(default_factory=lambda: np.zeros((0, 2)))
    lost_image: Bools = field(default_factory=lambda: np.zeros(0, np.bool_))

    def __len__(self) -> int:
        return len(self.sample)

    @property
    def of_model(self) -> Bools:
        """(n,) Whether a model made the trajectory, and no detector."""
        return ~self.detector if len(self.detector) else np.ones(len(self), np.bool_)


class Quadrant:
    """Codes of ``ScoreColumns.quadrant``; the order is the order on every page."""

    GPAP, GPAM, GMAP, GMAM = 0, 1, 2, 3
    OUTSIDE = -1
    NAMES = ("G+A+", "G+A-", "G-A+", "G-A-")


class NoGrounding:
    """Codes of ``ScoreColumns.no_grounding``: why a trajectory is outside the grounding population, the first of these
    that applies."""

    DETECTOR, SIZE_UNKNOWN, NO_GOLD, NO_ZOOM, IMAGE_REPLACED, UNDECIDED = 0, 1, 2, 3, 4, 5
    NONE = -1
    NAMES = ("detector", "size_unknown", "no_gold", "no_zoom", "image_replaced", "undecided")


class VerdictBy:
    """Codes of ``ScoreColumns.verdict_by``: what decided the answer, the first of these that applies but the first."""

    NONE, BLANK, PERSON, FILE, READING, JUDGE = 0, 1, 2, 3, 4, 5
    NAMES = ("none", "blank", "person", "file", "reading", "judge")


class Outcome:
    """Codes of ``ScoreColumns.plan_outcome``."""

    EXACT, EXTRA_ONLY, MISSING_ONLY, SUBSTITUTE, OUT_OF_ORDER = 0, 1, 2, 3, 4
    NONE = -1
    NAMES = ("exact_match", "extra_only", "missing_only", "substitute", "out_of_order")


class ChainStatus:
    """Codes of ``ScoreColumns.chain_status``."""

    OK, EMPTY, BROKEN = 0, 1, 2
    NAMES = ("ok", "empty", "broken")


@dataclass(frozen=True)
class ScoreColumns:
    """The per-trajectory measures, n rows: the per-sample export of docs/metrics.md#exports, and the input of
    aggregation.

    Floats are NaN and integers -1 where a measure is undefined for the row, unless said otherwise.

    Attributes:
        sample: (n,) row into ``SampleColumns``.
        correct: TRUE | FALSE | UNKNOWN (undecided, or undefined without a gold answer; never merged with incorrect
            here).
        undecided, unread, missing_answer: why an answer is not correct; False if it is undefined. Unread answers are
            also undecided, unless ``unread_answer`` counts them as incorrect.
        letter: n letters or texts as read, "" when none.
        reading_where, reading_rule, reading_class, reading_flags: n texts: how the answer was read (see
            ``evaluation.metrics.reading.Reading``; flags are joined by spaces), "" when it was not.
        unread_reason: n texts: why an answer is unread or undecided by rule, "" otherwise.
        answer_group: n names of equal texts under equal options, of undecided and unread answers, "" otherwise.
        verdict_by: see ``VerdictBy``. file_verdict: TRUE | FALSE | UNKNOWN, as the file has it, used or not.
        reading_correct: the verdict of reading alone: TRUE | FALSE | UNKNOWN.
        invoked: at least one zoom call attempted.
        in_population: in the grounding population (1.3) under the settings.
        scorable: size known and at least one valid gold box.
        no_grounding: see ``NoGrounding``.
        grounded: TRUE (G+) | FALSE (G-) | UNKNOWN outside the population.
        grounded_anyway: the same, also of undecided answers that ``undecided_answer`` omits of the population.
        quadrant: see ``Quadrant``; outside also where the answer is undefined.
        crop_index: position (0-based, among the trajectory's steps) of the step that gave the score; -1 when none or
            when the score belongs to no single crop (union, mean).
        crop_box: (n, 4) that crop in original pixels, NaN when none.
        coverage, concentration, ioa, iou: 0..1; 0 for a population row without a usable crop. Gold of points alone has
            coverage and ioa only.
        union_coverage: share of the gold region that all usable crops cover together, 0..1; NaN outside the
            population.
        center_hit: TRUE | FALSE | UNKNOWN. zoom_factor: linear zoom, >= 1 for a crop inside the image.
        usable_crops, unusable_crops: counts.
        cropped_region_size: sum of crop area / image area.
        visual_evidence: at least one successful call returned an image.
        calls, unique_tools: L_T and distinct names under ``tool_aliases``.
        effective_calls, effective_unique_tools, chain_status: 3.1.
        effective: (s,) per step: on the effective toolchain.
        reference_chain: index of the closest accepted toolchain, with which the following compare: 0 the gold's,
            1, 2, ... further ones in the order in which they were accepted. reference_calls: its length L_G.
        edit_distance, lcs, kendall_tau: alignment of all attempted calls with it (6).
        paired: (s,) index in it of each call's partner, -1 for added calls.
        step_crops: (s, 4) every step's usable crop in original pixels, NaN when it has none.
        step_coverage: (s,) share of the gold region covered by the union of usable crops up to and with this step;
            NaN where not scorable.
        plan_outcome, plan_missing, plan_extra: 4.3. plan_in_order: TRUE | FALSE | UNKNOWN. plan_prefix: length of the
            longest correct prefix (4.4), -1 when there is no plan.
        plan_omitted, plan_unrecognized, plan_in_scene, plan_repeated, plan_hallucinated, plan_chance: see
            ``evaluation.metrics.plan_diagnostics.plan_errors``.
        recognition_prf, selection_prf: (n, 3) precision, recall, F1; NaN when not scored.
        plan_order: (n, 2) reversed pairs, all pairs.
        cost: see ``RunColumns``.
    """

    sample: Ints
    correct: Ints
    undecided: Bools
    unread: Bools
    missing_answer: Bools
    letter: Sequence[str]
    reading_where: Sequence[str]
    reading_rule: Sequence[str]
    reading_class: Sequence[str]
    reading_flags: Sequence[str]
    unread_reason: Sequence[str]
    answer_group: Sequence[str]
    verdict_by: Ints
    file_verdict: Ints
    reading_correct: Ints
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
    visual_evidence: Bools
    calls: Ints
    unique_tools: Ints
    reference_chain: Ints
    reference_calls: Ints
    effective_calls: Ints
    effective_unique_tools: Ints
    chain_status: Ints
    effective: Bools
    edit_distance: Ints
    lcs: Ints
    kendall_tau: Floats
    paired: Ints
    step_crops: Floats
    step_coverage: Floats
    plan_outcome: Ints
    plan_missing: Ints
    plan_extra: Ints
    plan_in_order: Ints
    plan_prefix: Ints
    plan_omitted: Ints
    plan_unrecognized: Ints
    plan_in_scene: Ints
    plan_repeated: Ints
    plan_hallucinated: Ints
    plan_chance: Floats
    recognition_prf: Floats
    selection_prf: Floats
    plan_order: Ints
    cost: Floats
    failed: Bools

    def __len__(self) -> int:
        return len(self.sample)

    @property
    def f1_difference(self) -> Floats:
        """(n,) F1 of tool selection minus F1 of tool recognition, −1..1; NaN without one of them."""
        difference: Floats = self.selection_prf[:, 2] - self.recognition_prf[:, 2]
        return difference


@dataclass(frozen=True)
class MetricRow:
    """One metric of one run on one slice: the row of docs/metrics.md#exports without the names of run, model and
    benchmark.

    ``value`` is a fraction for rates, a plain number otherwise, None when undefined. ``ci_method`` names how the
    interval was made ("wilson", "cluster-t", "cluster-bootstrap", "newcombe", "" without one).
    """

    metric: str
    slice_by: str
    slice: str
    value: float | None
    n: int
    numerator: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    ci_method: str = ""
    p_value: float | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)


def cluster_codes(rows: Iterable[Sequence[Any]]) -> Ints:
    """A number for the cluster of each sample, given as key, image group, image and name of the image.

    Samples of one group are one cluster, else those of one image, else those whose images have one name; a sample
    without any is a cluster of its own.
    """
    codes: dict[Any, int] = {}
    names = (group or image or name or ("sample", key) for key, group, image, name in rows)
    return np.array([codes.setdefault(name, len(codes)) for name in names], np.int64)
