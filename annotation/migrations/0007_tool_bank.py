"""The tool bank. The column that plans get is filled in the next migration, which also brings the trigger back."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def without_trigger(apps, schema_editor):
    """A new column of a submitted plan is no change of what it says, but the trigger of migration 0002 cannot know."""
    table = " ON annotation_plantool" if schema_editor.connection.vendor == "postgresql" else ""
    schema_editor.execute(f"DROP TRIGGER annotation_plantool_submitted{table}")


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0006_facets_of_what_is_submitted_never_change"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(without_trigger, migrations.RunPython.noop),
        migrations.CreateModel(
            name="BankTool",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(help_text="What it is called now.", max_length=255)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("proposed", "proposed"),
                            ("accepted", "accepted"),
                            ("merged", "merged"),
                            ("refused", "refused"),
                        ],
                        default="accepted",
                        max_length=8,
                    ),
                ),
                (
                    "segment",
                    models.CharField(blank=True, default="", help_text="UNSPSC segment, two digits.", max_length=2),
                ),
                ("reason", models.TextField(blank=True, default="", help_text="Why the lead refused it.")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["benchmark", "name", "pk"],
            },
        ),
        migrations.CreateModel(
            name="ToolName",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=255)),
                (
                    "key",
                    models.CharField(
                        help_text="The name in the form for comparison; see PlanTool.key.", max_length=255
                    ),
                ),
            ],
            options={
                "ordering": ["tool", "name"],
            },
        ),
        migrations.AddField(
            model_name="plantool",
            name="key",
            field=models.CharField(
                default="",
                editable=False,
                help_text="The name in the form that the tool bank searches.",
                max_length=255,
            ),
        ),
        migrations.AlterField(
            model_name="facetvalue",
            name="kind",
            field=models.CharField(
                choices=[("text", "Text"), ("json", "Json"), ("bank", "from the tool bank")],
                default="text",
                max_length=4,
            ),
        ),
        migrations.AddIndex(
            model_name="plantool",
            index=models.Index(fields=["key"], name="plan_tool_by_key"),
        ),
        migrations.AddField(
            model_name="banktool",
            name="benchmark",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="tools", to="annotation.benchmark"
            ),
        ),
        migrations.AddField(
            model_name="banktool",
            name="decided_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="banktool",
            name="merged_into",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="merged",
                to="annotation.banktool",
            ),
        ),
        migrations.AddField(
            model_name="banktool",
            name="proposed_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="proposed_tools",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="toolname",
            name="benchmark",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="tool_names", to="annotation.benchmark"
            ),
        ),
        migrations.AddField(
            model_name="toolname",
            name="tool",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="names", to="annotation.banktool"
            ),
        ),
        migrations.AddIndex(
            model_name="banktool",
            index=models.Index(fields=["benchmark", "state", "name"], name="tool_in_order"),
        ),
        migrations.AddIndex(
            model_name="banktool",
            index=models.Index(fields=["proposed_by", "benchmark"], name="tool_by_proposer"),
        ),
        migrations.AddConstraint(
            model_name="banktool",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("merged_into__isnull", False), ("state", "merged")),
                    models.Q(models.Q(("state", "merged"), _negated=True), ("merged_into__isnull", True)),
                    _connector="OR",
                ),
                name="tool_merged_into_another",
            ),
        ),
        migrations.AddConstraint(
            model_name="banktool",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "refused"), _negated=True),
                    models.Q(("reason", ""), _negated=True),
                    _connector="OR",
                ),
                name="tool_refused_for_a_reason",
            ),
        ),
        migrations.AddConstraint(
            model_name="toolname",
            constraint=models.UniqueConstraint(fields=("benchmark", "key"), name="tool_name_means_one_tool"),
        ),
    ]
