import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0009_chain_of_a_score"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Replay",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("image", models.CharField(help_text="SHA-256 of the image it ran on.", max_length=64)),
                ("opencv", models.CharField(help_text="The version of the library it ran with.", max_length=40)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "person",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "trajectory",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="replay", to="evaluation.trajectory"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ReplayedStep",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveIntegerField()),
                ("outcome", models.CharField(max_length=10)),
                ("reason", models.TextField(blank=True, default="")),
                ("ok", models.BooleanField(null=True)),
                ("x1", models.FloatField(null=True)),
                ("y1", models.FloatField(null=True)),
                ("x2", models.FloatField(null=True)),
                ("y2", models.FloatField(null=True)),
                ("out_width", models.PositiveIntegerField(null=True)),
                ("out_height", models.PositiveIntegerField(null=True)),
                (
                    "digest",
                    models.CharField(
                        blank=True, default="", help_text="sha256 of the pixels it returned.", max_length=64
                    ),
                ),
                (
                    "replay",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="steps",
                        to="evaluation.replay",
                    ),
                ),
            ],
            options={
                "ordering": ["replay", "position"],
                "constraints": [models.UniqueConstraint(fields=("replay", "position"), name="replayed_step_once")],
            },
        ),
    ]
