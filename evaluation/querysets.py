"""Named questions to the database, as queryset verbs that chain."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Self

from django.apps import apps
from django.db import models
from django.db.models import Case, Count, Exists, F, OuterRef, Q, Subquery, When
from django.db.models.functions import Coalesce

from evaluation.metrics.columns import Outcome, Quadrant
from webapp.common.wording import finite


class RunQuerySet(models.QuerySet[Any]):
    def of(self, benchmark: Any) -> Self:
        return self.filter(benchmark=benchmark).select_related("model", "benchmark", "scoring", "scoring__version")

    def without_tables(self) -> Self:
        """For lists of runs: the tables behind the charts of a run's page stay in the database."""
        return self.defer("scoring__extras")

    def scored(self) -> Self:
        return self.filter(scoring__isnull=False)

    def with_counts(self) -> Self:
        """Adds ``trajectories_n`` (without an intervention) and ``failed_n`` (error records among them)."""
        plain = Q(trajectories__condition="none")
        return self.annotate(
            trajectories_n=Count("trajectories", filter=plain),
            failed_n=Count("trajectories", filter=plain & ~Q(trajectories__error="")),
        )


def samples_without_trajectory(run: Any) -> models.QuerySet[Any]:
    """The samples with gold that this run has no trajectory for, in order of id."""
    tried = run.trajectories.filter(condition="none").values("sample")
    return run.benchmark.samples.filter(gold__isnull=False).exclude(pk__in=tried).order_by("key")


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


def _beyond(path: str, comparison: str) -> Callable[[str], Q]:
    """Above (``gt``) or not above (``lte``) a threshold; equal within 1e-9 is not above (METRICS 0.6)."""

    def query(value: str) -> Q:
        threshold = finite(value)
        return Q(pk__in=[]) if threshold is None else Q(**{f"{path}__{comparison}": threshold + 1e-9})

    return query


def _yes_or(no: Q, yes: Q) -> Callable[[str], Q]:
    return lambda value: yes if value == "yes" else no


def _right(value: str) -> Q:
    return {"yes": Q(score__correct=True), "no": Q(score__correct=False)}.get(value, Q(score__correct__isnull=True))


def _targets(value: str) -> Q:
    """On a query with so many targets: ``3``, or ``6+``."""
    plans = (
        apps.get_model("annotation", "PlanTool")
        .objects.filter(revision__gold_of__sample=OuterRef("sample"), step__isnull=False)
        .order_by()
        .values("revision")
        .annotate(targets_n=Count("pk"))
    )
    return Q(Exists(plans.filter(_number("targets_n")(value))))


def _left_out() -> Q:
    """Undecided, in a run that leaves such answers out.

    The settings are looked up apart: most do not name the setting, and an unknown negated stays unknown.
    """
    excluding = apps.get_model("evaluation", "Scoring").objects.filter(settings__undecided_answer="exclude")
    return Q(score__undecided=True, score__scoring__in=excluding)


def _wrong_in(value: str) -> Q:
    """On a sample that this other run has wrong; with ``correct=yes``: what only the first has right.

    An answer that its run leaves out as undecided is neither.
    """
    others = apps.get_model("evaluation", "Trajectory").objects.filter(sample=OuterRef("sample"), score__isnull=False)
    wrong = others.filter(~_left_out(), _number("run_id")(value)).evaluated().exclude(score__correct=True)
    return Q(Exists(wrong))


def _counted() -> Q:
    """Counted in accuracy: an answer is accepted or a verdict was given, and it is not left out as undecided."""
    asked = ~Q(sample__gold__revision__answers=[]) | Q(judge_correct__isnull=False)
    return Q(score__isnull=False) & asked & ~_left_out()


def _beside() -> models.QuerySet[Any]:
    """The scored trajectories of the same run on the same sample."""
    same = {"run": OuterRef("run"), "sample": OuterRef("sample")}
    return apps.get_model("evaluation", "Trajectory").objects.filter(**same, score__isnull=False)


def _paired(value: str) -> Q:
    """Under a condition, with one without it beside: any (``yes``), or one with visual evidence (``evidence``)."""
    plain = _beside().evaluated()  # type: ignore[attr-defined]
    return Q(Exists(plain.filter(score__visual_evidence=True) if value == "evidence" else plain), score__isnull=False)


def _said(kind: str) -> Exists:
    """Whether a judge said anything of this kind on the sample."""
    same = {"run": OuterRef("run"), "sample": OuterRef("sample"), "kind": kind}
    said = Q(verdict__regex=r"\S") | (Q(answer__isnull=False) if kind == "sufficiency" else Q())
    return Exists(apps.get_model("evaluation", "Judgement").objects.filter(said, **same))


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
    "failed": _yes_or(Q(error=""), ~Q(error="")),
    "scored": _yes_or(Q(score__isnull=True), Q(score__isnull=False)),
    "right": _yes_or(Q(score__correct=False) | Q(score__correct__isnull=True), Q(score__correct=True)),
    "ioa_above": _beyond("score__ioa", "gt"),
    "ioa_upto": _beyond("score__ioa", "lte"),
    "priced": _yes_or(Q(usd__isnull=True), Q(usd__isnull=False)),
    "unusable": _yes_or(Q(score__unusable_crops=0), Q(score__unusable_crops__gt=0)),
    "calls": _number("score__calls"),
    "outcome": _outcome,
    "counted": lambda value: _counted() if value == "yes" else ~_counted(),
    "planned": _yes_or(Q(score__plan_outcome=Outcome.NONE), Q(score__plan_outcome__gt=Outcome.NONE)),
    "reference": _yes_or(Q(score__reference_calls__isnull=True), Q(score__reference_calls__isnull=False)),
    "paired": _paired,
    "beside": lambda value: Q(Exists(_beside().filter(condition=value))),
    "judged": lambda kind: Q(_said(kind), score__visual_evidence=True),
    "unjudged": lambda kind: Q(~_said(kind), score__visual_evidence=True),
    "evidence": _flag("score__visual_evidence"),
    "targets": _targets,
    "wrong_in": _wrong_in,
}
"""What a list of trajectories can be narrowed by, name -> condition. Facets come as ``facet.NAME=VALUE``, answers that
a condition turned as ``flip=lost`` or ``flip=gained``."""


