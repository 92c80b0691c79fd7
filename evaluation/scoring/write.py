"""Scoring: loads trajectories and gold as columns, computes the metrics and stores the results."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Count

from annotation.common.access import require
from annotation.models import Benchmark, Version
from annotation.workflow import Right
from evaluation.metrics.aggregate import aggregate
from evaluation.metrics.chains import chains_of
from evaluation.metrics.columns import TRUE, UNKNOWN, MetricRow, SampleColumns, ScoreColumns
from evaluation.metrics.extraction import read_run
from evaluation.metrics.faithfulness import FaithfulnessColumns, faithfulness_columns
from evaluation.metrics.measures import all_measures, evaluated_rows
from evaluation.metrics.reading import VERSION
from evaluation.metrics.score import score_run as score_columns
from evaluation.metrics.selection import selected_measures
from evaluation.metrics.settings import MetricSettings
from evaluation.metrics.undecided import answers_given, is_provisional
from evaluation.models import Intervention, Judgement, Run, Scoring, Trajectory
from evaluation.models.querysets.live import live
from evaluation.schema import Condition, JudgementKind
from evaluation.schema import Intervention as InterventionRecord
from evaluation.schema import Judgement as JudgementRecord
from evaluation.scoring.freshness import StalenessChecker
from evaluation.scoring.load.columns import LoadedRun, LoadedSamples, load_run, load_samples
from evaluation.scoring.load.results import repeats_of_results
from evaluation.scoring.people import drawn_for, estimated_rows
from evaluation.scoring.rank import is_ranked, rank_runs
from evaluation.scoring.rewards import keep_rewards
from evaluation.scoring.save import save_metrics, written_scores
from evaluation.scoring.settings import settings_of
from evaluation.store.build import Evaluated
from evaluation.store.files import scores_are_lost, write_file
from evaluation.store.list_file import write_list
from evaluation.store.words.index import index_run_text
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.garbage_collection import gc_paused
from webapp.common.locks import lock_rows


def score_benchmark(
    *,
    actor: User | None,
    benchmark: Benchmark,
    only_stale: bool = False,
    settings: MetricSettings | None = None,
) -> list[Scoring]:
    """Score all runs of a benchmark in this process, or only runs with missing or stale scores. Then rank.

    ``settings``: replace the settings of the benchmark for this scoring only."""
    require(actor, benchmark, Right.SCORE)
    samples = load_samples(benchmark)
    settings = settings or settings_of(benchmark)
    runs = stale_runs(benchmark, samples.digest) if only_stale else Run.objects.of(benchmark)
    scorings = [score_one(actor=actor, run=run, samples=samples, settings=settings) for run in runs]
    after_scoring(benchmark, samples, settings, changed=bool(scorings))
    return scorings


def stale_runs(benchmark: Benchmark, digest: str) -> list[Run]:
    """The runs with missing or stale scores, those with the most rows first. ``digest``: of the gold."""
    fresh = StalenessChecker(benchmark)
    runs = [run for run in Run.objects.of(benchmark) if is_stale(run, digest, fresh)]
    return sorted(runs, key=lambda run: run.file.rows if hasattr(run, "file") else 0, reverse=True)


def after_scoring(benchmark: Benchmark, samples: LoadedSamples, settings: MetricSettings, *, changed: bool) -> None:
    """Compute what follows a scoring: rewards of rollout groups, ranks, text index and list file. It can be repeated.

    ``changed``: whether any run was scored. Ranks that an earlier scoring left out are computed in any case.
    """
    keep_rewards(benchmark, settings)
    if changed or not is_ranked(benchmark):
        rank_runs(benchmark, samples, settings)
    for run in Run.objects.filter(benchmark=benchmark):
        index_run_text(run)
    write_list(benchmark)


def rank_again(benchmark: Benchmark) -> None:
    """Rank and compare the remaining scored runs after some were removed."""
    if Scoring.objects.filter(live("run__"), run__benchmark=benchmark).exists():
        rank_runs(benchmark, load_samples(benchmark), settings_of(benchmark))


def is_stale(run: Run, digest: str, fresh: StalenessChecker) -> bool:
    """Whether a run has no readable scores, scores that pages call stale, or scores for gold with another digest."""
    scoring = getattr(run, "scoring", None)
    return scoring is None or scoring.gold_digest != digest or fresh.stale(scoring) or scores_are_lost(run)


@gc_paused()
def score_one(
    *,
    actor: User | None,
    run: Run,
    samples: LoadedSamples,
    settings: MetricSettings,
    checkpoint: Callable[[], None] | None = None,
) -> Scoring:
    """Compute and store the scores and metrics of one run. One transaction replaces the earlier ones."""
    begun = time.monotonic()
    loaded = load_run(run, samples)
    scores = score_columns(samples.columns, loaded.columns, settings)
    others, chains = list(_others(run, samples, settings)), chains_of(samples.columns, loaded.columns, scores)
    faithfulness = _faithfulness(run, samples, scores, others, settings)
    evaluated = evaluated_rows(samples.columns, scores, settings)
    measures = all_measures(samples.columns, scores, loaded.columns, evaluated, settings)
    rows = _of_people(run, samples, loaded, scores, others, settings)
    if rows is None:
        of_models: Any = {"faithfulness": faithfulness, "measures": measures}
        rows = aggregate(samples.columns, scores, loaded.columns, settings, **of_models)
    added = {
        f"{side}_{name}": values
        for name, *sides in selected_measures(samples.columns, scores, measures, settings, faithfulness)
        for side, values in zip("nd", sides, strict=True)
    }
    del measures
    names = [loaded.columns.tools[code] for code in loaded.columns.steps.tool.tolist()]
    read = read_run(samples.columns, loaded.columns, scores, settings)
    known = Evaluated(loaded.pks, added, chains, names, scores, read)
    answers = int(answers_given(scores.correct, scores.undecided, scores.missing_answer).sum())
    unread = int(scores.unread.sum())
    parts = [(loaded, scores, chains)]
    parts += [(one.loaded, one.scores, chains_of(samples.columns, one.loaded.columns, one.scores)) for one in others]
    written = [written_scores(*part, repeats_of_results(samples, *part[:2])) for part in parts]
    with transaction.atomic():
        # Ranking locks scorings before the ranks that go with them.
        lock_rows(Scoring.objects.filter(run=run))
        Scoring.objects.filter(run=run).delete()
        scoring = Scoring.objects.create(
            run=run,
            settings=settings.changed(),
            version=_version(run.benchmark, samples.digest),
            gold_digest=samples.digest,
            reading_version=VERSION,
            computed_at=samples.at,
            seconds=0,
            samples_n=len(samples.columns),
            trajectories_n=len(loaded.columns),
            failed_n=int(loaded.columns.failed.sum()),
            answers_n=answers,
            unread_n=unread,
            provisional=is_provisional(unread, answers, settings),
        )
        save_metrics(scoring, rows)
        write_file(run, settings, written, known)
        Scoring.objects.filter(pk=scoring.pk).update(seconds=time.monotonic() - begun)
        audit.record(actor=actor, action="run.score", subject=run, benchmark=run.benchmark.slug)
        if checkpoint:
            checkpoint()
    return scoring


def _of_people(
    run: Run,
    samples: LoadedSamples,
    loaded: LoadedRun,
    scores: ScoreColumns,
    others: Sequence[_Other],
    settings: MetricSettings,
) -> list[MetricRow] | None:
    """The estimates of a human study; None for any other run."""
    drawn = drawn_for(run) if run.by_people else None
    if drawn is None:
        return None
    plain = [(one.loaded, one.scores) for one in others if one.condition == Condition.NONE]
    return estimated_rows(drawn, samples, [(loaded, scores), *plain], settings)


@dataclass(frozen=True)
class _Other:
    """Trajectories under one condition, as scored: the lowest rollout of each sample, or (``further``) the others."""

    condition: str
    further: bool
    loaded: LoadedRun
    scores: ScoreColumns


def _others(run: Run, samples: LoadedSamples, settings: MetricSettings) -> Iterator[_Other]:
    """Score the trajectories that metrics don't use, for their pages: further rollouts and interventions."""
    counted = Trajectory.objects.filter(run=run).order_by().values("condition")
    conditions = counted.annotate(trajectories=Count("pk"), on=Count("sample", distinct=True)).order_by("condition")
    parts = [(row["condition"], False) for row in conditions if row["condition"] != Condition.NONE]
    parts += [(row["condition"], True) for row in conditions if row["trajectories"] > row["on"]]
    for condition, further in parts:
        loaded = load_run(run, samples, condition=condition, further=further)
        if len(loaded.columns):
            scores = score_columns(samples.columns, loaded.columns, settings)
            yield _Other(condition, further, loaded, scores)


