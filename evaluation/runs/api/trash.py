"""The trash of a benchmark over the API."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.common.trash import gone_at
from annotation.workflow import Right
from evaluation.models import Run
from evaluation.runs.read.trash import deleted_runs
from evaluation.runs.write import delete_run, empty_trash, restore_run
from webapp.accounts.http import person_of
from webapp.accounts.scopes import Scope, needs
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
EMPTIED = inline_serializer("EmptiedTrash", {"runs": serializers.IntegerField(help_text="Runs being deleted.")})


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
    """Delete the runs in the trash permanently, in jobs."""
    benchmark = benchmark_for(request, slug, Right.IMPORT_RUNS)
    return Response({"runs": empty_trash(actor=person_of(request), benchmark=benchmark)}, status=202)


def _row(run: Run) -> dict[str, Any]:
    assert run.deleted_at is not None
    return {
        "id": run.pk, "model": run.model.name, "setting": run.setting, "deleted_at": run.deleted_at,
        "deleted_by": str(run.deleted_by or ""), "gone_at": gone_at(run.deleted_at),
    }  # fmt: skip
