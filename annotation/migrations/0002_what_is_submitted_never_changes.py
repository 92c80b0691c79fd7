"""Triggers that refuse any change of a submitted revision's content and of a frozen version."""

from django.db import migrations

CONTENT = (
    "question",
    "answer_type",
    "options",
    "answers",
    "ordered",
    "digest",
    "number",
    "annotation_id",
    "submitted_at",
)
PARTS = ("annotation_referencecall", "annotation_plantool")

SUBMITTED = "submitted revisions never change"
FROZEN = "frozen versions never change"


def _sqlite():
    changed = " OR ".join(f"NEW.{c} IS NOT OLD.{c}" for c in CONTENT)
    yield (
        "CREATE TRIGGER revision_submitted BEFORE UPDATE ON annotation_revision "
        f"WHEN OLD.submitted_at IS NOT NULL AND ({changed}) BEGIN SELECT RAISE(ABORT, '{SUBMITTED}'); END"
    )
    for table in PARTS:
        yield (
            f"CREATE TRIGGER {table}_submitted BEFORE UPDATE ON {table} "
            "WHEN (SELECT submitted_at FROM annotation_revision WHERE id = OLD.revision_id) IS NOT NULL "
            f"BEGIN SELECT RAISE(ABORT, '{SUBMITTED}'); END"
        )
    for table in ("annotation_version", "annotation_versionentry"):
        yield (f"CREATE TRIGGER {table}_frozen BEFORE UPDATE ON {table} BEGIN SELECT RAISE(ABORT, '{FROZEN}'); END")


def _postgresql():
    changed = " OR ".join(f"NEW.{c} IS DISTINCT FROM OLD.{c}" for c in CONTENT)
    for name, message in (("refuse_submitted", SUBMITTED), ("refuse_frozen", FROZEN)):
        yield (
            f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '{message}' USING ERRCODE = 'integrity_constraint_violation'; END $$"
        )
    yield (
        "CREATE FUNCTION refuse_submitted_part() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "IF (SELECT submitted_at FROM annotation_revision WHERE id = OLD.revision_id) IS NOT NULL THEN "
        f"RAISE EXCEPTION '{SUBMITTED}' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$"
    )
    yield (
        "CREATE TRIGGER revision_submitted BEFORE UPDATE ON annotation_revision FOR EACH ROW "
        f"WHEN (OLD.submitted_at IS NOT NULL AND ({changed})) EXECUTE FUNCTION refuse_submitted()"
    )
    for table in PARTS:
        yield (
            f"CREATE TRIGGER {table}_submitted BEFORE UPDATE ON {table} FOR EACH ROW "
            "EXECUTE FUNCTION refuse_submitted_part()"
        )
    for table in ("annotation_version", "annotation_versionentry"):
        yield (f"CREATE TRIGGER {table}_frozen BEFORE UPDATE ON {table} FOR EACH ROW EXECUTE FUNCTION refuse_frozen()")


def add(apps, schema_editor):
    for statement in _postgresql() if schema_editor.connection.vendor == "postgresql" else _sqlite():
        schema_editor.execute(statement)


def remove(apps, schema_editor):
    postgresql = schema_editor.connection.vendor == "postgresql"
    for trigger, table in [
        ("revision_submitted", "annotation_revision"),
        *((f"{table}_submitted", table) for table in PARTS),
        *((f"{table}_frozen", table) for table in ("annotation_version", "annotation_versionentry")),
    ]:
        schema_editor.execute(f"DROP TRIGGER {trigger}" + (f" ON {table}" if postgresql else ""))
    if postgresql:
        for name in ("refuse_submitted", "refuse_frozen", "refuse_submitted_part"):
            schema_editor.execute(f"DROP FUNCTION {name}()")


class Migration(migrations.Migration):
    dependencies = [("annotation", "0001_benchmarks_samples_annotations")]

    operations = [migrations.RunPython(add, remove)]
