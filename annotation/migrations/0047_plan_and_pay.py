"""Work packages, rates, and closed months, whose lines never change."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

CLOSED = "closed months never change"
TABLES = ("annotation_payperiod", "annotation_payline")


def _statements(vendor):
    if vendor == "postgresql":
        yield (
            "CREATE FUNCTION refuse_closed() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '{CLOSED}' USING ERRCODE = 'integrity_constraint_violation'; END $$"
        )
    for table in TABLES:
        name = f"CREATE TRIGGER {table}_closed BEFORE UPDATE ON {table}"
        if vendor == "postgresql":
            yield f"{name} FOR EACH ROW EXECUTE FUNCTION refuse_closed()"
        else:
            yield f"{name} BEGIN SELECT RAISE(ABORT, '{CLOSED}'); END"


def add_triggers(apps, schema_editor):
    for statement in _statements(schema_editor.connection.vendor):
        schema_editor.execute(statement)


def remove_triggers(apps, schema_editor):
    of_table = schema_editor.connection.vendor == "postgresql"
    for table in TABLES:
        schema_editor.execute(f"DROP TRIGGER {table}_closed" + (f" ON {table}" if of_table else ""))
    if of_table:
        schema_editor.execute("DROP FUNCTION refuse_closed()")


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0046_sample_priority"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="PayPeriod",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("month", models.DateField(help_text="The first day of the month, in UTC.")),
                ("currency", models.CharField(blank=True, default="", max_length=3)),
                ("closed_at", models.DateTimeField()),
                (
                    "benchmark",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pay_periods",
                        to="annotation.benchmark",
                    ),
                ),
                (
                    "closed_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["benchmark_id", "-month"],
            },
        ),
        migrations.CreateModel(
            name="PayLine",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "role",
                    models.CharField(
                        choices=[("annotate", "annotating"), ("review", "reviewing"), ("adjudicate", "adjudicating")],
                        max_length=10,
                    ),
                ),
                ("submitted", models.PositiveIntegerField(default=0)),
                ("accepted", models.PositiveIntegerField(default=0)),
                ("reviewed", models.PositiveIntegerField(default=0)),
                ("adjudicated", models.PositiveIntegerField(default=0)),
                ("active_seconds", models.FloatField(blank=True, help_text="Null: none was recorded.", null=True)),
                ("median_seconds", models.FloatField(blank=True, null=True)),
                (
                    "decided",
                    models.PositiveIntegerField(
                        default=0, help_text="Of the submitted annotations, those with a decision."
                    ),
                ),
                (
                    "returned",
                    models.PositiveIntegerField(
                        default=0, help_text="Of these, those that were returned at least once."
                    ),
                ),
                (
                    "per",
                    models.CharField(
                        blank=True, choices=[("hour", "active hour"), ("sample", "sample")], default="", max_length=6
                    ),
                ),
                ("rate", models.DecimalField(blank=True, decimal_places=2, max_digits=10, null=True)),
                ("amount", models.DecimalField(blank=True, decimal_places=2, max_digits=14, null=True)),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "period",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="lines", to="annotation.payperiod"
                    ),
                ),
            ],
            options={
                "ordering": ["period_id", "pk"],
            },
        ),
        migrations.CreateModel(
            name="PayRate",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "role",
                    models.CharField(
                        choices=[("annotate", "annotating"), ("review", "reviewing"), ("adjudicate", "adjudicating")],
                        max_length=10,
                    ),
                ),
                ("per", models.CharField(choices=[("hour", "active hour"), ("sample", "sample")], max_length=6)),
                ("amount", models.DecimalField(decimal_places=2, max_digits=10)),
                (
                    "benchmark",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="pay_rates", to="annotation.benchmark"
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["role", "person_id"],
            },
        ),
        migrations.CreateModel(
            name="PaySettings",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("currency", models.CharField(max_length=3)),
                (
                    "benchmark",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="pay", to="annotation.benchmark"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "pay settings",
            },
        ),
        migrations.CreateModel(
            name="WorkPackage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("title", models.CharField(max_length=120)),
                ("query", models.TextField(blank=True, default="")),
                ("due_at", models.DateTimeField()),
                ("priority", models.PositiveSmallIntegerField(default=0)),
                ("reminded", models.PositiveSmallIntegerField(default=0)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "benchmark",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="packages", to="annotation.benchmark"
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("people", models.ManyToManyField(blank=True, related_name="packages", to=settings.AUTH_USER_MODEL)),
            ],
            options={
                "ordering": ["due_at", "pk"],
            },
        ),
        migrations.AddConstraint(
            model_name="payperiod",
            constraint=models.UniqueConstraint(fields=("benchmark", "month"), name="pay_period_once"),
        ),
        migrations.AddConstraint(
            model_name="payline",
            constraint=models.UniqueConstraint(fields=("period", "person", "role"), name="pay_line_once"),
        ),
        migrations.AddConstraint(
            model_name="payrate",
            constraint=models.UniqueConstraint(fields=("benchmark", "role", "person"), name="pay_rate_once_per_person"),
        ),
        migrations.AddConstraint(
            model_name="payrate",
            constraint=models.UniqueConstraint(
                condition=models.Q(("person__isnull", True)), fields=("benchmark", "role"), name="pay_rate_once_for_all"
            ),
        ),
        migrations.AddConstraint(
            model_name="payrate",
            constraint=models.CheckConstraint(condition=models.Q(("amount__gte", 0)), name="pay_rate_not_negative"),
        ),
        migrations.AddConstraint(
            model_name="workpackage",
            constraint=models.CheckConstraint(
                condition=models.Q(("priority__gte", 0), ("priority__lte", 9)), name="work_package_priority_to_nine"
            ),
        ),
        migrations.RunPython(add_triggers, remove_triggers),
    ]
