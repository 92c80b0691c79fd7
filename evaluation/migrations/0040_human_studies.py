"""Human studies: the samples that were drawn, who takes part, what they answer. No row of an earlier release changes."""

import functools
import secrets

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0032_remote_endpoints"),
        ("evaluation", "0039_drawn_labels"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name="experiment",
            name="kind",
            field=models.CharField(
                choices=[("run", "Run"), ("arms", "Arms"), ("judge", "Judge"), ("human", "Human")],
                default="run",
                max_length=8,
            ),
        ),
        migrations.CreateModel(
            name="HumanAnswer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "key",
                    models.CharField(
                        default=functools.partial(secrets.token_urlsafe, *(16,)),
                        help_text="Its name in addresses. Random.",
                        max_length=22,
                        unique=True,
                    ),
                ),
                ("place", models.PositiveSmallIntegerField(null=True)),
                ("answer", models.TextField(null=True)),
                ("recognition", models.JSONField(null=True)),
                ("plan", models.JSONField(null=True)),
                ("familiarity", models.PositiveSmallIntegerField(null=True)),
                ("unsure", models.BooleanField(default=False)),
                ("seconds", models.FloatField(null=True)),
                ("steps", models.JSONField(default=list)),
                ("taken_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("done_at", models.DateTimeField(null=True)),
                (
                    "experiment",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="human_answers",
                        to="evaluation.experiment",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="human_answers",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "sample",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="annotation.sample"
                    ),
                ),
            ],
            options={
                "ordering": ["experiment", "pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("experiment", "sample", "person"), name="human_answer_once"),
                    models.UniqueConstraint(
                        fields=("experiment", "sample", "place"), name="human_answer_once_per_place"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("done_at", None),
                            models.Q(("familiarity__gte", 1), ("familiarity__lte", 5), ("place__isnull", False)),
                            _connector="OR",
                        ),
                        name="human_answer_done_with_familiarity",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Participant",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("begun_at", models.DateTimeField(auto_now_add=True)),
                ("finished_at", models.DateTimeField(null=True)),
                (
                    "experiment",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="participants",
                        to="evaluation.experiment",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="studies", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "ordering": ["experiment", "number"],
                "constraints": [
                    models.UniqueConstraint(fields=("experiment", "person"), name="participant_once"),
                    models.UniqueConstraint(fields=("experiment", "number"), name="participant_number_once"),
                ],
            },
        ),
        migrations.CreateModel(
            name="StudySample",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("stratum", models.PositiveIntegerField()),
                (
                    "experiment",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="study_samples",
                        to="evaluation.experiment",
                    ),
                ),
                (
                    "sample",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="annotation.sample"
                    ),
                ),
            ],
            options={
                "ordering": ["experiment", "pk"],
                "constraints": [models.UniqueConstraint(fields=("experiment", "sample"), name="study_sample_once")],
            },
        ),
    ]
