"""The task of a benchmark as a schema, and what the words of facets mean after it was changed."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0040_problems"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="BenchmarkSchema",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[("draft", "draft"), ("active", "in force"), ("retired", "retired")],
                        default="draft",
                        max_length=7,
                    ),
                ),
                ("content", models.JSONField(help_text="See annotation.task_schema.")),
                ("note", models.CharField(blank=True, default="", help_text="What changed.", max_length=300)),
                ("version", models.PositiveIntegerField(default=1, help_text="Raised by each save of the draft.")),
                ("changed_at", models.DateTimeField(auto_now=True)),
                ("activated_at", models.DateTimeField(blank=True, null=True)),
                (
                    "benchmark",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="schemas", to="annotation.benchmark"
                    ),
                ),
                (
                    "changed_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["benchmark_id", "-number"],
                "constraints": [
                    models.UniqueConstraint(fields=("benchmark", "number"), name="schema_number_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("state", "draft")), fields=("benchmark",), name="schema_one_draft"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state", "active")), fields=("benchmark",), name="schema_one_in_force"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("activated_at__isnull", True), ("state", "draft")),
                            models.Q(models.Q(("state", "draft"), _negated=True), ("activated_at__isnull", False)),
                            _connector="OR",
                        ),
                        name="schema_activated_once",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="FacetAlias",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60)),
                ("old", models.CharField(max_length=200)),
                ("new", models.CharField(blank=True, max_length=200)),
                (
                    "benchmark",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="facet_aliases",
                        to="annotation.benchmark",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("benchmark", "name", "old"), name="facet_alias_once"),
                    models.CheckConstraint(
                        condition=models.Q(("old", models.F("new")), _negated=True), name="facet_alias_is_another"
                    ),
                ],
            },
        ),
    ]
