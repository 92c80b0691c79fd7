"""Portable files compared over the API, with each other or with a state of a benchmark."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view, parser_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.common.uploads import UPLOADS
from annotation.workflow import Right
from evaluation.exports.read.comparison import Compared, compared, comparison_of
from evaluation.exports.read.room import comparison_room, two_files_room
from evaluation.exports.write import comparison as writes
from evaluation.exports.write.uploads import require_creator
from webapp.accounts.http import person_of
from webapp.accounts.models import User
from webapp.accounts.scopes import Scope, needs
from webapp.common.api import WholeNumberField
from webapp.common.api_forms import Form, read_form
from webapp.common.api_paging import PAGING, page_of, paged_rows
from webapp.common.bodies import takes_files
from webapp.common.errors import Conflict
from webapp.common.limits import asking
from webapp.jobs.api import JobSerializer
from webapp.jobs.models import Job


class PortableCompareSerializer(Form):
    file = serializers.FileField(allow_empty_file=True, help_text="A portable file (.sightline).")
    version = WholeNumberField(
        required=False, min_value=1, max_value=2**31 - 1, help_text="Compare with this version. Default: working state."
    )


class PortableFilesSerializer(Form):
    first = serializers.FileField(allow_empty_file=True, help_text="The portable file of the earlier state.")
    second = serializers.FileField(allow_empty_file=True, help_text="The portable file of the later state.")


STATE = inline_serializer(
    "PortableComparison",
    {
        "job": JobSerializer(),
        "comparison": serializers.DictField(
            allow_null=True,
            help_text=(
                "Null until the job is done. counts and same: samples. rows: differences of benchmark, people, "
                "schemas, guidelines, tool bank and versions. tables: rows that only the first or second has. "
                "mixed: one is a version and the other a working state, so that only rows of both are compared."
            ),
        ),
    },
)
SAMPLES = page_of(
    "PortableComparisonPage",
    inline_serializer(
        "PortableComparisonSample",
        {
            "key": serializers.CharField(),
            "kind": serializers.ChoiceField(["changed", "added", "removed"]),
            "fields": serializers.ListField(child=serializers.CharField(), help_text="What differs."),
            "before": serializers.DictField(allow_null=True, help_text="All values in the first state."),
            "after": serializers.DictField(allow_null=True, help_text="All values in the second state."),
            "too_long": serializers.ListField(child=serializers.CharField(), help_text="Fields without their values."),
        },
    ),
)


@takes_files(comparison_room)
@needs(Scope.MANAGE)
@extend_schema(
    operation_id="portable_compare",
    request={"multipart/form-data": PortableCompareSerializer},
    responses={202: STATE},
)
@api_view(["POST"])
@parser_classes([MultiPartParser])
def compare(request: Request, slug: str) -> Response:
    """Have a job compare a portable file with the working state or a version. Nothing is changed."""
    benchmark, person = benchmark_for(request, slug, Right.MANAGE), person_of(request)
    writes.require_lead(person, benchmark)
    UPLOADS.take(asking(request))
    given = read_form(PortableCompareSerializer, request)
    job = writes.start_comparison(actor=person, files=[given["file"]], benchmark=benchmark, number=given.get("version"))
    return Response(_shown(job, person, benchmark), status=202)


@needs(Scope.MANAGE)
@extend_schema(operation_id="portable_comparison", responses=STATE)
@api_view(["GET"])
def comparison(request: Request, slug: str, pk: UUID) -> Response:
    """Your comparison: its job, and what differs besides samples. It is kept for a day."""
    benchmark, person = benchmark_for(request, slug, Right.MANAGE), person_of(request)
    writes.require_lead(person, benchmark)
    return Response(_shown(comparison_of(person, pk, benchmark), person, benchmark))


@needs(Scope.MANAGE)
@extend_schema(operation_id="portable_comparison_samples", parameters=PAGING, responses=SAMPLES)
@api_view(["GET"])
def comparison_samples(request: Request, slug: str, pk: UUID) -> Response:
    """The samples that differ, by kind and key, with old and new values. 409 until the job is done."""
    benchmark, person = benchmark_for(request, slug, Right.MANAGE), person_of(request)
    writes.require_lead(person, benchmark)
    return paged_rows(request, _found(comparison_of(person, pk, benchmark), person, benchmark).lines(), json.loads)


@takes_files(two_files_room)
@needs(Scope.MANAGE)
@extend_schema(
    operation_id="files_compare", request={"multipart/form-data": PortableFilesSerializer}, responses={202: STATE}
)
@api_view(["POST"])
@parser_classes([MultiPartParser])
def compare_files(request: Request) -> Response:
    """Have a job compare two portable files. Nothing is imported."""
    person = person_of(request)
    require_creator(person)
    UPLOADS.take(asking(request))
    given = read_form(PortableFilesSerializer, request)
    job = writes.start_comparison(actor=person, files=[given["first"], given["second"]])
    return Response(_shown(job, person, None), status=202)


@needs(Scope.MANAGE)
@extend_schema(operation_id="files_comparison", responses=STATE)
@api_view(["GET"])
def files_comparison(request: Request, pk: UUID) -> Response:
    """Your comparison of two files: its job, and what differs besides samples. It is kept for a day."""
    person = person_of(request)
    require_creator(person)
    return Response(_shown(comparison_of(person, pk, None), person, None))


@needs(Scope.MANAGE)
@extend_schema(operation_id="files_comparison_samples", parameters=PAGING, responses=SAMPLES)
@api_view(["GET"])
def files_comparison_samples(request: Request, pk: UUID) -> Response:
    """The samples that differ, by kind and key, with old and new values. 409 until the job is done."""
    person = person_of(request)
    require_creator(person)
    return paged_rows(request, _found(comparison_of(person, pk, None), person, None).lines(), json.loads)


def _found(job: Job, person: User, benchmark: Any) -> Compared:
    found = compared(job, person, benchmark)
    if found is None:
        raise Conflict("The files are not compared yet. Ask for the job first.", code="not_ready")
    return found


def _shown(job: Job, person: User, benchmark: Any) -> dict[str, Any]:
    found = compared(job, person, benchmark)
    if found is None:
        return {"job": JobSerializer(job).data, "comparison": None}
    summary = {name: value for name, value in found.summary.items() if name != "places"}
    return {"job": JobSerializer(job).data, "comparison": summary}
