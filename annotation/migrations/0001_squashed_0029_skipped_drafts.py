"""Migrations 0001 to 0029 in one, for new databases: every table, collation and trigger as it is after them."""

import datetime

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models
from django.db.migrations.operations.base import Operation

SORTED_BY_CODE_POINT = (
    ("annotation_sample", "key", "varchar(200)"),
    ("annotation_facetvalue", "name", "varchar(60)"),
    ("annotation_facetvalue", "value", "varchar(200)"),
    ("annotation_banktool", "name", "varchar(255)"),
    ("annotation_toolname", "name", "varchar(255)"),
)
CONTENT = (
    "question",
    "answer_type",
    "options",
    "answers",
    "ordered",
    "digest",
    "number",
    "annotation_id",
    "submitted_at",
)
PARTS = ("annotation_referencecall", "annotation_plantool")
VERSIONS = ("annotation_version", "annotation_versionentry")
SUBMITTED = "submitted revisions never change"
FROZEN = "frozen versions never change"


def by_code_point(apps, schema_editor):
    """Names sort by code point on PostgreSQL, as they do on SQLite: lists and exports are the same on both."""
    if schema_editor.connection.vendor == "postgresql":
        for table, column, kind in SORTED_BY_CODE_POINT:
            schema_editor.execute(f'ALTER TABLE {table} ALTER COLUMN {column} TYPE {kind} COLLATE "C"')


def _sqlite():
    changed = " OR ".join(f"NEW.{c} IS NOT OLD.{c}" for c in CONTENT)
    for name, change in (
        ("revision_submitted", f"({changed})"),
        ("revision_facets_submitted", "NEW.facets IS NOT OLD.facets"),
    ):
        yield (
            f"CREATE TRIGGER {name} BEFORE UPDATE ON annotation_revision "
            f"WHEN OLD.submitted_at IS NOT NULL AND {change} BEGIN SELECT RAISE(ABORT, '{SUBMITTED}'); END"
        )
    for table in PARTS:
        yield (
            f"CREATE TRIGGER {table}_submitted BEFORE UPDATE ON {table} "
            "WHEN (SELECT submitted_at FROM annotation_revision WHERE id = OLD.revision_id) IS NOT NULL "
            f"BEGIN SELECT RAISE(ABORT, '{SUBMITTED}'); END"
        )
    for table in VERSIONS:
        yield f"CREATE TRIGGER {table}_frozen BEFORE UPDATE ON {table} BEGIN SELECT RAISE(ABORT, '{FROZEN}'); END"


def _postgresql():
    changed = " OR ".join(f"NEW.{c} IS DISTINCT FROM OLD.{c}" for c in CONTENT)
    for name, message in (("refuse_submitted", SUBMITTED), ("refuse_frozen", FROZEN)):
        yield (
            f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '{message}' USING ERRCODE = 'integrity_constraint_violation'; END $$"
        )
    yield (
        "CREATE FUNCTION refuse_submitted_part() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "IF (SELECT submitted_at FROM annotation_revision WHERE id = OLD.revision_id) IS NOT NULL THEN "
        f"RAISE EXCEPTION '{SUBMITTED}' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$"
    )
    for name, change in (
        ("revision_submitted", f"({changed})"),
        ("revision_facets_submitted", "NEW.facets IS DISTINCT FROM OLD.facets"),
    ):
        yield (
            f"CREATE TRIGGER {name} BEFORE UPDATE ON annotation_revision FOR EACH ROW "
            f"WHEN (OLD.submitted_at IS NOT NULL AND {change}) EXECUTE FUNCTION refuse_submitted()"
        )
    for table in PARTS:
        yield (
            f"CREATE TRIGGER {table}_submitted BEFORE UPDATE ON {table} FOR EACH ROW "
            "EXECUTE FUNCTION refuse_submitted_part()"
        )
    for table in VERSIONS:
        yield f"CREATE TRIGGER {table}_frozen BEFORE UPDATE ON {table} FOR EACH ROW EXECUTE FUNCTION refuse_frozen()"


def add(apps, schema_editor):
    """Triggers that refuse any change of a submitted revision's content and of a frozen version."""
    for statement in _postgresql() if schema_editor.connection.vendor == "postgresql" else _sqlite():
        schema_editor.execute(statement)


