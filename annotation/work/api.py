"""The work of people over the API."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import uuid4

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, parser_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.api import benchmark_for
from annotation.common.requests import key_of
from annotation.common.uploads import UPLOADS, require_room, upload_room
from annotation.content.facet_batches import facet_batches, undo_batch
from annotation.content.takedown import allow_again, images_of, take_down
from annotation.images.store import store_picture
from annotation.imaging.problems import PictureProblem
from annotation.models import Benchmark, ImageReplacement
from annotation.models.querysets.samples import SampleQuerySet
from annotation.models.sample import HIGHEST_PRIORITY
from annotation.queue.batch import MOST
from annotation.queue.priority import prioritize_samples
from annotation.task_schema import LONGEST_NAME, LONGEST_VALUE
from annotation.work.read import with_removed_ones
from annotation.work.write.facets import plan_facet, read_choice, set_facet
from annotation.work.write.replacement import LONGEST, replace_image
from annotation.workflow import Right
from webapp.accounts.http import person_of
from webapp.accounts.scopes import Scope, needs
from webapp.common.api import TextField, TruthField, WholeNumberField
from webapp.common.api_forms import Form, read_form
from webapp.common.bodies import takes_files
from webapp.common.errors import InvalidInput, NotFound
from webapp.common.limits import asking


class PrioritySerializer(Form):
    ids = serializers.ListField(child=TextField(max_length=200), min_length=1, max_length=MOST)
    priority = WholeNumberField(min_value=0, max_value=HIGHEST_PRIORITY, help_text="9 is assigned first.")


class PrioritizedSerializer(serializers.Serializer[Any]):
    priority = serializers.IntegerField()
    samples = serializers.IntegerField(help_text="Samples that have this priority now.")


@needs(Scope.MANAGE)
@extend_schema(operation_id="priorities_set", request=PrioritySerializer, responses=PrioritizedSerializer)
@api_view(["POST"])
def priorities(request: Request, slug: str) -> Response:
    """Set the priority of samples. Samples of a higher priority are assigned to annotators first."""
    benchmark = benchmark_for(request, slug, Right.MANAGE)
    sent = read_form(PrioritySerializer, request)
    samples, priority = _named(benchmark, sent["ids"]), sent["priority"]
    receipt = prioritize_samples(
        actor=person_of(request), benchmark=benchmark, samples=samples, priority=priority,
        key=key_of(request) or uuid4().hex,
    )  # fmt: skip
    return Response({"priority": receipt.answer["priority"], "samples": len(receipt.answer["done"])})


def _named(benchmark: Benchmark, ids: list[str]) -> SampleQuerySet:
    """The samples with these ids. Raises ``InvalidInput`` if the benchmark lacks one."""
    samples: SampleQuerySet = benchmark.samples.filter(key__in=set(ids))
    missing = sorted(set(ids).difference(samples.values_list("key", flat=True)))
    if missing:
        raise InvalidInput(f"No sample {missing[0]!r} in this benchmark ({len(missing)} unknown ids).", field="ids")
    return samples


class SetFacetSerializer(Form):
    ids = serializers.ListField(child=TextField(max_length=200), min_length=1, max_length=MOST)
    facet = TextField(max_length=LONGEST_NAME, trimmed=False, help_text="A facet of the task.")
    value = TextField(max_length=LONGEST_VALUE)
    remove = TruthField(required=False, default=False, help_text="Remove the value instead of setting it.")
    preview = TruthField(required=False, default=False, help_text="Only return what would change.")


class RefusedSerializer(serializers.Serializer[Any]):
    sample = serializers.CharField()
    reason = serializers.CharField()


class FacetSetSerializer(serializers.Serializer[Any]):
    batch = serializers.IntegerField(allow_null=True, help_text="null in a preview, and if nothing changed.")
    samples = serializers.ListField(child=serializers.CharField(), help_text="The samples that change.")
    refused = RefusedSerializer(many=True)


class UndoFacetSerializer(Form):
    batch = WholeNumberField(min_value=1, max_value=2**31 - 1)


class FacetUndoneSerializer(serializers.Serializer[Any]):
    restored = serializers.IntegerField()
    kept = serializers.IntegerField(help_text="Samples that were changed later.")


@needs(Scope.MANAGE)
@extend_schema(operation_id="facet_set", request=SetFacetSerializer, responses={200: FacetSetSerializer})
@api_view(["POST"])
def facet(request: Request, slug: str) -> Response:
    """Set or remove a value of a facet of the task on accepted samples and samples to do. On a facet with
    one value it replaces that value. Revisions and frozen versions keep their words, and scores become stale."""
    benchmark, person = benchmark_for(request, slug, Right.MANAGE), person_of(request)
    sent = read_form(SetFacetSerializer, request)
    samples, preview = _named(benchmark, sent.pop("ids")), sent.pop("preview")
    if preview:
        plan = plan_facet(benchmark, samples, read_choice(benchmark, **sent))
        return Response(_facet_json(None, plan.done, plan.refused.items()))
    once = key_of(request) or uuid4().hex
    answer = set_facet(actor=person, benchmark=benchmark, samples=samples, key=once, **sent).answer
    return Response(_facet_json(answer["batch"], answer["done"], answer["refused"]))


def _facet_json(batch: int | None, done: list[str], refused: Iterable[Sequence[str]]) -> dict[str, Any]:
    return {"batch": batch, "samples": done, "refused": [{"sample": key, "reason": why} for key, why in refused]}


@needs(Scope.MANAGE)
@extend_schema(operation_id="facet_undo", request=UndoFacetSerializer, responses={200: FacetUndoneSerializer})
@api_view(["POST"])
def facet_undo(request: Request, slug: str) -> Response:
    """Give the samples of a batch their earlier values. Samples that were changed later keep theirs."""
    benchmark = benchmark_for(request, slug, Right.MANAGE)
    number = read_form(UndoFacetSerializer, request)["batch"]
    back, kept = undo_batch(actor=person_of(request), batch=get_object_or_404(facet_batches(benchmark), pk=number))
    return Response({"restored": back, "kept": kept})


class ReplaceImageSerializer(Form):
    file = serializers.FileField(help_text="The new image: JPEG, PNG, WebP or TIFF.")
    scale = TruthField(
        required=False, default=False, help_text="Scale boxes and toolchains if only the size of the image differs."
    )
    comment = TextField(
        max_length=LONGEST, required=False, default="", allow_blank=True,
        help_text="Required if the sample returns to its annotator.",
    )  # fmt: skip


class ReplacedSerializer(serializers.Serializer[Any]):
    boxes = serializers.ChoiceField(choices=ImageReplacement.Boxes.values)
    samples = serializers.ListField(child=serializers.CharField(), help_text="The samples that show the new image.")


@takes_files(upload_room(Right.MANAGE))
@needs(Scope.MANAGE)
@extend_schema(
    operation_id="image_replace",
    request={"multipart/form-data": ReplaceImageSerializer},
    responses={200: ReplacedSerializer},
)
@api_view(["POST"])
@parser_classes([MultiPartParser])
def image(request: Request, slug: str, key: str) -> Response:
    """Replace the image of a sample, and of all samples that show it. Boxes stay if the size is equal. Otherwise they
    are scaled (``scale``), or the samples return to their annotators with the comment. Versions keep the old image."""
    benchmark, person = benchmark_for(request, slug, Right.MANAGE), person_of(request)
    sample = get_object_or_404(benchmark.samples.select_related("image"), key=key)
    sample.benchmark = benchmark
    given = read_form(ReplaceImageSerializer, request)
    UPLOADS.take(asking(request))
    require_room(benchmark, given["file"].size)
    try:
        stored = store_picture(actor=person, benchmark=benchmark, source=given["file"].read())
    except PictureProblem as problem:
        raise InvalidInput(problem.message, field="file") from problem
    replaced = replace_image(
        actor=person, sample=sample, image=stored, scale=given["scale"], comment=given["comment"],
        key=key_of(request) or uuid4().hex,
    )  # fmt: skip
    return Response({"boxes": replaced.boxes, "samples": replaced.keys})


class TakeDownSerializer(Form):
    reason = TextField(max_length=500, help_text="Pages and exports show it instead of the image.")
    image = TextField(
        max_length=64, required=False, default="", help_text="SHA-256, for one that was replaced. The current one else."
    )


class TakenDownSerializer(serializers.Serializer[Any]):
    images = serializers.ListField(child=serializers.CharField(), help_text="SHA-256 of each removed image.")


@needs(Scope.MANAGE)
@extend_schema(methods=["POST"], operation_id="image_remove", request=TakeDownSerializer, responses=TakenDownSerializer)
@extend_schema(
    methods=["DELETE"], operation_id="image_allow", responses={204: None},
    parameters=[OpenApiParameter("image", str, description="SHA-256, for one that was replaced.")],
)  # fmt: skip
@api_view(["POST", "DELETE"])
def takedown(request: Request, slug: str, key: str) -> Response:
    """Remove the image of a sample at once, for all samples that show it, with its variants. The same file is refused
    from now on. DELETE allows it again, and is for site admins."""
    benchmark, person = benchmark_for(request, slug, Right.MANAGE), person_of(request)
    sample = with_removed_ones(benchmark).filter(key=key).first()
    if sample is None:
        raise NotFound(f"There is no sample {key}.")
    if request.method == "POST":
        sent = read_form(TakeDownSerializer, request)
        image = _named_image(sample, sent["image"])
        images = take_down(actor=person, benchmark=benchmark, sample=sample, reason=sent["reason"], image=image)
        return Response({"images": [one.sha256 for one in images]})
    allow_again(actor=person, image=_named_image(sample, request.query_params.get("image", "")))
    return Response(status=204)


def _named_image(sample: Any, sha256: str) -> Any:
    """The image of the sample with this hash; the current one without."""
    for image in images_of(sample):
        if sha256 in ("", image.sha256):
            return image
    raise NotFound(f"{sample.key} has no such image.")
