"""Named queries for runs, trajectories and scores, as querysets."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Self

from django.apps import apps
from django.db import models
from django.db.models import Case, Count, Exists, F, OuterRef, Prefetch, Q, Subquery, When
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Coalesce, NullIf

from evaluation.detections import DETECTOR
from evaluation.metrics.selection import BOUNDED
from evaluation.models.querysets.live import live
from evaluation.models.querysets.marks import visible_tags
from webapp.common.locks import lock_rows

_OF_TRAJECTORY = ("rollout", "condition", "answer", "plan", "error", "run", "sample")
_OF_SAMPLE = (
    "key",
    "width",
    "height",
    "changed_at",
    "gold__revision",
    *(f"image__{name}" for name in ("sha256", "width", "height", "state")),
)
_OF_REVISION = ("question", "options", "answers")
SHOWN_IN_LISTS = (
    *_OF_TRAJECTORY,
    *("run__setting", "run__model__name"),
    *(f"sample__{name}" for name in _OF_SAMPLE),
    *(f"sample__gold__revision__{name}" for name in _OF_REVISION),
)
"""One third of the columns. Creating objects of all columns would take most of the time of a list."""
_CLUSTERED = ("cluster-t", "wilson-n-eff")
"""Methods of intervals with an effective number of samples."""


class RunQuerySet(models.QuerySet[Any]):
    def of(self, benchmark: Any) -> Self:
        return self.filter(benchmark=benchmark).select_related(
            "model", "benchmark", "scoring", "scoring__version", "file", "lineage"
        )

    def in_trash(self) -> Self:
        """Keep deleted runs that can be restored, the last deleted first. Of ``Run.everything``."""
        return self.filter(deleted_at__isnull=False, purging=False).order_by("-deleted_at", "-pk")

    def scored(self) -> Self:
        return self.filter(scoring__isnull=False)


def with_counts(runs: Iterable[Any]) -> list[Any]:
    """Return these runs with ``trajectories_n`` (without an intervention) and ``failed_n`` (trajectories with an
    error).

    One query. On PostgreSQL, joining a million rows with fifty runs and counting within each takes ten times as long.
    """
    found = list(runs)
    plain = apps.get_model("evaluation", "Trajectory").objects.filter(run__in=found, condition="none").order_by()
    counts = plain.values_list("run").annotate(n=Count("pk"), failed=Count("pk", filter=~Q(error="")))
    by_run = {run: (n, failed) for run, n, failed in counts}
    for run in found:
        run.trajectories_n, run.failed_n = by_run.get(run.pk, (0, 0))
    return found


def samples_without_trajectory(run: Any, terms: Mapping[str, str] | None = None) -> models.QuerySet[Any]:
    """The samples with gold for which this run has no trajectory, by id. The facets in ``terms`` filter them."""
    tried = run.trajectories.filter(condition="none").values("sample")
    found = run.benchmark.samples.filter(gold__isnull=False).exclude(pk__in=tried).order_by("key")
    for name, value in (terms or {}).items():
        if name.startswith("facet."):
            found = found.having(name.removeprefix("facet."), value)
    return found


class TrajectoryQuerySet(models.QuerySet[Any]):
    def of(self, benchmark: Any) -> Self:
        return self.filter(live("run__"), run__benchmark=benchmark)

    def as_read(self, row_digests: Iterable[bytes]) -> Self:
        """Keep trajectories read from rows with these digests, with the number of their steps as ``steps_n``."""
        steps = apps.get_model("evaluation", "Step").objects.filter(trajectory=OuterRef("pk")).order_by()
        counted = steps.values("trajectory").annotate(n=Count("pk")).values("n")
        return self.filter(row_digest__in=row_digests).annotate(steps_n=Coalesce(Subquery(counted), 0)).order_by()

    def evaluated(self) -> Self:
        """Keep the trajectories that metrics use: without an intervention, the lowest rollout of each sample."""
        earlier = self.model.objects.filter(
            run=OuterRef("run"), sample=OuterRef("sample"), condition="none", rollout__lt=OuterRef("rollout")
        )
        # Number 0 is always the lowest rollout, so almost every row is decided without reading other rows.
        return self.filter(Q(rollout=0) | ~Exists(earlier), condition="none")

    def for_list(self) -> Self:
        """Load only what a list row shows, in list order: model, sample, rollout, condition."""
        return (
            self.select_related("run__model", "sample__image", "sample__gold__revision")
            .only(*SHOWN_IN_LISTS)
            .prefetch_related("sample__gold__revision__gold_boxes", "sample__gold__revision__gold_shapes")
            .order_by("sample__key", "run_id", "rollout", "condition", "pk")
        )

    def with_marks(self, person: Any) -> Self:
        """Load the steps, the tags that a person sees (``seen_taggings``) and the failures that people set
        (``labels_in_force``): three more queries."""
        taggings, labels = (apps.get_model("evaluation", name).objects for name in ("Tagging", "FailureLabel"))
        seen = taggings.filter(tag__in=visible_tags(person)).select_related("tag").order_by("tag__name")
        said = labels.filter(current=True).select_related("person")
        return self.prefetch_related(
            "steps",
            Prefetch("taggings", queryset=seen, to_attr="seen_taggings"),
            Prefetch("failure_labels", queryset=said, to_attr="labels_in_force"),
        )


class ScoringQuerySet(models.QuerySet[Any]):
    def mark_stale(self) -> None:
        """Mark these scores as stale. Call in the transaction of the change, after changes of runs."""
        self.model.objects.filter(pk__in=lock_rows(self)).update(stale=True)

    def compared(self, benchmarks: Any) -> Self:
        """Keep scorings of runs that can be compared on these benchmarks.

        Excluded are failed runs (every trajectory is an error), detectors (no answers) and people (several answers)."""
        answered = self.exclude(run__extra__has_any_keys=[DETECTOR, "people"])
        return answered.filter(live("run__"), run__benchmark__in=benchmarks, failed_n__lt=F("trajectories_n"))

    def ranked(self, benchmarks: Any) -> Self:
        """Keep scorings with a rank. Scripted baselines and provisional runs are compared, but not ranked."""
        return self.of_models(benchmarks).filter(provisional=False)

    def with_population(self) -> Self:
        """Keep scorings with trajectories in quadrants."""
        return self.filter(metrics__metric="valid_grounded_reasoning", metrics__slice_by="", metrics__n__gt=0)

    def of_models(self, benchmarks: Any) -> Self:
        """Keep scorings of models, not those of scripted baselines."""
        return self.compared(benchmarks).filter(run__model__baseline=False)


class ComparisonQuerySet(models.QuerySet[Any]):
    def touching(self, scoring_id: int) -> Self:
        """Keep comparisons in which this run is one of the two."""
        return self.filter(Q(a_id=scoring_id) | Q(b_id=scoring_id)).order_by("pk")

    def of_one_model(self, scoring_ids: Collection[int]) -> Self:
        """Keep comparisons of one of these runs with another run of the same model."""
        touching = Q(a_id__in=scoring_ids) | Q(b_id__in=scoring_ids)
        return self.filter(touching, a__run__model=F("b__run__model")).order_by("pk")

    def among(self, scoring_ids: Collection[int]) -> Self:
        """Keep comparisons of two runs that are both among these."""
        return self.filter(a_id__in=scoring_ids, b_id__in=scoring_ids).order_by("pk")


class MetricQuerySet(models.QuerySet[Any]):
    def of(self, benchmark: Any) -> Self:
        return self.filter(live("scoring__run__"), scoring__run__benchmark=benchmark)

    def on_slice(self, slice_by: str = "", value: str = "") -> Self:
        return self.filter(slice_by=slice_by, slice=value)

    def for_board(self, detailed: Collection[str]) -> models.QuerySet[Any, tuple[Any, ...]]:
        """Rows of the scoring and the values in the order of ``evaluation.common.board_metrics.BoardMetric``.

        ``detailed``: metrics whose detail is read. Decoding it row by row takes longer than everything else.
        """
        detail = Case(When(metric__in=sorted(detailed), then=F("detail")), default=None)
        # Extracted by the database. A JSON null can be read as 0, which is never an effective number of samples.
        n_eff = NullIf(Cast(KT("detail__n_eff"), models.FloatField()), 0.0)
        clustered = Case(When(ci_method__in=_CLUSTERED, then=n_eff), default=None)
        ends = (
            Case(When(metric__in=BOUNDED, value__isnull=False, then=Cast(KT(f"detail__{end}"), models.FloatField())))
            for end in ("low", "high")
        )
        fields = ("metric", "value", "n", "numerator", "ci_low", "ci_high", "ci_method", "p_value")
        return self.values_list("scoring_id", *fields, clustered, *ends, detail)

    def named(self) -> Self:
        """Add the names of docs/metrics.md#exports."""
        return self.annotate(
            benchmark=F("scoring__run__benchmark__slug"),
            run=F("scoring__run_id"),
            model=F("scoring__run__model__name"),
            setting=F("scoring__run__setting"),
        )

    def for_export(self) -> Self:
        """Metric rows with the names of docs/metrics.md#exports, in a fixed order."""
        return self.named().order_by("model", "setting", "slice_by", "slice", "pk")
