"""Time and pay: who sees what, what is counted, and that a closed month never changes."""

from __future__ import annotations

import csv
import io
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from openpyxl import load_workbook

from annotation.models import CheckAnswer, PayLine, PayPeriod, PayRate, Review, Revision, WorkSession
from annotation.planning.present.pay import month_for
from annotation.planning.read.pay import Role
from annotation.planning.write.pay import close_month, remove_rate, set_currency, set_rate
from annotation.quality.write.checks import add_checks, set_check_rules
from annotation.studio.write.submit import submit
from tests.annotation.work_data import content, next_review, reviewed, submitted, take_one, to_annotate
from tests.conftest import signed_in
from tests.factories import make_token, make_user
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.django_db

OCTOBER = date(2026, 10, 1)
IN_OCTOBER = datetime(2026, 10, 20, 12, tzinfo=UTC)


@pytest.fixture
def kitchen(ana, rui, lea):
    """Ana submitted four samples in October: one accepted, one returned, two waiting. Rui reviewed two."""
    benchmark = to_annotate(8, annotator=ana, reviewer=rui, lead=lea)
    for _ in range(4):
        submitted(ana, benchmark)
    reviewed(rui, next_review(rui, benchmark), "accept")
    reviewed(rui, next_review(rui, benchmark), "return", reasons=["incorrect_answer"])
    for sample, seconds in zip(benchmark.samples.order_by("key"), (60, 120, 300), strict=False):
        worked(ana, sample, seconds)
    worked(rui, benchmark.samples.first(), 3600, role="review")
    to_october()
    return benchmark


def to_october():
    """Everything so far happened in October."""
    with connection.cursor() as cursor:
        # Submitted revisions never change, so the trigger is set aside by writing only what tests may write.
        cursor.execute("SELECT 1")
    Review.objects.update(created_at=IN_OCTOBER)
    CheckAnswer.objects.filter(handed_in_at__isnull=False).update(handed_in_at=IN_OCTOBER)


def worked(person, sample, seconds, *, role="annotate", at=IN_OCTOBER):
    WorkSession.objects.create(
        person=person, sample=sample, role=role, page=f"{role}{sample.pk}", day=at.date(), started=at, ended=at,
        active_seconds=seconds,
    )  # fmt: skip
