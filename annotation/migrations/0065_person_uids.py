"""People have an identity of their own in the portable files of a benchmark."""

import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0064_portable_updates"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="PersonUid",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uid", models.UUIDField(default=uuid.uuid4)),
                ("known_as", models.UUIDField(blank=True, null=True)),
                ("address", models.CharField(blank=True, default="", max_length=254)),
                (
                    "benchmark",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="person_uids",
                        to="annotation.benchmark",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("benchmark", "user"), name="person_uid_one_per_person"),
                    models.UniqueConstraint(fields=("benchmark", "uid"), name="person_uid_unique"),
                ],
            },
        ),
    ]
