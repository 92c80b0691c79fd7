import django.utils.timezone
from django.db import migrations, models


def end_all(apps, schema_editor):
    """Keys were kept in clear text, in backups too: people sign in again."""
    apps.get_model("accounts", "Session").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [("accounts", "0003_own_keys")]

    operations = [
        migrations.RunPython(end_all, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="session",
            name="session_key",
            field=models.CharField(max_length=64, primary_key=True, serialize=False, verbose_name="hash of the key"),
        ),
        migrations.AddField(
            model_name="session",
            name="last_used",
            field=models.DateTimeField(default=django.utils.timezone.now),
        ),
        migrations.AddField(
            model_name="session",
            name="stays",
            field=models.BooleanField(default=False, help_text="Whether the person asked to stay signed in."),
        ),
    ]
