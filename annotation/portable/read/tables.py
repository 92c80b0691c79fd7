"""The tables of a portable file and how their rows belong to a benchmark."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import models

from annotation.models import (
    AcceptedChain,
    Adjudication,
    AdjudicationRule,
    Annotation,
    Assignment,
    AuditBatch,
    AuditDraw,
    AuditItem,
    BankTool,
    Benchmark,
    BenchmarkQueue,
    BenchmarkSchema,
    BlindAnswer,
    BuildDecision,
    BuildItem,
    CheckAnswer,
    Comment,
    Draft,
    FacetAlias,
    FacetValue,
    Gold,
    GoldBox,
    GoldCheck,
    GoldShape,
    Guideline,
    GuidelineImage,
    GuidelineReading,
    ImageReplacement,
    ImageVariant,
    ItemAudit,
    Membership,
    Pause,
    PlanTool,
    Problem,
    QualificationAttempt,
    QualityRules,
    ReferenceCall,
    Review,
    Revision,
    Sample,
    Skip,
    SkippedDraft,
    ToolName,
    VerifiedChain,
    Version,
    VersionEntry,
)
from annotation.models.querysets.removed import with_withdrawn

Numbers = Callable[[int], int | None]
"""From a revision to what names it elsewhere; None if it is not there."""


@dataclass(frozen=True, slots=True)
class Table:
    """``path``: from a row to its benchmark. ``without``: fields that are not carried, as what they name stays behind.
    ``revisions_in``: fields whose JSON names revisions, with what replaces their numbers in it."""

    model: type[models.Model]
    path: str
    without: frozenset[str] = frozenset()
    revisions_in: tuple[tuple[str, Callable[[Any, Numbers], Any]], ...] = ()

    @property
    def name(self) -> str:
        return str(self.model._meta.model_name)

    @property
    def fields(self) -> list[models.Field[Any, Any]]:
        """The fields that rows of the file have, besides their number."""
        left_out = {"id", "benchmark", *self.without}
        return [one for one in self.model._meta.concrete_fields if one.name not in left_out]


def _in_provenance(value: Any, number: Numbers) -> Any:
    if value is None:
        return None
    return {name: {**of, "from": _known(of["from"], number)} for name, of in value.items()}


def _in_measured(value: Any, number: Numbers) -> Any:
    return {**value, "revisions": _known(value["revisions"], number)} if "revisions" in value else value


def _known(revisions: Sequence[int], number: Numbers) -> list[int]:
    return [found for one in revisions if (found := number(one)) is not None]


BENCHMARK_FIELDS = ("uid", "title", "description", "licence", "marks_open", "remove_metadata")
"""Of the benchmark itself. Whether it is public is decided where it arrives."""
TABLES = (
    Table(Membership, "benchmark", without=frozenset({"local"})),
    Table(BenchmarkQueue, "benchmark"),
    Table(AdjudicationRule, "benchmark"),
    Table(QualityRules, "benchmark"),
    Table(BenchmarkSchema, "benchmark"),
    Table(FacetAlias, "benchmark"),
    Table(Guideline, "benchmark"),
    Table(GuidelineReading, "guideline__benchmark"),
    Table(GuidelineImage, "benchmark"),
    Table(Pause, "benchmark"),
    Table(BankTool, "benchmark"),
    Table(ToolName, "benchmark"),
    Table(Sample, "benchmark", without=frozenset({"source", "removed_from", "purging"})),
    Table(ImageVariant, "sample__benchmark"),
    Table(ImageReplacement, "sample__benchmark"),
    Table(BuildItem, "benchmark", without=frozenset({"draft"})),
    Table(BuildDecision, "item__benchmark"),
    Table(AuditBatch, "benchmark"),
    Table(ItemAudit, "batch__benchmark"),
    Table(FacetValue, "sample__benchmark"),
    Table(Annotation, "sample__benchmark"),
    Table(Revision, "annotation__sample__benchmark", revisions_in=(("provenance", _in_provenance),)),
    Table(GoldBox, "revision__annotation__sample__benchmark"),
    Table(GoldShape, "revision__annotation__sample__benchmark"),
    Table(ReferenceCall, "revision__annotation__sample__benchmark"),
    Table(PlanTool, "revision__annotation__sample__benchmark"),
    Table(Draft, "annotation__sample__benchmark"),
    Table(SkippedDraft, "sample__benchmark"),
    Table(Review, "revision__annotation__sample__benchmark"),
    Table(BlindAnswer, "revision__annotation__sample__benchmark"),
    Table(Gold, "sample__benchmark"),
    Table(AcceptedChain, "sample__benchmark"),
    Table(VerifiedChain, "sample__benchmark"),
    Table(Adjudication, "sample__benchmark", revisions_in=(("measured", _in_measured),)),
    Table(AuditDraw, "benchmark"),
    Table(AuditItem, "sample__benchmark"),
    Table(GoldCheck, "sample__benchmark"),
    Table(QualificationAttempt, "benchmark"),
    Table(CheckAnswer, "check_of__sample__benchmark"),
    Table(Comment, "annotation__sample__benchmark"),
    Table(Assignment, "sample__benchmark"),
    Table(Skip, "sample__benchmark"),
    Table(Problem, "sample__benchmark"),
    Table(Version, "benchmark"),
    Table(VersionEntry, "version__benchmark"),
)
"""In an order in which rows refer only to rows of earlier tables, of the same table, or to people and images."""
LEFT_BEHIND = frozenset({
    "clickedshape", "draftedname", "drafting", "evidencetest", "facetbatch", "mention", "proposal", "proposaluse",
    "webhook", "webhookdelivery",
    "workpackage", "worksession", "workclock", "payline", "payperiod", "payrate", "paysettings", "benchmark",
    "contentchange", "image", "importissue", "importrecord", "invitedrole", "lease", "originalfile", "personuid",
    "portableupload", "receipt",
})  # fmt: skip
"""Tables that a file does not have as such: they are derived, belong to one server (plans, pay, webhooks, drafts of
models, answers under conditions), or last for minutes only. The uid of a person is in the row of the person."""


def rows_of(table: Table, benchmark: Benchmark) -> models.QuerySet[Any]:
    """The rows of the benchmark in the order in which they were made; roles by person, because giving a role again
    makes a new row. Those of withdrawn samples are among them, because versions name these samples."""
    manager: models.Manager[Any] = table.model._default_manager
    if table.model is Comment:
        # On an annotation, or on an answer to a gold check.
        of_answers = with_withdrawn("check_answer__check_of__sample__", benchmark)
        return manager.filter(with_withdrawn("annotation__sample__", benchmark) | of_answers).order_by("pk")
    if table.model is Sample:
        return Sample.everything.filter(with_withdrawn("", benchmark)).order_by("pk")
    if table.path.endswith("sample__benchmark"):
        return manager.filter(with_withdrawn(table.path.removesuffix("benchmark"), benchmark)).order_by("pk")
    if table.model is BankTool or table.model is ToolName:
        # Proposals of models belong to this server, as their drafts do.
        return table.model.objects.filter(benchmark=benchmark).known().order_by("pk")
    if table.model is Membership:
        return manager.filter(benchmark=benchmark, local=False).order_by("user_id", "role")
    return manager.filter(**{table.path: benchmark}).order_by("pk")
