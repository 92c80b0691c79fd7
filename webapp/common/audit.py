"""Writes the audit log. Called by actions, inside their transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import IntegrityError, models, transaction
from django.utils import timezone

from webapp.common import request_id
from webapp.common.audit_chain import digest_of, entry_digest, salted, seal_digest
from webapp.common.bulk import as_json, insert_rows
from webapp.common.models import AuditEntry, AuditSeal

PLAIN = (
    "actor_id", "action", "subject_type", "subject_id", "benchmark", "before", "after", "reason", "created", "request",
    "personal_digest", "digest",
)  # fmt: skip
SECURITY = (
    "access.", "address.", "admin.", "benchmark.create", "benchmark.public", "download.", "export.", "invitation.",
    "member.", "password.", "person.", "session.", "sign_in.", "token.", "version.freeze",
)  # fmt: skip
"""Prefixes of the actions of security events. Their entries keep the network address."""
SEALED_AT_ONCE = 5000


def is_security(action: str) -> bool:
    return action.startswith(SECURITY)


def entry(
    actor: AbstractBaseUser | None, action: str, subject: models.Model | None, benchmark: str = "", *, before: str = "",
    after: str = "", reason: str = "", data: dict[str, Any] | None = None, personal: Mapping[str, Any] | None = None,
) -> AuditEntry:  # fmt: skip
    """Return an entry that is not stored yet: ``actor`` did ``action`` to ``subject``; without an actor, the system did
    it.

    ``before`` and ``after`` are states in one word, ``data`` is other information for readers of the log, as JSON. Data
    that identify a person, such as an email address, belong in ``personal``: they can be erased when that person
    leaves.
    """
    named: dict[str, Any] = dict(personal or {})
    if actor is not None:
        named["actor"] = str(actor)
    if is_security(action) and (address := request_id.address()):
        named["address"] = address
    named = salted(named) if named else {}
    made = AuditEntry(
        actor_id=actor.pk if actor else None,
        action=action,
        subject_type=subject._meta.label_lower if subject is not None else "",
        subject_id=str(subject.pk) if subject is not None else "",
        benchmark=benchmark,
        before=before,
        after=after,
        reason=reason,
        data=data or {},
        created=timezone.now(),
        request=request_id.current() if request_id.current() != "-" else "",
        personal=named,
        personal_digest=digest_of(named),
    )
    made.digest = entry_digest(made)
    return made


def record(
    actor: AbstractBaseUser | None, action: str, subject: models.Model | None, benchmark: str = "", *, before: str = "",
    after: str = "", reason: str = "", data: dict[str, Any] | None = None, personal: Mapping[str, Any] | None = None,
) -> AuditEntry:  # fmt: skip
    """Store one entry: see ``entry``."""
    about = {"before": before, "after": after, "reason": reason}
    made = entry(actor, action, subject, benchmark, data=data, personal=personal, **about)
    made.save(force_insert=True)
    return made


def record_many(entries: Iterable[AuditEntry]) -> None:
    """Store many entries of one moment, in their order, by one statement."""
    rows = [(*(getattr(one, name) for name in PLAIN), as_json(one.data), as_json(one.personal)) for one in entries]
    insert_rows(AuditEntry, ("actor", *PLAIN[1:], "data", "personal"), rows)


def seal() -> int:
    """Add the entries since the last seal to the hash chain; return their number. Of two simultaneous processes, one
    succeeds.
    """
    sealed = 0
    while True:
        waiting = list(AuditEntry.objects.filter(seal=None).order_by("pk").values_list("pk", "digest")[:SEALED_AT_ONCE])
        if not waiting:
            return sealed
        last = AuditSeal.objects.order_by("-pk").first()
        previous = last.digest if last else ""
        try:
            with transaction.atomic():
                made = AuditSeal.objects.create(
                    previous=previous, entries=len(waiting), digest=seal_digest(previous, (one for _, one in waiting))
                )
                found = AuditEntry.objects.filter(pk__in=[pk for pk, _ in waiting], seal=None)
                if found.update(seal=made) != len(waiting):
                    raise IntegrityError("Another process sealed some of these entries.")
        except IntegrityError:
            return sealed
        sealed += len(waiting)


@dataclass(frozen=True, slots=True)
class Verified:
    """The result of a check of the log: ``problems`` are sentences, empty if every digest matches. ``head`` is the
    digest of the last seal. Stored elsewhere, it can show later whether the end of the log was cut off.
    """

    entries: int
    seals: int
    unsealed: int
    erased: int
    head: str
    problems: tuple[str, ...]


def verify() -> Verified:
    """Compute every digest of the log again and compare it with what is stored."""
    problems: list[str] = []
    previous, entries, erased, seals = "", 0, 0, 0
    for one in AuditSeal.objects.order_by("pk").iterator():
        digests: list[str] = []
        for row in AuditEntry.objects.filter(seal=one).order_by("pk").iterator():
            problems += _wrong(row)
            digests.append(entry_digest(row))
            erased += row.personal is None
        seals, entries = seals + 1, entries + len(digests)
        if one.previous != previous:
            problems.append(f"Seal {one.pk} doesn't follow the seal before it. A seal was removed or changed.")
        elif len(digests) != one.entries:
            problems.append(f"Seal {one.pk} covers {one.entries} entries, but {len(digests)} are there.")
        elif seal_digest(previous, digests) != one.digest:
            problems.append(f"Seal {one.pk} doesn't match its entries. An entry was changed or replaced.")
        previous = one.digest
    unsealed = 0
    for row in AuditEntry.objects.filter(seal=None).order_by("pk").iterator():
        problems += _wrong(row)
        erased += row.personal is None
        unsealed += 1
    return Verified(entries + unsealed, seals, unsealed, erased, previous, tuple(problems))


def _wrong(row: AuditEntry) -> Iterator[str]:
    if entry_digest(row) != row.digest:
        yield f"Entry {row.pk} ({row.action}) was changed."
    elif row.personal is not None and digest_of(row.personal) != row.personal_digest:
        yield f"The names or addresses of entry {row.pk} ({row.action}) were changed."


def erase_personal(*, actor_id: int, email: str) -> int:
    """Erase the names and addresses of this person and return the number of entries. All else stays unchanged."""
    about = models.Q(actor_id=actor_id)
    for name in ("email", "person", "holder"):
        about |= models.Q(**{f"personal__{name}": email})
    return AuditEntry.objects.filter(about, personal__isnull=False).update(personal=None)
