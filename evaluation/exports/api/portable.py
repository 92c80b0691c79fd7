"""Portable files over the API: written by a job and downloaded; uploaded, previewed and made into benchmarks."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Any
from uuid import UUID

from django.http import FileResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view, parser_classes
from rest_framework.parsers import JSONParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.common.uploads import UPLOADS, upload_room
from annotation.portable.read.update import Choice
from annotation.portable.read.version import version_named
from annotation.workflow import Right
from evaluation.exports.read.names import texts_with_names
from evaluation.exports.read.room import portable_room
from evaluation.exports.read.uploads import STATES, uploads_of
from evaluation.exports.write import files
from evaluation.exports.write import uploads as writes
from webapp.accounts.http import person_of
from webapp.accounts.models import User
from webapp.accounts.scopes import Scope, needs
from webapp.common.api import TextField, TruthField, WholeNumberField, WordField
from webapp.common.api_forms import Form, read_form
from webapp.common.api_paging import PAGING, page_of, paged
from webapp.common.bodies import takes_files
from webapp.common.limits import asking
from webapp.jobs.api import JobSerializer


class PortableExportSerializer(Form):
    version = WholeNumberField(required=False, min_value=1, max_value=2**31 - 1, help_text="Default: working state.")
    people = WordField(["pseudonyms", "named"], required=False, default="pseudonyms")
    runs = TruthField(
        required=False, default=False,
        help_text="With finished runs and their trajectories; of a version those scored against its gold.",
    )  # fmt: skip


class PortableFileSerializer(Form):
    file = serializers.FileField(allow_empty_file=True, help_text="A portable file (.sightline).")


class PortableCreateSerializer(Form):
    slug = TextField(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=60, help_text="Address of the new benchmark.")


class PortableUpdateSerializer(Form):
    conflicts = serializers.DictField(
        child=WordField([choice.value for choice in Choice]),
        required=False,
        help_text=(
            "What becomes of conflicts, by sample. here: nothing changes (the default). file: the gold of the file. "
            "both: the gold from here, with the revisions of the file added."
        ),
    )


UPLOAD = inline_serializer(
    "PortableUpload",
    {
        "id": serializers.UUIDField(),
        "state": serializers.ChoiceField(STATES),
        "file": serializers.CharField(),
        "bytes": serializers.IntegerField(),
        "preview": serializers.DictField(help_text="Title, version, checksum and counts of the file, and differences."),
        "benchmark": serializers.CharField(allow_blank=True, help_text="Address of the benchmark, once it is made."),
        "problem": serializers.CharField(allow_blank=True),
        "job": serializers.CharField(allow_blank=True, help_text="ID of the job that reads or imports it."),
        "created_at": serializers.DateTimeField(),
        "finished_at": serializers.DateTimeField(allow_null=True),
    },
)
UPLOADS_PAGE = page_of("PortableUploadPage", UPLOAD)
FILE = {(200, "application/octet-stream"): OpenApiResponse(OpenApiTypes.BINARY, "The portable file.")}


@needs(Scope.MANAGE)
@extend_schema(
    operation_id="portable_export",
    request={"application/json": PortableExportSerializer},
    responses={202: JobSerializer},
)
@api_view(["POST"])
@parser_classes([JSONParser])
def export(request: Request, slug: str) -> Response:
    """Have a job write the portable file of the working state, or of one frozen version."""
    benchmark = benchmark_for(request, slug, Right.MANAGE)
    given = read_form(PortableExportSerializer, request)
    named = given["people"] == "named"
    job = files.start_export(
        actor=person_of(request), benchmark=benchmark, number=given.get("version"), named=named,
        with_runs=given.get("runs", False),
    )  # fmt: skip
    return Response(JobSerializer(job).data, status=202)


NAMED_TEXTS = inline_serializer(
    "NamedTexts",
    {
        "count": serializers.IntegerField(help_text="Texts with a name in this part of the search."),
        "listed": inline_serializer(
            "NamedText",
            {
                "table": serializers.CharField(),
                "field": serializers.CharField(),
                "sample": serializers.CharField(allow_blank=True, help_text="The ID of its sample; empty: none."),
                "before": serializers.CharField(allow_blank=True),
                "name": serializers.CharField(),
                "after": serializers.CharField(allow_blank=True),
            },
            many=True,
        ),
        "rows": serializers.IntegerField(help_text="Rows searched in this part."),
        "next": serializers.CharField(
            allow_null=True, help_text="The `start` of the next part; null: the search is complete."
        ),
    },
)


@needs(Scope.MANAGE)
@extend_schema(
    operation_id="portable_names",
    parameters=[
        OpenApiParameter("version", str, description="Number of a frozen version. Default: working state."),
        OpenApiParameter("start", str, description="`next` of the part before. Default: from the beginning."),
    ],
    responses=NAMED_TEXTS,
)
@api_view(["GET"])
def names(request: Request, slug: str) -> Response:
    """The texts of a portable file that contain a name or address of a person, in parts. A file with pseudonyms has
    them unchanged."""
    benchmark = benchmark_for(request, slug, Right.MANAGE)
    version = version_named(benchmark, request.query_params.get("version", ""))
    found = texts_with_names(benchmark, version, request.query_params.get("start", ""))
    listed = [asdict(one) for one in found.listed]
    return Response({"count": len(listed), "listed": listed, "rows": found.rows, "next": found.next or None})


@needs(Scope.MANAGE)
@extend_schema(operation_id="portable_export_state", responses=JobSerializer)
@api_view(["GET"])
def export_state(request: Request, slug: str, pk: UUID) -> Response:
    """The progress of an export; its result has the name, size and checksum of the file."""
    job = files.export_of(benchmark_for(request, slug, Right.MANAGE), pk)
    return Response(JobSerializer(job).data)


@needs(Scope.MANAGE)
@extend_schema(operation_id="portable_export_file", responses=FILE)
@api_view(["GET"])
def export_file(request: Request, slug: str, pk: UUID) -> FileResponse:
    """The written file. It is kept for a day. 409 while it is being written."""
    job = files.export_of(benchmark_for(request, slug, Right.MANAGE), pk)
    name, stream = files.written_file(job)
    return FileResponse(stream, as_attachment=True, filename=name, content_type="application/octet-stream")


@takes_files(portable_room)
@needs(Scope.MANAGE)
@extend_schema(methods=["GET"], operation_id="portable_uploads", parameters=PAGING, responses=UPLOADS_PAGE)
@extend_schema(
    methods=["POST"],
    operation_id="portable_upload",
    request={"multipart/form-data": PortableFileSerializer},
    responses={202: UPLOAD},
)
@api_view(["GET", "POST"])
@parser_classes([MultiPartParser])
def uploads(request: Request) -> Response:
    """Your uploaded portable files in order of upload. POST uploads one; a job checks it and writes nothing."""
    person = person_of(request)
    writes.require_creator(person)
    if request.method == "GET":
        return paged(request, uploads_of(person), ("created_at", "pk"), partial(_shown, person))
    UPLOADS.take(asking(request))
    given = read_form(PortableFileSerializer, request)
    return Response(_shown(person, writes.upload_file(actor=person, file=given["file"])), status=202)


@needs(Scope.MANAGE)
@extend_schema(operation_id="portable_upload_state", responses=UPLOAD)
@api_view(["GET"])
def upload(request: Request, pk: UUID) -> Response:
    """An uploaded file: its state, and what it holds."""
    person = person_of(request)
    writes.require_creator(person)
    return Response(_shown(person, writes.upload_of(person, pk)))


@needs(Scope.MANAGE)
@extend_schema(
    operation_id="portable_create", request={"application/json": PortableCreateSerializer}, responses={202: UPLOAD}
)
@api_view(["POST"])
@parser_classes([JSONParser])
def create(request: Request, pk: UUID) -> Response:
    """Make a private benchmark out of the file, in a job. You become its lead."""
    person = person_of(request)
    writes.require_creator(person)
    found = writes.upload_of(person, pk)
    given = read_form(PortableCreateSerializer, request)
    return Response(
        _shown(person, writes.create_benchmark_from(actor=person, upload=found, slug=given["slug"])), status=202
    )


@takes_files(upload_room(Right.MANAGE))
@needs(Scope.MANAGE)
@extend_schema(methods=["GET"], operation_id="portable_updates", parameters=PAGING, responses=UPLOADS_PAGE)
@extend_schema(
    methods=["POST"],
    operation_id="portable_update_upload",
    request={"multipart/form-data": PortableFileSerializer},
    responses={202: UPLOAD},
)
@api_view(["GET", "POST"])
@parser_classes([MultiPartParser])
def updates(request: Request, slug: str) -> Response:
    """Your uploads to update this benchmark. POST uploads a file with the same uid; a job compares it."""
    benchmark, person = benchmark_for(request, slug, Right.MANAGE), person_of(request)
    if request.method == "GET":
        return paged(request, uploads_of(person, benchmark), ("created_at", "pk"), partial(_shown, person))
    UPLOADS.take(asking(request))
    given = read_form(PortableFileSerializer, request)
    return Response(
        _shown(person, writes.upload_file(actor=person, file=given["file"], benchmark=benchmark)), status=202
    )


@needs(Scope.MANAGE)
@extend_schema(operation_id="portable_update_state", responses=UPLOAD)
@api_view(["GET"])
def update(request: Request, slug: str, pk: UUID) -> Response:
    """What the update would change, by sample, and what it changed."""
    benchmark, person = benchmark_for(request, slug, Right.MANAGE), person_of(request)
    return Response(_shown(person, writes.upload_of(person, pk, benchmark)))


@needs(Scope.MANAGE)
@extend_schema(
    operation_id="portable_update", request={"application/json": PortableUpdateSerializer}, responses={202: UPLOAD}
)
@api_view(["POST"])
@parser_classes([JSONParser])
def update_start(request: Request, slug: str, pk: UUID) -> Response:
    """Update the benchmark in a job. Frozen versions never change."""
    benchmark, person = benchmark_for(request, slug, Right.MANAGE), person_of(request)
    found = writes.upload_of(person, pk, benchmark)
    choices = read_form(PortableUpdateSerializer, request).get("conflicts", {})
    return Response(
        _shown(person, writes.update_benchmark_from(actor=person, upload=found, choices=choices)), status=202
    )


def _shown(person: User, upload: Any) -> dict[str, Any]:
    return {
        "id": upload.pk,
        "state": upload.state,
        "file": upload.file_name,
        "bytes": upload.bytes,
        "preview": writes.preview_known_to(person, upload),
        "benchmark": upload.benchmark.slug if upload.benchmark else "",
        "problem": upload.error,
        "job": upload.job_id,
        "created_at": upload.created_at,
        "finished_at": upload.finished_at,
    }
