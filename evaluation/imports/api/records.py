"""Importing over the API: upload a file, check the preview, change the choices, commit."""

from __future__ import annotations

from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_field, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view, parser_classes
from rest_framework.parsers import JSONParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.common.uploads import UPLOADS, upload_room
from annotation.importers.column_mapping import BoxForm
from annotation.importers.interface import ImportProblem
from annotation.importers.mapping import MAX_COLUMN
from annotation.workflow import Right
from evaluation.importers.mapped.mapping import FIELDS, MODEL, PROMPT, REPLY, mapping_from
from evaluation.importers.mapped.paths import MAX_LENGTH
from evaluation.importers.mapped.texts import READERS
from evaluation.imports.write import upload
from webapp.accounts.http import person_of
from webapp.accounts.scopes import Scope, needs
from webapp.common.api import TextField, TruthField, WholeNumberField, WordField
from webapp.common.api_forms import Form, read_form
from webapp.common.api_paging import PAGING, page_of, paged
from webapp.common.bodies import takes_files
from webapp.common.limits import asking

ISSUE_FIELDS = ("severity", "rule", "file", "line", "row", "field", "found", "done")


COLUMNS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "columns": {
            "type": "object",
            "additionalProperties": {"type": "string", "minLength": 1, "maxLength": MAX_COLUMN},
            "description": "Column of each field.",
        },
        "boxes": {"type": "string", "enum": [form.value for form in BoxForm]},
        "list": {"type": "string", "maxLength": MAX_COLUMN, "description": "The list to read, of several."},
    },
    "required": ["columns"],
    "additionalProperties": False,
}


KEYS: dict[str, Any] = {
    "type": "object",
    "description": "Paths of keys, for JSON in an unknown format; see docs/formats.md.",
    "properties": {
        **{name: {"type": "string", "maxLength": MAX_LENGTH, "description": one.hint} for name, one in FIELDS.items()},
        "box_form": {"type": "string", "enum": [form.value for form in BoxForm]},
        "coordinates": {"type": "string", "description": "pixel, norm1, norm1000 or WxH"},
        "images_from": {"type": "integer", "enum": [0, 1]},
        "texts": {"type": "object", "additionalProperties": {"type": "string", "enum": list(READERS)}},
        "roles": {"type": "object", "additionalProperties": {"type": "string", "enum": [MODEL, REPLY, PROMPT]}},
    },
    "minProperties": 1,
    "additionalProperties": False,
}
MAPPING: dict[str, Any] = {"oneOf": [COLUMNS, KEYS]}