def remove(apps, schema_editor):
    """The triggers go with their tables."""
    if schema_editor.connection.vendor == "postgresql":
        for name in ("refuse_submitted", "refuse_frozen", "refuse_submitted_part"):
            schema_editor.execute(f"DROP FUNCTION {name}() CASCADE")


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
        ("annotation", "0001_benchmarks_samples_annotations"),
        ("annotation", "0002_what_is_submitted_never_changes"),
        ("annotation", "0003_texts_sort_alike"),
        ("annotation", "0004_evidence_share_of_a_sample"),
        ("annotation", "0005_annotating_and_reviewing"),
        ("annotation", "0006_facets_of_what_is_submitted_never_change"),
        ("annotation", "0007_tool_bank"),
        ("annotation", "0008_tools_of_plans_are_in_the_bank"),
        ("annotation", "0009_queue_settings_and_pauses"),
        ("annotation", "0010_suggested_boxes"),
        ("annotation", "0011_gold_checks"),
        ("annotation", "0012_disagreement_and_extra_annotators"),
        ("annotation", "0013_blind_answers_from_crops"),
        ("annotation", "0014_audits"),
        ("annotation", "0015_comments_on_check_answers"),
        ("annotation", "0016_origin_of_samples"),
        ("annotation", "0017_reference_chains"),
        ("annotation", "0018_orders_without_joins"),
        ("annotation", "0019_chains_of_files_and_versions"),
        ("annotation", "0020_facets_know_their_benchmark"),
        ("annotation", "0021_facets_are_counted_by_benchmark"),
        ("annotation", "0022_rows_of_import_issues"),
        ("annotation", "0023_each_person_verifies_a_chain"),
        ("annotation", "0024_gold_checks_close_a_benchmark"),
        ("annotation", "0025_marks_for_visitors"),
        ("annotation", "0026_verified_chains_say_how"),
        ("annotation", "0027_images_without_metadata"),
        ("annotation", "0028_change_numbers"),
        ("annotation", "0029_skipped_drafts"),
    ]

    initial = True

    dependencies = [
        ("accounts", "0001_squashed_0008_known_devices"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        CreateModels(
            [
                migrations.CreateModel(
                    name="Benchmark",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "slug",
                            models.CharField(
                                max_length=60,
                                unique=True,
                                validators=[
                                    django.core.validators.RegexValidator(
                                        "^[a-z0-9][a-z0-9-]*$",
                                        "Use small letters, digits and hyphens, beginning with a letter or digit.",
                                    )
                                ],
                            ),
                        ),
                        ("title", models.CharField(max_length=200)),
                        ("description", models.TextField(blank=True, default="")),
                        ("licence", models.CharField(blank=True, default="", max_length=200)),
                        (
                            "public",
                            models.BooleanField(
                                default=False, help_text="Anyone may read the leaderboard and what lies behind it."
                            ),
                        ),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        (
                            "created_by",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "marks_open",
                            models.BooleanField(
                                db_default=False,
                                default=False,
                                help_text="Visitors see notes, shared tags and who wrote them.",
                            ),
                        ),
                        (
                            "remove_metadata",
                            models.BooleanField(
                                db_default=True,
                                default=True,
                                help_text="Images are stored without EXIF, GPS position and other metadata.",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["title"],
                    },
                ),
                migrations.CreateModel(
                    name="Image",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("sha256", models.CharField(max_length=64, unique=True)),
                        ("width", models.PositiveIntegerField()),
                        ("height", models.PositiveIntegerField()),
                        ("format", models.CharField(max_length=8)),
                        ("orientation", models.PositiveSmallIntegerField(default=1)),
                        ("bytes", models.BigIntegerField()),
                        (
                            "state",
                            models.CharField(
                                choices=[("waiting", "Waiting"), ("ready", "Ready"), ("failed", "Failed")],
                                default="waiting",
                                max_length=8,
                            ),
                        ),
                        ("problem", models.TextField(blank=True, default="")),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                    ],
                    options={
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("height__gt", 0), ("width__gt", 0)), name="image_has_an_area"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ImportRecord",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("kind", models.CharField(choices=[("samples", "Samples"), ("runs", "Runs")], max_length=8)),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("reading", "Reading"),
                                    ("preview", "Preview"),
                                    ("running", "Running"),
                                    ("done", "Done"),
                                    ("failed", "Failed"),
                                    ("undoing", "Undoing"),
                                    ("undone", "Undone"),
                                ],
                                default="running",
                                max_length=8,
                            ),
                        ),
                        ("file_name", models.CharField(max_length=500)),
                        ("sha256", models.CharField(blank=True, default="", max_length=64)),
                        ("bytes", models.BigIntegerField(default=0)),
                        ("format", models.CharField(max_length=40)),
                        ("options", models.JSONField(blank=True, default=dict)),
                        ("counts", models.JSONField(blank=True, default=dict)),
                        ("checkpoint", models.JSONField(blank=True, default=dict)),
                        (
                            "upload",
                            models.CharField(
                                blank=True, default="", help_text="Where the uploaded file is stored.", max_length=300
                            ),
                        ),
                        (
                            "preview",
                            models.JSONField(
                                blank=True, default=dict, help_text="What the dry run found: formats, counts, records."
                            ),
                        ),
                        ("job_id", models.CharField(blank=True, default="", max_length=36)),
                        ("error", models.TextField(blank=True, default="")),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "benchmark",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="imports",
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
                        "ordering": ["-created_at", "-pk"],
                    },
                ),
                migrations.CreateModel(
                    name="Sample",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("key", models.CharField(max_length=200)),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("to_do", "to_do"),
                                    ("draft", "draft"),
                                    ("in_review", "in_review"),
                                    ("returned", "returned"),
                                    ("accepted", "accepted"),
                                    ("discarded", "discarded"),
                                ],
                                default="to_do",
                                max_length=10,
                            ),
                        ),
                        ("image_name", models.CharField(blank=True, default="", max_length=500)),
                        ("image_problem", models.TextField(blank=True, default="")),
                        ("image_group", models.CharField(blank=True, default="", max_length=200)),
                        ("width", models.PositiveIntegerField(blank=True, null=True)),
                        ("height", models.PositiveIntegerField(blank=True, null=True)),
                        ("extra", models.JSONField(blank=True, default=dict)),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        ("changed_at", models.DateTimeField(auto_now=True)),
                        (
                            "benchmark",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="samples",
                                to="annotation.benchmark",
                            ),
                        ),
                        (
                            "image",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="samples",
                                to="annotation.image",
                            ),
                        ),
                        (
                            "evidence_share",
                            models.FloatField(
                                blank=True,
                                help_text="Area of the gold boxes / area of the image; derived when gold is saved.",
                                null=True,
                            ),
                        ),
                        (
                            "disagreement",
                            models.FloatField(
                                blank=True,
                                help_text="How far those who annotated it are apart, 0 to 1; derived as they submit.",
                                null=True,
                            ),
                        ),
                        (
                            "extra_places",
                            models.PositiveSmallIntegerField(
                                db_default=0, default=0, help_text="People who annotate it beyond the overlap."
                            ),
                        ),
                        (
                            "source",
                            models.ForeignKey(
                                blank=True,
                                help_text="The import that made it.",
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="annotation.importrecord",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["benchmark_id", "key"],
                        "indexes": [
                            models.Index(fields=["benchmark", "state"], name="sample_by_state"),
                            models.Index(fields=["benchmark", "state", "key"], name="sample_in_order"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("benchmark", "key"), name="sample_key_once"),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("height__isnull", True), ("width__isnull", True)),
                                    models.Q(
                                        ("height__gt", 0),
                                        ("height__isnull", False),
                                        ("width__gt", 0),
                                        ("width__isnull", False),
                                    ),
                                    _connector="OR",
                                ),
                                name="sample_size_whole",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("key", ""), _negated=True), name="sample_has_a_key"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Annotation",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("draft", "draft"),
                                    ("submitted", "submitted"),
                                    ("in_review", "in_review"),
                                    ("accepted", "accepted"),
                                    ("returned", "returned"),
                                    ("discarded", "discarded"),
                                ],
                                default="draft",
                                max_length=10,
                            ),
                        ),
                        ("imported", models.BooleanField(default=False)),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        ("changed_at", models.DateTimeField(auto_now=True)),
                        (
                            "author",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="annotations",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "sample",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="annotations",
                                to="annotation.sample",
                            ),
                        ),
                        (
                            "place",
                            models.PositiveSmallIntegerField(
                                blank=True,
                                help_text="Which of the sample's places to annotate it fills; none for an imported one.",
                                null=True,
                            ),
                        ),
                    ],
                    options={
                        "indexes": [models.Index(fields=["author", "state"], name="annotation_by_author")],
                        "constraints": [
                            models.UniqueConstraint(fields=("sample", "author"), name="annotation_once_per_author"),
                            models.UniqueConstraint(
                                condition=models.Q(("author__isnull", True)),
                                fields=("sample",),
                                name="annotation_once_without_author",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("place__isnull", False)),
                                fields=("sample", "place"),
                                name="annotation_once_per_place",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Revision",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("number", models.PositiveIntegerField(default=1)),
                        ("question", models.TextField(blank=True, default="")),
                        ("answer_type", models.CharField(choices=[("mc", "mc"), ("open", "open")], max_length=4)),
                        ("options", models.JSONField(blank=True, default=dict, help_text="{letter: text}")),
                        (
                            "answers",
                            models.JSONField(
                                blank=True, default=list, help_text="The gold letter, or the accepted strings."
                            ),
                        ),
                        ("ordered", models.BooleanField(blank=True, null=True)),
                        (
                            "digest",
                            models.CharField(help_text="sha256 of the content in canonical form.", max_length=64),
                        ),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        ("submitted_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "annotation",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="revisions",
                                to="annotation.annotation",
                            ),
                        ),
                        (
                            "author",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "facets",
                            models.JSONField(
                                blank=True,
                                help_text="{name: [value]} as its author has them; null: imported.",
                                null=True,
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("annotation", "number"), name="revision_number_once")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Review",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "decision",
                            models.CharField(
                                choices=[
                                    ("accept", "Accept"),
                                    ("fix_and_accept", "Fix And Accept"),
                                    ("return", "Return"),
                                    ("discard", "Discard"),
                                ],
                                max_length=16,
                            ),
                        ),
                        ("reasons", models.JSONField(blank=True, default=list)),
                        ("comment", models.TextField(blank=True, default="")),
                        ("blind_answer", models.TextField(blank=True, null=True)),
                        ("blind_seconds", models.FloatField(blank=True, null=True)),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        (
                            "reviewer",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="reviews",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "revision_author",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "revision",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="reviews",
                                to="annotation.revision",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("revision", "reviewer"), name="review_once_per_reviewer"),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("revision_author__isnull", True),
                                    models.Q(("reviewer", models.F("revision_author")), _negated=True),
                                    _connector="OR",
                                ),
                                name="review_never_of_own_work",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ReferenceCall",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("position", models.PositiveSmallIntegerField()),
                        ("tool", models.TextField()),
                        ("arguments", models.JSONField(blank=True, default=dict)),
                        ("image_in", models.JSONField(blank=True, null=True)),
                        ("image_out", models.TextField(blank=True, null=True)),
                        (
                            "revision",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="reference_calls",
                                to="annotation.revision",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["revision", "position"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("revision", "position"), name="reference_call_position_once"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("image_out__isnull", True),
                                    models.Q(("image_out", "original"), _negated=True),
                                    _connector="OR",
                                ),
                                name="reference_call_keeps_original",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="PlanTool",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("position", models.PositiveSmallIntegerField()),
                        ("tool", models.TextField()),
                        ("step", models.PositiveSmallIntegerField(blank=True, null=True)),
                        (
                            "revision",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="plan_tools",
                                to="annotation.revision",
                            ),
                        ),
                        (
                            "key",
                            models.CharField(
                                default="",
                                editable=False,
                                help_text="The name in the form that the tool bank searches.",
                                max_length=255,
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["revision", "position"],
                        "indexes": [models.Index(fields=["key"], name="plan_tool_by_key")],
                        "constraints": [
                            models.UniqueConstraint(fields=("revision", "position"), name="plan_tool_position_once"),
                            models.CheckConstraint(
                                condition=models.Q(("step__isnull", True), ("step__gte", 1), _connector="OR"),
                                name="plan_step_from_one",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="GoldBox",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("position", models.PositiveSmallIntegerField()),
                        ("x1", models.FloatField()),
                        ("y1", models.FloatField()),
                        ("x2", models.FloatField()),
                        ("y2", models.FloatField()),
                        ("label", models.TextField(blank=True, default="")),
                        (
                            "image_width",
                            models.PositiveIntegerField(
                                help_text="The size of the sample's image when the box was drawn.", null=True
                            ),
                        ),
                        ("image_height", models.PositiveIntegerField(null=True)),
                        (
                            "revision",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="gold_boxes",
                                to="annotation.revision",
                            ),
                        ),
                        (
                            "source",
                            models.TextField(
                                blank=True,
                                db_default="",
                                default="",
                                help_text="Whose suggestion the box was adopted from; drawn: none.",
                            ),
                        ),
                    ],
                    options={
                        "verbose_name_plural": "gold boxes",
                        "ordering": ["revision", "position"],
                        "constraints": [
                            models.UniqueConstraint(fields=("revision", "position"), name="gold_box_position_once"),
                            models.CheckConstraint(
                                condition=models.Q(("x2__gt", models.F("x1")), ("y2__gt", models.F("y1"))),
                                name="gold_box_not_empty",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("image_height__isnull", True), ("image_width__isnull", True)),
                                    models.Q(
                                        ("image_height__isnull", False),
                                        ("image_width__isnull", False),
                                        ("x1__gte", 0),
                                        ("x2__lte", models.F("image_width")),
                                        ("y1__gte", 0),
                                        ("y2__lte", models.F("image_height")),
                                    ),
                                    _connector="OR",
                                ),
                                name="gold_box_inside_picture",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Gold",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("accepted_at", models.DateTimeField()),
                        (
                            "revision",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="gold_of",
                                to="annotation.revision",
                            ),
                        ),
                        (
                            "sample",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE, related_name="gold", to="annotation.sample"
                            ),
                        ),
                    ],
                    options={
                        "verbose_name_plural": "gold",
                        "indexes": [models.Index(models.F("accepted_at"), name="gold_by_time")],
                    },
                ),
                migrations.CreateModel(
                    name="FacetValue",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=60)),
                        ("position", models.PositiveSmallIntegerField(default=0)),
                        ("value", models.CharField(max_length=200)),
                        (
                            "kind",
                            models.CharField(
                                choices=[("text", "Text"), ("json", "Json"), ("bank", "from the tool bank")],
                                default="text",
                                max_length=4,
                            ),
                        ),
                        (
                            "sample",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="facets",
                                to="annotation.sample",
                            ),
                        ),
                        (
                            "benchmark",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="annotation.benchmark",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["sample_id", "name", "position"],
                        "indexes": [
                            models.Index(fields=["name", "value"], name="facet_by_value"),
                            models.Index(fields=["benchmark", "name", "value", "position"], name="facet_of_benchmark"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("sample", "name", "position"), name="facet_position_once")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Version",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("number", models.PositiveIntegerField()),
                        ("note", models.TextField(blank=True, default="")),
                        ("checksum", models.CharField(max_length=64)),
                        ("frozen_at", models.DateTimeField()),
                        (
                            "benchmark",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="versions",
                                to="annotation.benchmark",
                            ),
                        ),
                        (
                            "frozen_by",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["benchmark_id", "-number"],
                        "constraints": [
                            models.UniqueConstraint(fields=("benchmark", "number"), name="version_number_once")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="VersionEntry",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "revision",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="annotation.revision"
                            ),
                        ),
                        (
                            "sample",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="annotation.sample"
                            ),
                        ),
                        (
                            "version",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="entries",
                                to="annotation.version",
                            ),
                        ),
                        (
                            "accepted_chains",
                            models.JSONField(
                                help_text="The accepted toolchains besides the gold's: calls, digest and note of each. None: not stored.",
                                null=True,
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("version", "sample"), name="version_sample_once")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ImportIssue",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("severity", models.CharField(max_length=8)),
                        ("rule", models.CharField(max_length=60)),
                        ("file", models.CharField(blank=True, default="", max_length=500)),
                        ("line", models.BigIntegerField(blank=True, null=True)),
                        ("field", models.CharField(blank=True, default="", max_length=200)),
                        ("found", models.TextField(blank=True, default="")),
                        ("done", models.TextField()),
                        (
                            "record",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="issues",
                                to="annotation.importrecord",
                            ),
                        ),
                        (
                            "row",
                            models.CharField(
                                blank=True,
                                default="",
                                help_text="Its number in a list: 17, 17 of samples.",
                                max_length=120,
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["record_id", "pk"],
                        "indexes": [models.Index(fields=["record", "severity", "rule"], name="import_issue_by_rule")],
                    },
                ),
                migrations.CreateModel(
                    name="InvitedRole",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "role",
                            models.CharField(
                                choices=[
                                    ("annotator", "annotator"),
                                    ("reviewer", "reviewer"),
                                    ("lead", "lead"),
                                    ("researcher", "researcher"),
                                ],
                                max_length=12,
                            ),
                        ),
                        (
                            "benchmark",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="annotation.benchmark"
                            ),
                        ),
                        (
                            "invitation",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="roles",
                                to="accounts.invitation",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("invitation", "benchmark", "role"), name="invited_role_once"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Membership",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "role",
                            models.CharField(
                                choices=[
                                    ("annotator", "annotator"),
                                    ("reviewer", "reviewer"),
                                    ("lead", "lead"),
                                    ("researcher", "researcher"),
                                ],
                                max_length=12,
                            ),
                        ),
                        (
                            "benchmark",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="memberships",
                                to="annotation.benchmark",
                            ),
                        ),
                        (
                            "user",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="memberships",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("benchmark", "user", "role"), name="membership_once"),
                            models.CheckConstraint(
                                condition=models.Q(("role__in", ["annotator", "reviewer", "lead", "researcher"])),
                                name="membership_known_role",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Assignment",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        (
                            "sample",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="assignment",
                                to="annotation.sample",
                            ),
                        ),
                        (
                            "user",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="assignments",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="BenchmarkQueue",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "order",
                            models.CharField(
                                choices=[
                                    ("sequential", "Sequential"),
                                    ("random", "Random"),
                                    ("facet", "Facet"),
                                    ("disputed", "most disagreement first"),
                                ],
                                default="sequential",
                                max_length=10,
                            ),
                        ),
                        (
                            "facet",
                            models.CharField(
                                blank=True,
                                default="",
                                help_text="Sorts the samples, when order is facet.",
                                max_length=60,
                            ),
                        ),
                        (
                            "overlap",
                            models.PositiveSmallIntegerField(default=1, help_text="How many people annotate a sample."),
                        ),
                        (
                            "review_share",
                            models.FloatField(
                                default=1.0, help_text="Share of submitted samples that a person reviews."
                            ),
                        ),
                        (
                            "benchmark",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="queue",
                                to="annotation.benchmark",
                            ),
                        ),
                        (
                            "blind",
                            models.CharField(
                                choices=[
                                    ("off", "off"),
                                    ("picture", "picture"),
                                    ("crop", "crop"),
                                    ("alternating", "alternating"),
                                ],
                                default="picture",
                                max_length=11,
                            ),
                        ),
                        (
                            "lease_minutes",
                            models.PositiveSmallIntegerField(
                                default=15,
                                help_text="How long a sample is kept for who took it, without a sign of them.",
                            ),
                        ),
                        (
                            "overlap_share",
                            models.FloatField(
                                default=1.0, help_text="Share of samples with this overlap; others have one."
                            ),
                        ),
                        (
                            "suggests",
                            models.BooleanField(
                                db_default=False,
                                default=False,
                                help_text="Whether annotators see boxes of models, to adopt or pass by.",
                            ),
                        ),
                        (
                            "blind_margin",
                            models.FloatField(
                                default=0.25,
                                help_text="Shown around each gold box where crops are, as a share of its longer side.",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("overlap__gte", 1), ("overlap__lte", 20)),
                                name="queue_overlap_from_one",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("review_share__gte", 0), ("review_share__lte", 1)),
                                name="queue_share_is_a_share",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("overlap_share__gte", 0), ("overlap_share__lte", 1)),
                                name="queue_overlap_share_is_a_share",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("lease_minutes__gte", 1), ("lease_minutes__lte", 480)),
                                name="queue_lease_up_to_a_day_of_work",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("blind_margin__gte", 0), ("blind_margin__lte", 2)),
                                name="queue_blind_margin_up_to_two_sides",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="BlindAnswer",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("answer", models.TextField(blank=True, default="")),
                        ("unsure", models.BooleanField(default=False)),
                        ("seconds", models.FloatField()),
                        ("right", models.BooleanField(null=True)),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        (
                            "reviewer",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="blind_answers",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "revision",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="blind_answers",
                                to="annotation.revision",
                            ),
                        ),
                        (
                            "revision_author",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "condition",
                            models.CharField(
                                choices=[("picture", "picture"), ("crop", "crop"), ("after_crop", "after_crop")],
                                default="picture",
                                max_length=10,
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("seconds__gte", 0)), name="blind_answer_takes_time"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("revision_author__isnull", True),
                                    models.Q(("reviewer", models.F("revision_author")), _negated=True),
                                    _connector="OR",
                                ),
                                name="blind_answer_never_of_own_work",
                            ),
                            models.UniqueConstraint(
                                fields=("revision", "reviewer", "condition"), name="blind_answer_once"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="GoldCheck",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("active", models.BooleanField(default=True)),
                        ("added_at", models.DateTimeField(auto_now_add=True)),
                        (
                            "added_by",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "sample",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="gold_check",
                                to="annotation.sample",
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="CheckAnswer",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "place",
                            models.PositiveSmallIntegerField(
                                help_text="Index of the reservation among those of annotators."
                            ),
                        ),
                        (
                            "state",
                            models.CharField(
                                choices=[("draft", "Draft"), ("handed_in", "Handed In"), ("skipped", "Skipped")],
                                default="draft",
                                max_length=9,
                            ),
                        ),
                        ("version", models.PositiveIntegerField(default=0)),
                        ("key", models.CharField(blank=True, default="", max_length=80)),
                        ("content", models.JSONField(blank=True, default=dict)),
                        ("same_question", models.BooleanField(blank=True, null=True)),
                        ("same_answer", models.BooleanField(blank=True, null=True)),
                        ("iou", models.FloatField(blank=True, null=True)),
                        (
                            "covered",
                            models.FloatField(
                                blank=True, help_text="Share of the known evidence inside the boxes drawn.", null=True
                            ),
                        ),
                        ("passed", models.BooleanField(blank=True, null=True)),
                        ("began_at", models.DateTimeField(auto_now_add=True)),
                        ("changed_at", models.DateTimeField(auto_now=True)),
                        ("handed_in_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "decided_by",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "gold",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="annotation.revision",
                            ),
                        ),
                        (
                            "user",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="check_answers",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "check_of",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="answers",
                                to="annotation.goldcheck",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [models.Index(fields=["user", "state"], name="check_answer_by_person")],
                        "constraints": [
                            models.UniqueConstraint(fields=("check_of", "user"), name="check_answer_once"),
                            models.UniqueConstraint(fields=("check_of", "place"), name="check_answer_has_its_place"),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("passed__isnull", True),
                                    models.Q(("handed_in_at__isnull", False), ("state", "handed_in")),
                                    _connector="OR",
                                ),
                                name="check_answer_decided_after_handing_in",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Comment",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("text", models.TextField()),
                        ("x", models.FloatField(blank=True, null=True)),
                        ("y", models.FloatField(blank=True, null=True)),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        ("resolved_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "annotation",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="comments",
                                to="annotation.annotation",
                            ),
                        ),
                        (
                            "author",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "parent",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="answers",
                                to="annotation.comment",
                            ),
                        ),
                        (
                            "resolved_by",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "check_answer",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="comments",
                                to="annotation.checkanswer",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["created_at", "pk"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("x__isnull", True), ("y__isnull", True)),
                                    models.Q(("x__gte", 0), ("y__gte", 0)),
                                    _connector="OR",
                                ),
                                name="comment_place_whole",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("parent__isnull", True),
                                    models.Q(("resolved_at__isnull", True), ("x__isnull", True)),
                                    _connector="OR",
                                ),
                                name="comment_answer_has_no_place",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("annotation__isnull", False), ("check_answer__isnull", True)),
                                    models.Q(("annotation__isnull", True), ("check_answer__isnull", False)),
                                    _connector="OR",
                                ),
                                name="comment_on_one_thing",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Draft",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("version", models.PositiveIntegerField(default=1)),
                        ("key", models.CharField(blank=True, default="", max_length=80)),
                        ("content", models.JSONField()),
                        ("changed_at", models.DateTimeField(auto_now=True)),
                        (
                            "annotation",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="draft",
                                to="annotation.annotation",
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="Lease",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "seat",
                            models.CharField(
                                choices=[("annotate", "Annotate"), ("review", "Review"), ("audit", "Audit")],
                                max_length=8,
                            ),
                        ),
                        ("place", models.PositiveSmallIntegerField(default=0)),
                        ("expires_at", models.DateTimeField()),
                        (
                            "sample",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="leases",
                                to="annotation.sample",
                            ),
                        ),
                        (
                            "user",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="leases",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        ("lasts", models.DurationField(default=datetime.timedelta(seconds=900))),
                        ("taken_at", models.DateTimeField(default=django.utils.timezone.now)),
                    ],
                    options={
                        "indexes": [models.Index(fields=["user", "seat", "expires_at"], name="lease_by_person")],
                        "constraints": [
                            models.UniqueConstraint(fields=("sample", "seat", "place"), name="lease_once_per_place"),
                            models.UniqueConstraint(fields=("sample", "seat", "user"), name="lease_once_per_person"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Receipt",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("key", models.CharField(max_length=80)),
                        ("about", models.CharField(help_text="What the request was, as action:number.", max_length=40)),
                        ("answer", models.JSONField(default=dict)),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
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
                        "indexes": [models.Index(fields=["created_at"], name="receipt_by_time")],
                        "constraints": [models.UniqueConstraint(fields=("user", "key"), name="receipt_once")],
                    },
                ),
                migrations.CreateModel(
                    name="Skip",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "seat",
                            models.CharField(
                                choices=[("annotate", "Annotate"), ("review", "Review"), ("audit", "Audit")],
                                max_length=8,
                            ),
                        ),
                        ("reason", models.TextField()),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        (
                            "sample",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="skips",
                                to="annotation.sample",
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
                        "ordering": ["-created_at", "-pk"],
                        "constraints": [models.UniqueConstraint(fields=("sample", "user", "seat"), name="skip_once")],
                    },
                ),
                migrations.CreateModel(
                    name="BankTool",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(help_text="What it is called now.", max_length=255)),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("proposed", "proposed"),
                                    ("accepted", "accepted"),
                                    ("merged", "merged"),
                                    ("refused", "refused"),
                                ],
                                default="accepted",
                                max_length=8,
                            ),
                        ),
                        (
                            "segment",
                            models.CharField(
                                blank=True, default="", help_text="UNSPSC segment, two digits.", max_length=2
                            ),
                        ),
                        ("reason", models.TextField(blank=True, default="", help_text="Why the lead refused it.")),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        ("decided_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "benchmark",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="tools",
                                to="annotation.benchmark",
                            ),
                        ),
                        (
                            "decided_by",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "merged_into",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.RESTRICT,
                                related_name="merged",
                                to="annotation.banktool",
                            ),
                        ),
                        (
                            "proposed_by",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="proposed_tools",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["benchmark_id", "name", "pk"],
                        "indexes": [
                            models.Index(fields=["benchmark", "state", "name"], name="tool_in_order"),
                            models.Index(fields=["proposed_by", "benchmark"], name="tool_by_proposer"),
                        ],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("merged_into__isnull", False), ("state", "merged")),
                                    models.Q(
                                        models.Q(("state", "merged"), _negated=True), ("merged_into__isnull", True)
                                    ),
                                    _connector="OR",
                                ),
                                name="tool_merged_into_another",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("state", "refused"), _negated=True),
                                    models.Q(("reason", ""), _negated=True),
                                    _connector="OR",
                                ),
                                name="tool_refused_for_a_reason",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ToolName",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=255)),
                        (
                            "key",
                            models.CharField(
                                help_text="The name in the form for comparison; see PlanTool.key.", max_length=255
                            ),
                        ),
                        (
                            "benchmark",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="tool_names",
                                to="annotation.benchmark",
                            ),
                        ),
                        (
                            "tool",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="names",
                                to="annotation.banktool",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["tool_id", "name"],
                        "constraints": [
                            models.UniqueConstraint(fields=("benchmark", "key"), name="tool_name_means_one_tool")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Pause",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("reason", models.TextField()),
                        ("paused_at", models.DateTimeField(auto_now_add=True)),
                        ("lifted_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "benchmark",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="pauses",
                                to="annotation.benchmark",
                            ),
                        ),
                        (
                            "lifted_by",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "paused_by",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "user",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="pauses",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-paused_at", "-pk"],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("lifted_at__isnull", True)),
                                fields=("benchmark", "user"),
                                name="pause_once_at_a_time",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("lifted_at__isnull", True), ("user__isnull", True)),
                                fields=("benchmark",),
                                name="pause_of_everybody_once_at_a_time",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="QualityRules",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("seed", models.PositiveIntegerField(default=0)),
                        (
                            "check_first",
                            models.PositiveSmallIntegerField(
                                default=0, help_text="Samples of a person that begin with checks."
                            ),
                        ),
                        (
                            "check_share",
                            models.FloatField(
                                default=0.0, help_text="Share of gold checks among later assigned samples."
                            ),
                        ),
                        (
                            "box_measure",
                            models.CharField(choices=[("iou", "iou"), ("ioa", "ioa")], default="iou", max_length=3),
                        ),
                        (
                            "box_least",
                            models.FloatField(default=0.5, help_text="A check whose boxes measure less is not passed."),
                        ),
                        (
                            "any_question",
                            models.BooleanField(
                                default=False,
                                help_text="Answers to a question worded otherwise than the known one decide themselves too.",
                            ),
                        ),
                        (
                            "pause_after",
                            models.PositiveSmallIntegerField(default=10, help_text="Checks before a person is paused."),
                        ),
                        (
                            "pause_below",
                            models.FloatField(
                                blank=True, help_text="Accuracy below which a person is paused.", null=True
                            ),
                        ),
                        (
                            "benchmark",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="quality",
                                to="annotation.benchmark",
                            ),
                        ),
                        (
                            "extra_below",
                            models.FloatField(
                                blank=True,
                                help_text="Agreement, 0 to 1, below which one more person annotates a sample.",
                                null=True,
                            ),
                        ),
                        (
                            "extra_most",
                            models.PositiveSmallIntegerField(default=1, help_text="Most additional people per sample."),
                        ),
                    ],
                    options={
                        "verbose_name_plural": "quality rules",
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("check_share__gte", 0), ("check_share__lte", 0.5)),
                                name="quality_check_share",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("box_least__gte", 0), ("box_least__lte", 1)),
                                name="quality_box_least",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="AuditDraw",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("number", models.PositiveIntegerField()),
                        ("seed", models.CharField(max_length=60)),
                        ("share", models.FloatField()),
                        (
                            "drawn_from",
                            models.PositiveIntegerField(help_text="Accepted samples that could have been drawn."),
                        ),
                        ("drawn_at", models.DateTimeField(auto_now_add=True)),
                        (
                            "benchmark",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="audits",
                                to="annotation.benchmark",
                            ),
                        ),
                        (
                            "drawn_by",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["benchmark_id", "-number"],
                        "constraints": [
                            models.UniqueConstraint(fields=("benchmark", "number"), name="audit_number_once")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="AuditItem",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "verdict",
                            models.CharField(
                                blank=True,
                                choices=[("agree", "Agree"), ("disagree", "Disagree")],
                                default="",
                                max_length=8,
                            ),
                        ),
                        ("reasons", models.JSONField(blank=True, default=list)),
                        ("comment", models.TextField(blank=True, default="")),
                        ("decided_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "outcome",
                            models.CharField(
                                blank=True,
                                choices=[("reopened", "Reopened"), ("kept", "Kept")],
                                default="",
                                max_length=8,
                            ),
                        ),
                        ("settled_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "auditor",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="audits",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "draw",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="items",
                                to="annotation.auditdraw",
                            ),
                        ),
                        (
                            "revision",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="audit_items",
                                to="annotation.revision",
                            ),
                        ),
                        (
                            "revision_author",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "sample",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="audit_items",
                                to="annotation.sample",
                            ),
                        ),
                        (
                            "settled_by",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "indexes": [models.Index(fields=["draw", "verdict"], name="audit_item_by_verdict")],
                        "constraints": [
                            models.UniqueConstraint(fields=("draw", "sample"), name="audit_item_once"),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("auditor__isnull", True), ("verdict", "")),
                                    models.Q(models.Q(("verdict", ""), _negated=True), ("auditor__isnull", False)),
                                    _connector="OR",
                                ),
                                name="audit_verdict_by_somebody",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("auditor__isnull", True),
                                    ("revision_author__isnull", True),
                                    models.Q(("auditor", models.F("revision_author")), _negated=True),
                                    _connector="OR",
                                ),
                                name="audit_never_of_own_work",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("outcome", ""), ("verdict", "disagree"), _connector="OR"),
                                name="audit_outcome_of_disagreement",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="AcceptedChain",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("calls", models.JSONField(help_text="The calls as content JSON has them.")),
                        ("digest", models.CharField(max_length=64)),
                        ("note", models.CharField(blank=True, default="", max_length=500)),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        (
                            "accepted_by",
                            models.ForeignKey(
                                help_text="None: a file.",
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "sample",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="accepted_chains",
                                to="annotation.sample",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["sample_id", "pk"],
                        "constraints": [
                            models.UniqueConstraint(fields=("sample", "digest"), name="accepted_chain_once")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="VerifiedChain",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("digest", models.CharField(max_length=64)),
                        ("image", models.CharField(help_text="SHA-256 of the image it ran on.", max_length=64)),
                        (
                            "result",
                            models.CharField(help_text="SHA-256 of the pixels of its last image.", max_length=64),
                        ),
                        ("measurements", models.JSONField(blank=True, default=dict)),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        (
                            "person",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "sample",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="verified_chains",
                                to="annotation.sample",
                            ),
                        ),
                        (
                            "answer",
                            models.TextField(
                                blank=True, default="", help_text="The answer as text; accepted ones, one per line."
                            ),
                        ),
                        (
                            "kind",
                            models.CharField(
                                choices=[("confirmed", "a person saw it"), ("compared", "the last step measured it")],
                                default="confirmed",
                                max_length=9,
                            ),
                        ),
                        (
                            "reason",
                            models.TextField(
                                blank=True,
                                default="",
                                help_text="Why it gives the answer although the last step measured another number.",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["sample_id", "pk"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("sample", "digest", "image", "person"), name="verified_chain_once_each"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="OriginalFile",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("sha256", models.CharField(max_length=64)),
                        ("bytes", models.BigIntegerField()),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        (
                            "image",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="originals",
                                to="annotation.image",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [models.UniqueConstraint(fields=("sha256", "image"), name="original_file_once")],
                    },
                ),
                migrations.CreateModel(
                    name="ContentChange",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("changes", models.PositiveBigIntegerField(default=1)),
                        (
                            "benchmark",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="annotation.benchmark"
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="SkippedDraft",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("content", models.JSONField()),
                        ("changed_at", models.DateTimeField(auto_now=True)),
                        (
                            "sample",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="skipped_drafts",
                                to="annotation.sample",
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
                        "constraints": [models.UniqueConstraint(fields=("sample", "user"), name="skipped_draft_once")],
                    },
                ),
            ]
        ),
        migrations.RunPython(by_code_point, migrations.RunPython.noop),
        migrations.RunPython(add, remove),
    ]
