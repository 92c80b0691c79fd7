"""Rounds of adjudication, and where each field of an adjudicated annotation comes from."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0034_superseded_annotations"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Adjudication",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("round", models.PositiveSmallIntegerField()),
                ("measured", models.JSONField(default=dict)),
                ("outcome", models.CharField(choices=[("agreed", "Agreed"), ("disputed", "Disputed")], max_length=8)),
                (
                    "decision",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("consensus", "accepted automatically"),
                            ("one", "one annotation accepted"),
                            ("mix", "combined and accepted"),
                            ("return", "returned"),
                            ("discard", "discarded"),
                            ("overtaken", "closed without a decision"),
                        ],
                        default="",
                        max_length=9,
                    ),
                ),
                ("opened_at", models.DateTimeField(auto_now_add=True)),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["sample_id", "round"],
            },
        ),
        migrations.CreateModel(
            name="AdjudicationRule",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField(default=0)),
                (
                    "scope",
                    models.CharField(
                        choices=[("disputes", "only disputes"), ("all", "all samples")],
                        default="disputes",
                        max_length=8,
                    ),
                ),
                (
                    "when_agreed",
                    models.CharField(
                        choices=[("review", "wait for a reviewer"), ("accept", "are accepted at once")],
                        default="review",
                        max_length=6,
                    ),
                ),
                (
                    "box_iou",
                    models.FloatField(default=0.5, help_text="Least IoU of boxes of one group, and of whole regions."),
                ),
                (
                    "support",
                    models.CharField(choices=[("all", "all"), ("majority", "majority")], default="all", max_length=8),
                ),
                (
                    "combine",
                    models.CharField(
                        choices=[
                            ("median", "median"),
                            ("majority", "majority"),
                            ("union", "union"),
                            ("intersection", "intersection"),
                        ],
                        default="median",
                        max_length=12,
                    ),
                ),
                (
                    "hide_names",
                    models.BooleanField(default=True, help_text="Adjudicators see letters instead of names."),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["benchmark_id", "-number"],
            },
        ),
        migrations.AddField(
            model_name="revision",
            name="provenance",
            field=models.JSONField(
                blank=True,
                help_text="{field: {from: [revision], how}} of an adjudicated annotation; null: no other.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="adjudication",
            name="adjudicator",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="adjudications",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="adjudication",
            name="result",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="adjudications",
                to="annotation.revision",
            ),
        ),
        migrations.AddField(
            model_name="adjudication",
            name="sample",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="adjudications", to="annotation.sample"
            ),
        ),
        migrations.AddField(
            model_name="adjudicationrule",
            name="benchmark",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="adjudication_rules",
                to="annotation.benchmark",
            ),
        ),
        migrations.AddField(
            model_name="adjudication",
            name="rule",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="annotation.adjudicationrule"
            ),
        ),
        migrations.AddConstraint(
            model_name="adjudicationrule",
            constraint=models.UniqueConstraint(fields=("benchmark", "number"), name="adjudication_rule_number_once"),
        ),
        migrations.AddConstraint(
            model_name="adjudicationrule",
            constraint=models.CheckConstraint(
                condition=models.Q(("box_iou__gt", 0), ("box_iou__lte", 1)), name="adjudication_iou_is_a_share"
            ),
        ),
        migrations.AddConstraint(
            model_name="adjudication",
            constraint=models.UniqueConstraint(fields=("sample", "round"), name="adjudication_round_once"),
        ),
        migrations.AddConstraint(
            model_name="adjudication",
            constraint=models.UniqueConstraint(
                condition=models.Q(("decision", "")), fields=("sample",), name="adjudication_one_open"
            ),
        ),
        migrations.AddConstraint(
            model_name="adjudication",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("decided_at__isnull", True), ("decision", "")),
                    models.Q(models.Q(("decision", ""), _negated=True), ("decided_at__isnull", False)),
                    _connector="OR",
                ),
                name="adjudication_decided_has_a_time",
            ),
        ),
    ]
