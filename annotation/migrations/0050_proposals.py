"""Drafts of models, and what people did with them."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0049_ends_of_toolchains"),
    ]

    operations = [
        migrations.CreateModel(
            name="Drafting",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("seed", models.CharField(editable=False, max_length=32)),
                ("control_share", models.FloatField(default=0.2)),
                ("shows", models.BooleanField(default=True, help_text="Whether annotators see drafts.")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "benchmark",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="drafting", to="annotation.benchmark"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Proposal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "field",
                    models.CharField(
                        choices=[
                            ("question", "question"),
                            ("options", "options"),
                            ("answer", "answer"),
                            ("boxes", "boxes"),
                        ],
                        max_length=10,
                    ),
                ),
                ("content", models.JSONField()),
                ("source", models.CharField(max_length=200)),
                ("prompt_digest", models.CharField(max_length=64)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "drafting",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="proposals", to="annotation.drafting"
                    ),
                ),
                (
                    "sample",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="proposals", to="annotation.sample"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ProposalUse",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("arm", models.CharField(choices=[("shown", "shown"), ("withheld", "withheld")], max_length=8)),
                (
                    "decision",
                    models.CharField(
                        blank=True,
                        choices=[("accepted", "accepted"), ("dismissed", "dismissed"), ("left", "left")],
                        max_length=9,
                    ),
                ),
                ("distance", models.FloatField(null=True)),
                ("seconds", models.FloatField(null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "annotation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="proposal_uses",
                        to="annotation.annotation",
                    ),
                ),
                (
                    "proposal",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="uses", to="annotation.proposal"
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="drafting",
            constraint=models.CheckConstraint(
                condition=models.Q(("control_share__gte", 0.05), ("control_share__lte", 0.5)),
                name="drafting_control_share",
            ),
        ),
        migrations.AddConstraint(
            model_name="proposal",
            constraint=models.UniqueConstraint(fields=("sample", "field"), name="proposal_once_per_field"),
        ),
        migrations.AddConstraint(
            model_name="proposaluse",
            constraint=models.UniqueConstraint(fields=("annotation", "proposal"), name="proposal_use_once"),
        ),
        migrations.AddConstraint(
            model_name="proposaluse",
            constraint=models.CheckConstraint(
                condition=models.Q(("arm", "shown"), ("decision", ""), _connector="OR"),
                name="proposal_withheld_undecided",
            ),
        ),
    ]
