"""Benchmarks over the API."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils.translation import gettext
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.benchmarks.read.placeholders import invitations_to_take_over, placeholders_of
from annotation.benchmarks.read.trash import deleted_benchmarks
from annotation.benchmarks.write.invitations import withdraw
from annotation.benchmarks.write.take_over import invite_in_place
from annotation.benchmarks.write.trash import delete_benchmark, purge_benchmark, restore_benchmark
from annotation.common.access import known_in_list
from annotation.common.api import benchmark_for
from annotation.common.trash import gone_at
from annotation.content.people import address_of
from annotation.models import Benchmark, PersonUid
from annotation.workflow import Right, Role
from webapp.accounts.http import person_of
from webapp.accounts.models import User
from webapp.accounts.scopes import Scope, needs
from webapp.common.api import TextField, WordField
from webapp.common.api_forms import Form, read_form
from webapp.common.api_paging import PAGING, page_of, paged
from webapp.common.errors import NotFound


class BenchmarkSerializer(serializers.ModelSerializer):
    samples = serializers.IntegerField(source="samples_n", read_only=True)
    accepted = serializers.SerializerMethodField(
        help_text="Accepted samples; null for annotators while gold checks run."
    )

    class Meta:
        model = Benchmark
        fields = ("slug", "title", "description", "licence", "public", "created_at", "samples", "accepted")
        read_only_fields = fields

    def get_accepted(self, row: Any) -> int | None:
        return row.accepted_n if known_in_list(self.context["person"], row).states else None


@extend_schema(operation_id="benchmarks", parameters=PAGING, responses=page_of("BenchmarkPage", BenchmarkSerializer))
@api_view(["GET"])
def benchmarks(request: Request) -> Response:
    """The benchmarks you may see, by slug."""
    person = person_of(request)
    rows = Benchmark.objects.visible_to(person).with_counts().with_roles_of(person).select_related("quality")
    return paged(request, rows, "slug", lambda row: BenchmarkSerializer(row, context={"person": person}).data)


class BenchmarkDeletion(Form):
    title = TextField(help_text="The title of the benchmark, to confirm.")


DELETED_BENCHMARK = inline_serializer(
    "DeletedBenchmark",
    {
        "slug": serializers.CharField(),
        "title": serializers.CharField(),
        "deleted_at": serializers.DateTimeField(),
        "deleted_by": serializers.CharField(),
        "gone_at": serializers.DateTimeField(help_text="When it is deleted permanently."),
    },
)


@needs(Scope.MANAGE)
@extend_schema(operation_id="benchmark_delete", request=BenchmarkDeletion, responses={204: None})
@api_view(["POST"])
def delete(request: Request, slug: str) -> Response:
    """Put a benchmark in the trash. Its leads and site admins can restore it."""
    benchmark = benchmark_for(request, slug, Right.MANAGE)
    delete_benchmark(
        actor=person_of(request), benchmark=benchmark, title=read_form(BenchmarkDeletion, request)["title"]
    )
    return Response(status=204)


@needs(Scope.MANAGE)
@extend_schema(
    operation_id="deleted_benchmarks", parameters=PAGING, responses=page_of("DeletedBenchmarkPage", DELETED_BENCHMARK)
)
@api_view(["GET"])
def trash(request: Request) -> Response:
    """The benchmarks in the trash that you can restore."""
    return paged(request, deleted_benchmarks(person_of(request)), "slug", _deleted)


@needs(Scope.MANAGE)
@extend_schema(operation_id="benchmark_restore", request=None, responses={204: None})
@api_view(["POST"])
def restore(request: Request, slug: str) -> Response:
    """Restore a benchmark from the trash with everything in it."""
    person = person_of(request)
    restore_benchmark(actor=person, benchmark=get_object_or_404(deleted_benchmarks(person), slug=slug))
    return Response(status=204)


@needs(Scope.MANAGE)
@extend_schema(operation_id="benchmark_purge", request=None, responses={202: None})
@api_view(["POST"])
def purge(request: Request, slug: str) -> Response:
    """Delete a benchmark in the trash permanently, in a job."""
    person = person_of(request)
    purge_benchmark(actor=person, benchmark=get_object_or_404(deleted_benchmarks(person), slug=slug))
    return Response(status=202)


ROLES = [role.value for role in Role]
PLACEHOLDER = inline_serializer(
    "Placeholder",
    {
        "id": serializers.IntegerField(),
        "name": serializers.CharField(),
        "address": serializers.CharField(allow_blank=True, help_text="As the file has it; empty if it has none."),
        "roles": serializers.ListField(child=serializers.ChoiceField(ROLES), help_text="As the file has them."),
        "invited": serializers.CharField(allow_blank=True, help_text="The address of the open invitation; else empty."),
    },
)


class TakeOverSerializer(Form):
    email = serializers.EmailField(max_length=254, help_text="The address gets the link. It must have no account.")
    roles = serializers.ListField(
        child=WordField(ROLES), min_length=1, help_text="They replace the roles that the file has."
    )


@needs(Scope.MANAGE)
@extend_schema(operation_id="placeholders", parameters=PAGING, responses=page_of("PlaceholderPage", PLACEHOLDER))
@api_view(["GET"])
def placeholders(request: Request, slug: str) -> Response:
    """The people of an imported file whom no account has taken over."""
    benchmark = benchmark_for(request, slug, Right.MANAGE)
    invited = {pk: one.email for pk, one in invitations_to_take_over(benchmark).items()}
    identities = {one.user_id: one for one in PersonUid.objects.filter(benchmark=benchmark, user__is_active=False)}
    roles: dict[int, list[str]] = {}
    for user, role in benchmark.memberships.filter(user__is_active=False).order_by("role").values_list("user", "role"):
        roles.setdefault(user, []).append(role)

    def shown(person: User) -> dict[str, Any]:
        address = address_of(person.email, identities.get(person.pk))
        named = {"id": person.pk, "name": person.name, "address": address}
        return {**named, "roles": roles.get(person.pk, []), "invited": invited.get(person.pk, "")}

    return paged(request, placeholders_of(benchmark), "pk", shown)


@needs(Scope.MANAGE)
@extend_schema(methods=["POST"], operation_id="placeholder_invite", request=TakeOverSerializer, responses={204: None})
@extend_schema(methods=["DELETE"], operation_id="placeholder_withdraw", request=None, responses={204: None})
@api_view(["POST", "DELETE"])
def take_over(request: Request, slug: str, pk: int) -> Response:
    """POST invites the person behind a placeholder, who gets an account with its work. DELETE withdraws the open
    invitation."""
    benchmark, actor = benchmark_for(request, slug, Right.MANAGE), person_of(request)
    person = get_object_or_404(placeholders_of(benchmark), pk=pk)
    if request.method == "POST":
        given = read_form(TakeOverSerializer, request)
        roles = [Role(role) for role in given["roles"]]
        invite_in_place(actor=actor, benchmark=benchmark, person=person, email=given["email"], roles=roles)
        return Response(status=204)
    invitation = invitations_to_take_over(benchmark).get(person.pk)
    if invitation is None:
        raise NotFound(gettext("%(person)s is not invited.") % {"person": person})
    withdraw(actor=actor, benchmark=benchmark, invitation=invitation)
    return Response(status=204)


def _deleted(benchmark: Benchmark) -> dict[str, Any]:
    assert benchmark.deleted_at is not None
    return {
        "slug": benchmark.slug, "title": benchmark.title, "deleted_at": benchmark.deleted_at,
        "deleted_by": str(benchmark.deleted_by or ""), "gone_at": gone_at(benchmark.deleted_at),
    }  # fmt: skip