def _faithfulness(
    run: Run,
    samples: LoadedSamples,
    scores: ScoreColumns,
    others: list[_Other],
    settings: MetricSettings,
) -> FaithfulnessColumns:
    """Recorded interventions and judgments, and the outcomes of trajectories with and without a condition.

    Judgments by people are omitted: they are the reference for judge models."""
    recorded = (
        InterventionRecord("", key, condition, correct, answer)
        for key, condition, correct, answer in Intervention.objects.filter(run=run).values_list(
            "sample__key", "condition", "correct", "answer"
        )
    )
    under = [(other.condition, other.scores) for other in others if not other.further]
    # An outcome without an intervention is only compared with an outcome under a condition.
    compared = [(Condition.NONE, scores), *under] if under else []
    trajectories = (
        InterventionRecord("", key, condition, right, letter)
        for condition, theirs in compared
        for key, right, letter in _right(samples.columns, theirs)
    )
    undecided = (
        (samples.columns.keys[row], condition)
        for condition, theirs in compared
        for row in theirs.sample[theirs.undecided].tolist()
    )
    judgements = (
        JudgementRecord("", key, JudgementKind(kind), verdict, answer)
        for key, kind, verdict, answer in Judgement.objects.of_models()
        .of_evaluated()
        .filter(run=run)
        .order_by("pk")
        .values_list("sample__key", "kind", "verdict", "answer")
    )
    return faithfulness_columns(samples.columns, recorded, trajectories, judgements, settings, undecided)


def _right(samples: SampleColumns, scores: ScoreColumns) -> Iterator[tuple[str, bool, str]]:
    """Per sample: correct or incorrect, and the answer as read. Undecided counts as incorrect, undefined not at all."""
    verdicts = (column.tolist() for column in (scores.sample, scores.correct, scores.undecided))
    for row, correct, undecided, letter in zip(*verdicts, scores.letter, strict=True):
        if correct != UNKNOWN or undecided:
            yield samples.keys[row], correct == TRUE, letter


def _version(benchmark: Benchmark, digest: str) -> Version | None:
    return Version.objects.filter(benchmark=benchmark, checksum=digest).order_by("-number").first()
