"""The one way to write down who did what. Called by actions, inside their transaction."""

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import models
from django.utils import timezone

from webapp.common.bulk import as_json, insert, insert_rows
from webapp.common.models import AuditEntry

PLAIN = ("actor_id", "action", "subject_type", "subject_id", "benchmark", "before", "after", "reason")


def entry(
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
    """An entry not kept yet: `actor` did `action` to `subject`; no actor means that it happened by itself.

    `before` and `after` are states in one word, `data` whatever else a reader of the log needs, as JSON.
    """
    return AuditEntry(
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
    """Keep one entry: see `entry`."""
    made = entry(
        actor=actor, action=action, subject=subject, benchmark=benchmark, before=before, after=after, reason=reason,
        data=data,
    )  # fmt: skip
    insert(made)
    return made


def record_many(entries: Iterable[AuditEntry]) -> None:
    """Keep many entries of one moment, in their order, by one statement."""
    now = timezone.now()
    rows = [(*(getattr(one, name) for name in PLAIN), as_json(one.data), now) for one in entries]
    insert_rows(AuditEntry, ("actor", *PLAIN[1:], "data", "created"), rows)
