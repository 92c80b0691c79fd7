"""Jobs over the API: a program that started one asks how far it is, and may stop or repeat it."""

from __future__ import annotations

from uuid import UUID

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.http import person_of
from webapp.accounts.scopes import Scope, needs
from webapp.common.api_paging import PAGING, page_of, paged
from webapp.common.api_query import one_of
from webapp.jobs import actions
from webapp.jobs.models import Job
from webapp.jobs.querysets import TABS


class JobSerializer(serializers.ModelSerializer):
    share = serializers.FloatField(read_only=True, allow_null=True, help_text="Completed share, from 0 to 1.")
    seconds_left = serializers.FloatField(read_only=True, allow_null=True)

    class Meta:
        model = Job
        fields = (
            "id", "kind", "title", "benchmark", "state", "created", "started", "finished", "attempts", "done", "total",
            "unit", "share", "seconds_left", "not_before", "cancel_requested", "error", "result", "result_url",
        )  # fmt: skip
        read_only_fields = fields


@needs(Scope.IMPORT)
@extend_schema(
    operation_id="jobs",
    parameters=[
        OpenApiParameter("tab", str, enum=list(TABS), description="Filter, as on the Jobs page. Default: all jobs."),
        *PAGING,
    ],
    responses=page_of("JobPage", JobSerializer),
)
@api_view(["GET"])
def jobs(request: Request) -> Response:
    """The jobs you may see, the newest first."""
    tab = one_of(request, "tab", list(TABS), "all")
    rows = Job.objects.visible_to(request.user).in_tab(tab)
    return paged(request, rows, ("-created", "-id"), lambda row: JobSerializer(row).data)


@needs(Scope.IMPORT)
@extend_schema(operation_id="job", responses=JobSerializer)
@api_view(["GET"])
def job(request: Request, job_id: UUID) -> Response:
    """The progress of a job, and its result."""
    return Response(JobSerializer(_job_for(request, job_id)).data)


@needs(Scope.IMPORT)
@extend_schema(operation_id="job_cancel", request=None, responses=JobSerializer)
@api_view(["POST"])
def cancel(request: Request, job_id: UUID) -> Response:
    """Stop the job: at once when it waits, at its next step when it runs. 409 when it is over."""
    return Response(JobSerializer(actions.cancel(_job_for(request, job_id), actor=person_of(request))).data)


@needs(Scope.IMPORT)
@extend_schema(operation_id="job_retry", request=None, responses=JobSerializer)
@api_view(["POST"])
def retry(request: Request, job_id: UUID) -> Response:
    """Repeat a failed, rejected or stopped job from its last checkpoint. 409 for any other."""
    return Response(JobSerializer(actions.retry(_job_for(request, job_id), actor=person_of(request))).data)


def _job_for(request: Request, job_id: UUID) -> Job:
    return get_object_or_404(Job.objects.visible_to(request.user), pk=job_id)
