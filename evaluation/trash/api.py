"""The trash of a benchmark over the API."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.access import allowed
from annotation.common.api import benchmark_for
from annotation.common.trash import gone_at
from annotation.workflow import Right
from evaluation.models import Run
from evaluation.trash.read import deleted_runs, removed_samples
from evaluation.trash.write.runs import delete_run, empty_trash, restore_run
from evaluation.trash.write.samples import MOST, delete_samples, empty_samples, restore_sample
from webapp.accounts.http import person_of
from webapp.accounts.scopes import Scope, needs
from webapp.common.api import TextField
from webapp.common.api_forms import Form, read_form
from webapp.common.api_paging import PAGING, page_of, paged

DELETED_RUN = inline_serializer(
    "DeletedRun",
    {
        "id": serializers.IntegerField(),
        "model": serializers.CharField(),
        "setting": serializers.CharField(allow_blank=True),
        "deleted_at": serializers.DateTimeField(),
        "deleted_by": serializers.CharField(),
        "gone_at": serializers.DateTimeField(help_text="When it is deleted permanently."),
    },
)
REMOVED_SAMPLE = inline_serializer(
    "RemovedSample",
    {
        "id": serializers.IntegerField(help_text="Restores it."),
        "sample": serializers.CharField(),
        "deleted_at": serializers.DateTimeField(),
        "deleted_by": serializers.CharField(),
        "withdrawn": serializers.CharField(allow_blank=True, help_text="Why a sample of a version was withdrawn."),
        "gone_at": serializers.DateTimeField(
            allow_null=True, help_text="When it is deleted permanently. Null: it is withdrawn."
        ),
    },
)
REMOVED = inline_serializer(
    "RemovedSamples", {"deleted": serializers.IntegerField(), "withdrawn": serializers.IntegerField()}
)
EMPTIED = inline_serializer(
    "EmptiedTrash",
    {
        "runs": serializers.IntegerField(help_text="Runs being deleted."),
        "samples": serializers.IntegerField(help_text="Samples being deleted. 0 for who doesn't lead the benchmark."),
    },
)


class RemoveSamplesSerializer(Form):
    ids = serializers.ListField(child=TextField(max_length=200), min_length=1, max_length=MOST)
    reason = TextField(
        max_length=500, required=False, default="", allow_blank=True, help_text="Required for samples of a version."
    )


@needs(Scope.IMPORT)
@extend_schema(operation_id="trash", parameters=PAGING, responses=page_of("DeletedRunPage", DELETED_RUN))
@api_view(["GET"])
def trash(request: Request, slug: str) -> Response:
    """The runs in the trash of a benchmark."""
    rows = deleted_runs(benchmark_for(request, slug, Right.IMPORT_RUNS))
    return paged(request, rows, "pk", _row)


@needs(Scope.IMPORT)
@extend_schema(operation_id="run_delete", request=None, responses={204: None})
@api_view(["POST"])
def run_delete(request: Request, slug: str, pk: int) -> Response:
    """Put a run in the trash. It can be restored for some weeks."""
    benchmark = benchmark_for(request, slug, Right.IMPORT_RUNS)
    delete_run(actor=person_of(request), run=get_object_or_404(Run.objects.of(benchmark), pk=pk))
    return Response(status=204)


@needs(Scope.IMPORT)
@extend_schema(operation_id="run_restore", request=None, responses={204: None})
@api_view(["POST"])
def run_restore(request: Request, slug: str, pk: int) -> Response:
    """Restore a run from the trash. Its rank follows in a job."""
    run = get_object_or_404(deleted_runs(benchmark_for(request, slug, Right.IMPORT_RUNS)), pk=pk)
    restore_run(actor=person_of(request), run=run)
    return Response(status=204)


@needs(Scope.IMPORT)
@extend_schema(operation_id="trash_empty", request=None, responses={202: EMPTIED})
@api_view(["POST"])
def trash_empty(request: Request, slug: str) -> Response:
    """Delete the runs in the trash permanently, in jobs, and the samples for who leads the benchmark. Withdrawn samples
    stay."""
    benchmark, person = benchmark_for(request, slug, Right.IMPORT_RUNS), person_of(request)
    runs = empty_trash(actor=person, benchmark=benchmark)
    leads = allowed(person, benchmark, Right.MANAGE)
    return Response(
        {"runs": runs, "samples": empty_samples(actor=person, benchmark=benchmark) if leads else 0}, status=202
    )


@needs(Scope.MANAGE)
@extend_schema(
    methods=["GET"],
    operation_id="trash_samples",
    parameters=PAGING,
    responses=page_of("RemovedSamplePage", REMOVED_SAMPLE),
)
@extend_schema(
    methods=["POST"], operation_id="samples_delete", request=RemoveSamplesSerializer, responses=REMOVED
)  # fmt: skip
@api_view(["GET", "POST"])
def trash_samples(request: Request, slug: str) -> Response:
    """The deleted and withdrawn samples of a benchmark. POST puts samples in the trash by their ids; those of frozen
    versions are withdrawn with the reason, and stay in these versions."""
    benchmark = benchmark_for(request, slug, Right.MANAGE)
    if request.method == "GET":
        return paged(request, removed_samples(benchmark), "pk", _sample_row)
    sent = read_form(RemoveSamplesSerializer, request)
    removed = delete_samples(
        actor=person_of(request), benchmark=benchmark, keys=set(sent["ids"]), reason=sent["reason"]
    )
    return Response({"deleted": removed.deleted, "withdrawn": removed.withdrawn})


@needs(Scope.MANAGE)
@extend_schema(operation_id="sample_restore", request=None, responses={204: None})
@api_view(["POST"])
def sample_restore(request: Request, slug: str, pk: int) -> Response:
    """Restore a sample from the trash, or reinstate a withdrawn one."""
    benchmark = benchmark_for(request, slug, Right.MANAGE)
    sample = get_object_or_404(removed_samples(benchmark), pk=pk)
    restore_sample(actor=person_of(request), benchmark=benchmark, sample=sample)
    return Response(status=204)


def _sample_row(sample: Any) -> dict[str, Any]:
    return {
        "id": sample.pk, "sample": sample.key, "deleted_at": sample.deleted_at,
        "deleted_by": str(sample.deleted_by or ""), "withdrawn": sample.withdrawn,
        "gone_at": None if sample.withdrawn else gone_at(sample.deleted_at),
    }  # fmt: skip


def _row(run: Run) -> dict[str, Any]:
    assert run.deleted_at is not None
    return {
        "id": run.pk, "model": run.model.name, "setting": run.setting, "deleted_at": run.deleted_at,
        "deleted_by": str(run.deleted_by or ""), "gone_at": gone_at(run.deleted_at),
    }  # fmt: skip
