"""An annotator can submit that the question of another cannot be answered. The reason never changes, as other content
(migration 0002)."""

from django.db import migrations, models

SQLITE = (
    "CREATE TRIGGER revision_reason_submitted BEFORE UPDATE ON annotation_revision "
    "WHEN OLD.submitted_at IS NOT NULL AND NEW.unanswerable IS NOT OLD.unanswerable "
    "BEGIN SELECT RAISE(ABORT, 'submitted revisions never change'); END"
)
POSTGRESQL = (
    "CREATE TRIGGER revision_reason_submitted BEFORE UPDATE ON annotation_revision FOR EACH ROW "
    "WHEN (OLD.submitted_at IS NOT NULL AND NEW.unanswerable IS DISTINCT FROM OLD.unanswerable) "
    "EXECUTE FUNCTION refuse_submitted()"
)


def add(apps, schema_editor):
    schema_editor.execute(POSTGRESQL if schema_editor.connection.vendor == "postgresql" else SQLITE)


def remove(apps, schema_editor):
    table = " ON annotation_revision" if schema_editor.connection.vendor == "postgresql" else ""
    schema_editor.execute(f"DROP TRIGGER revision_reason_submitted{table}")


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0037_qualification"),
    ]

    operations = [
        migrations.AddField(
            model_name="revision",
            name="unanswerable",
            field=models.TextField(
                blank=True, help_text="Why the question cannot be answered; null: it is answered.", null=True
            ),
        ),
        migrations.RunPython(add, remove),
    ]
