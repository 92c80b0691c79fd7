"""Migrations 0001 to 0026 in one, for new databases: every table and collation as it is after them."""

import functools
import secrets

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.migrations.operations.base import Operation

SORTED_BY_CODE_POINT = (
    ("evaluation_model", "name", "varchar(200)"),
    ("evaluation_run", "setting", "varchar(200)"),
    ("evaluation_trajectory", "condition", "varchar(40)"),
    ("evaluation_intervention", "condition", "varchar(40)"),
    ("evaluation_judgement", "judge", "varchar(200)"),
    ("evaluation_rolloutgroup", "group_id", "varchar(200)"),
    ("evaluation_metric", "slice", "varchar(200)"),
    ("evaluation_wordblock", "first", "varchar(64)"),
    ("evaluation_wordblock", "last", "varchar(64)"),
)


def as_stored(apps, schema_editor):
    """On PostgreSQL, names and words sort by code point, as they do on SQLite; lists of places are packed already."""
    if schema_editor.connection.vendor == "postgresql":
        for table, column, kind in SORTED_BY_CODE_POINT:
            schema_editor.execute(f'ALTER TABLE {table} ALTER COLUMN {column} TYPE {kind} COLLATE "C"')
        for column in ("words", "places"):
            schema_editor.execute(f"ALTER TABLE evaluation_wordblock ALTER COLUMN {column} SET STORAGE EXTERNAL")


class CreateModels(Operation):
    """Creates models as one operation, so that the classes of all models are made once and not anew after each."""

    reduces_to_sql = True

    def __init__(self, models):
        self.models = models

    def state_forwards(self, app_label, state):
        state.__dict__.pop("apps", None)
        for model in self.models:
            model.state_forwards(app_label, state)

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        for model in self.models:
            model.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label, schema_editor, from_state, to_state):
        for model in reversed(self.models):
            model.database_backwards(app_label, schema_editor, from_state, to_state)

    def describe(self):
        return f"Create {len(self.models)} models"


