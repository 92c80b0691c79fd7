"""An answer in which no option can be read is called unread, and is undecided where it was wrong: scores made before are
made again, and until then keep what they say under the new name."""

from django.db import migrations, models
from django.db.models import Value
from django.db.models.functions import Cast, Replace


def rename(apps, schema_editor):
    text = Cast("detail", models.TextField())
    detail = Cast(Replace(text, Value('"unparsed"'), Value('"unread"')), models.JSONField())
    apps.get_model("evaluation", "Metric").objects.update(detail=detail)
    apps.get_model("evaluation", "ListColumn").objects.filter(name="unparsed").update(name="unread")
    apps.get_model("evaluation", "Scoring").objects.update(stale=True)


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0021_rewards")]

    operations = [
        migrations.RenameField("score", "unparsed", "unread"),
        migrations.RunPython(rename, migrations.RunPython.noop),
    ]
