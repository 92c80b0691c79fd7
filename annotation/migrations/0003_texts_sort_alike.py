"""Names sort by code point on PostgreSQL, as they do on SQLite: lists and exports are the same on both."""

from django.db import migrations

COLUMNS = [
    ("annotation_sample", "key", "varchar(200)"),
    ("annotation_facetvalue", "name", "varchar(60)"),
    ("annotation_facetvalue", "value", "varchar(200)"),
]


def by_code_point(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        for table, column, kind in COLUMNS:
            schema_editor.execute(f'ALTER TABLE {table} ALTER COLUMN {column} TYPE {kind} COLLATE "C"')


class Migration(migrations.Migration):
    dependencies = [("annotation", "0002_what_is_submitted_never_changes")]

    operations = [migrations.RunPython(by_code_point, migrations.RunPython.noop)]
