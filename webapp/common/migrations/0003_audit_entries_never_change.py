"""Digests of the entries that are there, and triggers that refuse any change or deletion but erasing a person."""

import hashlib
import json
import secrets
from datetime import UTC

from django.db import migrations

BATCH = 2000
CONTENT = (
    "actor_id",
    "action",
    "subject_type",
    "subject_id",
    "benchmark",
    "before",
    "after",
    "reason",
    "data",
    "request",
    "personal_digest",
)
ADDRESSES = ("email", "person", "holder")
NEVER = "audit entries never change"


def digest_of(value):
    text = json.dumps(canonical(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def canonical(value):
    if isinstance(value, dict):
        return {str(key): canonical(one) for key, one in value.items()}
    if isinstance(value, list):
        return [canonical(one) for one in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def fill(apps, schema_editor):
    """Names of actors and email addresses move to ``personal``, where they can be erased."""
    entries = apps.get_model("common", "AuditEntry").objects
    rows, fields = [], ("data", "personal", "personal_digest", "digest")
    for row in entries.select_related("actor").order_by("pk").iterator(BATCH):
        personal = {name: row.data.pop(name) for name in ADDRESSES if "@" in str(row.data.get(name, ""))}
        if row.actor is not None:
            personal["actor"] = row.actor.name or row.actor.email
        row.personal = {**personal, "salt": secrets.token_hex(16)} if personal else {}
        row.personal_digest = digest_of(row.personal)
        values = {name: getattr(row, name) for name in CONTENT}
        row.digest = digest_of(values | {"created": row.created.astimezone(UTC).isoformat(timespec="microseconds")})
        rows.append(row)
        if len(rows) == BATCH:
            entries.bulk_update(rows, fields)
            rows = []
    entries.bulk_update(rows, fields)


KEPT = (
    "id", "actor_id", "action", "subject_type", "subject_id", "benchmark", "before", "after", "reason", "data",
    "created", "request", "personal_digest", "digest",
)  # fmt: skip


def statements(vendor):
    differ = "IS DISTINCT FROM" if vendor == "postgresql" else "IS NOT"
    text = "::text" if vendor == "postgresql" else ""
    changed = " OR ".join(f'NEW."{name}"{text} {differ} OLD."{name}"{text}' for name in KEPT)
    changed += f" OR (NEW.personal IS NOT NULL AND NEW.personal{text} {differ} OLD.personal{text})"
    changed += " OR (OLD.seal_id IS NOT NULL AND NEW.seal_id " + differ + " OLD.seal_id)"
    if vendor == "postgresql":
        yield (
            "CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '{NEVER}' USING ERRCODE = 'integrity_constraint_violation'; END $$"
        )
        yield (
            "CREATE TRIGGER audit_never_changed BEFORE UPDATE ON common_auditentry FOR EACH ROW "
            f"WHEN ({changed}) EXECUTE FUNCTION refuse_audit_change()"
        )
        for name, event, table in REFUSED:
            yield (
                f"CREATE TRIGGER {name} BEFORE {event} ON {table} FOR EACH ROW EXECUTE FUNCTION refuse_audit_change()"
            )
        for table in ("common_auditentry", "common_auditseal"):
            yield (
                f"CREATE TRIGGER {table}_never_emptied BEFORE TRUNCATE ON {table} "
                "FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()"
            )
    else:
        refuse = f"BEGIN SELECT RAISE(ABORT, '{NEVER}'); END"
        yield f"CREATE TRIGGER audit_never_changed BEFORE UPDATE ON common_auditentry WHEN {changed} {refuse}"
        for name, event, table in REFUSED:
            yield f"CREATE TRIGGER {name} BEFORE {event} ON {table} {refuse}"


REFUSED = (
    ("audit_never_deleted", "DELETE", "common_auditentry"),
    ("audit_seal_never_changed", "UPDATE", "common_auditseal"),
    ("audit_seal_never_deleted", "DELETE", "common_auditseal"),
)


def add(apps, schema_editor):
    for statement in statements(schema_editor.connection.vendor):
        schema_editor.execute(statement)


def remove(apps, schema_editor):
    postgresql = schema_editor.connection.vendor == "postgresql"
    triggers = [("audit_never_changed", "common_auditentry"), *((name, table) for name, _, table in REFUSED)]
    if postgresql:
        triggers += [(f"{table}_never_emptied", table) for table in ("common_auditentry", "common_auditseal")]
    for name, table in triggers:
        schema_editor.execute(f"DROP TRIGGER {name}" + (f" ON {table}" if postgresql else ""))
    if postgresql:
        schema_editor.execute("DROP FUNCTION refuse_audit_change()")


class Migration(migrations.Migration):
    dependencies = [("common", "0002_audit_entries_are_chained")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop), migrations.RunPython(add, remove)]
