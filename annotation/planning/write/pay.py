"""Rates of pay, and closing a month, which stores its amounts permanently."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import require, roles_of
from annotation.models import Benchmark, PayLine, PayPeriod, PayRate, PaySettings
from annotation.payroll import next_month
from annotation.planning.read.pay import STORED, Line, Role, counted_lines, currency_of
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput


def set_currency(*, actor: User, benchmark: Benchmark, currency: str) -> None:
    """The currency of all rates, three capital letters. Closed months keep theirs."""
    require(actor, benchmark, Right.MANAGE)
    code = currency.strip().upper()
    if not re.fullmatch(r"[A-Z]{3}", code):
        message = gettext("Enter the three letters of a currency, such as EUR or CNY.")
        raise InvalidInput(message, field="currency")
    before = currency_of(benchmark)
    with transaction.atomic():
        PaySettings.objects.update_or_create(benchmark=benchmark, defaults={"currency": code})
        audit.record(actor, "pay.currency", benchmark, benchmark.slug, before=before, after=code)


def set_rate(
    *, actor: User, benchmark: Benchmark, role: Role, per: PayRate.Per, amount: Decimal, person: User | None = None
) -> PayRate:
    """Set the pay of this kind of work from now on, in every month that is not closed. Replaces the rate of the same
    person, or without one that of everyone else.
    """
    require(actor, benchmark, Right.MANAGE)
    if not currency_of(benchmark):
        raise InvalidInput(gettext("Choose a currency first."), field="currency")
    if person is not None and not roles_of(person, benchmark):
        raise InvalidInput(gettext("%(person)s is not a member.") % {"person": person}, field="person")
    if amount < 0 or amount != round(amount, 2):
        message = gettext("An amount is 0 or more, with at most two digits after the point.")
        raise InvalidInput(message, field="amount")
    with transaction.atomic():
        Benchmark.objects.select_for_update(no_key=True).get(pk=benchmark.pk)
        rate, _ = PayRate.objects.update_or_create(
            benchmark=benchmark, role=role, person=person, defaults={"per": per, "amount": amount}
        )
        audit.record(actor, "pay.rate", rate, benchmark.slug, data=_rate_data(rate))
    return rate


def remove_rate(*, actor: User, rate: PayRate) -> None:
    """Closed months keep what was paid."""
    require(actor, rate.benchmark, Right.MANAGE)
    with transaction.atomic():
        audit.record(actor, "pay.remove_rate", rate, rate.benchmark.slug, data=_rate_data(rate))
        rate.delete()


def _rate_data(rate: PayRate) -> dict[str, str]:
    who = str(rate.person) if rate.person else ""
    return {"role": rate.role, "per": rate.per, "amount": str(rate.amount), "person": who}


def close_month(*, actor: User, benchmark: Benchmark, month: date) -> PayPeriod:
    """Store the lines of a month that is over. They never change again. Raises ``Conflict`` with the code ``not_over``
    or ``closed``."""
    require(actor, benchmark, Right.MANAGE)
    if next_month(month) > timezone.now().date():
        raise Conflict(gettext("The month is not over yet. Close it after its last day, in UTC."), code="not_over")
    try:
        with transaction.atomic():
            period = PayPeriod.objects.create(
                benchmark=benchmark, month=month, currency=currency_of(benchmark), closed_at=timezone.now(),
                closed_by=actor,
            )  # fmt: skip
            lines = counted_lines(benchmark, month)
            PayLine.objects.bulk_create(_row(period, line) for line in lines)
            data = {"month": f"{month:%Y-%m}", "lines": len(lines)}
            audit.record(actor, "pay.close", period, benchmark.slug, data=data)
    except IntegrityError as error:
        raise Conflict(gettext("The month is closed already."), code="closed") from error
    return period


def _row(period: PayPeriod, line: Line) -> PayLine:
    return PayLine(period=period, **{name: getattr(line, name) for name in STORED})
