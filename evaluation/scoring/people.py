"""The metrics of a run of people: estimates for the benchmark from the sample of its study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.models import Benchmark
from evaluation.metrics.columns import TRUE, UNKNOWN, Ints, MetricRow, ScoreColumns
from evaluation.metrics.measures import all_measures, evaluated_rows
from evaluation.metrics.people import Answers, Estimate, paired_difference
from evaluation.metrics.people_rows import Scored, Study, people_rows
from evaluation.metrics.settings import MetricSettings
from evaluation.models import Experiment, Metric, Run, StudySample, Trajectory
from evaluation.models.run import PEOPLE
from evaluation.scoring.load.columns import LoadedRun, LoadedSamples
from evaluation.store.files import scores_are_lost
from evaluation.store.results import load_results, verdicts_of

Part = tuple[LoadedRun, ScoreColumns]
"""Some answers as loaded, and as scored."""


@dataclass(frozen=True)
class Drawn:
    """The draw of a study: its samples by primary key with their stratum, and the sizes of the strata."""

    study: int
    stratum: Mapping[int, int]
    sizes: Sequence[int]


def drawn_for(run: Run) -> Drawn | None:
    """The sample of the study of a run of people. Two queries."""
    study = Experiment.objects.filter(pk=run.extra[PEOPLE]["study"]).values_list("pk", "design").first()
    if study is None:
        return None
    rows = StudySample.objects.filter(experiment=study[0]).order_by().values_list("sample", "stratum")
    return Drawn(study[0], dict(rows), [one["size"] for one in study[1]["strata"]])


def estimated_rows(
    drawn: Drawn, samples: LoadedSamples, parts: Sequence[Part], settings: MetricSettings
) -> list[MetricRow]:
    """All metrics of a run of people. ``parts``: its answers without an intervention. One query."""
    kept = [part for part in parts if len(part[0].columns)]
    if not kept:
        return []
    said = _said([pk for loaded, _ in kept for pk in loaded.pks])
    scored = [
        Scored(
            scores,
            all_measures(
                samples.columns, scores, loaded.columns, evaluated_rows(samples.columns, scores, settings), settings
            ),
        )
        for loaded, scores in kept
    ]
    study = Study(*said, _strata(drawn, samples), np.array(drawn.sizes, np.int64))
    return people_rows(samples.columns, scored, study)


def differences(people: Run, models: Sequence[Run], samples: LoadedSamples) -> dict[int, Estimate]:
    """The accuracy of people minus that of each model, on the samples that both answered. One query, and those of
    ``drawn_for``."""
    drawn = drawn_for(people)
    rows = list(Trajectory.objects.filter(run=people, condition="none").values_list("pk", "sample", "rollout"))
    if drawn is None or not rows:
        return {}
    right = verdicts_of(people)
    row_of, known = samples.row_of, [row for row in rows if row[0] in right and row[1] in samples.row_of]
    sample = np.array([row_of[of] for _, of, _ in known], np.int64)
    person = np.array([number for *_, number in known], np.int64)
    answers = Answers(sample, person, _strata(drawn, samples), np.array(drawn.sizes, np.int64))
    correct = np.array([float(right[pk]) for pk, *_ in known])
    found = {}
    for model in models:
        results = load_results(model).on(samples.pks)
        values = np.full(len(samples.pks), np.nan)
        judged = (results.correct != UNKNOWN) | results.undecided
        values[results.sample[judged]] = (results.correct == TRUE)[judged]
        found[model.pk] = paired_difference(answers, correct, values)
    return found


def keep_differences(benchmark: Benchmark, samples: LoadedSamples) -> None:
    """Store with the accuracy of people its difference from every compared run."""
    runs = list(Run.objects.of(benchmark).scored())
    people = [run for run in runs if run.by_people]
    models = [run for run in runs if not (run.by_people or run.by_detector or scores_are_lost(run))]
    alive = [run for run in models if run.scoring.failed_n < run.scoring.trajectories_n]
    for run in people:
        if scores_are_lost(run):
            continue
        found = {
            str(pk): {
                "difference": one.value, "n": one.n, "low": one.interval.low if one.interval else None,
                "high": one.interval.high if one.interval else None,
                "method": one.interval.method if one.interval else "",
            }
            for pk, one in differences(run, alive, samples).items()
            if one.value is not None
        }  # fmt: skip
        for metric in Metric.objects.filter(scoring=run.scoring, metric="accuracy", slice_by=""):
            metric.detail = {**metric.detail, "against": found}
            metric.save(update_fields=["detail"])


def _strata(drawn: Drawn, samples: LoadedSamples) -> Ints:
    """Return (m,) the stratum of each sample; −1 if it was not drawn."""
    return np.array([drawn.stratum.get(pk, -1) for pk in samples.pks], np.int64)


def _said(pks: Sequence[int]) -> tuple[Ints, Ints]:
    """Person and familiarity of each answer, in this order; 0 if it was not given."""
    rows = Trajectory.objects.filter(pk__in=pks).values_list("pk", "rollout", "extra__familiarity")
    by_pk = {pk: (rollout, familiarity or 0) for pk, rollout, familiarity in rows}
    person, familiarity = zip(*(by_pk[pk] for pk in pks), strict=True)
    return np.array(person, np.int64), np.array(familiarity, np.int64)
