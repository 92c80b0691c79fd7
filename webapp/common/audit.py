"""The one way to write down who did what. Called by actions, inside their transaction."""

from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import models

from webapp.common.models import AuditEntry


def record(
    *,
    actor: AbstractBaseUser | None,
    action: str,
    subject: models.Model,
    benchmark: str = "",
    before: str = "",
    after: str = "",
    reason: str = "",
    data: dict[str, Any] | None = None,
) -> AuditEntry:
    """Keep one entry: `actor` did `action` to `subject`; no actor means that it happened by itself.

    `before` and `after` are states in one word, `data` whatever else a reader of the log needs, as JSON.
    """
    return AuditEntry.objects.create(
        actor_id=actor.pk if actor else None,
        action=action,
        subject_type=subject._meta.label_lower,
        subject_id=str(subject.pk),
        benchmark=benchmark,
        before=before,
        after=after,
        reason=reason,
        data=data or {},
    )
