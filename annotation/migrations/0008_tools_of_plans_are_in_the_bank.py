"""Every tool that a plan names is in the tool bank of its benchmark; submitted plans are unchangeable again."""

from django.db import migrations

LONGEST_NAME = 255

NAMES = [
    ("annotation_banktool", "name", f"varchar({LONGEST_NAME})"),
    ("annotation_toolname", "name", f"varchar({LONGEST_NAME})"),
]
SQLITE = (
    "CREATE TRIGGER annotation_plantool_submitted BEFORE UPDATE ON annotation_plantool "
    "WHEN (SELECT submitted_at FROM annotation_revision WHERE id = OLD.revision_id) IS NOT NULL "
    "BEGIN SELECT RAISE(ABORT, 'submitted revisions never change'); END"
)
POSTGRESQL = (
    "CREATE TRIGGER annotation_plantool_submitted BEFORE UPDATE ON annotation_plantool FOR EACH ROW "
    "EXECUTE FUNCTION refuse_submitted_part()"
)


def key_of(name):
    """A name as it is compared: without regard to case and spaces."""
    return " ".join(name.split()).casefold()[:LONGEST_NAME]


def distinct(names):
    """Names by their key, each once as it is first written."""
    found = {}
    for name in names:
        if key_of(name):
            found.setdefault(key_of(name), " ".join(name.split())[:LONGEST_NAME])
    return found


def fill(apps, schema_editor):
    plan_tools = apps.get_model("annotation", "PlanTool").objects
    for tool in plan_tools.order_by().values_list("tool", flat=True).distinct():
        plan_tools.filter(tool=tool).update(key=key_of(tool))
    bank_tools, tool_names = (apps.get_model("annotation", name).objects for name in ("BankTool", "ToolName"))
    for benchmark in apps.get_model("annotation", "Benchmark").objects.all():
        named = plan_tools.filter(
            revision__annotation__sample__benchmark=benchmark, revision__submitted_at__isnull=False
        )
        for key, name in distinct(named.order_by("tool").values_list("tool", flat=True).distinct()).items():
            tool = bank_tools.create(benchmark=benchmark, name=name)
            tool_names.create(benchmark=benchmark, tool=tool, name=name, key=key)


def with_trigger(apps, schema_editor):
    schema_editor.execute(POSTGRESQL if schema_editor.connection.vendor == "postgresql" else SQLITE)


def by_code_point(apps, schema_editor):
    """Names sort by code point on PostgreSQL, as they do on SQLite (migration 0003)."""
    if schema_editor.connection.vendor == "postgresql":
        for table, column, kind in NAMES:
            schema_editor.execute(f'ALTER TABLE {table} ALTER COLUMN {column} TYPE {kind} COLLATE "C"')


class Migration(migrations.Migration):
    dependencies = [("annotation", "0007_tool_bank")]

    operations = [
        migrations.RunPython(by_code_point, migrations.RunPython.noop),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.RunPython(with_trigger, migrations.RunPython.noop),
    ]
