"""A sample with a returned annotation is returned, also if another annotation of it waits for that one."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Exists, OuterRef


def mark_returned(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    samples = apps.get_model("annotation", "Sample").objects.using(editor.connection.alias)
    annotations = apps.get_model("annotation", "Annotation").objects.using(editor.connection.alias)
    own = annotations.filter(sample=OuterRef("pk"))
    others = own.filter(state__in=["accepted", "in_review"])
    samples.filter(Exists(own.filter(state="returned")), ~Exists(others), state="in_review").update(state="returned")


class Migration(migrations.Migration):
    dependencies = [("annotation", "0068_items_made_from_samples")]
    operations = [migrations.RunPython(mark_returned, migrations.RunPython.noop)]
