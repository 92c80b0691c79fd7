"""The facets of a submitted revision are as unchangeable as its other content (migration 0002)."""

from django.db import migrations

SQLITE = (
    "CREATE TRIGGER revision_facets_submitted BEFORE UPDATE ON annotation_revision "
    "WHEN OLD.submitted_at IS NOT NULL AND NEW.facets IS NOT OLD.facets "
    "BEGIN SELECT RAISE(ABORT, 'submitted revisions never change'); END"
)
POSTGRESQL = (
    "CREATE TRIGGER revision_facets_submitted BEFORE UPDATE ON annotation_revision FOR EACH ROW "
    "WHEN (OLD.submitted_at IS NOT NULL AND NEW.facets IS DISTINCT FROM OLD.facets) "
    "EXECUTE FUNCTION refuse_submitted()"
)


def add(apps, schema_editor):
    schema_editor.execute(POSTGRESQL if schema_editor.connection.vendor == "postgresql" else SQLITE)


def remove(apps, schema_editor):
    table = " ON annotation_revision" if schema_editor.connection.vendor == "postgresql" else ""
    schema_editor.execute(f"DROP TRIGGER revision_facets_submitted{table}")


class Migration(migrations.Migration):
    dependencies = [("annotation", "0005_annotating_and_reviewing")]

    operations = [migrations.RunPython(add, remove)]
