"""An annotation without an author is imported or adjudicated: a sample can have one of each."""

from django.db import migrations, models


def fill(apps, schema_editor):
    apps.get_model("annotation", "Annotation").objects.filter(imported=True).update(kind="imported")


def restore(apps, schema_editor):
    apps.get_model("annotation", "Annotation").objects.filter(kind="imported").update(imported=True)


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0032_remote_endpoints"),
    ]

    operations = [
        migrations.AddField(
            model_name="annotation",
            name="kind",
            field=models.CharField(
                choices=[("own", "Own"), ("imported", "Imported"), ("adjudicated", "Adjudicated")],
                db_default="own",
                default="own",
                max_length=11,
            ),
        ),
        migrations.RunPython(fill, restore),
        migrations.RemoveConstraint(
            model_name="annotation",
            name="annotation_once_without_author",
        ),
        migrations.RemoveField(
            model_name="annotation",
            name="imported",
        ),
        migrations.AddConstraint(
            model_name="annotation",
            constraint=models.UniqueConstraint(
                condition=models.Q(("author__isnull", True)),
                fields=("sample", "kind"),
                name="annotation_once_without_author",
            ),
        ),
    ]
