"""Scoring a run: all per-trajectory measures at once, from columns to columns."""

from __future__ import annotations

import numpy as np

from evaluation.metrics.alignment import align_run
from evaluation.metrics.answers import different_keys, judge_answers, without_detectors
from evaluation.metrics.columns import NO_IMAGE, RunColumns, SampleColumns, ScoreColumns
from evaluation.metrics.crops import find_crops
from evaluation.metrics.decided import with_decisions
from evaluation.metrics.grounding import known_sizes
from evaluation.metrics.names import ZOOM_TOOLS, tool_kinds
from evaluation.metrics.plan_diagnostics import plan_errors
from evaluation.metrics.plans import score_plans
from evaluation.metrics.producers import find_producers
from evaluation.metrics.quadrants import score_grounding
from evaluation.metrics.ragged import count_true
from evaluation.metrics.recorded import recorded_sizes
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.toolchains import measure_toolchains
from evaluation.metrics.verdicts import with_judges


def score_run(
    samples: SampleColumns, run: RunColumns, settings: MetricSettings, zoom_tools: frozenset[str] = ZOOM_TOOLS
) -> ScoreColumns:
    """Every per-trajectory measure of docs/metrics.md#grounding-measures to #statistics, n rows.

    Args:
        zoom_tools: canonical names of the tools whose calls are zoom calls.

    The results of each part are frozen records whose fields carry the names of ``ScoreColumns``. ``missing_sample``
    and the populations of aggregates are not applied here.
    """
    size = known_sizes(samples.size)[run.sample]
    kinds = tool_kinds(run.tools, zoom_tools)[run.steps.tool] if len(run.steps) else np.empty(0, np.int64)
    producers = find_producers(run)
    recorded = find_crops(run, recorded_sizes(run, size), kinds, producers, requested=settings.crop_box == "requested")
    keys, key = different_keys(samples)
    answers = judge_answers(run.answers, keys, key[run.sample], run.verdict, settings)
    answers = with_decisions(answers, run.answers, keys, key[run.sample], run.decided)
    answers = with_judges(answers, keys, key[run.sample], run.judged, settings)
    answers = without_detectors(answers, run.of_model)
    grounding = score_grounding(samples, run, recorded, answers, settings)
    toolchains = measure_toolchains(run, producers, canonical=settings.tool_aliases == "canonical")
    returned = run.steps.ok & (run.steps.image_out != NO_IMAGE)
    return ScoreColumns(
        sample=run.sample,
        visual_evidence=count_true(returned, run.step_start) > 0,
        cost=run.cost,
        failed=run.failed,
        file_verdict=run.verdict,
        **vars(answers),
        **vars(grounding),
        **vars(toolchains),
        **vars(align_run(samples, run)),
        **vars(score_plans(samples, run, settings)),
        **vars(plan_errors(samples, run, settings)),
    )