class Migration(migrations.Migration):
    replaces = [
        ("evaluation", "0001_runs_trajectories_scores"),
        ("evaluation", "0002_texts_sort_alike"),
        ("evaluation", "0003_standings_and_comparisons"),
        ("evaluation", "0004_rows_are_recognised"),
        ("evaluation", "0005_failures_tags_notes_slices"),
        ("evaluation", "0006_people_judge"),
        ("evaluation", "0007_tables_by_slice"),
        ("evaluation", "0008_mappings_of_columns"),
        ("evaluation", "0009_chain_of_a_score"),
        ("evaluation", "0010_kept_replays"),
        ("evaluation", "0011_pairs_of_tools"),
        ("evaluation", "0012_words_of_runs"),
        ("evaluation", "0013_staged_runs"),
        ("evaluation", "0014_undefined_answers"),
        ("evaluation", "0015_tool_lists"),
        ("evaluation", "0016_among_the_first_three"),
        ("evaluation", "0017_values_of_lists"),
        ("evaluation", "0018_scores_without_values"),
        ("evaluation", "0019_grounded_may_be_undefined"),
        ("evaluation", "0020_judging_items_have_random_names"),
        ("evaluation", "0021_rewards"),
        ("evaluation", "0022_unread_answers"),
        ("evaluation", "0023_people_decide_answers"),
        ("evaluation", "0024_ranges_of_undecided_answers"),
        ("evaluation", "0025_readings"),
        ("evaluation", "0026_who_decided_an_answer"),
    ]

    initial = True

    dependencies = [
        ("annotation", "0001_squashed_0029_skipped_drafts"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        CreateModels(
            [
                migrations.CreateModel(
                    name="Model",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=200, unique=True)),
                        ("baseline", models.BooleanField(default=False)),
                        ("url", models.URLField(blank=True, default="")),
                    ],
                ),
                migrations.CreateModel(
                    name="Run",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("setting", models.CharField(blank=True, default="", max_length=200)),
                        ("note", models.TextField(blank=True, default="")),
                        ("extra", models.JSONField(blank=True, default=dict)),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        (
                            "benchmark",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="runs",
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
                            "model",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="runs", to="evaluation.model"
                            ),
                        ),
                        (
                            "staged_for",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="staged_runs",
                                to="annotation.importrecord",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["benchmark", "model__name", "setting"],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("staged_for", None)),
                                fields=("benchmark", "model", "setting"),
                                name="run_once_per_setting",
                            ),
                            models.UniqueConstraint(fields=("staged_for", "model", "setting"), name="staged_run_once"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Trajectory",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("rollout", models.PositiveIntegerField(default=0)),
                        ("condition", models.CharField(default="none", max_length=40)),
                        ("answer", models.TextField(blank=True, null=True)),
                        ("judge_correct", models.BooleanField(blank=True, null=True)),
                        ("final_image", models.TextField(blank=True, null=True)),
                        ("recognition", models.JSONField(blank=True, null=True)),
                        ("plan", models.JSONField(blank=True, null=True)),
                        ("recognition_map", models.JSONField(blank=True, default=dict)),
                        ("plan_map", models.JSONField(blank=True, default=dict)),
                        ("error", models.TextField(blank=True, default="")),
                        ("input_tokens", models.BigIntegerField(blank=True, null=True)),
                        ("output_tokens", models.BigIntegerField(blank=True, null=True)),
                        ("seconds", models.FloatField(blank=True, null=True)),
                        ("usd", models.FloatField(blank=True, null=True)),
                        ("extra", models.JSONField(blank=True, default=dict)),
                        (
                            "digest",
                            models.CharField(
                                help_text="Of the record as read: the same record again changes nothing.", max_length=32
                            ),
                        ),
                        ("line", models.PositiveBigIntegerField(blank=True, null=True)),
                        (
                            "run",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="trajectories",
                                to="evaluation.run",
                            ),
                        ),
                        (
                            "sample",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="trajectories",
                                to="annotation.sample",
                            ),
                        ),
                        (
                            "source",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="annotation.importrecord",
                            ),
                        ),
                        (
                            "row_digest",
                            models.BinaryField(
                                help_text="Of the row as written: the same row again is not even read.",
                                max_length=16,
                                null=True,
                            ),
                        ),
                    ],
                    options={
                        "verbose_name_plural": "trajectories",
                        "ordering": ["run", "sample__key", "rollout", "condition"],
                        "indexes": [models.Index(fields=["row_digest"], name="trajectory_by_row")],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("run", "sample", "rollout", "condition"), name="trajectory_once"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="BenchmarkSettings",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("values", models.JSONField(blank=True, default=dict)),
                        (
                            "benchmark",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="metric_settings",
                                to="annotation.benchmark",
                            ),
                        ),
                    ],
                    options={
                        "verbose_name_plural": "benchmark settings",
                    },
                ),
                migrations.CreateModel(
                    name="RolloutGroup",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("group_id", models.CharField(max_length=200)),
                        ("alpha", models.FloatField(blank=True, null=True)),
                        ("extra", models.JSONField(blank=True, default=dict)),
                        (
                            "benchmark",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="rollout_groups",
                                to="annotation.benchmark",
                            ),
                        ),
                        (
                            "source",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="annotation.importrecord",
                            ),
                        ),
                        (
                            "reward_settings",
                            models.JSONField(
                                blank=True, help_text="The settings that the rewards were computed with.", null=True
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("benchmark", "group_id"), name="rollout_group_once")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Rollout",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("position", models.PositiveIntegerField()),
                        ("image_tokens", models.FloatField()),
                        ("acc", models.FloatField()),
                        ("format", models.FloatField()),
                        ("sufficient", models.BooleanField()),
                        (
                            "group",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="rollouts",
                                to="evaluation.rolloutgroup",
                            ),
                        ),
                        ("reward_sufficiency", models.FloatField(null=True)),
                        ("reward_minimality", models.FloatField(null=True)),
                        ("reward_final", models.FloatField(null=True)),
                    ],
                    options={
                        "ordering": ["group", "position"],
                        "constraints": [
                            models.UniqueConstraint(fields=("group", "position"), name="rollout_position_once")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Judgement",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("kind", models.CharField(max_length=12)),
                        ("judge", models.CharField(blank=True, default="", max_length=200)),
                        ("verdict", models.TextField(blank=True, null=True)),
                        ("answer", models.TextField(blank=True, null=True)),
                        ("extra", models.JSONField(blank=True, default=dict)),
                        (
                            "sample",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="annotation.sample"
                            ),
                        ),
                        (
                            "source",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="annotation.importrecord",
                            ),
                        ),
                        (
                            "run",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="judgements",
                                to="evaluation.run",
                            ),
                        ),
                        (
                            "person",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="judgements",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        ("decides", models.BooleanField(default=False)),
                        ("key_digest", models.CharField(blank=True, default="", max_length=32)),
                        ("text_digest", models.CharField(blank=True, default="", max_length=32)),
                        (
                            "trajectory",
                            models.ForeignKey(
                                blank=True,
                                db_index=False,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="judgements",
                                to="evaluation.trajectory",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("kind__in", ["reliability", "sufficiency", "answer"])),
                                name="judgement_known_kind",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("trajectory", None)),
                                fields=("run", "sample", "kind", "judge"),
                                name="judgement_once_per_judge",
                            ),
                            models.UniqueConstraint(
                                fields=("trajectory", "kind", "judge", "decides"), name="judgement_once_per_trajectory"
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("decides", True)), fields=("trajectory",), name="decided_once"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("decides", False),
                                    models.Q(("kind", "answer"), ("trajectory__isnull", False)),
                                    _connector="OR",
                                ),
                                name="decides_on_an_answer",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Intervention",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("condition", models.CharField(max_length=40)),
                        ("correct", models.BooleanField(blank=True, null=True)),
                        ("answer", models.TextField(blank=True, null=True)),
                        ("extra", models.JSONField(blank=True, default=dict)),
                        (
                            "sample",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="annotation.sample"
                            ),
                        ),
                        (
                            "source",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="annotation.importrecord",
                            ),
                        ),
                        (
                            "run",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="interventions",
                                to="evaluation.run",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("run", "sample", "condition"), name="intervention_once")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Scoring",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("settings", models.JSONField(blank=True, default=dict)),
                        ("gold_digest", models.CharField(max_length=64)),
                        ("stale", models.BooleanField(default=False)),
                        ("computed_at", models.DateTimeField()),
                        ("seconds", models.FloatField()),
                        ("samples_n", models.PositiveIntegerField()),
                        ("trajectories_n", models.PositiveIntegerField()),
                        ("failed_n", models.PositiveIntegerField(default=0)),
                        (
                            "extras",
                            models.JSONField(
                                blank=True, default=dict, help_text="Tables of the run page: tools, lengths, curves."
                            ),
                        ),
                        (
                            "run",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE, related_name="scoring", to="evaluation.run"
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
                        (
                            "answers_n",
                            models.PositiveIntegerField(
                                default=0, help_text="Answers given to questions with a gold answer."
                            ),
                        ),
                        (
                            "provisional",
                            models.BooleanField(default=False, help_text="Too many answers are unread: no rank."),
                        ),
                        (
                            "unread_n",
                            models.PositiveIntegerField(
                                default=0, help_text="Of these, those in which no option could be read."
                            ),
                        ),
                        (
                            "reading_version",
                            models.PositiveSmallIntegerField(
                                db_default=0,
                                default=0,
                                help_text="Of the rules that read the answers; those of an earlier one are stale.",
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="Score",
                    fields=[
                        (
                            "trajectory",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="score",
                                serialize=False,
                                to="evaluation.trajectory",
                            ),
                        ),
                        ("correct", models.BooleanField(null=True)),
                        ("undecided", models.BooleanField()),
                        ("missing_answer", models.BooleanField()),
                        ("letter", models.CharField(blank=True, default="", max_length=200)),
                        ("invoked", models.BooleanField()),
                        ("in_population", models.BooleanField()),
                        ("grounded", models.BooleanField(null=True)),
                        ("quadrant", models.SmallIntegerField(default=-1)),
                        ("crop_index", models.IntegerField(null=True)),
                        ("crop_x1", models.FloatField(null=True)),
                        ("crop_y1", models.FloatField(null=True)),
                        ("crop_x2", models.FloatField(null=True)),
                        ("crop_y2", models.FloatField(null=True)),
                        ("coverage", models.FloatField(null=True)),
                        ("concentration", models.FloatField(null=True)),
                        ("ioa", models.FloatField(null=True)),
                        ("iou", models.FloatField(null=True)),
                        ("center_hit", models.BooleanField(null=True)),
                        ("zoom_factor", models.FloatField(null=True)),
                        ("usable_crops", models.IntegerField()),
                        ("unusable_crops", models.IntegerField()),
                        ("cropped_region_size", models.FloatField(null=True)),
                        ("visual_evidence", models.BooleanField()),
                        ("calls", models.IntegerField()),
                        ("unique_tools", models.IntegerField()),
                        ("reference_calls", models.IntegerField(null=True)),
                        ("effective_calls", models.IntegerField()),
                        ("effective_unique_tools", models.IntegerField()),
                        ("chain_status", models.SmallIntegerField()),
                        ("edit_distance", models.IntegerField(null=True)),
                        ("lcs", models.IntegerField(null=True)),
                        ("kendall_tau", models.FloatField(null=True)),
                        ("plan_outcome", models.SmallIntegerField(default=-1)),
                        ("plan_missing", models.IntegerField(null=True)),
                        ("plan_extra", models.IntegerField(null=True)),
                        ("plan_in_order", models.BooleanField(null=True)),
                        ("plan_prefix", models.IntegerField(null=True)),
                        (
                            "scoring",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="scores",
                                to="evaluation.scoring",
                            ),
                        ),
                        (
                            "failure",
                            models.SmallIntegerField(
                                db_default=-1,
                                default=-1,
                                help_text="What went wrong by rule: see evaluation.metrics.failures.",
                            ),
                        ),
                        (
                            "reference_chain",
                            models.IntegerField(
                                help_text="The accepted chain it is held against: 0 the gold's, then further ones in their order.",
                                null=True,
                            ),
                        ),
                        (
                            "aligned",
                            models.TextField(
                                blank=True,
                                db_default="",
                                default="",
                                help_text="Pairs of tools, as evaluation.metrics.chains writes them.",
                            ),
                        ),
                        (
                            "followed",
                            models.TextField(
                                blank=True, db_default="", default="", help_text="The same of one tool and the next."
                            ),
                        ),
                        (
                            "union_coverage",
                            models.FloatField(
                                help_text="Share of the gold region in all usable crops together.", null=True
                            ),
                        ),
                        ("unread", models.BooleanField()),
                        (
                            "reading_where",
                            models.SmallIntegerField(
                                db_default=-1,
                                default=-1,
                                help_text="How the answer was read: places in lists of evaluation.metrics.reading.",
                            ),
                        ),
                        ("reading_rule", models.SmallIntegerField(db_default=-1, default=-1)),
                        ("reading_class", models.SmallIntegerField(db_default=-1, default=-1)),
                        ("unread_reason", models.SmallIntegerField(db_default=-1, default=-1)),
                        ("reading_flags", models.CharField(blank=True, db_default="", default="", max_length=80)),
                        (
                            "answer_group",
                            models.CharField(
                                blank=True,
                                db_default="",
                                default="",
                                help_text="Name of the undecided answers with the same text under the same options.",
                                max_length=16,
                            ),
                        ),
                        (
                            "file_verdict",
                            models.BooleanField(help_text="What the imported file says of the answer.", null=True),
                        ),
                        (
                            "reading_correct",
                            models.BooleanField(help_text="The verdict of reading the answer alone.", null=True),
                        ),
                        (
                            "verdict_by",
                            models.SmallIntegerField(
                                db_default=0,
                                default=0,
                                help_text="What decided the answer: see evaluation.metrics.columns.VerdictBy.",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [models.Index(fields=["scoring", "quadrant"], name="score_by_quadrant")],
                    },
                ),
                migrations.CreateModel(
                    name="Metric",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("metric", models.CharField(max_length=60)),
                        ("slice_by", models.CharField(blank=True, default="", max_length=60)),
                        ("slice", models.CharField(blank=True, default="", max_length=200)),
                        ("value", models.FloatField(null=True)),
                        ("n", models.IntegerField()),
                        ("numerator", models.FloatField(null=True)),
                        ("ci_low", models.FloatField(null=True)),
                        ("ci_high", models.FloatField(null=True)),
                        ("ci_method", models.CharField(blank=True, default="", max_length=40)),
                        ("p_value", models.FloatField(null=True)),
                        ("detail", models.JSONField(blank=True, default=dict)),
                        (
                            "scoring",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="metrics",
                                to="evaluation.scoring",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("scoring", "slice_by", "slice", "metric"), name="metric_once_per_slice"
                            ),
                            models.CheckConstraint(condition=models.Q(("n__gte", 0)), name="metric_n_not_negative"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Step",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("position", models.PositiveIntegerField()),
                        ("tool", models.TextField()),
                        ("arguments", models.JSONField(blank=True, default=dict)),
                        ("x1", models.FloatField(null=True)),
                        ("y1", models.FloatField(null=True)),
                        ("x2", models.FloatField(null=True)),
                        ("y2", models.FloatField(null=True)),
                        ("executed_x1", models.FloatField(null=True)),
                        ("executed_y1", models.FloatField(null=True)),
                        ("executed_x2", models.FloatField(null=True)),
                        ("executed_y2", models.FloatField(null=True)),
                        ("bbox_raw", models.JSONField(blank=True, null=True)),
                        ("coords", models.CharField(default="pixel", max_length=8)),
                        ("image_in", models.JSONField(blank=True, null=True)),
                        ("image_out", models.TextField(blank=True, null=True)),
                        ("out_width", models.FloatField(null=True)),
                        ("out_height", models.FloatField(null=True)),
                        ("ok", models.BooleanField(default=True)),
                        ("text", models.TextField(blank=True, default="")),
                        ("observation", models.TextField(blank=True, default="")),
                        ("label", models.TextField(blank=True, default="")),
                        ("flag", models.CharField(blank=True, default="", max_length=12)),
                        ("extra", models.JSONField(blank=True, default=dict)),
                        (
                            "trajectory",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="steps",
                                to="evaluation.trajectory",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["trajectory", "position"],
                        "constraints": [
                            models.UniqueConstraint(fields=("trajectory", "position"), name="step_position_once"),
                            models.CheckConstraint(
                                condition=models.Q(("coords__in", ["pixel", "norm1", "norm1000"])),
                                name="step_known_coords",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("flag__in", ["", "post_answer", "unused"])), name="step_known_flag"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Comparison",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("n", models.PositiveIntegerField()),
                        ("accuracy_a", models.FloatField(null=True)),
                        ("accuracy_b", models.FloatField(null=True)),
                        ("difference", models.FloatField(null=True)),
                        ("a_only", models.PositiveIntegerField()),
                        ("b_only", models.PositiveIntegerField()),
                        ("p_value", models.FloatField(null=True)),
                        ("p_cluster", models.FloatField(null=True)),
                        ("ci_low", models.FloatField(null=True)),
                        ("ci_high", models.FloatField(null=True)),
                        (
                            "detectable",
                            models.FloatField(help_text="Minimum detectable difference, 80 % power.", null=True),
                        ),
                        (
                            "a",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="compared_as_a",
                                to="evaluation.scoring",
                            ),
                        ),
                        (
                            "b",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="compared_as_b",
                                to="evaluation.scoring",
                            ),
                        ),
                        (
                            "accuracy_a_high",
                            models.FloatField(help_text="The most that undecided answers allow.", null=True),
                        ),
                        (
                            "accuracy_a_low",
                            models.FloatField(help_text="The least that undecided answers allow.", null=True),
                        ),
                        ("accuracy_b_high", models.FloatField(null=True)),
                        ("accuracy_b_low", models.FloatField(null=True)),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("a", "b"), name="comparison_once"),
                            models.CheckConstraint(
                                condition=models.Q(("a", models.F("b")), _negated=True), name="comparison_of_two"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Standing",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("metric", models.CharField(max_length=60)),
                        ("rank", models.PositiveIntegerField(null=True)),
                        ("low", models.PositiveIntegerField(null=True)),
                        ("high", models.PositiveIntegerField(null=True)),
                        ("p_best", models.FloatField(null=True)),
                        ("detail", models.JSONField(blank=True, default=dict)),
                        (
                            "scoring",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="standings",
                                to="evaluation.scoring",
                            ),
                        ),
                        ("p_top3", models.FloatField(null=True)),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("scoring", "metric"), name="standing_once_per_metric")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Tag",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=60)),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        (
                            "benchmark",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="tags",
                                to="annotation.benchmark",
                            ),
                        ),
                        (
                            "owner",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["name", "pk"],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("owner", None)),
                                fields=("benchmark", "name"),
                                name="shared_tag_once",
                            ),
                            models.UniqueConstraint(fields=("benchmark", "name", "owner"), name="tag_once_per_owner"),
                            models.CheckConstraint(
                                condition=models.Q(("name", ""), _negated=True), name="tag_has_a_name"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Tagging",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("at", models.DateTimeField(auto_now_add=True)),
                        (
                            "by",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "tag",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="taggings",
                                to="evaluation.tag",
                            ),
                        ),
                        (
                            "trajectory",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="taggings",
                                to="evaluation.trajectory",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [models.UniqueConstraint(fields=("tag", "trajectory"), name="tagged_once")],
                    },
                ),
                migrations.CreateModel(
                    name="FailureLabel",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("failure", models.SmallIntegerField()),
                        ("current", models.BooleanField(default=True)),
                        ("at", models.DateTimeField(auto_now_add=True)),
                        (
                            "benchmark",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="annotation.benchmark"
                            ),
                        ),
                        (
                            "person",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "trajectory",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="failure_labels",
                                to="evaluation.trajectory",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("current", True)),
                                fields=("trajectory",),
                                name="failure_label_in_force",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ListColumn",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=40)),
                        ("kind", models.CharField(max_length=4)),
                        ("data", models.BinaryField()),
                        (
                            "scoring",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="list_columns",
                                to="evaluation.scoring",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [models.UniqueConstraint(fields=("scoring", "name"), name="list_column_once")],
                    },
                ),
                migrations.CreateModel(
                    name="Note",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("turn", models.PositiveIntegerField(blank=True, null=True)),
                        ("x1", models.FloatField(blank=True, null=True)),
                        ("y1", models.FloatField(blank=True, null=True)),
                        ("x2", models.FloatField(blank=True, null=True)),
                        ("y2", models.FloatField(blank=True, null=True)),
                        ("text", models.TextField()),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        (
                            "author",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "trajectory",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="notes",
                                to="evaluation.trajectory",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["pk"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("text", ""), _negated=True), name="note_says_something"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("x1", None), ("x2", None), ("y1", None), ("y2", None)),
                                    models.Q(("x1__lt", models.F("x2")), ("y1__lt", models.F("y2"))),
                                    _connector="OR",
                                ),
                                name="note_region_whole",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SavedSlice",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=60)),
                        ("query", models.TextField()),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        (
                            "benchmark",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="saved_slices",
                                to="annotation.benchmark",
                            ),
                        ),
                        (
                            "created_by",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["name"],
                        "constraints": [
                            models.UniqueConstraint(fields=("benchmark", "name"), name="saved_slice_once"),
                            models.CheckConstraint(
                                condition=models.Q(("name", ""), _negated=True), name="saved_slice_has_a_name"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="JudgingQueue",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("terms", models.JSONField(blank=True, default=dict)),
                        ("people", models.PositiveSmallIntegerField(default=1)),
                        ("seed", models.CharField(max_length=60)),
                        ("drawn_from", models.PositiveIntegerField()),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        (
                            "benchmark",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="judging_queues",
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
                        "ordering": ["-pk"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("people__gte", 1), ("people__lte", 5)),
                                name="judging_by_one_to_five",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="JudgingItem",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("reliability", "Reliability"),
                                    ("sufficiency", "Sufficiency"),
                                    ("answer", "Answer"),
                                ],
                                max_length=12,
                            ),
                        ),
                        (
                            "trajectory",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="evaluation.trajectory",
                            ),
                        ),
                        (
                            "queue",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="items",
                                to="evaluation.judgingqueue",
                            ),
                        ),
                        (
                            "key",
                            models.CharField(
                                default=functools.partial(secrets.token_urlsafe, *(16,)),
                                help_text="Its name in addresses. Random.",
                                max_length=22,
                                unique=True,
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["queue", "pk"],
                        "constraints": [
                            models.UniqueConstraint(fields=("queue", "trajectory", "kind"), name="judging_item_once")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="JudgingSeat",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("place", models.PositiveSmallIntegerField(null=True)),
                        ("taken_at", models.DateTimeField()),
                        ("expires_at", models.DateTimeField()),
                        ("done_at", models.DateTimeField(null=True)),
                        (
                            "item",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="seats",
                                to="evaluation.judgingitem",
                            ),
                        ),
                        (
                            "user",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("item", "place"), name="judging_seat_once_per_place"),
                            models.UniqueConstraint(fields=("item", "user"), name="judging_seat_once_per_person"),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("done_at__isnull", True), ("place__isnull", False), _connector="OR"
                                ),
                                name="judging_done_in_a_place",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SliceTables",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("slice_by", models.CharField(max_length=60)),
                        ("slice", models.CharField(max_length=200)),
                        ("tables", models.JSONField(default=dict)),
                        (
                            "scoring",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="slice_tables",
                                to="evaluation.scoring",
                            ),
                        ),
                    ],
                    options={
                        "verbose_name_plural": "slice tables",
                        "constraints": [
                            models.UniqueConstraint(fields=("scoring", "slice_by", "slice"), name="slice_tables_once")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SampleAlias",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=200)),
                        ("accepted_at", models.DateTimeField(auto_now_add=True)),
                        (
                            "accepted_by",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "benchmark",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="sample_aliases",
                                to="annotation.benchmark",
                            ),
                        ),
                        (
                            "sample",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="annotation.sample"
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["name"],
                        "constraints": [
                            models.UniqueConstraint(fields=("benchmark", "name"), name="sample_alias_once")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SavedMapping",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("header", models.CharField(max_length=64)),
                        ("mapping", models.JSONField(help_text="The column of each field, and how boxes are written.")),
                        ("coordinates", models.CharField(blank=True, default="", max_length=200)),
                        ("saved_at", models.DateTimeField(auto_now=True)),
                        (
                            "benchmark",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="column_mappings",
                                to="annotation.benchmark",
                            ),
                        ),
                        (
                            "saved_by",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("benchmark", "header"), name="mapping_once_per_header")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Replay",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("image", models.CharField(help_text="SHA-256 of the image it ran on.", max_length=64)),
                        (
                            "opencv",
                            models.CharField(help_text="The version of the library it ran with.", max_length=40),
                        ),
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
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="replay",
                                to="evaluation.trajectory",
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="ReplayedStep",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
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
                        "constraints": [
                            models.UniqueConstraint(fields=("replay", "position"), name="replayed_step_once")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="WordPart",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("trajectories", models.BinaryField()),
                        ("starts", models.BinaryField()),
                        (
                            "run",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="word_parts",
                                to="evaluation.run",
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="WordBlock",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("first", models.CharField(max_length=64)),
                        ("last", models.CharField(max_length=64)),
                        ("words", models.BinaryField()),
                        ("places", models.BinaryField()),
                        (
                            "part",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="blocks",
                                to="evaluation.wordpart",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [models.Index(fields=["part", "first", "last"], name="word_block_by_words")],
                    },
                ),
                migrations.CreateModel(
                    name="ToolList",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "name",
                            models.CharField(choices=[("recognition", "Recognition"), ("plan", "Plan")], max_length=12),
                        ),
                        ("extra", models.JSONField(blank=True, default=dict)),
                        ("line", models.PositiveBigIntegerField(blank=True, null=True)),
                        (
                            "source",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="annotation.importrecord",
                            ),
                        ),
                        (
                            "trajectory",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="tool_lists",
                                to="evaluation.trajectory",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("trajectory", "name"), name="tool_list_once"),
                            models.CheckConstraint(
                                condition=models.Q(("name__in", ["recognition", "plan"])), name="tool_list_known_name"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ListValue",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("field", models.CharField(max_length=20)),
                        ("value", models.CharField(max_length=200)),
                        ("kind", models.CharField(max_length=4)),
                        ("rows", models.BinaryField()),
                        (
                            "scoring",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="list_values",
                                to="evaluation.scoring",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("scoring", "field", "value"), name="list_value_once")
                        ],
                    },
                ),
            ]
        ),
        migrations.RunPython(as_stored, migrations.RunPython.noop),
    ]
