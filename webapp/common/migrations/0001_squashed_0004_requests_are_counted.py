"""Migrations 0001 to 0004 in one, for new databases: every table and trigger as it is after them."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

KEPT = (
    "id", "actor_id", "action", "subject_type", "subject_id", "benchmark", "before", "after", "reason", "data",
    "created", "request", "personal_digest", "digest",
)  # fmt: skip
REFUSED = (
    ("audit_never_deleted", "DELETE", "common_auditentry"),
    ("audit_seal_never_changed", "UPDATE", "common_auditseal"),
    ("audit_seal_never_deleted", "DELETE", "common_auditseal"),
)
NEVER = "audit entries never change"


def statements(vendor):
    """Triggers that refuse any change or deletion but erasing a person."""
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


def add(apps, schema_editor):
    for statement in statements(schema_editor.connection.vendor):
        schema_editor.execute(statement)


def remove(apps, schema_editor):
    """The triggers go with their tables."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP FUNCTION refuse_audit_change() CASCADE")


class Migration(migrations.Migration):
    replaces = [
        ("common", "0001_initial"),
        ("common", "0002_audit_entries_are_chained"),
        ("common", "0003_audit_entries_never_change"),
        ("common", "0004_requests_are_counted"),
    ]

    initial = True

    dependencies = [migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="AuditSeal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("previous", models.CharField(blank=True, max_length=64, unique=True)),
                ("entries", models.PositiveIntegerField()),
                ("digest", models.CharField(max_length=64)),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ("id",),
            },
        ),
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("action", models.CharField(max_length=80)),
                ("subject_type", models.CharField(blank=True, max_length=80)),
                ("subject_id", models.CharField(blank=True, max_length=80)),
                (
                    "benchmark",
                    models.CharField(blank=True, help_text="Slug of the benchmark it happened in.", max_length=100),
                ),
                ("before", models.CharField(blank=True, max_length=40)),
                ("after", models.CharField(blank=True, max_length=40)),
                ("reason", models.TextField(blank=True)),
                ("data", models.JSONField(blank=True, default=dict)),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "actor",
                    models.ForeignKey(
                        help_text="Empty: automatic.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("digest", models.CharField(max_length=64)),
                ("personal", models.JSONField(help_text="Names and addresses, with a salt. Null: erased.", null=True)),
                ("personal_digest", models.CharField(max_length=64)),
                (
                    "request",
                    models.CharField(
                        blank=True, help_text="Reference of the request; empty: a command, a job.", max_length=64
                    ),
                ),
                (
                    "seal",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="sealed",
                        to="common.auditseal",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "audit entries",
                "ordering": ("-created", "-id"),
                "indexes": [
                    models.Index(fields=["subject_type", "subject_id", "-created"], name="audit_subject"),
                    models.Index(fields=["benchmark", "-created"], name="audit_benchmark"),
                    models.Index(fields=["-created"], name="audit_created"),
                    models.Index(condition=models.Q(("seal", None)), fields=["id"], name="audit_unsealed"),
                ],
            },
        ),
        migrations.CreateModel(
            name="RequestCount",
            fields=[
                ("key", models.CharField(max_length=120, primary_key=True, serialize=False)),
                ("count", models.PositiveIntegerField()),
                ("until", models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.RunPython(add, remove),
    ]
