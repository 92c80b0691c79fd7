"""Find it, and may you: how the API gets at a benchmark, and what narrows its lists."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches
from typing import Any

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, inline_serializer
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from annotation.common.access import allowed, benchmark_seen_by, withheld
from annotation.common.words import NOT_ALLOWED
from annotation.models import Benchmark
from annotation.workflow import Right
from webapp.accounts.http import person_of
from webapp.common.api import TextField
from webapp.common.errors import InvalidInput, NotAllowed

PAGES = ("cursor", "limit")
FACET = OpenApiParameter("facet.NAME", str, description="Only with this value on the facet NAME.")


class ShownImageField(TextField):
    """The image that coordinates are on, so that none are saved on an image that replaced it."""

    def __init__(self, **options: Any) -> None:
        words = (
            "The SHA-256 of the image that your coordinates are on. If another image replaced it, the answer is 409 "
            "`image_replaced`. Empty: this is not checked."
        )
        given: dict[str, Any] = {"required": False, "default": "", "allow_blank": True, "help_text": words} | options
        super().__init__(pattern=r"^([0-9a-f]{64})?$", **given)


def benchmark_for(request: Request, slug: str, right: Right = Right.VIEW) -> Benchmark:
    """The benchmark with this slug. Strangers get 404; members without the permission get 403."""
    person = person_of(request)
    benchmark = benchmark_seen_by(person, slug)
    if benchmark is None:
        raise Http404("Benchmark not found, or you don't have access.")
    if not allowed(person, benchmark, right):
        words = NOT_ALLOWED[right] % {"title": benchmark.title}
        raise NotAllowed(withheld(person, benchmark, right) or words)
    return benchmark


def public_benchmark_for(request: Request, slug: str, right: Right = Right.VIEW) -> Benchmark:
    """The benchmark for what its public pages show: a visitor gets a public one, and is asked to sign in for others,
    whether they exist or not."""
    if request.user.is_authenticated:
        return benchmark_for(request, slug, right)
    found: Benchmark | None = Benchmark.objects.visible_to(request.user).filter(slug=slug).first()
    if found is None:
        raise NotAuthenticated
    return found


def terms_of(request: Request, known: Collection[str]) -> dict[str, str]:
    """Return the terms of a list in the address; the last of two terms with one name counts. A name that is neither
    ``known`` nor a facet is rejected: otherwise, a program with a misspelled name would mistake the full list for a
    filtered one.
    """
    terms = {name: str(value) for name, value in request.query_params.items() if name not in PAGES}
    for name in terms:
        if name not in known and not name.startswith("facet."):
            near = get_close_matches(name, known, n=1)
            hint = f" Did you mean {near[0]}?" if near else " A facet of the samples is facet.NAME."
            raise InvalidInput(f"Unknown parameter “{name[:60]}”.{hint}", field=name[:60])
    return terms


def facets_of(name: str) -> Any:
    """The form of the counts of a list and of its facets, in the description of the API."""
    counts = serializers.DictField(
        child=serializers.DictField(child=serializers.IntegerField()),
        help_text="By parameter: the count with each value of it instead.",
    )
    return inline_serializer(
        name, {"total": serializers.IntegerField(help_text="Number of rows in the list."), "facets": counts}
    )
