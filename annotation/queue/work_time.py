"""Recording active time: a page reports spans of activity, and the server grants what can be true of them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import DateTimeField
from django.db.models.functions import Now
from django.http import HttpRequest
from django.utils.translation import gettext

from annotation.active_time import MOST_SPANS, Span, grant
from annotation.common.access import require
from annotation.common.requests import body_of, text_of
from annotation.models import Annotation, Sample, WorkClock, WorkSession
from annotation.queue.handed import is_handed, require_handed
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common.errors import InvalidInput, NotAllowed

Role = WorkSession.Role
LONGEST_PAGE = 32


@dataclass(frozen=True, slots=True)
class TimeReport:
    """The report of a page: its id, and spans of activity as (seconds since the beginning, seconds since the end)."""

    page: str
    ago: list[Span] = field(default_factory=list)


def report_in(data: Mapping[str, Any]) -> TimeReport:
    """The report of a request: ``page`` and ``spans``. Raises ``InvalidInput``."""
    page = text_of(data, "page", longest=LONGEST_PAGE)
    if not page.isalnum():
        raise InvalidInput(gettext("page must be 1 to 32 letters and digits."), field="page")
    spans = data.get("spans", [])
    if not isinstance(spans, list) or len(spans) > MOST_SPANS or not all(_is_span(span) for span in spans):
        raise InvalidInput(
            gettext("spans must be at most %(limit)s pairs of seconds.") % {"limit": MOST_SPANS}, field="spans"
        )
    return TimeReport(page, [(float(begin), float(end)) for begin, end in spans])


def report_of(request: HttpRequest) -> TimeReport:
    """The same of a request of a script, or of a page that is being left: ``sendBeacon`` sends a form with the report
    as JSON in ``report``, because it cannot send the token in a header."""
    if request.content_type == "application/json":
        return report_in(body_of(request))
    try:
        data = json.loads(request.POST.get("report", ""))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(gettext("The request is not valid JSON. Reload the page.")) from error
    if not isinstance(data, dict):
        raise InvalidInput(gettext("The request is not a JSON object. Reload the page."))
    return report_in(data)


def _is_span(span: object) -> bool:
    return (
        isinstance(span, list)
        and len(span) == 2
        and all(isinstance(one, int | float) and not isinstance(one, bool) and math.isfinite(one) for one in span)
    )


def record_time(*, actor: User, sample: Sample, role: Role, report: TimeReport) -> float:
    """Add what is granted of the report to the sessions of this person; returns the seconds. The first report of a page
    begins its session and adds next to nothing. Raises ``NotAllowed`` for a sample that they do not work on."""
    with transaction.atomic():
        WorkClock.objects.bulk_create([WorkClock(person=actor)], ignore_conflicts=True)
        clock = WorkClock.objects.select_for_update(no_key=True).get(person=actor)
        now = WorkClock.objects.values_list(Now(output_field=DateTimeField()), flat=True).get(pk=clock.pk)
        session = _session(actor, sample, role, report.page, now)
        found = grant(
            report.ago, now=now.timestamp(), since=session.ended.timestamp(), counted=[(a, b) for a, b in clock.counted]
        )
        WorkClock.objects.filter(pk=clock.pk).update(counted=[[round(a, 3), round(b, 3)] for a, b in found.counted])
        session.active_seconds += found.seconds
        session.ended = max(session.ended, now)
        session.save()
    return found.seconds


def _session(actor: User, sample: Sample, role: Role, page: str, now: datetime) -> WorkSession:
    """Return the session of this page on this day: stored, or new and unsaved. After midnight it continues the one of
    the previous day.
    """
    before = WorkSession.objects.filter(person=actor, page=page).order_by("-day").first()
    if before is None:
        _require_work(actor, sample, role)
    elif (before.sample_id, before.role) != (sample.pk, role):
        raise InvalidInput(gettext("The page belongs to another sample. Reload it."), field="page")
    elif before.day >= now.date():
        return before
    since = before.ended if before else now
    return WorkSession(person=actor, sample=sample, role=role, page=page, day=now.date(), started=since, ended=since)


def _require_work(actor: User, sample: Sample, role: Role) -> None:
    """As of the page: annotators who get gold checks on samples assigned to them, reviewers not on their own."""
    if role == Role.ANNOTATE:
        require(actor, sample.benchmark, Right.ANNOTATE)
        require_handed(actor, sample)
        return
    require(actor, sample.benchmark, Right.REVIEW)
    if is_handed(actor, sample) or Annotation.objects.filter(sample=sample, author=actor).exists():
        raise NotAllowed(gettext("You annotated %(key)s yourself.") % {"key": sample.key})