class TrajectoryQuerySet(models.QuerySet[Any]):
    def of(self, benchmark: Any) -> Self:
        return self.filter(run__benchmark=benchmark)

    def as_read(self, row_digests: Iterable[bytes]) -> Self:
        """Those read from rows with these digests, with the number of their steps as ``steps_n``."""
        steps = apps.get_model("evaluation", "Step").objects.filter(trajectory=OuterRef("pk")).order_by()
        counted = steps.values("trajectory").annotate(n=Count("pk")).values("n")
        return self.filter(row_digest__in=row_digests).annotate(steps_n=Coalesce(Subquery(counted), 0)).order_by()

    def evaluated(self) -> Self:
        """The trajectories that metrics are made of: without an intervention, the lowest rollout of each sample."""
        earlier = self.model.objects.filter(
            run=OuterRef("run"), sample=OuterRef("sample"), condition="none", rollout__lt=OuterRef("rollout")
        )
        # No rollout comes before number 0: almost every row is decided without a look at its neighbours.
        return self.filter(Q(rollout=0) | ~Exists(earlier), condition="none")

    def narrowed(self, terms: Mapping[str, str]) -> Self:
        """Those that meet every term; unknown names are left out of account. See ``TRAJECTORY_FILTERS``."""
        found = self
        for name, value in terms.items():
            if name in TRAJECTORY_FILTERS:
                found = found.filter(TRAJECTORY_FILTERS[name](value))
            elif name == "flip":
                found = found.flipped(value)
            elif name.startswith("facet."):
                found = found.having(name.removeprefix("facet."), value)
        return found

    def listed(self, terms: Mapping[str, str]) -> Self:
        """What a list under these terms shows: without a condition among them, the trajectories metrics are made of."""
        return (self if "condition" in terms else self.evaluated()).narrowed(terms)

    def flipped(self, way: str) -> Self:
        """Under a condition: right without it and wrong with it ("lost"), or the other way round ("gained")."""
        plain = self.model.objects.evaluated().filter(run=OuterRef("run"), sample=OuterRef("sample"))
        right, wrong = Q(score__correct=True), Q(score__correct=False) | Q(score__correct__isnull=True)
        before, after = {"lost": (right, wrong), "gained": (wrong, right)}.get(way, (Q(pk__in=[]), Q(pk__in=[])))
        return self.exclude(condition="none").filter(Exists(plain.filter(before)), after)

    def counted_by(self, *paths: str) -> list[tuple[Any, ...]]:
        """How many have each value, as (value, ..., n), the most frequent first. Joins of earlier filters are left."""
        rows = self.model.objects.filter(pk__in=self.order_by().values("pk")).order_by()
        return list(rows.values_list(*paths).annotate(n=Count("pk", distinct=True)).order_by("-n", *paths))

    def never_hidden(self) -> dict[str, int]:
        """Counts that every page of a run shows (METRICS 9.7); each is a filter of ``TRAJECTORY_FILTERS``."""
        filters = {
            "all": Q(),
            "scored": Q(score__isnull=False),
            "failed": ~Q(error=""),
            "unanswered": Q(score__missing_answer=True),
            "unparsed": Q(score__unparsed=True),
            "undecided": Q(score__undecided=True),
            "unusable": Q(score__unusable_crops__gt=0),
            "outside": Q(score__in_population=False),
            "with_evidence": Q(score__visual_evidence=True),
            "counted": _counted(),
        }
        return self.aggregate(**{name: Count("pk", filter=only) for name, only in filters.items()})

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

    def among(self, scoring_ids: Collection[int]) -> Self:
        """Those with both of their sides among these runs."""
        return self.filter(a_id__in=scoring_ids, b_id__in=scoring_ids).order_by("pk")


class MetricQuerySet(models.QuerySet[Any]):
    def of(self, benchmark: Any) -> Self:
        return self.filter(scoring__run__benchmark=benchmark)

    def on_slice(self, slice_by: str = "", value: str = "") -> Self:
        return self.filter(slice_by=slice_by, slice=value)

    def for_board(self, detailed: Collection[str]) -> models.QuerySet[Any, tuple[Any, ...]]:
        """Values in the order of ``evaluation.actions.board_rows.BoardMetric``, after the scoring they belong to.

        ``detailed``: metrics whose detail is read. It is decoded row by row, which takes longer than the rest of them.
        """
        detail = Case(When(metric__in=sorted(detailed), then=F("detail")), default=None)
        fields = ("metric", "value", "n", "numerator", "ci_low", "ci_high", "ci_method", "p_value")
        return self.values_list("scoring_id", *fields, detail)

    def for_export(self) -> Self:
        """Metric rows with the names of METRICS 10, in a fixed order."""
        return self.annotate(
            benchmark=F("scoring__run__benchmark__slug"),
            run=F("scoring__run_id"),
            model=F("scoring__run__model__name"),
            setting=F("scoring__run__setting"),
        ).order_by("model", "setting", "slice_by", "slice", "pk")
