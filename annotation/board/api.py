"""The building board over the API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, parser_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.board.present import use_rows
from annotation.board.read.audits import is_blind
from annotation.board.read.items import board_of, candidates_shuffled, sees_board
from annotation.board.read.pairs import GENERATED, REAL
from annotation.board.write.audits import check_text
from annotation.board.write.decisions import LONGEST_NOTE, require_image_checker
from annotation.board.write.items import (
    MOST_DRAWN,
    accept_item,
    confirm_targets,
    draw_items,
    reject_item,
    set_description,
    set_distractors,
    set_image,
    set_instruction,
    set_steps,
)
from annotation.board.write.pairs import LONGEST_DESCRIPTION, pair_item, pair_sample
from annotation.building import OPEN, Distractor, Stage
from annotation.building.rules import Finding
from annotation.common.access import allowed
from annotation.common.api import benchmark_for
from annotation.common.uploads import upload_room
from annotation.common.words import NOT_ALLOWED
from annotation.models import Benchmark, BuildItem, Sample
from annotation.schema import Likeness
from annotation.tool_bank import LONGEST_NAME
from annotation.workflow import Right
from webapp.accounts.http import person_of
from webapp.accounts.scopes import Scope, needs
from webapp.common.api import TextField, TruthField, WholeNumberField, WordField
from webapp.common.api_forms import Form, read_form
from webapp.common.api_paging import PAGING, page_of, paged
from webapp.common.api_query import one_of
from webapp.common.bodies import takes_files
from webapp.common.errors import Conflict, InvalidInput, NotAllowed

STAGES = [stage.value for stage in Stage]
MOST_CANDIDATES = 13


class DistractorForm(Form):
    tool = TextField(max_length=LONGEST_NAME)
    likeness = WordField(choices=[kind.value for kind in Likeness])


class FindingForm(Form):
    tool = TextField(max_length=LONGEST_NAME)
    essential = TruthField(help_text="The task needs it.")
    consistent = TruthField(help_text="It fits into the scene.")


class DrawForm(Form):
    count = WholeNumberField(min_value=1, max_value=MOST_DRAWN, help_text="Combinations of targets.")
    scenarios = WholeNumberField(min_value=1, max_value=2, required=False, default=1)


class VersionForm(Form):
    version = WholeNumberField(min_value=1, help_text="Of the item as you read it.")
    note = TextField(max_length=LONGEST_NOTE, required=False, allow_blank=True)


class StageForm(VersionForm):
    steps = serializers.ListField(child=WholeNumberField(min_value=1, max_value=3), required=False, max_length=3)
    either = serializers.ListField(child=TextField(max_length=LONGEST_NAME), required=False, max_length=3)
    instruction = TextField(max_length=2000, required=False)
    distractors = serializers.ListField(child=DistractorForm(), required=False, max_length=10)
    description = TextField(max_length=5000, required=False)
    findings = serializers.ListField(child=FindingForm(), required=False, max_length=MOST_CANDIDATES)
    valid_sequence = TruthField(required=False)


class AcceptForm(VersionForm):
    facets = serializers.DictField(
        child=serializers.ListField(child=TextField(max_length=200), max_length=50), required=False, default=dict,
        help_text="Values by name. The task says which facets accepted samples need.",
    )  # fmt: skip


class RejectForm(VersionForm):
    to = WordField(choices=[stage.value for stage in (*OPEN, Stage.DISCARDED)])
    reasons = serializers.ListField(child=TextField(max_length=60), min_length=1, max_length=20)


class ImageForm(Form):
    version = TextField(pattern=r"^[1-9][0-9]{0,8}$", help_text="Of the item as you read it.")
    image = serializers.FileField(help_text="JPEG, PNG, WebP or TIFF.")
    real = WordField(choices=["yes", "no"], required=False, default="no", help_text="A photograph of a real scene.")


class DecisionSerializer(serializers.Serializer[Any]):
    stage = serializers.CharField()
    verdict = serializers.CharField()
    person = serializers.CharField(allow_null=True, help_text="Null: the rules or a model decided.")
    model = serializers.CharField(allow_blank=True, help_text="The model that decided.")
    reasons = serializers.ListField(child=serializers.CharField())
    note = serializers.CharField(allow_blank=True)
    details = serializers.JSONField()
    at = serializers.DateTimeField(source="created_at")


class ItemSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    stage = serializers.CharField()
    version = serializers.IntegerField()
    scenario = serializers.IntegerField()
    targets = serializers.ListField(child=serializers.CharField())
    steps = serializers.ListField(child=serializers.IntegerField())
    either = serializers.ListField(child=serializers.CharField())
    instruction = serializers.CharField(allow_blank=True)
    distractors = serializers.JSONField(help_text="Objects of tool and likeness; an unknown likeness is empty.")
    description = serializers.CharField(allow_blank=True)
    image = serializers.CharField(source="image.sha256", allow_null=True, default=None)
    rendered = serializers.JSONField(
        allow_null=True,
        help_text="Of a generated image: model, prompt (SHA-256 of the description) and seed. Null: uploaded.",
    )
    real = serializers.BooleanField(help_text="The image is a photograph of a real scene.")
    pair_of = serializers.IntegerField(
        source="pair_of.number", allow_null=True, default=None, help_text="The item that it repeats with another image."
    )
    sample = serializers.CharField(source="sample.key", allow_null=True, default=None)
    from_sample = serializers.BooleanField(help_text="The item was made from this sample, to start a matched pair.")
    entered_at = serializers.DateTimeField(help_text="When it came to its stage.")


class DescriptionDraftSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    model = serializers.CharField()
    prompt = serializers.CharField(help_text="SHA-256 of the text of the prompt.")


class WholeItemSerializer(ItemSerializer):
    draft = DescriptionDraftSerializer(
        allow_null=True, help_text="The description that a model drafted, for leads, until the description is saved."
    )
    shuffled = serializers.ListField(child=serializers.CharField(), help_text="The candidates, for QC-I.")
    decisions = DecisionSerializer(
        many=True,
        help_text="Those of QC-I by others only after you checked the text, because you check it without them.",
    )


class ColumnSerializer(serializers.Serializer[Any]):
    stage = serializers.CharField()
    count = serializers.IntegerField()
    since = serializers.DateTimeField(allow_null=True, help_text="Since when the oldest item is there.")


class UseSerializer(serializers.Serializer[Any]):
    tool = serializers.CharField()
    combinations = serializers.ListField(
        source="counts", child=serializers.IntegerField(), help_text="Of one, two and three tools."
    )


class GrowthSerializer(serializers.Serializer[Any]):
    items = serializers.ListField(child=serializers.IntegerField(), help_text="The first and the last, from 1.")
    new = serializers.IntegerField()
    per_hundred = serializers.FloatField()


class BuildingBoardSerializer(serializers.Serializer[Any]):
    stages = ColumnSerializer(many=True)
    proposed = serializers.IntegerField(help_text="Tools of the bank that wait for a lead.")
    use = UseSerializer(many=True)
    saturation = GrowthSerializer(many=True)
    likeness = serializers.DictField(child=serializers.IntegerField())
    rejects = serializers.DictField(child=serializers.IntegerField(), help_text="By reason.")


class DrawnSerializer(serializers.Serializer[Any]):
    items = ItemSerializer(many=True)


@needs(Scope.MANAGE)
@extend_schema(methods=["GET"], operation_id="board", responses={200: BuildingBoardSerializer})
@extend_schema(methods=["POST"], operation_id="board_draw", request=DrawForm, responses={201: DrawnSerializer})
@api_view(["GET", "POST"])
def board(request: Request, slug: str) -> Response:
    """The state of the building board. POST draws the targets of new items."""
    benchmark = _benchmark(request, slug, None if request.method == "GET" else Right.MANAGE)
    if request.method == "POST":
        made = draw_items(actor=person_of(request), benchmark=benchmark, **read_form(DrawForm, request))
        return Response(DrawnSerializer({"items": made}).data, status=201)
    found = board_of(benchmark)
    shown = {
        "stages": found.columns, "proposed": found.proposed, "use": use_rows(found), "saturation": found.growth,
        "likeness": found.likeness, "rejects": found.rejects,
    }  # fmt: skip
    return Response(BuildingBoardSerializer(shown).data)


@needs(Scope.MANAGE)
@extend_schema(
    operation_id="board_items",
    parameters=[OpenApiParameter("stage", str, enum=STAGES), *PAGING],
    responses=page_of("BoardItemPage", ItemSerializer),
)
@api_view(["GET"])
def items(request: Request, slug: str) -> Response:
    """The items of the board in the order of their numbers, or those of one stage."""
    benchmark = _benchmark(request, slug)
    found = BuildItem.objects.filter(benchmark=benchmark).select_related("image", "sample", "pair_of")
    if stage := one_of(request, "stage", STAGES, ""):
        found = found.filter(stage=stage)
    return paged(request, found, "number", lambda item: ItemSerializer(item).data)


@needs(Scope.MANAGE)
@extend_schema(methods=["GET"], operation_id="board_item", responses={200: WholeItemSerializer})
@extend_schema(
    methods=["POST"], operation_id="board_item_pass", request=StageForm, responses={200: WholeItemSerializer}
)
@api_view(["GET", "POST"])
def item(request: Request, slug: str, number: int) -> Response:
    """One item with its decisions. POST does the work of its stage, with the fields of this stage only: steps and
    either; instruction; distractors; description; findings and valid_sequence (QC-I); none to keep the targets."""
    found = _load(request, slug, number, None if request.method == "GET" else Right.MANAGE)
    if request.method == "POST":
        said = read_form(StageForm, request)
        fields, command = _stage(found)
        given = set(said) - {"version", "note"}
        if unknown := sorted(given - set(fields)):
            raise InvalidInput(f"{unknown[0]} is no field of the stage {found.stage}.", field=unknown[0])
        if missing := [name for name in fields if name not in given and name != "either"]:
            raise InvalidInput(f"The stage {found.stage} needs {missing[0]}.", field=missing[0])
        if "note" in said and "findings" not in fields:
            raise InvalidInput("Only the check of the text takes a note.", field="note")
        if "distractors" in said:
            said["distractors"] = [Distractor(one["tool"], Likeness(one["likeness"])) for one in said["distractors"]]
        if "findings" in said:
            said["findings"] = [Finding(**one) for one in said["findings"]]
        command(actor=person_of(request), item=found, **said)
    return _whole(request, found)


@needs(Scope.ANNOTATE)
@extend_schema(operation_id="board_item_reject", request=RejectForm, responses={200: WholeItemSerializer})
@api_view(["POST"])
def reject(request: Request, slug: str, number: int) -> Response:
    """Send an item back to an earlier stage, or discard it. People who check its image without leading the benchmark
    send it back to its image, or discard it."""
    found, person = _load(request, slug, number), person_of(request)
    if not allowed(person, found.benchmark, Right.MANAGE):
        require_image_checker(person, found)
    said = read_form(RejectForm, request)
    reject_item(actor=person, item=found, **{**said, "to": Stage(said["to"])})
    return _whole(request, found)


@needs(Scope.ANNOTATE)
@extend_schema(operation_id="board_item_accept", request=AcceptForm, responses={200: WholeItemSerializer})
@api_view(["POST"])
def accept(request: Request, slug: str, number: int) -> Response:
    """QC-III passed: the item becomes a sample. For people who did not work on it."""
    found, person = _load(request, slug, number), person_of(request)
    require_image_checker(person, found)
    accept_item(actor=person, item=found, **read_form(AcceptForm, request))
    return _whole(request, found)


@needs(Scope.MANAGE)
@extend_schema(operation_id="board_item_pair", request=None, responses={201: WholeItemSerializer})
@api_view(["POST"])
def pair(request: Request, slug: str, number: int) -> Response:
    """Create an item that repeats the plan of an accepted one with another image: a matched pair."""
    made = pair_item(actor=person_of(request), item=_load(request, slug, number, Right.MANAGE))
    answer = _whole(request, made)
    answer.status_code = 201
    return answer


class PairForm(Form):
    origin = WordField(
        choices=[REAL, GENERATED], required=False,
        help_text="Of the image of the sample. Needed without a facet origin, and ignored if it was built here.",
    )  # fmt: skip
    description = TextField(
        max_length=LONGEST_DESCRIPTION, required=False, default="", allow_blank=True,
        help_text="Of the scene, from which a model can generate the image. Empty: that of the sample, if it has one.",
    )  # fmt: skip


@needs(Scope.MANAGE)
@extend_schema(operation_id="board_sample_pair", request=PairForm, responses={201: WholeItemSerializer})
@api_view(["POST"])
def pair_of_sample(request: Request, slug: str, key: str) -> Response:
    """Start a matched pair from any sample with a tool plan as gold: create the item of the other image, and an
    accepted item of the sample itself if it was not built on the board. Answers 409 `has_pair` for a sample that has
    a pair, and 409 `wrong_state` without a plan or an image."""
    benchmark = _benchmark(request, slug, Right.MANAGE)
    sample = get_object_or_404(Sample, benchmark=benchmark, key=key)
    sample.benchmark = benchmark
    answer = _whole(
        request, pair_sample(actor=person_of(request), sample=sample, **{"origin": "", **read_form(PairForm, request)})
    )
    answer.status_code = 201
    return answer


@takes_files(upload_room(Right.MANAGE))
@needs(Scope.MANAGE)
@extend_schema(
    operation_id="board_item_image",
    request={"multipart/form-data": ImageForm},
    responses={200: WholeItemSerializer},
)
@api_view(["POST"])
@parser_classes([MultiPartParser])
def image(request: Request, slug: str, number: int) -> Response:
    """The image of an item, as a file of a form (multipart/form-data)."""
    found = _load(request, slug, number, Right.MANAGE)
    said = read_form(ImageForm, request)
    set_image(
        actor=person_of(request),
        item=found,
        version=int(said["version"]),
        data=said["image"].read(),
        real=said["real"] == "yes",
    )
    return _whole(request, found)


def _stage(found: BuildItem) -> tuple[tuple[str, ...], Callable[..., BuildItem]]:
    stages: dict[str, tuple[tuple[str, ...], Callable[..., BuildItem]]] = {
        Stage.TARGETS: ((), confirm_targets),
        Stage.STEPS: (("steps", "either"), set_steps),
        Stage.INSTRUCTION: (("instruction",), set_instruction),
        Stage.DISTRACTORS: (("distractors",), set_distractors),
        Stage.DESCRIPTION: (("description",), set_description),
        Stage.TEXT_CHECK: (("findings", "valid_sequence"), check_text),
    }
    if found.stage not in stages:
        raise Conflict(f"The stage {found.stage} has another address.", code="wrong_state")
    return stages[found.stage]


def _benchmark(request: Request, slug: str, right: Right | None = None) -> Benchmark:
    """The benchmark for a person with this permission, or who sees its board."""
    benchmark = benchmark_for(request, slug, right or Right.VIEW)
    if right is None and not sees_board(person_of(request), benchmark):
        raise NotAllowed(NOT_ALLOWED[Right.COMPARE_WORK] % {"title": benchmark.title})
    return benchmark


def _load(request: Request, slug: str, number: int, right: Right | None = None) -> BuildItem:
    benchmark = _benchmark(request, slug, right)
    rows = BuildItem.objects.select_related("image", "sample", "pair_of")
    found: BuildItem = get_object_or_404(rows, benchmark=benchmark, number=number)
    found.benchmark = benchmark
    return found


def _whole(request: Request, found: BuildItem) -> Response:
    now = (
        BuildItem.objects.select_related("image", "sample", "pair_of")
        .prefetch_related("decisions__person")
        .get(pk=found.pk)
    )
    blind = is_blind(person_of(request), now)
    leads = allowed(person_of(request), found.benchmark, Right.MANAGE)
    data: dict[str, Any] = {
        **ItemSerializer(now).data,
        "draft": DescriptionDraftSerializer(now.drafted).data if now.drafted and leads else None,
        "shuffled": candidates_shuffled(now),
        "decisions": [
            {
                **{name: getattr(one, name) for name in ("stage", "model", "verdict", "reasons", "note", "details")},
                "person": str(one.person) if one.person else None,
                "at": one.created_at,
            }
            for one in now.decisions.all()
            if not (blind and one.stage == Stage.TEXT_CHECK)
        ],
    }
    return Response(data)
