"""What a lead does to work in hand: open again, send back, assign."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_POST

from annotation.actions.review_lead import assign, reopen, send_back
from annotation.models import Benchmark, Membership
from annotation.views.answers import answers_json, body_of, text_of
from annotation.views.loading import load_benchmark
from annotation.views.work_loading import load_sample, person_of
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common.errors import InvalidInput

MOST_KEYS = 1000


@require_POST
@answers_json
def reopen_sample(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """{"reason", "to"?: e-mail of a member} -> {"to": who has it now}."""
    person, sample = load_sample(request, slug, key, Right.MANAGE)
    data = body_of(request)
    to = _member(sample.benchmark, data) if "to" in data else None
    annotation = reopen(actor=person, sample=sample, reason=text_of(data, "reason"), to=to)
    return JsonResponse({"to": str(annotation.author)})


@require_POST
@answers_json
def send_back_samples(request: HttpRequest, slug: str) -> HttpResponse:
    """{"keys", "reason"} -> {"n"}."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    data = body_of(request)
    reason = text_of(data, "reason")
    n = send_back(actor=person_of(request), benchmark=benchmark, keys=_keys(data), reason=reason)
    return JsonResponse({"n": n})


@require_POST
@answers_json
def assign_samples(request: HttpRequest, slug: str) -> HttpResponse:
    """{"keys", "to": e-mail of a member} -> {"n"}."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    data = body_of(request)
    to = _member(benchmark, data)
    n = assign(actor=person_of(request), benchmark=benchmark, keys=_keys(data), to=to)
    return JsonResponse({"n": n})


def _keys(data: Mapping[str, Any]) -> list[str]:
    value = data.get("keys")
    if not isinstance(value, list) or not value or not all(isinstance(one, str) for one in value):
        raise InvalidInput("keys must be a list of sample ids.", field="keys")
    if len(value) > MOST_KEYS:
        raise InvalidInput(f"At most {MOST_KEYS} samples at once.", field="keys")
    return list(dict.fromkeys(value))


def _member(benchmark: Benchmark, data: Mapping[str, Any]) -> User:
    email = text_of(data, "to").lower()
    found = Membership.objects.filter(benchmark=benchmark, user__email=email).select_related("user").first()
    if found is None:
        raise InvalidInput(f"{email or 'Nobody'} is no member of {benchmark.title}. Invite them first.", field="to")
    return found.user
