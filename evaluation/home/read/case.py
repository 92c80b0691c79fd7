"""One real case for the first page: what had to be seen, where one model looked, and where another did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Exists, OuterRef, QuerySet

from annotation.common.access import gold_known_to
from annotation.models import Benchmark, Sample
from evaluation.metrics.columns import Quadrant
from evaluation.models import Score

if TYPE_CHECKING:
    from annotation.models.querysets.samples import Person

CONSIDERED = 500


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
        return self.sample.gold.revision.gold_boxes.all()


def find_case(person: Person) -> Case | None:
    """The first case on the benchmarks whose gold this person may see, by id; None where no two runs differ.

    Only the first ``CONSIDERED`` trajectories that are grounded and correct are looked at: every visitor asks.
    """
    shown = {"trajectory__run__benchmark__in": gold_known_to(person), "trajectory__sample__image__state": "ready"}
    considered = _scored(Quadrant.GPAP).filter(**shown).order_by("pk").values_list("pk", flat=True)[:CONSIDERED]
    missed = _scored(Quadrant.GMAM).filter(trajectory__sample=OuterRef("trajectory__sample"))
    seen = (
        Score.objects.filter(Exists(missed), pk__in=list(considered))
        .select_related(
            "trajectory__sample__image",
            "trajectory__sample__gold__revision",
            "trajectory__run__benchmark",
            "trajectory__run__model",
        )
        .prefetch_related("trajectory__sample__gold__revision__gold_boxes")
        .order_by("pk")
        .first()
    )
    if seen is None:
        return None
    sample = seen.trajectory.sample
    other = _scored(Quadrant.GMAM).filter(trajectory__sample=sample).select_related("trajectory__run__model")
    against = other.order_by("coverage", "pk").first()
    if against is None:
        return None
    return Case(seen.trajectory.run.benchmark, sample, _look(seen, sample), _look(against, sample))


def _scored(quadrant: int) -> QuerySet[Score]:
    """Ordinary trajectories in this quadrant, runs out of sight left out."""
    ordinary = {"trajectory__condition": "none", "trajectory__run__staged_for": None, "crop_x1__isnull": False}
    return Score.objects.filter(quadrant=quadrant, **ordinary)


def _look(score: Any, sample: Sample) -> Look:
    options = sample.gold.revision.options
    words = f"{score.letter} {options[score.letter]}" if score.letter in options else score.letter
    return Look(
        score.trajectory_id,
        score.trajectory.run,
        (score.crop_x1, score.crop_y1, score.crop_x2, score.crop_y2),
        score.coverage,
        words or "no answer",
        bool(score.correct),
    )
