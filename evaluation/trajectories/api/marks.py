"""API of marks of people on trajectories (tags, notes and failures), and of saved slices."""

from __future__ import annotations

from typing import Any

from django.db.models import Count
from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.common.access import known_to
from annotation.common.api import benchmark_for
from annotation.workflow import Right
from evaluation.common.api import coefficients
from evaluation.common.slices import SliceTable, read_slices, saved_slices
from evaluation.common.trajectory.notes import region_of
from evaluation.metrics.failures import FAILURES
from evaluation.models import Note, Run, Tag
from evaluation.models.querysets.live import of_shown
from evaluation.models.querysets.marks import visible_tags
from evaluation.scoring.load.images import earlier_images_on
from evaluation.trajectories.read.failures import read_failure_agreement
from webapp.common.api_paging import PAGING, page_of, paged
from webapp.common.api_query import number_of
from webapp.common.api_schema import NUMBER
from webapp.common.errors import NotAllowed
from webapp.common.records import plain


class TagSerializer(serializers.ModelSerializer):
    shared = serializers.SerializerMethodField()
    trajectories = serializers.IntegerField(source="n", read_only=True, help_text="That have it.")

    class Meta:
        model = Tag
        fields = ("id", "name", "shared", "trajectories", "created_at")
        read_only_fields = fields

    def get_shared(self, tag: Tag) -> bool:
        """Whether it belongs to everyone on the benchmark; otherwise it is your own."""
        return tag.owner_id is None


class NoteSerializer(serializers.ModelSerializer):
    """Of a note with ``placed``, see ``region_of``."""

    author = serializers.CharField(allow_null=True, read_only=True)
    region = serializers.SerializerMethodField()
    image_replaced = serializers.SerializerMethodField()

    class Meta:
        model = Note
        fields = ("id", "trajectory", "turn", "region", "image_replaced", "text", "author", "created_at")
        read_only_fields = fields

    def get_region(self, note: Any) -> list[float] | None:
        """x1, y1, x2, y2 in pixels of the image that the sample has; null: it has no region there."""
        box, _ = note.placed
        return None if box is None else list(box)

    def get_image_replaced(self, note: Any) -> bool:
        """Whether it has a region on an image that another one with other pixels replaced."""
        _, lost = note.placed
        return bool(lost)


@extend_schema(operation_id="tags", parameters=PAGING, responses=page_of("TagPage", TagSerializer))
@api_view(["GET"])
def tags(request: Request, slug: str) -> Response:
    """The tags you see: those of everyone, and your own; trajectories/?tag=NAME lists the trajectories with one."""
    benchmark = benchmark_for(request, slug, Right.SEE_GOLD)
    rows = (
        visible_tags(request.user)
        .filter(benchmark=benchmark)
        .annotate(n=Count("taggings", filter=of_shown("taggings__trajectory__")))
    )
    return paged(request, rows, "pk", lambda row: TagSerializer(row).data)


@extend_schema(
    operation_id="notes",
    parameters=[*PAGING, OpenApiParameter("trajectory", NUMBER, description="Only those on this one.")],
    responses=page_of("NotePage", NoteSerializer),
)
@api_view(["GET"])
def notes(request: Request, slug: str) -> Response:
    """Notes of people on trajectories, on one of their turns, or on a region of the image."""
    benchmark = benchmark_for(request, slug, Right.SEE_GOLD)
    if not known_to(request.user, benchmark).marks:
        raise NotAllowed(f"Only members of {benchmark.title} can read its notes. Ask its lead for a role.")
    rows = Note.objects.filter(of_shown("trajectory__"), trajectory__run__benchmark=benchmark)
    if trajectory := number_of(request, "trajectory", "the number of a trajectory"):
        rows = rows.filter(trajectory=trajectory)
    rows = rows.select_related("author", "trajectory__sample")
    return paged(request, rows, "pk", lambda row: NoteSerializer(row).data, read=_placed)


def _placed(notes: list[Any]) -> list[Any]:
    """The notes, each with its region on the image that the sample has. One query."""
    earlier = earlier_images_on({note.trajectory.sample_id for note in notes if note.x1 is not None})
    for note in notes:
        sample = note.trajectory.sample
        note.placed = region_of(note, sample, earlier.get(sample.pk, ()))
    return notes


@extend_schema(
    operation_id="failure_agreement",
    responses=inline_serializer(
        "FailureAgreement",
        {
            "words": serializers.ListField(child=serializers.CharField(), help_text="Of the rows of each table."),
            "pairs": inline_serializer(
                "FailurePair",
                {
                    "names": serializers.ListField(child=serializers.CharField()),
                    "n": serializers.IntegerField(),
                    "same": serializers.IntegerField(),
                    **coefficients("raw", "kappa", "ac1", "alpha"),
                    "table": serializers.ListField(),
                    "terms": serializers.DictField(child=serializers.CharField()),
                },
                many=True,
            ),
        },
    ),
)
@api_view(["GET"])
def failure_agreement(request: Request, slug: str) -> Response:
    """Agreement on failures: people against the rules, then each pair of people."""
    found = read_failure_agreement(benchmark_for(request, slug, Right.SEE_GOLD), request.user)
    pairs: list[dict[str, Any]] = []
    for one in found:
        said = {name: plain(getattr(one.found, name)) for name in ("raw", "kappa", "ac1", "alpha", "table")}
        pairs.append({"names": one.names, "n": one.n, "same": one.same, **said, "terms": one.terms})
    return Response({"words": [*FAILURES, "none"], "pairs": pairs})


SLICE = inline_serializer(
    "SavedSlice",
    {
        "name": serializers.CharField(),
        "query": serializers.CharField(help_text="trajectories/?q= lists what it holds."),
        "trajectories": serializers.IntegerField(),
        "error": serializers.CharField(allow_blank=True, help_text="Why its query is no longer valid."),
        "runs": serializers.ListField(
            child=serializers.DictField(), help_text="run, model, setting, n, counts, and metrics by name."
        ),
    },
)


@extend_schema(operation_id="slices", parameters=PAGING, responses=page_of("SavedSlicePage", SLICE))
@api_view(["GET"])
def slices(request: Request, slug: str) -> Response:
    """The saved slices by name, each with its leading metrics of every run. All metrics of one:
    leaderboard/?by=saved slice&slice=."""
    benchmark = benchmark_for(request, slug, Right.SEE_GOLD)
    runs = list(Run.objects.of(benchmark))
    return paged(
        request,
        saved_slices(benchmark, request.user),
        "name",
        _slice,
        read=lambda found: read_slices(benchmark, runs, found),
    )


def _slice(table: SliceTable) -> dict[str, Any]:
    rows = [
        {"run": row.run.pk, "model": row.run.model.name, "setting": row.run.setting, "n": row.n}
        | {"counts": plain(row.counts), "metrics": plain(row.metrics)}
        for row in table.rows
    ]
    return {
        "name": table.saved.name,
        "query": table.saved.query,
        "trajectories": table.total,
        "error": table.error,
        "runs": rows,
    }
