"""Migrations 0001 and 0002 in one, for new databases: every table as it is after them."""

import uuid

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [("jobs", "0001_initial"), ("jobs", "0002_retries_and_references")]

    initial = True

    dependencies = [migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="Job",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("kind", models.CharField(max_length=80)),
                ("title", models.CharField(max_length=200)),
                ("payload", models.JSONField(default=dict)),
                ("key", models.CharField(blank=True, help_text="At most one live job has this key.", max_length=200)),
                (
                    "benchmark",
                    models.CharField(blank=True, help_text="Slug of the benchmark it belongs to.", max_length=100),
                ),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                ("started", models.DateTimeField(blank=True, null=True)),
                ("finished", models.DateTimeField(blank=True, null=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Waiting"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Needs you"),
                            ("cancelled", "Stopped"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("cancel_requested", models.BooleanField(default=False)),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("vanished", models.PositiveIntegerField(default=0)),
                (
                    "worker",
                    models.CharField(
                        blank=True, help_text="Fresh for each claim; whoever knows it may write.", max_length=120
                    ),
                ),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("sent_at", models.DateTimeField(blank=True, null=True)),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(blank=True, null=True)),
                ("done_at_start", models.PositiveIntegerField(default=0)),
                ("unit", models.CharField(blank=True, max_length=40)),
                ("checkpoint", models.JSONField(default=dict)),
                ("error", models.TextField(blank=True)),
                ("result", models.JSONField(default=dict)),
                ("result_url", models.CharField(blank=True, max_length=500)),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="jobs",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("failing_since", models.DateTimeField(blank=True, null=True)),
                ("failures", models.PositiveIntegerField(db_default=0, default=0)),
                (
                    "not_before",
                    models.DateTimeField(
                        blank=True, help_text="When it may be tried again after an outage.", null=True
                    ),
                ),
                (
                    "request_id",
                    models.CharField(
                        blank=True, db_default="", help_text="Reference of the request that started it.", max_length=64
                    ),
                ),
            ],
            options={
                "ordering": ("-created", "-id"),
                "indexes": [
                    models.Index(fields=["state", "created"], name="job_state"),
                    models.Index(fields=["created_by", "-created"], name="job_creator"),
                    models.Index(fields=["benchmark", "-created"], name="job_benchmark"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["queued", "running"]), models.Q(("key", ""), _negated=True)),
                        fields=("key",),
                        name="job_one_live_per_key",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "running"), _negated=True),
                            ("lease_until__isnull", False),
                            _connector="OR",
                        ),
                        name="job_running_has_lease",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="JobLog",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "level",
                    models.CharField(
                        choices=[("info", "Note"), ("warning", "Look at this"), ("error", "Failed")],
                        default="info",
                        max_length=10,
                    ),
                ),
                ("text", models.TextField()),
                (
                    "job",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="lines", to="jobs.job"),
                ),
            ],
            options={
                "verbose_name": "line of a job",
                "verbose_name_plural": "lines of jobs",
                "ordering": ("id",),
            },
        ),
    ]
