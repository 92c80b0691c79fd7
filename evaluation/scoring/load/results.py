"""Tool output in trajectories with an incorrect answer: the only texts of steps that scoring reads."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from evaluation.metrics.columns import Bools, ScoreColumns
from evaluation.metrics.copied_results import copied_results, wrong_after_calls
from evaluation.models import Step
from evaluation.scoring.load.columns import LoadedRun, LoadedSamples

CHUNK = 2000
"""Trajectories whose texts are in memory at once."""


def repeats_of_results(samples: LoadedSamples, loaded: LoadedRun, scores: ScoreColumns) -> Bools:
    """(n,) ``copied_results`` of a run. One query for each ``CHUNK`` of incorrect trajectories with calls.

    Failed calls and calls after the answer are ignored."""
    copied = np.zeros(len(scores), np.bool_)
    wrong = wrong_after_calls(scores).tolist()
    for begin in range(0, len(wrong), CHUNK):
        row_of = {loaded.pks[row]: row for row in wrong[begin : begin + CHUNK]}
        steps = Step.objects.filter(trajectory__in=row_of, ok=True).exclude(flag="post_answer").exclude(observation="")
        printed: dict[int, list[str]] = defaultdict(list)
        for pk, text in steps.order_by("trajectory", "position").values_list("trajectory_id", "observation"):
            printed[row_of[pk]].append(text)
        copied |= copied_results(samples.columns, scores, printed)
    return copied
