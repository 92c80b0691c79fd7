"""The qualification test of annotators."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0036_guidelines"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="QualificationAttempt",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveSmallIntegerField()),
                (
                    "needed",
                    models.FloatField(help_text="Share of its samples to pass, fixed when the attempt began."),
                ),
                ("passed", models.BooleanField(blank=True, null=True)),
                ("reason", models.CharField(blank=True, default="", max_length=300)),
                ("began_at", models.DateTimeField(auto_now_add=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["benchmark_id", "user_id", "number"],
            },
        ),
        migrations.AddField(
            model_name="qualityrules",
            name="quiz_attempts",
            field=models.PositiveSmallIntegerField(db_default=2, default=2, help_text="Attempts per person."),
        ),
        migrations.AddField(
            model_name="qualityrules",
            name="quiz_pass",
            field=models.FloatField(db_default=0.8, default=0.8, help_text="Share of its samples to pass."),
        ),
        migrations.AddField(
            model_name="qualityrules",
            name="quiz_size",
            field=models.PositiveSmallIntegerField(
                db_default=0, default=0, help_text="Samples of the qualification test; 0: annotators need none."
            ),
        ),
        migrations.AddConstraint(
            model_name="qualityrules",
            constraint=models.CheckConstraint(
                condition=models.Q(("quiz_pass__gt", 0), ("quiz_pass__lte", 1)), name="quality_quiz_pass"
            ),
        ),
        migrations.AddField(
            model_name="qualificationattempt",
            name="benchmark",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="qualifications", to="annotation.benchmark"
            ),
        ),
        migrations.AddField(
            model_name="qualificationattempt",
            name="user",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="qualifications", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="qualificationattempt",
            name="waived_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="checkanswer",
            name="attempt",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="answers",
                to="annotation.qualificationattempt",
            ),
        ),
        migrations.AddConstraint(
            model_name="qualificationattempt",
            constraint=models.UniqueConstraint(
                fields=("benchmark", "user", "number"), name="qualification_number_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="qualificationattempt",
            constraint=models.UniqueConstraint(
                condition=models.Q(("passed__isnull", True)),
                fields=("benchmark", "user"),
                name="qualification_open_once",
            ),
        ),
    ]
