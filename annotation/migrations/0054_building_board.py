"""The building board: items of tool plans, and the decisions about them."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0053_samples_in_the_trash"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="BuildItem",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField(help_text="Counted from 1 in its benchmark.")),
                (
                    "stage",
                    models.CharField(
                        choices=[
                            ("targets", "targets"),
                            ("steps", "steps"),
                            ("instruction", "instruction"),
                            ("distractors", "distractors"),
                            ("description", "description"),
                            ("text_check", "text_check"),
                            ("mention_check", "mention_check"),
                            ("image", "image"),
                            ("image_check", "image_check"),
                            ("accepted", "accepted"),
                            ("discarded", "discarded"),
                        ],
                        default="targets",
                        max_length=13,
                    ),
                ),
                ("version", models.PositiveIntegerField(default=1, help_text="Raised by each change.")),
                ("scenario", models.PositiveSmallIntegerField(default=1, help_text="Of the items with these targets.")),
                ("targets", models.JSONField(help_text="[name]")),
                (
                    "steps",
                    models.JSONField(blank=True, default=list, help_text="[step] of the targets, in their order."),
                ),
                (
                    "either",
                    models.JSONField(blank=True, default=list, help_text="[name] of targets of which one is enough."),
                ),
                ("instruction", models.TextField(blank=True, default="")),
                ("distractors", models.JSONField(blank=True, default=list, help_text='[{"tool", "likeness"}]')),
                ("description", models.TextField(blank=True, default="")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("entered_at", models.DateTimeField(help_text="When it came to its stage.")),
                (
                    "benchmark",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="build_items",
                        to="annotation.benchmark",
                    ),
                ),
                (
                    "image",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="build_items",
                        to="annotation.image",
                    ),
                ),
                (
                    "sample",
                    models.OneToOneField(
                        blank=True,
                        help_text="What it became.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="build_item",
                        to="annotation.sample",
                    ),
                ),
            ],
            options={
                "ordering": ["benchmark_id", "number"],
            },
        ),
        migrations.CreateModel(
            name="BuildDecision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "stage",
                    models.CharField(
                        choices=[
                            ("targets", "targets"),
                            ("steps", "steps"),
                            ("instruction", "instruction"),
                            ("distractors", "distractors"),
                            ("description", "description"),
                            ("text_check", "text_check"),
                            ("mention_check", "mention_check"),
                            ("image", "image"),
                            ("image_check", "image_check"),
                            ("accepted", "accepted"),
                            ("discarded", "discarded"),
                        ],
                        max_length=13,
                    ),
                ),
                (
                    "verdict",
                    models.CharField(
                        choices=[
                            ("passed", "passed"),
                            ("stopped", "stopped"),
                            ("moved", "moved"),
                            ("returned", "returned"),
                            ("discarded", "discarded"),
                        ],
                        max_length=9,
                    ),
                ),
                ("reasons", models.JSONField(blank=True, default=list, help_text="Codes of the task's reasons.")),
                ("note", models.TextField(blank=True, default="")),
                ("details", models.JSONField(blank=True, default=dict)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
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
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="decisions", to="annotation.builditem"
                    ),
                ),
            ],
            options={
                "ordering": ["item_id", "pk"],
            },
        ),
        migrations.AddIndex(
            model_name="builditem",
            index=models.Index(fields=["benchmark", "stage", "entered_at"], name="build_item_by_stage"),
        ),
        migrations.AddConstraint(
            model_name="builditem",
            constraint=models.UniqueConstraint(fields=("benchmark", "number"), name="build_item_number_once"),
        ),
        migrations.AddConstraint(
            model_name="builditem",
            constraint=models.CheckConstraint(
                condition=models.Q(("sample__isnull", True), ("stage", "accepted"), _connector="OR"),
                name="build_item_sample_if_accepted",
            ),
        ),
        migrations.AddIndex(
            model_name="builddecision",
            index=models.Index(fields=["stage", "verdict"], name="build_decision_by_stage"),
        ),
    ]
