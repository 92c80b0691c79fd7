"""Requests of the review's script: the blind answer, the decision, comments, and signs of activity or leaving."""

from __future__ import annotations

from django.db.models import Q
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from annotation.common.access import allowed
from annotation.common.loading import load_benchmark
from annotation.common.requests import answers_json, body_of, key_of, number_of, text_of, texts_of
from annotation.common.sample import comment_json, load_sample, next_url, person_of
from annotation.content.comments import add_comment, resolve_comment
from annotation.content.mentions import mentionable
from annotation.models import Annotation, CheckAnswer, Comment, Sample
from annotation.queue.blind.present import blind_answer_of
from annotation.queue.check_work import check_of
from annotation.queue.leases import REVIEW, renew_or_refuse
from annotation.queue.leave_review import leave_review
from annotation.queue.rounds import several_submitted
from annotation.queue.skip import skip
from annotation.queue.work_time import Role, record_time, report_of
from annotation.review.write.decisions import Decision, answer_blind, decide, under_review
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common.errors import InvalidInput, NotAllowed


@require_POST
@answers_json
def blind(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """{"answer", "seconds", "unsure", "condition"?, "image"?} -> {"right": true, false or null}; then the page shows
    what comes next: the image, or the gold. 409 ``image_replaced`` as for a draft."""
    person, sample = load_sample(request, slug, key, Right.REVIEW)
    kept = answer_blind(actor=person, sample=sample, **blind_answer_of(request))
    return JsonResponse({"right": kept.right})


@require_POST
@answers_json
def decide_sample(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """{"decision", "reasons", "comment", "content", "image"?} -> {"next": address or null}; 409 ``image_replaced`` as
    for a draft."""
    person, sample = load_sample(request, slug, key, Right.REVIEW)
    data = body_of(request)
    decision = Decision(
        text_of(data, "decision"), texts_of(data, "reasons"), text_of(data, "comment"), data.get("content")
    )
    image = text_of(data, "image", longest=64)
    following = decide(actor=person, sample=sample, decision=decision, key=key_of(request), image=image)
    return JsonResponse({"next": next_url("annotation:review-sample", slug, following)})


@require_http_methods(["GET", "POST"])
@answers_json
def comments(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """{"text", "x"?, "y"?, "parent"?, "image"?} -> 201 with the comment. On the annotation under review; an author's
    own else. 409 ``image_replaced`` for a place on an image that was replaced since.
    GET -> {"people"}: the names that a comment can mention."""
    person, sample = load_sample(request, slug, key, Right.VIEW)
    if request.method == "GET":
        return JsonResponse({"people": _mentionable(person, sample)})
    data = body_of(request)
    x, y, parent = number_of(data, "x"), number_of(data, "y"), data.get("parent")
    if (x is None) != (y is None):
        raise InvalidInput(gettext("A place needs both x and y."), field="x")
    if parent is not None and (isinstance(parent, bool) or not isinstance(parent, int)):
        raise InvalidInput(gettext("parent must be the number of a comment."), field="parent")
    comment = add_comment(
        actor=person,
        annotation=_annotation(person, sample),
        text=text_of(data, "text"),
        place=(x, y) if x is not None and y is not None else None,
        parent=parent,
        image=text_of(data, "image", longest=64),
    )
    return JsonResponse({"comment": comment_json(comment, slug)}, status=201)


@require_POST
@answers_json
def resolve(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """{"resolved": true or false; true unless said} -> {"comment"}."""
    benchmark = load_benchmark(request, slug)
    here = Q(annotation__sample__benchmark=benchmark) | Q(check_answer__check_of__sample__benchmark=benchmark)
    found = Comment.objects.filter(here).select_related(
        "annotation__sample__benchmark", "check_answer__check_of__sample__benchmark"
    )
    comment = get_object_or_404(found, pk=pk)
    resolved = body_of(request).get("resolved", True) is not False
    changed = resolve_comment(actor=person_of(request), comment=comment, resolved=resolved)
    return JsonResponse({"comment": comment_json(changed, slug)})


@require_POST
@answers_json
def skip_review(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    person, sample = load_sample(request, slug, key, Right.REVIEW)
    skip(actor=person, sample=sample, reason=text_of(body_of(request), "reason"), seat=REVIEW)
    return JsonResponse({"next": None})


@require_POST
@answers_json
def release_review(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    person, sample = load_sample(request, slug, key, Right.REVIEW)
    leave_review(actor=person, sample=sample)
    return JsonResponse({})


@require_POST
@answers_json
def renew_review(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Still here. 409 ``lease_lost`` when the seat is no longer held."""
    person, sample = load_sample(request, slug, key, Right.REVIEW)
    lost = gettext("Your reservation of %(key)s expired. Submit a decision to reserve it again if it is free.")
    renew_or_refuse(person, sample, REVIEW, lost)
    return JsonResponse({})


def _mentionable(person: User, sample: Sample) -> list[str]:
    """Names, each once. While several annotations wait, their authors have no names."""
    about = _annotation(person, sample)
    people = mentionable(person, about)
    if about.author_id != person.pk and several_submitted(sample):
        people = [one for one in people if one.pk != about.author_id]
    return list(dict.fromkeys(one.name for one in people if one.name))


@require_POST
@answers_json
def review_time(request: HttpRequest, slug: str, key: str, *, role: str) -> HttpResponse:
    """{"page", "spans"} -> {}: active time on the sample. Also a form, from a page that is being left."""
    person, sample = load_sample(request, slug, key, Right.REVIEW)
    record_time(actor=person, sample=sample, role=Role(role), report=report_of(request))
    return JsonResponse({})


def _annotation(person: User, sample: Sample) -> Annotation | CheckAnswer:
    own = Annotation.objects.filter(sample=sample, author=person).select_related("sample__benchmark").first()
    if own is not None:
        return own
    answer = check_of(person, sample)
    if answer is not None and answer.is_begun:
        return answer
    if not allowed(person, sample.benchmark, Right.REVIEW):
        raise NotAllowed(
            gettext("You have no annotation of %(key)s to comment on. Save a draft first.") % {"key": sample.key}
        )
    return under_review(person, sample)[0]
