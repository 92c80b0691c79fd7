"""Named questions to the database, as queryset verbs that chain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

from django.db import models
from django.db.models import Count, Exists, F, OuterRef, Q

from evaluation.metrics.columns import Outcome, Quadrant


class RunQuerySet(models.QuerySet[Any]):
    def of(self, benchmark: Any) -> Self:
        return self.filter(benchmark=benchmark).select_related("model", "benchmark", "scoring", "scoring__version")

    def scored(self) -> Self:
        return self.filter(scoring__isnull=False)

    def with_counts(self) -> Self:
        """Adds ``trajectories_n`` (without an intervention) and ``failed_n`` (error records among them)."""
        plain = Q(trajectories__condition="none")
        return self.annotate(
            trajectories_n=Count("trajectories", filter=plain),
            failed_n=Count("trajectories", filter=plain & ~Q(trajectories__error="")),
        )


def _flag(path: str) -> Callable[[str], Q]:
    return lambda value: Q(**{path: value in {"1", "yes", "true"}})


def _quadrant(value: str) -> Q:
    return Q(score__quadrant=Quadrant.NAMES.index(value)) if value in Quadrant.NAMES else Q(pk__in=[])


def _outcome(value: str) -> Q:
    return Q(score__plan_outcome=Outcome.NAMES.index(value)) if value in Outcome.NAMES else Q(pk__in=[])


def _number(path: str) -> Callable[[str], Q]:
    """``3`` is exactly three, ``8+`` eight or more."""

    def query(value: str) -> Q:
        digits = value.removesuffix("+")
        if not digits.isdecimal() or len(digits) > 18:
            return Q(pk__in=[])
        return Q(**{f"{path}__gte" if value.endswith("+") else path: int(digits)})

    return query


def _right(value: str) -> Q:
    return {"yes": Q(score__correct=True), "no": Q(score__correct=False)}.get(value, Q(score__correct__isnull=True))


TRAJECTORY_FILTERS: Mapping[str, Callable[[str], Q]] = {
    "run": _number("run_id"),
    "condition": lambda value: Q(condition=value),
    "sample": lambda value: Q(sample__key=value),
    "quadrant": _quadrant,
    "correct": _right,
    "grounded": _flag("score__grounded"),
    "population": _flag("score__in_population"),
    "zoomed": _flag("score__invoked"),
    "undecided": _flag("score__undecided"),
    "unparsed": _flag("score__unparsed"),
    "unanswered": _flag("score__missing_answer"),
    "failed": lambda value: ~Q(error="") if value == "yes" else Q(error=""),
    "calls": _number("score__calls"),
    "outcome": _outcome,
    "evidence": _flag("score__visual_evidence"),
}
"""What a list of trajectories can be narrowed by, name -> condition. Facets come as ``facet.NAME=VALUE``."""


class TrajectoryQuerySet(models.QuerySet[Any]):
    def of(self, benchmark: Any) -> Self:
        return self.filter(run__benchmark=benchmark)

    def evaluated(self) -> Self:
        """The trajectories that metrics are made of: without an intervention, the lowest rollout of each sample."""
        earlier = self.model.objects.filter(
            run=OuterRef("run"), sample=OuterRef("sample"), condition="none", rollout__lt=OuterRef("rollout")
        )
        return self.filter(condition="none").exclude(Exists(earlier))

    def narrowed(self, terms: Mapping[str, str]) -> Self:
        """Those that meet every term; unknown names are left out of account. See ``TRAJECTORY_FILTERS``."""
        found = self
        for name, value in terms.items():
            if name in TRAJECTORY_FILTERS:
                found = found.filter(TRAJECTORY_FILTERS[name](value))
            elif name.startswith("facet."):
                found = found.having(name.removeprefix("facet."), value)
        return found

    def having(self, facet: str, value: str) -> Self:
        """On a sample with this value on this facet."""
        return self.filter(Q(sample__facets__name=facet, sample__facets__value=value))

    def for_list(self) -> Self:
        """With all that a row of a list shows, and in list order: model, sample, rollout, condition."""
        return (
            self.select_related("run__model", "sample__image", "score", "sample__gold__revision")
            .prefetch_related("sample__gold__revision__gold_boxes")
            .order_by("sample__key", "run_id", "rollout", "condition", "pk")
        )

    def after(self, place: Any) -> Self:
        """Those behind this trajectory in list order."""
        key = place.sample.key
        same = Q(sample__key=key)
        return self.filter(
            Q(sample__key__gt=key)
            | same & Q(run_id__gt=place.run_id)
            | same & Q(run_id=place.run_id, rollout__gt=place.rollout)
            | same & Q(run_id=place.run_id, rollout=place.rollout, condition__gt=place.condition)
        )

    def before(self, place: Any) -> Self:
        """Those ahead of this trajectory in list order."""
        key = place.sample.key
        same = Q(sample__key=key)
        return self.filter(
            Q(sample__key__lt=key)
            | same & Q(run_id__lt=place.run_id)
            | same & Q(run_id=place.run_id, rollout__lt=place.rollout)
            | same & Q(run_id=place.run_id, rollout=place.rollout, condition__lt=place.condition)
        )


class ScoreQuerySet(models.QuerySet[Any]):
    def of_run(self, run: Any) -> Self:
        return self.filter(scoring__run=run, trajectory__condition="none")

    def evaluated(self) -> Self:
        """The scores that metrics are made of: see ``TrajectoryQuerySet.evaluated``."""
        trajectories = self.model.trajectory.field.related_model.objects.evaluated()
        return self.filter(trajectory__in=trajectories)


class ComparisonQuerySet(models.QuerySet[Any]):
    def touching(self, scoring_id: int) -> Self:
        """Those that have this run on one of their sides."""
        return self.filter(Q(a_id=scoring_id) | Q(b_id=scoring_id)).order_by("pk")


class MetricQuerySet(models.QuerySet[Any]):
    def of(self, benchmark: Any) -> Self:
        return self.filter(scoring__run__benchmark=benchmark)

    def on_slice(self, slice_by: str = "", value: str = "") -> Self:
        return self.filter(slice_by=slice_by, slice=value)

    def for_export(self) -> Self:
        """Metric rows with the names of METRICS 10, in a fixed order."""
        return self.annotate(
            benchmark=F("scoring__run__benchmark__slug"),
            run=F("scoring__run_id"),
            model=F("scoring__run__model__name"),
            setting=F("scoring__run__setting"),
        ).order_by("model", "setting", "slice_by", "slice", "pk")
