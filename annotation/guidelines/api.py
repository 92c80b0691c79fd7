"""The guidelines of a benchmark and the images in them over the API."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, parser_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.access import allowed
from annotation.common.api import benchmark_for
from annotation.common.uploads import UPLOADS
from annotation.guideline_text import LONGEST
from annotation.guidelines.forms import image_room
from annotation.guidelines.read import UploadedImage, uploaded_images
from annotation.guidelines.write import add_image, publish, remove_image
from annotation.images.serving import original
from annotation.models import Benchmark, Guideline
from annotation.workflow import Right
from webapp.accounts.http import person_of
from webapp.accounts.scopes import Scope, needs
from webapp.common.api import TextField, TruthField, WholeNumberField
from webapp.common.api_forms import Form, read_form
from webapp.common.api_paging import PAGING, page_of, paged, paged_rows
from webapp.common.bodies import takes_files
from webapp.common.errors import NotFound
from webapp.common.limits import asking


class GuidelineSerializer(serializers.ModelSerializer):
    class Meta:
        model = Guideline
        fields = ("number", "body", "note", "must_read", "published_at")
        read_only_fields = fields


class PublishGuidelineSerializer(Form):
    body = TextField(max_length=LONGEST, trimmed=False, help_text="Markdown, other than that of the last version.")
    note = TextField(max_length=300, required=False, default="", allow_blank=True)
    must_read = TruthField(required=False, default=True)
    based_on = WholeNumberField(min_value=0, help_text="The newest number you know of; 0 before the first.")


@needs(Scope.MANAGE)
@extend_schema(
    methods=["GET"],
    operation_id="guidelines",
    parameters=PAGING,
    responses=page_of("GuidelinePage", GuidelineSerializer),
)
@extend_schema(
    methods=["POST"],
    operation_id="guidelines_publish",
    request=PublishGuidelineSerializer,
    responses={201: GuidelineSerializer},
)
@api_view(["GET", "POST"])
def guidelines(request: Request, slug: str) -> Response:
    """All versions of the guidelines; the one with the highest number is in force. POST publishes the next one, and
    answers 409 if another was published after ``based_on``."""
    if request.method == "POST":
        benchmark = benchmark_for(request, slug, Right.MANAGE)
        given = read_form(PublishGuidelineSerializer, request)
        made = publish(actor=person_of(request), benchmark=benchmark, **given)
        return Response(GuidelineSerializer(made).data, status=201)
    found = Guideline.objects.filter(benchmark=benchmark_for(request, slug, Right.VIEW))
    return paged(request, found, "number", lambda row: GuidelineSerializer(row).data)


class GuidelineImageSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(source="row.name")
    reference = serializers.CharField(
        source="row.reference", help_text="As a text shows it: `![what is shown](image:0123456789ab)`."
    )
    sha256 = serializers.CharField(source="row.image.sha256")
    format = serializers.CharField(source="row.image.format")
    width = serializers.IntegerField(source="row.image.width")
    height = serializers.IntegerField(source="row.image.height")
    bytes = serializers.IntegerField(source="row.image.bytes")
    state = serializers.CharField(source="row.image.state", help_text="Pages show it once it is `ready`.")
    versions = serializers.ListField(
        child=serializers.IntegerField(), help_text="The versions of the guidelines that show it, the newest first."
    )
    uploaded_at = serializers.DateTimeField(source="row.uploaded_at")


class UploadGuidelineImageSerializer(Form):
    image = serializers.FileField(help_text="JPEG, PNG, WebP or TIFF.")


@takes_files(image_room)
@needs(Scope.MANAGE)
@extend_schema(
    methods=["GET"],
    operation_id="guidelines_images",
    parameters=PAGING,
    responses=page_of("GuidelineImagePage", GuidelineImageSerializer),
)
@extend_schema(
    methods=["POST"],
    operation_id="guidelines_image_upload",
    request={"multipart/form-data": UploadGuidelineImageSerializer},
    responses={201: GuidelineImageSerializer},
)
@api_view(["GET", "POST"])
@parser_classes([MultiPartParser])
def images(request: Request, slug: str) -> Response:
    """The images that were uploaded into the guidelines, the newest first. Leads see all of them, other people those
    that a version shows. POST uploads one, as a file of a form (multipart/form-data); a second upload of a
    file returns the first."""
    if request.method == "POST":
        benchmark = benchmark_for(request, slug, Right.MANAGE)
        given = read_form(UploadGuidelineImageSerializer, request)
        UPLOADS.take(asking(request))
        made = add_image(actor=person_of(request), benchmark=benchmark, data=given["image"].read())
        return Response(GuidelineImageSerializer(UploadedImage(made, ())).data, status=201)
    benchmark = benchmark_for(request, slug, Right.VIEW)
    return paged_rows(request, _readable(request, benchmark), lambda row: GuidelineImageSerializer(row).data)


@needs(Scope.MANAGE)
@extend_schema(methods=["GET"], operation_id="guidelines_image", responses={(200, "image/*"): OpenApiTypes.BINARY})
@extend_schema(methods=["DELETE"], operation_id="guidelines_image_delete", responses={204: None})
@api_view(["GET", "DELETE"])
def image(request: Request, slug: str, name: str) -> HttpResponse:
    """The stored file of an uploaded image. DELETE deletes an image that no version shows, and answers 409 for
    another."""
    deletes = request.method == "DELETE"
    benchmark = benchmark_for(request, slug, Right.MANAGE if deletes else Right.VIEW)
    row = next((one.row for one in _readable(request, benchmark) if one.row.name == name), None)
    if row is None:
        raise NotFound("There is no such image in these guidelines.")
    if deletes:
        remove_image(actor=person_of(request), benchmark=benchmark, image=row)
        return Response(status=204)
    data, media_type = original(row.image)
    return HttpResponse(data, content_type=media_type, headers={"Content-Disposition": "attachment"})


def _readable(request: Request, benchmark: Benchmark) -> list[UploadedImage]:
    found = uploaded_images(benchmark)
    return found if allowed(request.user, benchmark, Right.MANAGE) else [one for one in found if one.versions]
