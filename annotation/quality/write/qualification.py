"""Actions of a lead on the qualification test: its settings, and exemptions."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.common.rules import change_rules, refuse_open_blind_work, rules_of
from annotation.models import Benchmark, Membership, QualificationAttempt, QualityRules
from annotation.workflow import Right, Role
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput

MOST_SAMPLES, MOST_ATTEMPTS = 50, 10


def set_qualification(
    *, actor: User, benchmark: Benchmark, quiz_size: int, quiz_pass: float, quiz_attempts: int
) -> QualityRules:
    """Set the rules of the test from now on. Open attempts keep theirs. Raises ``Conflict`` on a public benchmark: see
    ``refuse_open_blind_work``.
    """
    require(actor, benchmark, Right.MANAGE)
    if not 0 <= quiz_size <= MOST_SAMPLES:
        message = gettext("The test has from 0 to %(limit)s samples.") % {"limit": MOST_SAMPLES}
        raise InvalidInput(message, field="quiz_size")
    if not 0 < quiz_pass <= 1:
        raise InvalidInput(gettext("The share to pass must be above 0 and at most 100%."), field="quiz_pass")
    if not 1 <= quiz_attempts <= MOST_ATTEMPTS:
        message = gettext("People have from 1 to %(limit)s attempts.") % {"limit": MOST_ATTEMPTS}
        raise InvalidInput(message, field="quiz_attempts")
    values = {"quiz_size": quiz_size, "quiz_pass": quiz_pass, "quiz_attempts": quiz_attempts}
    with transaction.atomic():
        stored = rules_of(benchmark)
        checks = bool(quiz_size or stored.check_first or stored.check_share)
        refuse_open_blind_work(benchmark, checks=checks)
        rules = change_rules(benchmark, values)
        audit.record(
            actor=actor, action="qualification.rules", subject=benchmark, benchmark=benchmark.slug, data=values
        )
    return rules


def waive(*, actor: User, benchmark: Benchmark, user: User, reason: str) -> QualificationAttempt:
    """This annotator needs no test; an open attempt of theirs ends unfinished. The reason is kept."""
    require(actor, benchmark, Right.MANAGE)
    reason = reason.strip()
    if not reason:
        raise InvalidInput(gettext("Enter why this person needs no test."), field="reason")
    if not Membership.objects.filter(benchmark=benchmark, user=user, role=Role.ANNOTATOR).exists():
        raise InvalidInput(gettext("%(person)s does not annotate here.") % {"person": user}, field="user")
    with transaction.atomic():
        Benchmark.objects.select_for_update(no_key=True).get(pk=benchmark.pk)
        attempts = QualificationAttempt.objects.filter(benchmark=benchmark, user=user)
        if attempts.filter(passed=True).exists():
            raise Conflict(gettext("%(person)s has passed the test.") % {"person": user}, field="user")
        attempts.filter(passed=None).update(passed=False, finished_at=timezone.now())
        made = QualificationAttempt.objects.create(
            benchmark=benchmark, user=user, number=attempts.count() + 1, needed=rules_of(benchmark).quiz_pass,
            passed=True, waived_by=actor, reason=reason, finished_at=timezone.now(),
        )  # fmt: skip
        audit.record(actor, "qualification.waive", made, benchmark.slug, reason=reason, personal={"person": user.email})
    return made
