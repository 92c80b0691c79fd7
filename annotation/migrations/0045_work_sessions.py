"""Active time of people on samples."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0044_webhooks"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="WorkClock",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("counted", models.JSONField(default=list)),
                (
                    "person",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="WorkSession",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "role",
                    models.CharField(
                        choices=[("annotate", "annotating"), ("review", "reviewing"), ("adjudicate", "adjudicating")],
                        max_length=10,
                    ),
                ),
                ("page", models.CharField(max_length=32)),
                ("day", models.DateField(help_text="In UTC.")),
                ("started", models.DateTimeField()),
                ("ended", models.DateTimeField()),
                ("active_seconds", models.FloatField(default=0)),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="work_sessions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "sample",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="work_sessions",
                        to="annotation.sample",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["sample", "role"], name="work_session_by_sample")],
                "constraints": [
                    models.UniqueConstraint(fields=("person", "page", "day"), name="work_session_once_a_day"),
                    models.CheckConstraint(
                        condition=models.Q(("active_seconds__gte", 0)), name="work_session_not_negative"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("ended__gte", models.F("started"))), name="work_session_ends_after_start"
                    ),
                ],
            },
        ),
    ]