@extend_schema_field(MAPPING)
class MappingField(serializers.JSONField):
    """A mapping of columns, or of keys. Its fields can be checked only once the kind of the file is known."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "mapping": "A mapping is an object. columns contains the column of each field, boxes the box format."
    }

    def to_internal_value(self, data: Any) -> Any:
        found = super().to_internal_value(data)
        if isinstance(found, dict) and found and "columns" not in found:
            return self._of_keys(found)
        if not isinstance(found, dict) or found.keys() - COLUMNS["properties"].keys():
            self.fail("mapping")
        columns, form = found.get("columns"), found.get("boxes", BoxForm.XYXY.value)
        if not isinstance(columns, dict) or form not in [one.value for one in BoxForm]:
            self.fail("mapping")
        if not isinstance(one := found.get("list", ""), str) or len(one) > MAX_COLUMN:
            self.fail("mapping")
        if not all(isinstance(column, str) and 0 < len(column) <= MAX_COLUMN for column in columns.values()):
            self.fail("mapping")
        return found

    @staticmethod
    def _of_keys(found: dict[str, Any]) -> Any:
        try:
            mapping_from(found)
        except ImportProblem as problem:
            raise serializers.ValidationError(str(problem)) from problem
        return found


class ChoicesSerializer(Form):
    """Choices of the person importing a file. Omitted ones come from the file, or stay unchanged."""

    kind = WordField(["samples", "runs"], required=False)
    format = WordField(upload.FORMAT_NAMES, required=False, help_text="One of its kind.")
    model = TextField(required=False, allow_blank=True, max_length=200)
    setting = TextField(required=False, allow_blank=True, max_length=200)
    lineage = TextField(
        required=False, allow_blank=True, max_length=200, help_text="What the runs are checkpoints of; with step."
    )
    step = TextField(
        pattern=r"^(0|[1-9][0-9]{0,14})$", required=False, allow_blank=True, max_length=15, help_text="Of the training."
    )
    coordinates = TextField(
        pattern=r"^(pixel|norm1|norm1000|0*[1-9][0-9]*x0*[1-9][0-9]*)$",
        required=False,
        allow_blank=True,
        max_length=20,
        help_text="pixel, norm1, norm1000 or WxH",
    )
    threshold = TextField(
        pattern=r"^(0(\.[0-9]{1,6})?|1(\.0{1,6})?)$",
        required=False,
        allow_blank=True,
        max_length=20,
        help_text="Of a detector the score that counts, 0 to 1. Default: 0.3.",
    )
    recorded_on = TextField(
        pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$",
        required=False,
        allow_blank=True,
        max_length=10,
        help_text="Day on which the runs were recorded, if images of samples were replaced since. Of rows that state "
        "image_size or image_sha256, these count.",
    )
    mapping = MappingField(required=False, help_text="Mapping of columns or keys; see docs/formats.md.")
    replace = TruthField(required=False, help_text="Replace the earlier import of this file in one step.")
    replaces = WholeNumberField(
        required=False,
        min_value=0,
        help_text="ID of an import to replace with this one; 0 = none.",
    )
    both = TruthField(required=False, help_text="For a file of results: import its samples, then the run of one model.")
    answer_is_not_gold = TruthField(
        required=False, help_text="The answers are the model's, although their column or key equals the gold answers."
    )
    score = TruthField(required=False, help_text="Score the runs after the import.")


class UploadSerializer(ChoicesSerializer):
    file = serializers.FileField(allow_empty_file=True)
    images = serializers.FileField(required=False, help_text="For samples: a zip file of the images they name.")


IMPORT = inline_serializer(
    "Import",
    {
        "id": serializers.IntegerField(),
        "kind": serializers.ChoiceField(["samples", "runs"]),
        "state": serializers.ChoiceField(upload.State.values),
        "file": serializers.CharField(),
        "bytes": serializers.IntegerField(),
        "format": serializers.CharField(allow_blank=True),
        "formats": serializers.DictField(help_text="Detected formats by kind, most likely first, with reasons."),
        "options": serializers.DictField(),
        "score": serializers.BooleanField(),
        "to_write": serializers.DictField(child=serializers.IntegerField(), help_text="Counts of the dry run."),
        "written": serializers.DictField(child=serializers.IntegerField(), help_text="Counts of the import so far."),
        "issues": serializers.ListField(child=serializers.DictField(), help_text="Issues of the dry run, by rule."),
        "blocked": serializers.CharField(allow_blank=True, help_text="Why it can't be committed."),
        "problem": serializers.CharField(allow_blank=True),
        "job": serializers.CharField(allow_blank=True, help_text="ID of the job that reads or imports it."),
        "created_at": serializers.DateTimeField(),
        "finished_at": serializers.DateTimeField(allow_null=True),
    },
)
ISSUE = inline_serializer(
    "ImportIssue",
    {name: serializers.CharField(allow_blank=True) for name in ISSUE_FIELDS if name != "line"}
    | {"line": serializers.IntegerField(allow_null=True)},
)


@takes_files(upload_room(Right.IMPORT_RUNS))
@needs(Scope.IMPORT)
@extend_schema(methods=["GET"], operation_id="imports", parameters=PAGING, responses=page_of("ImportPage", IMPORT))
@extend_schema(
    methods=["POST"],
    operation_id="import_upload",
    request={"multipart/form-data": UploadSerializer},
    responses={202: IMPORT},
)
@api_view(["GET", "POST"])
@parser_classes([MultiPartParser])
def imports(request: Request, slug: str) -> Response:
    """The imports in order of upload. POST uploads a file; a job reads it without writing. The same file again, not
    imported yet, is the same record.
    """
    benchmark = benchmark_for(request, slug, Right.IMPORT_RUNS)
    if request.method == "GET":
        return paged(request, benchmark.imports.select_related("benchmark"), "pk", _shown)
    UPLOADS.take(asking(request))
    given = read_form(UploadSerializer, request)
    record = upload.store_upload(
        actor=person_of(request),
        benchmark=benchmark,
        file=given.pop("file"),
        images=given.pop("images", None),
        choices=_said(request, given),
    )
    return Response(_shown(record), status=202)


@needs(Scope.IMPORT)
@extend_schema(methods=["GET"], operation_id="import", responses=IMPORT)
@extend_schema(methods=["PATCH"], operation_id="import_choose", request=ChoicesSerializer, responses={202: IMPORT})
@api_view(["GET", "PATCH"])
@parser_classes([JSONParser])
def import_record(request: Request, slug: str, pk: int) -> Response:
    """An import: its state, its counts, its issues by rule. PATCH changes the choices; the file is read again."""
    record = _record(request, slug, pk)
    if request.method == "GET":
        return Response(_shown(record))
    choices = _said(request, read_form(ChoicesSerializer, request))
    return Response(_shown(upload.update_choices(actor=person_of(request), record=record, choices=choices)), status=202)


@needs(Scope.IMPORT)
@extend_schema(operation_id="import_commit", request=None, responses={202: IMPORT})
@api_view(["POST"])
def import_commit(request: Request, slug: str, pk: int) -> Response:
    """Write what was read, in a job. 409 with the reason while something blocks it."""
    return Response(_shown(upload.commit(actor=person_of(request), record=_record(request, slug, pk))), status=202)


@needs(Scope.IMPORT)
@extend_schema(operation_id="import_issues", parameters=PAGING, responses=page_of("ImportIssuePage", ISSUE))
@api_view(["GET"])
def import_issues(request: Request, slug: str, pk: int) -> Response:
    """Every rejected, repaired or noted row of an import that was written."""
    rows = _record(request, slug, pk).issues.all()
    return paged(request, rows, "pk", lambda row: {name: getattr(row, name) for name in ISSUE_FIELDS})


def _record(request: Request, slug: str, pk: int) -> Any:
    return get_object_or_404(benchmark_for(request, slug, Right.IMPORT_RUNS).imports.select_related("benchmark"), pk=pk)


def _said(request: Request, given: dict[str, Any]) -> dict[str, Any]:
    """Return only fields that were sent: an omitted checkbox of a form means nothing here."""
    return {name: value for name, value in given.items() if name in request.data}


def _shown(record: Any) -> dict[str, Any]:
    preview = record.preview
    return {
        "id": record.pk,
        "kind": record.kind,
        "state": record.state,
        "file": record.file_name,
        "bytes": record.bytes,
        "format": record.format,
        "formats": preview.get("formats", {}),
        "options": record.options,
        "score": preview.get("choices", {}).get("score", False),
        "to_write": preview.get("counts", {}),
        "written": record.counts,
        "issues": preview.get("issues", []),
        "blocked": upload.blocking_reason(record),
        "problem": record.error or preview.get("problem", ""),
        "job": record.job_id,
        "created_at": record.created_at,
        "finished_at": record.finished_at,
    }
