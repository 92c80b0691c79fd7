"""The audit log: what is in it, that nothing of it changes, and that a change made behind its back is found."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from hypothesis import given
from hypothesis import strategies as st

from tests.databases import audit_triggers_off
from tests.factories import make_user
from webapp.accounts.models import User
from webapp.common import audit
from webapp.common.audit_chain import digest_of, entry_digest
from webapp.common.models import AuditEntry, AuditSeal

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**15), 10**15) | st.floats(allow_nan=False, width=32) | st.text(),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(), part, max_size=3),
)


@given(value=JSON)
def test_a_digest_survives_the_way_through_json(value: Any) -> None:
    """D5.2: a database returns keys in another order and 1.0 as 1."""
    assert digest_of(json.loads(json.dumps(value))) == digest_of(value)


def test_every_field_of_an_entry_is_in_its_digest() -> None:
    """D5.2"""
    at = datetime(2026, 5, 4, tzinfo=UTC)
    fields: dict[str, Any] = {
        "actor_id": 1, "action": "a", "subject_type": "b", "subject_id": "2", "benchmark": "c", "before": "d",
        "after": "e", "reason": "f", "data": {"n": 1}, "created": at, "request": "g", "personal_digest": "h",
    }  # fmt: skip
    whole = entry_digest(SimpleNamespace(**fields))
    for name, value in fields.items():
        other: Any = at.replace(year=2027) if name == "created" else {"n": 2} if name == "data" else f"{value}."
        assert entry_digest(SimpleNamespace(**fields | {name: other})) != whole, name


@pytest.fixture
def entries(db: None, ana: User) -> list[AuditEntry]:
    """Three entries of Ana's, the first two sealed."""
    made = [audit.record(actor=ana, action="note.write", subject=ana, data={"n": n}) for n in range(2)]
    assert audit.seal() == 2
    return [*made, audit.record(actor=ana, action="note.delete", subject=ana, personal={"email": ana.email})]


CHANGES = [
    "UPDATE common_auditentry SET reason = 'other'",
    "UPDATE common_auditentry SET actor_id = NULL",
    "UPDATE common_auditentry SET personal = '{}'",
    "UPDATE common_auditentry SET seal_id = NULL WHERE seal_id IS NOT NULL",
    "DELETE FROM common_auditentry WHERE action = 'note.write'",
    "UPDATE common_auditseal SET entries = 7",
    "DELETE FROM common_auditseal",
]


@pytest.mark.parametrize("change", CHANGES)
def test_the_database_refuses_to_change_or_delete_entries(entries: list[AuditEntry], change: str) -> None:
    """D5.2: through any door, that of the admin site and of a shell too."""
    refused = pytest.raises(IntegrityError, match="audit entries never change")
    with connection.cursor() as cursor, refused, transaction.atomic():
        cursor.execute(change)


def test_an_entry_keeps_the_name_that_its_actor_had(entries: list[AuditEntry], ana: User) -> None:
    """D5.2"""
    User.objects.filter(pk=ana.pk).update(name="Ana Lund")
    assert {entry.actor_name for entry in AuditEntry.objects.all()} == {"Ana Lind"}


def test_what_was_written_is_verified(entries: list[AuditEntry]) -> None:
    """D5.2"""
    call_command("audit_log", "verify")
    found = audit.verify()
    assert (found.entries, found.seals, found.unsealed, found.erased, found.problems) == (3, 2, 0, 0, ())
    assert found.head == AuditSeal.objects.last().digest  # type: ignore[union-attr]


@pytest.mark.parametrize("change", CHANGES[:-1])
def test_a_change_behind_the_database_is_found(entries: list[AuditEntry], change: str) -> None:
    """D5.2: by who can drop a trigger."""
    with transaction.atomic(), connection.cursor() as cursor, audit_triggers_off(cursor):
        cursor.execute(change)
    assert audit.verify().problems
    with pytest.raises(CommandError):
        call_command("audit_log", "verify")


def test_an_entry_that_was_replaced_with_its_digest_breaks_the_seal(entries: list[AuditEntry]) -> None:
    """D5.2: computing the digest of a forged entry anew is not enough."""
    forged = AuditEntry.objects.get(pk=entries[0].pk)
    forged.reason = "other"
    with transaction.atomic(), connection.cursor() as cursor, audit_triggers_off(cursor):
        AuditEntry.objects.filter(pk=forged.pk).update(reason="other", digest=entry_digest(forged))
    assert "doesn't match its entries" in audit.verify().problems[0]


def test_names_can_be_erased_and_the_log_stays_whole(entries: list[AuditEntry], ana: User) -> None:
    """D5.3: the salt goes with them, so that a digest which is left tells nothing."""
    rui = make_user("Rui Costa")
    audit.record(actor=rui, action="member.add", subject=rui, personal={"person": ana.email})
    kept = audit.record(actor=rui, action="note.write", subject=rui)
    assert audit.erase_personal(actor_id=ana.pk, email=ana.email) == 4
    assert list(AuditEntry.objects.filter(personal__isnull=False)) == [kept]
    assert audit.verify().problems == ()


def test_the_log_is_exported_whole_or_of_one_benchmark(entries: list[AuditEntry], ana: User, tmp_path: Any) -> None:
    """D5.1"""
    audit.record(actor=ana, action="note.write", subject=ana, benchmark="street")
    file = tmp_path / "log.jsonl"
    for arguments, lines in ([], 4), (["--benchmark", "street"], 1):
        call_command("audit_log", "export", "--output", str(file), *arguments)
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        assert len(rows) == lines
        assert {row["personal"]["actor"] for row in rows} == {"Ana Lind"}
