"""Endpoints and experiments with their attempts and exchanges. No row of an earlier release changes."""

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0032_remote_endpoints"),
        ("evaluation", "0035_list_files"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Attempt",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("rollout", models.PositiveSmallIntegerField(default=0)),
                (
                    "trial",
                    models.BooleanField(default=False, help_text="One of the first few, which price the others."),
                ),
                ("digest", models.CharField(max_length=64)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("skipped", "Skipped"),
                        ],
                        default="queued",
                        max_length=8,
                    ),
                ),
                ("claim", models.CharField(blank=True, default="", max_length=120)),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("restarts", models.PositiveSmallIntegerField(default=0)),
                ("error_kind", models.CharField(blank=True, default="", max_length=16)),
                ("error", models.TextField(blank=True, default="")),
                ("finished_at", models.DateTimeField(null=True)),
                (
                    "reused_from",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="evaluation.attempt",
                    ),
                ),
                (
                    "sample",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="attempts", to="annotation.sample"
                    ),
                ),
                (
                    "trajectory",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="attempts",
                        to="evaluation.trajectory",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="Endpoint",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "name",
                    models.CharField(
                        max_length=60,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z0-9][a-z0-9-]*$",
                                "Use lowercase letters, digits and hyphens. Start with a letter or digit.",
                            )
                        ],
                    ),
                ),
                ("preset", models.CharField(default="generic", max_length=20)),
                ("base_url", models.CharField(max_length=500)),
                ("model", models.CharField(help_text="The name of the model in requests.", max_length=200)),
                (
                    "label",
                    models.CharField(
                        blank=True, default="", help_text="The name of the model on pages.", max_length=200
                    ),
                ),
                (
                    "family",
                    models.CharField(
                        blank=True, default="", help_text="The family that image tokens follow.", max_length=20
                    ),
                ),
                ("dialect", models.CharField(default="tools", max_length=20)),
                ("frame", models.CharField(default="pixels", max_length=10)),
                (
                    "key_name",
                    models.CharField(
                        blank=True,
                        default="",
                        max_length=64,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[A-Z][A-Z0-9_]{0,63}$", "Use capital letters, digits and underscores."
                            )
                        ],
                    ),
                ),
                ("sealed_key", models.TextField(blank=True, default="", editable=False)),
                ("limits", models.JSONField(blank=True, default=dict)),
                ("prices", models.JSONField(blank=True, default=dict)),
                ("capabilities", models.JSONField(blank=True, default=dict)),
                ("checked_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "benchmark",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="endpoints",
                        to="annotation.benchmark",
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
            ],
            options={
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="Exchange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("n", models.PositiveSmallIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[("sent", "Sent"), ("answered", "Answered"), ("failed", "Failed")],
                        default="sent",
                        max_length=8,
                    ),
                ),
                ("request_digest", models.CharField(max_length=64)),
                ("request", models.BinaryField()),
                ("response", models.BinaryField(null=True)),
                ("status", models.PositiveSmallIntegerField(null=True)),
                ("started_at", models.DateTimeField()),
                ("milliseconds", models.PositiveIntegerField(null=True)),
                ("retries", models.PositiveSmallIntegerField(default=0)),
                ("input_tokens", models.PositiveIntegerField(null=True)),
                ("cached_tokens", models.PositiveIntegerField(null=True)),
                ("output_tokens", models.PositiveIntegerField(null=True)),
                ("estimated", models.BooleanField(default=False)),
                ("usd", models.FloatField(null=True)),
                ("reserved_usd", models.FloatField(default=0.0)),
                ("finish_reason", models.CharField(blank=True, default="", max_length=40)),
                ("served_model", models.CharField(blank=True, default="", max_length=200)),
                ("fingerprint", models.CharField(blank=True, default="", max_length=200)),
                (
                    "attempt",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="exchanges",
                        to="evaluation.attempt",
                    ),
                ),
            ],
            options={
                "ordering": ["attempt", "n"],
            },
        ),
        migrations.CreateModel(
            name="Experiment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("endpoint_name", models.CharField(max_length=60)),
                ("model", models.CharField(max_length=200)),
                ("setting", models.CharField(max_length=200)),
                ("samples", models.TextField(blank=True, default="")),
                ("rollouts", models.PositiveSmallIntegerField(default=1)),
                ("recipe", models.JSONField()),
                ("recipe_digest", models.CharField(max_length=64)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "Draft"),
                            ("trial", "Trial"),
                            ("ready", "Ready"),
                            ("running", "Running"),
                            ("paused", "Paused"),
                            ("done", "Done"),
                            ("stopped", "Stopped"),
                        ],
                        default="draft",
                        max_length=8,
                    ),
                ),
                (
                    "pause_reason",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("person", "Person"),
                            ("budget", "Budget"),
                            ("endpoint", "Endpoint"),
                            ("failed", "Failed"),
                        ],
                        default="",
                        max_length=8,
                    ),
                ),
                ("pause_note", models.TextField(blank=True, default="")),
                ("budget_usd", models.FloatField(default=5.0)),
                ("budget_calls", models.PositiveIntegerField(default=1000)),
                ("spent_usd", models.FloatField(default=0.0)),
                ("reserved_usd", models.FloatField(default=0.0)),
                ("calls", models.PositiveIntegerField(default=0)),
                ("failures_in_row", models.PositiveIntegerField(default=0)),
                ("job_id", models.CharField(blank=True, default="", max_length=36)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                (
                    "benchmark",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="experiments",
                        to="annotation.benchmark",
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
                (
                    "endpoint",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="experiments",
                        to="evaluation.endpoint",
                    ),
                ),
                (
                    "import_record",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="experiments",
                        to="annotation.importrecord",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="annotation.version",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.AddField(
            model_name="attempt",
            name="experiment",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="attempts",
                to="evaluation.experiment",
            ),
        ),
        migrations.CreateModel(
            name="SentImage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("sha256", models.CharField(max_length=64)),
                ("name", models.CharField(max_length=120)),
                ("media_type", models.CharField(max_length=40)),
                ("bytes", models.PositiveIntegerField()),
                ("width", models.PositiveIntegerField()),
                ("height", models.PositiveIntegerField()),
                (
                    "experiment",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="images",
                        to="evaluation.experiment",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="endpoint",
            constraint=models.UniqueConstraint(fields=("benchmark", "name"), name="endpoint_once"),
        ),
        migrations.AddConstraint(
            model_name="endpoint",
            constraint=models.UniqueConstraint(
                condition=models.Q(("benchmark", None)), fields=("name",), name="site_endpoint_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="exchange",
            constraint=models.UniqueConstraint(fields=("attempt", "n"), name="exchange_once"),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(fields=["experiment", "state"], name="attempt_by_state"),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(condition=models.Q(("state", "done")), fields=["digest"], name="attempt_by_digest"),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.UniqueConstraint(fields=("experiment", "sample", "rollout"), name="attempt_once"),
        ),
        migrations.AddIndex(
            model_name="sentimage",
            index=models.Index(fields=["sha256"], name="sent_image_by_content"),
        ),
        migrations.AddConstraint(
            model_name="sentimage",
            constraint=models.UniqueConstraint(fields=("experiment", "sha256"), name="sent_image_once"),
        ),
    ]
