"""Pauses: no new work on a benchmark is assigned to one person or to everyone, until a lead resumes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext

from annotation.common.access import require
from annotation.common.notices import notify_paused, notify_resumed
from annotation.models import Benchmark, Membership, Pause
from annotation.models.querysets.samples import PauseQuerySet
from annotation.workflow import Right
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.errors import Conflict, InvalidInput


def pause(*, actor: User, benchmark: Benchmark, reason: str, user: User | None = None) -> Pause:
    """Assign nothing new to ``user``, or to everyone if None. People can finish what they started.

    An existing pause stays unchanged."""
    require(actor, benchmark, Right.MANAGE)
    if not reason:
        raise InvalidInput(gettext("Enter a reason. The paused people can read it."), field="reason")
    if user is not None and not Membership.objects.filter(benchmark=benchmark, user=user).exists():
        raise InvalidInput(
            gettext("%(user)s isn't a member of %(title)s. Choose a member.")
            % {"user": user, "title": benchmark.title},
            field="user",
        )
    with transaction.atomic():
        # One change at a time: of two leads who pause at once the second finds the first one's.
        Benchmark.objects.select_for_update(no_key=True).get(pk=benchmark.pk)
        standing = Pause.objects.standing().filter(benchmark=benchmark, user=user).first()
        if standing is not None:
            return standing
        made = Pause.objects.create(benchmark=benchmark, user=user, reason=reason, paused_by=actor)
        _note(actor, made, "queue.pause", reason)
        notify_paused(actor, made)
    return made


def pause_automatically(*, user: User, benchmark: Benchmark, reason: str, data: Mapping[str, Any]) -> None:
    """Pause this person by a rule of the benchmark, for what ``data`` says, unless they are paused already. Call inside
    a transaction."""
    if Pause.objects.standing().filter(benchmark=benchmark, user=user).exists():
        return
    made = Pause.objects.create(benchmark=benchmark, user=user, reason=reason)
    _note(None, made, "queue.pause", reason, data)
    notify_paused(None, made)


def resume(*, actor: User, benchmark: Benchmark, user: User | None = None) -> bool:
    """Resume assignment for ``user``, or (None) for everyone without a separate pause. Return whether it was paused."""
    require(actor, benchmark, Right.MANAGE)
    with transaction.atomic():
        standing = (
            Pause.objects.standing().filter(benchmark=benchmark, user=user).select_for_update(no_key=True).first()
        )
        if standing is None:
            return False
        Pause.objects.filter(pk=standing.pk).update(lifted_at=timezone.now(), lifted_by=actor)
        _note(actor, standing, "queue.resume")
        notify_resumed(actor, standing)
    return True


def pause_for(user: User, benchmark: Benchmark) -> Pause | None:
    """Return the pause that keeps this person from new work, that of everyone first."""
    standing = active_pauses(user.pk, benchmark.pk).select_related("paused_by")
    return standing.order_by(F("user").desc(nulls_first=True)).first()


def is_paused(user: User, benchmark: Benchmark) -> bool:
    """Whether anything keeps this person from what is new."""
    return active_pauses(user.pk, benchmark.pk).exists()


def active_pauses(user: int, benchmark: int) -> PauseQuerySet:
    """The pauses that keep this person from anything new."""
    return Pause.objects.standing().concerning(user).filter(benchmark=benchmark)


def require_not_paused(user: User, benchmark: Benchmark) -> None:
    """Raises ``Conflict`` with the code ``paused`` if this person may not begin new work."""
    found = pause_for(user, benchmark)
    if found is not None:
        if found.user_id:
            message = gettext("You are paused on %(title)s: %(reason)s You can finish the samples you started.")
        else:
            message = gettext("Work is paused on %(title)s: %(reason)s You can finish the samples you started.")
        raise Conflict(
            message % {"title": benchmark.title, "reason": found.reason},
            code="paused",
        )


def _note(
    actor: User | None, one: Pause, action: str, reason: str = "", found: Mapping[str, Any] | None = None
) -> None:
    audit.record(
        actor, action, one, one.benchmark.slug, reason=reason, data=dict(found or {}),
        personal={"person": one.user.email} if one.user else {},
    )  # fmt: skip
