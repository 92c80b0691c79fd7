"""Samples can be deleted and withdrawn, images replaced and removed. No row of an earlier release changes."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0052_local_memberships"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ImageReplacement",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "boxes",
                    models.CharField(
                        choices=[("kept", "kept"), ("scaled", "scaled"), ("returned", "returned to the annotators")],
                        max_length=8,
                    ),
                ),
                ("comment", models.TextField(blank=True, default="")),
                ("replaced_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["sample_id", "replaced_at", "pk"],
            },
        ),
        migrations.AddField(
            model_name="sample",
            name="deleted_at",
            field=models.DateTimeField(blank=True, help_text="When it was deleted or withdrawn.", null=True),
        ),
        migrations.AddField(
            model_name="sample",
            name="deleted_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="sample",
            name="purging",
            field=models.BooleanField(
                db_default=False, default=False, help_text="A job deletes it permanently. It can't be restored."
            ),
        ),
        migrations.AddField(
            model_name="sample",
            name="removed_from",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="removed_samples",
                to="annotation.benchmark",
            ),
        ),
        migrations.AddField(
            model_name="sample",
            name="withdrawn",
            field=models.TextField(
                blank=True, db_default="", default="", help_text="Why it was withdrawn. Empty if it was not."
            ),
        ),
        migrations.AlterField(
            model_name="facetvalue",
            name="benchmark",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="annotation.benchmark",
            ),
        ),
        migrations.AlterField(
            model_name="image",
            name="state",
            field=models.CharField(
                choices=[
                    ("waiting", "Waiting"),
                    ("ready", "Ready"),
                    ("failed", "Failed"),
                    ("removed", "Removed"),
                    ("allowed", "Allowed"),
                ],
                default="waiting",
                max_length=8,
            ),
        ),
        migrations.AlterField(
            model_name="sample",
            name="benchmark",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="samples",
                to="annotation.benchmark",
            ),
        ),
        migrations.AddIndex(
            model_name="sample",
            index=models.Index(
                condition=models.Q(("removed_from__isnull", False)), fields=["removed_from"], name="sample_removed"
            ),
        ),
        migrations.AddConstraint(
            model_name="sample",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("benchmark__isnull", False),
                        ("deleted_at", None),
                        ("purging", False),
                        ("removed_from", None),
                        ("withdrawn", ""),
                    ),
                    models.Q(("benchmark", None), ("deleted_at__isnull", False), ("removed_from__isnull", False)),
                    _connector="OR",
                ),
                name="sample_in_place_or_removed",
            ),
        ),
        migrations.AddField(
            model_name="imagereplacement",
            name="image",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="replacements", to="annotation.image"
            ),
        ),
        migrations.AddField(
            model_name="imagereplacement",
            name="replaced_by",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="imagereplacement",
            name="sample",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="replacements", to="annotation.sample"
            ),
        ),
    ]
