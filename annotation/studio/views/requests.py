"""Requests of the studio's script: drafts, submissions, and signs of activity or leaving."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from annotation.common.access import known_to
from annotation.common.requests import answers_json, body_of, key_of, number_of, text_of, whole_of
from annotation.common.sample import load_sample, next_url, picture_json
from annotation.common.sentences import checks_json
from annotation.content.clicks import click_decisions
from annotation.content.proposals import OfferReport, decisions_of
from annotation.models import Sample
from annotation.queue.hand_over import hand_in_now, take_back
from annotation.queue.leases import ANNOTATE, leave, release, renew_or_refuse
from annotation.queue.look_ahead import look_ahead
from annotation.queue.skip import skip
from annotation.queue.work_time import Role, record_time, report_in, report_of
from annotation.studio.write.draft import save_draft
from annotation.studio.write.submit import disclosed_to, submit
from annotation.workflow import Right


@require_http_methods(["PUT", "POST"])
@answers_json
def draft(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """{"version", "content", "image"?, "time"?} -> {"version", "checks"}. ``image``: the SHA-256 of the image on the
    page; 409 ``image_replaced`` if the sample has another one since. ``time``: a report of active time
    (``report_in``). POST is for a page that is being left."""
    person, sample = load_sample(request, slug, key, Right.ANNOTATE)
    data = body_of(request)
    time = report_in(data["time"]) if isinstance(data.get("time"), dict) else None
    saved = save_draft(
        actor=person, sample=sample, version=whole_of(data, "version"), content=data.get("content"),
        key=key_of(request), image=text_of(data, "image", longest=64),
    )  # fmt: skip
    if time is not None:
        record_time(actor=person, sample=sample, role=Role.ANNOTATE, report=time)
    return JsonResponse({"version": saved.version, "checks": checks_json(saved.checks)})


@require_POST
@answers_json
def submit_sample(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """{"version", "content", "image"?, "decisions", "clicks", "seconds"} -> {"next": address or null, "disclosed"}; 422
    with the checks if they fail, 409 ``image_replaced`` as for a draft.

    ``decisions``: on drafts of models, by field; ``clicks``: on shapes from clicks, by their number; ``seconds``: the
    time for which the page was visible. ``disclosed``: the sentence about planted errors in drafts, "" without any."""
    person, sample = load_sample(request, slug, key, Right.ANNOTATE)
    data = body_of(request)
    decisions, clicks = decisions_of(data.get("decisions", {})), click_decisions(data.get("clicks", {}))
    following = submit(
        actor=person, sample=sample, version=whole_of(data, "version"), content=data.get("content"),
        key=key_of(request), report=OfferReport(decisions, number_of(data, "seconds"), clicks),
        image=text_of(data, "image", longest=64),
    )  # fmt: skip
    said = disclosed_to(person, sample)
    return JsonResponse({"next": next_url("annotation:annotate-sample", slug, following), "disclosed": said})


@require_POST
@answers_json
def take_back_sample(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Make my submission a draft again. 409 ``too_late`` once its time is over."""
    person, sample = load_sample(request, slug, key, Right.ANNOTATE)
    take_back(actor=person, sample=sample)
    return JsonResponse({})


@require_POST
@answers_json
def hand_in_sample(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Submit finally, without waiting. 409 ``too_late`` if that happened already."""
    person, sample = load_sample(request, slug, key, Right.ANNOTATE)
    hand_in_now(actor=person, sample=sample)
    return JsonResponse({})


@require_POST
@answers_json
def skip_sample(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """{"reason"} -> {"next": where to ask for the next}."""
    person, sample = load_sample(request, slug, key, Right.ANNOTATE)
    skip(actor=person, sample=sample, reason=text_of(body_of(request), "reason"))
    return JsonResponse({"next": None})


@require_POST
@answers_json
def release_sample(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Leave the sample on purpose. While gold checks are assigned, one that was not begun comes again first."""
    person, sample = load_sample(request, slug, key, Right.ANNOTATE)
    begun = Sample.objects.filter(pk=sample.pk).with_draft_of(person)
    comes_again = known_to(person, sample.benchmark).handed_checks and not begun.exists()
    (leave if comes_again else release)(person, sample.pk, ANNOTATE)
    return JsonResponse({})


@require_POST
@answers_json
def renew_sample(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Still here. 409 ``lease_lost`` when the seat is no longer held."""
    person, sample = load_sample(request, slug, key, Right.ANNOTATE)
    lost = gettext("Your reservation of %(key)s expired. Save to reserve it again if it is free.")
    renew_or_refuse(person, sample, ANNOTATE, lost)
    return JsonResponse({})


@require_POST
@answers_json
def work_time(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """{"page", "spans"} -> {}: active time on the sample. Also a form, from a page that is being left."""
    person, sample = load_sample(request, slug, key, Right.ANNOTATE)
    record_time(actor=person, sample=sample, role=Role.ANNOTATE, report=report_of(request))
    return JsonResponse({})


@require_POST
@answers_json
def ahead(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """The next sample after this one -> {"next": null, or its "url", "release" to release it, and "image"}."""
    person, sample = load_sample(request, slug, key, Right.ANNOTATE)
    following = look_ahead(actor=person, sample=sample)
    if following is None:
        return JsonResponse({"next": None})
    following.benchmark = sample.benchmark
    found = {
        "url": next_url("annotation:annotate-sample", slug, following),
        "release": next_url("annotation:release", slug, following),
        "image": picture_json(following),
    }
    return JsonResponse({"next": found})
