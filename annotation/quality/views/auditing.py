"""Auditing: the samples drawn for a person, and one audit, blind first."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from annotation.common.loading import load_benchmark, rights_in
from annotation.common.requests import answers_json
from annotation.common.sample import load_sample, person_of
from annotation.common.tabs import benchmark_context
from annotation.models import AuditItem, Benchmark
from annotation.quality.write.audits import answer_audit_blind, decide_audit, leave_audit, next_to_audit, under_audit
from annotation.queue.blind.present import blind_answer_of, blind_json
from annotation.queue.leases import AUDIT, renew_or_refuse
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common.errors import InvalidInput, go_on_at
from webapp.common.http import Request

ROUTES = {
    "blind": "annotation:audit-blind",
    "decide": "annotation:audit-decide",
    "release": "annotation:audit-release",
    "renew": "annotation:audit-renew",
}


@require_safe
def audit(request: Request, slug: str) -> HttpResponse:
    """Template annotation/quality/audits/audit.html; context: waiting_n, others_n (drawn, but for others), decided
    (AuditItem, mine, the newest first), and the benchmark's head."""
    benchmark = load_benchmark(request, slug, Right.AUDIT)
    person = person_of(request)
    context = benchmark_context(request, benchmark, "review") | _queue(person, benchmark)
    return render(request, "annotation/quality/audits/audit.html", context)


def _queue(person: User, benchmark: Benchmark) -> dict[str, Any]:
    drawn = AuditItem.objects.of(benchmark)
    waiting = drawn.for_person(person).count()
    mine = drawn.decided().filter(auditor=person).select_related("sample").order_by("-decided_at", "-pk")
    return {"waiting_n": waiting, "others_n": drawn.undecided().count() - waiting, "decided": list(mine[:20])}


@require_POST
def audit_next(request: Request, slug: str) -> HttpResponse:
    """Reserve the next drawn sample and redirect to it; to the list if there is none."""
    benchmark = load_benchmark(request, slug, Right.AUDIT)
    return _go_to(next_to_audit(actor=person_of(request), benchmark=benchmark), slug)


@require_safe
def audit_sample(request: Request, slug: str, key: str) -> HttpResponse:
    """Template annotation/quality/audits/sample.html; context: sample, kind, queue_url, review (for json_script, see
    ``blind_json``), and the head. A person's own work is 403, a sample that is not drawn 409.
    """
    person, sample = load_sample(request, slug, key, Right.AUDIT)
    go_on_at(request, reverse("annotation:audit", args=[slug]), gettext("Samples to audit"))
    item = under_audit(person, sample)
    context = benchmark_context(request, sample.benchmark, "review") | {"sample": sample, "kind": gettext("Audit")}
    urls = {name: reverse(route, args=[slug, key]) for name, route in ROUTES.items()}
    shown = blind_json(person, sample, item.revision) | {"urls": urls, "rights": rights_in(request, sample.benchmark)}
    context |= {"queue_url": reverse("annotation:audit", args=[slug]), "review": shown}
    return render(request, "annotation/quality/audits/sample.html", context)


@require_POST
@answers_json
def audit_blind(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Save the blind answer of an audit, as in a review."""
    person, sample = load_sample(request, slug, key, Right.AUDIT)
    kept = answer_audit_blind(actor=person, sample=sample, **blind_answer_of(request))
    return JsonResponse({"right": kept.right})


@require_POST
def audit_decide(request: Request, slug: str, key: str) -> HttpResponse:
    """Posted: verdict ("agree" or "disagree"), reasons, comment, image (its SHA-256); then the next drawn sample."""
    person, sample = load_sample(request, slug, key, Right.AUDIT)
    comment = request.POST.get("comment", "").strip()
    if len(comment) > 5000:
        raise InvalidInput(gettext("The comment is longer than 5000 characters. Shorten it."), field="comment")
    decide_audit(
        actor=person, sample=sample, verdict=request.POST.get("verdict", ""),
        reasons=list(dict.fromkeys(request.POST.getlist("reasons"))), comment=comment,
        image=request.POST.get("image", "")[:64],
    )  # fmt: skip
    return _go_to(next_to_audit(actor=person, benchmark=sample.benchmark), slug)


@require_POST
@answers_json
def audit_release(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    person, sample = load_sample(request, slug, key, Right.AUDIT)
    leave_audit(actor=person, sample=sample)
    return JsonResponse({})


@require_POST
@answers_json
def audit_renew(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Renew the reservation. 409 ``lease_lost`` if it has expired."""
    person, sample = load_sample(request, slug, key, Right.AUDIT)
    lost = gettext("Your reservation of %(key)s expired. Submit a verdict to reserve it again if it is free.")
    renew_or_refuse(person, sample, AUDIT, lost)
    return JsonResponse({})


def _go_to(item: AuditItem | None, slug: str) -> HttpResponse:
    args = [slug, item.sample.key] if item else [slug]
    response = redirect("annotation:audit-sample" if item else "annotation:audit", *args)
    response.status_code = 303
    return response
