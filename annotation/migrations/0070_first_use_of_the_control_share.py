import django.utils.timezone
from django.db import migrations, models
from django.db.models import F


def fixed_since_they_began(apps, schema_editor):
    """Until now, the row of a benchmark was created by the first use of its control share."""
    drafting = apps.get_model("annotation", "Drafting")
    drafting.objects.using(schema_editor.connection.alias).update(fixed_at=F("created_at"))


class Migration(migrations.Migration):
    dependencies = [("annotation", "0069_returned_samples")]

    operations = [
        migrations.AddField(
            model_name="drafting",
            name="fixed_at",
            field=models.DateTimeField(default=django.utils.timezone.now, editable=False, null=True),
        ),
        migrations.RunPython(fixed_since_they_began, migrations.RunPython.noop),
    ]
