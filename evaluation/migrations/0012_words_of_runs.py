"""The index of words; its words sort by code point on PostgreSQL, as they do on SQLite."""

import django.db.models.deletion
from django.db import migrations, models


def by_code_point(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        for column in ("first", "last"):
            schema_editor.execute(
                f'ALTER TABLE evaluation_wordblock ALTER COLUMN {column} TYPE varchar(64) COLLATE "C"'
            )
        for column in ("words", "places"):
            # Packed already.
            schema_editor.execute(f"ALTER TABLE evaluation_wordblock ALTER COLUMN {column} SET STORAGE EXTERNAL")


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0011_pairs_of_tools")]

    operations = [
        migrations.CreateModel(
            name="WordPart",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("trajectories", models.BinaryField()),
                ("starts", models.BinaryField()),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="word_parts",
                        to="evaluation.run",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="WordBlock",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("first", models.CharField(max_length=64)),
                ("last", models.CharField(max_length=64)),
                ("words", models.BinaryField()),
                ("places", models.BinaryField()),
                (
                    "part",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="blocks",
                        to="evaluation.wordpart",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["part", "first", "last"], name="word_block_by_words")],
            },
        ),
        migrations.RunPython(by_code_point, migrations.RunPython.noop),
    ]
