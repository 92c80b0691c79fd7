"""A month of work, as each person may see it."""

from __future__ import annotations

from datetime import date

from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import allowed, known_to, require
from annotation.models import Benchmark
from annotation.payroll import month_of
from annotation.planning.forms import month_in
from annotation.planning.read.pay import Month, month_table
from annotation.workflow import Right
from webapp.accounts.models import User


def month_asked(text: str) -> date:
    """The month of an address, this one by default. Raises ``Http404`` for anything else than a month."""
    month = month_in(text) if text else month_of(timezone.now().date())
    if month is None:
        raise Http404(gettext("Unknown month. Months are written as 2026-11."))
    return month


def sees_all(person: User, benchmark: Benchmark) -> bool:
    """Leads see everyone; people see themselves."""
    return allowed(person, benchmark, Right.MANAGE)


def month_for(person: User, benchmark: Benchmark, month: date) -> Month:
    """The month as this person may know it. Raises ``NotAllowed`` for who does no work here."""
    if sees_all(person, benchmark):
        return month_table(benchmark, month)
    if not allowed(person, benchmark, Right.REVIEW):
        require(person, benchmark, Right.ANNOTATE)
    return month_table(benchmark, month, only=person, blind=known_to(person, benchmark).handed_checks)
