"""Names sort by code point on PostgreSQL, as they do on SQLite: lists and exports are the same on both."""

from django.db import migrations

COLUMNS = [
    ("evaluation_model", "name", "varchar(200)"),
    ("evaluation_run", "setting", "varchar(200)"),
    ("evaluation_trajectory", "condition", "varchar(40)"),
    ("evaluation_intervention", "condition", "varchar(40)"),
    ("evaluation_judgement", "judge", "varchar(200)"),
    ("evaluation_rolloutgroup", "group_id", "varchar(200)"),
    ("evaluation_metric", "slice", "varchar(200)"),
]


def by_code_point(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        for table, column, kind in COLUMNS:
            schema_editor.execute(f'ALTER TABLE {table} ALTER COLUMN {column} TYPE {kind} COLLATE "C"')


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0001_runs_trajectories_scores")]

    operations = [migrations.RunPython(by_code_point, migrations.RunPython.noop)]
