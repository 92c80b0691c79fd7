"""One real case for the first page: the evidence, the crop of one model, and that of another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext

from annotation.common.access import gold_known_to
from annotation.models import Benchmark, Sample
from evaluation.common.present_crops import present_crops
from evaluation.models import Run, Trajectory
from evaluation.models.querysets.live import live
from evaluation.scoring.load.images import Corners
from evaluation.store.scores import Score, opposite_pairs, put_scores

if TYPE_CHECKING:
    from annotation.models.querysets.samples import Person

CONSIDERED = 20
"""Benchmarks, and samples of each, that are looked at: every visitor asks."""


@dataclass(frozen=True, slots=True)
class Look:
    """A trajectory of the case: its scored crop (x1, y1, x2, y2), its numbers, and its answer as read."""

    trajectory: int
    run: Any
    crop: tuple[float, float, float, float]
    coverage: float
    answer: str
    correct: bool


@dataclass(frozen=True, slots=True)
class Case:
    """``seen`` is grounded and correct, ``missed`` is neither, on the same sample of a public benchmark."""

    benchmark: Benchmark
    sample: Sample
    seen: Look
    missed: Look

    @property
    def gold(self) -> Any:
        return self.sample.gold.revision.evidence


def find_case(person: Person) -> Case | None:
    """The first case on the benchmarks whose gold this person may see, by id; None where no two runs differ."""
    shown = Benchmark.objects.filter(live("runs__"), pk__in=gold_known_to(person), runs__scoring__isnull=False)
    for benchmark in shown.distinct().order_by("pk")[:CONSIDERED]:
        if case := _case_on(benchmark):
            return case
    return None


def _case_on(benchmark: Benchmark) -> Case | None:
    runs = list(Run.objects.of(benchmark).scored())
    pairs = opposite_pairs(runs, CONSIDERED)
    found = (
        Trajectory.objects.filter(pk__in=[pk for pair in pairs for pk in pair], sample__image__state="ready")
        .select_related("sample__image", "sample__gold__revision", "run__benchmark", "run__model")
        .prefetch_related("sample__gold__revision__gold_boxes", "sample__gold__revision__gold_shapes")
        .in_bulk()
    )
    put_scores(list(found.values()), runs)
    crops = present_crops(list(found.values()), runs)
    seen, missed = next(((one, other) for one, other in pairs if one in crops and other in crops), (None, None))
    if seen is None or missed is None:
        return None
    return Case(benchmark, found[seen].sample, *(_look(found[one], crops[one]) for one in (seen, missed)))


def _look(trajectory: Trajectory, crop: Corners) -> Look:
    score: Score = trajectory.score
    assert score.coverage is not None
    options = trajectory.sample.gold.revision.options
    words = f"{score.letter} {options[score.letter]}" if score.letter in options else score.letter
    return Look(trajectory.pk, trajectory.run, crop, score.coverage, words or gettext("no answer"), bool(score.correct))
