"""The cases behind the results of a closed study: the samples that an estimate is of, and the answers to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.common.words import Count as Samples
from annotation.common.words import count_of
from evaluation.common.links import Count, RunLinks, named_list
from evaluation.metrics.people import FAMILIAR
from evaluation.models import Experiment, Metric, Run, Trajectory
from evaluation.scoring.settings import settings_of
from evaluation.store.selection import Selection
from evaluation.store.snapshot import Snapshot
from evaluation.studies.read.results import Result

ALL = {"rollout": "0+"}
"""Each person is a rollout."""
_IN_METRIC: Mapping[str, Mapping[str, str]] = {
    "accuracy": {"counted": "yes"},
    "tool_ratio": {"scored": "yes"},
    "grounded_score": {"population": "yes"},
    "valid_grounded_reasoning": {"quadrant": "any"},
    "recognition_f1": {"f1_difference": "any"},
    "selection_f1": {"planned": "yes"},
    "exact_match": {"planned": "yes"},
    "task_completable_rate": {"planned": "yes"},
}
"""The terms of the list of answers in the population of each metric of ``LEADING``."""


@dataclass(frozen=True)
class Cases:
    """The samples that an estimate is of, and the answers to these; without lists where these hold others."""

    samples: Samples | Count
    answers: Count


def snapshot_of(result: Result, user: Any) -> Snapshot:
    """The trajectories of people, and of the runs that they are compared with."""
    return Snapshot(result.run.benchmark, [result.run, *(one.run for one in result.differences)], user)


def metric_cases(result: Result, snapshot: Snapshot) -> dict[str, Cases]:
    """By metric, and by familiarity. One statement on the store for each metric, and one query."""
    run, found = result.run, dict[str, Cases]()
    for one in result.metrics:
        terms = _terms(run, one.metric)
        found[one.metric] = _cases(run, one, _answers(snapshot, run, terms), RunLinks.of(run).list(**terms))
    familiarity = dict(Trajectory.objects.filter(run=run, condition="none").values_list("pk", "extra__familiarity"))
    for value, one in result.familiar:
        answers = _answers(snapshot, run, _terms(run, one.metric))
        chosen = {pk: key for pk, key in answers.items() if (familiarity.get(pk) or 0) >= FAMILIAR[value]}
        found[value] = _cases(run, one, chosen, _named(run, chosen))
    return found


def difference_cases(result: Result, snapshot: Snapshot) -> dict[int, Count]:
    """By run, its trajectories on the samples that people answered too. Two statements on the store."""
    if not result.differences:
        return {}
    answered = {"run": str(result.run.pk), **_terms(result.run, "accuracy")}
    samples = {sample for [sample] in Selection(snapshot, answered).rows(["sample"])}
    own: dict[int, list[int]] = {}
    for run, sample, pk in Selection(snapshot, {"correct": "any"}).rows(["run", "sample", "pk"]):
        if sample in samples:
            own.setdefault(run, []).append(pk)
    return {one.run.pk: _exactly(result.run, one.n, own.get(one.run.pk, [])) for one in result.differences}


def stratum_answers(study: Experiment, run: Run) -> list[Count]:
    """The answers of each stratum of a closed study. Two queries."""
    stratum = dict(study.study_samples.order_by().values_list("sample", "stratum"))
    found: list[list[int]] = [[] for _ in study.design["strata"]]
    for pk, sample in Trajectory.objects.filter(run=run, condition="none").values_list("pk", "sample"):
        if sample in stratum:
            found[stratum[sample]].append(pk)
    return [Count(len(pks), _named(run, pks)) for pks in found]


def skipped_samples(study: Experiment) -> dict[int, Samples]:
    """By person, the samples that they skipped. One query."""
    keys: dict[int, list[str]] = {}
    for person, key in study.human_answers.filter(place=None).values_list("person", "sample__key"):
        keys.setdefault(person, []).append(key)
    return {person: count_of(study.benchmark, found) for person, found in keys.items()}


def _terms(run: Run, metric: str) -> dict[str, str]:
    terms = {**ALL, **_IN_METRIC[metric]}
    excludes = settings_of(run.benchmark).undecided_answer == "exclude"
    return terms | {"undecided": "no"} if metric == "tool_ratio" and excludes else terms


def _answers(snapshot: Snapshot, run: Run, terms: Mapping[str, str]) -> dict[int, str]:
    """The ids of the samples of a list of the run, by trajectory."""
    return dict(Selection(snapshot, {"run": str(run.pk), **terms}).rows(["pk", "sample_key"]))


def _cases(run: Run, metric: Metric, answers: Mapping[int, str], href: str) -> Cases:
    keys = set(answers.values())
    if len(keys) != metric.n:
        return Cases(Count(metric.n), Count(len(answers)))
    return Cases(count_of(run.benchmark, keys), Count(len(answers), href if answers else ""))


def _exactly(run: Run, n: int, pks: Sequence[int]) -> Count:
    return Count(n, named_list(run.benchmark, pks) if len(pks) == n else "")


def _named(run: Run, pks: Iterable[int]) -> str:
    return named_list(run.benchmark, list(pks), **ALL)
