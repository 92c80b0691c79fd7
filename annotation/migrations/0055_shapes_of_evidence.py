"""Polygons and points as evidence. A trigger refuses a change of those of a submitted revision."""

import django.db.models.deletion
from django.db import migrations, models

TABLE = "annotation_goldshape"
SQLITE = (
    f"CREATE TRIGGER {TABLE}_submitted BEFORE UPDATE ON {TABLE} "
    "WHEN (SELECT submitted_at FROM annotation_revision WHERE id = OLD.revision_id) IS NOT NULL "
    "BEGIN SELECT RAISE(ABORT, 'submitted revisions never change'); END"
)
POSTGRESQL = (
    f"CREATE TRIGGER {TABLE}_submitted BEFORE UPDATE ON {TABLE} FOR EACH ROW EXECUTE FUNCTION refuse_submitted_part()"
)


def add(apps, schema_editor):
    schema_editor.execute(POSTGRESQL if schema_editor.connection.vendor == "postgresql" else SQLITE)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0054_building_board")]

    operations = [
        migrations.CreateModel(
            name="GoldShape",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveSmallIntegerField()),
                ("kind", models.CharField(choices=[("polygon", "polygon"), ("point", "point")], max_length=7)),
                (
                    "points",
                    models.JSONField(help_text="[[x, y], …]: the vertices of a polygon in order, or one point."),
                ),
                ("label", models.TextField(blank=True, default="")),
                ("source", models.TextField(blank=True, default="", help_text="As of a box.")),
                (
                    "revision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="gold_shapes",
                        to="annotation.revision",
                    ),
                ),
            ],
            options={
                "ordering": ["revision", "position"],
                "constraints": [
                    models.UniqueConstraint(fields=("revision", "position"), name="gold_shape_position_once"),
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["polygon", "point"])), name="gold_shape_of_known_kind"
                    ),
                ],
            },
        ),
        # The trigger goes with its table.
        migrations.RunPython(add, migrations.RunPython.noop),
    ]
