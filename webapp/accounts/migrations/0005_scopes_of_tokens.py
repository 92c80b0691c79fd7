from datetime import timedelta

from django.db import migrations, models
from django.db.models import Q
from django.utils import timezone

EVERYTHING = ["read", "annotate", "import", "manage"]


def keep_working(apps, schema_editor):
    """Existing tokens go on doing what they did, on all benchmarks, but for 90 days at most."""
    tokens = apps.get_model("accounts", "ApiToken").objects
    tokens.update(scopes=EVERYTHING)
    latest = timezone.now() + timedelta(days=90)
    tokens.filter(Q(expires=None) | Q(expires__gt=latest)).update(expires=latest)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0004_session_keys_are_hashed")]

    operations = [
        migrations.AddField(
            model_name="apitoken",
            name="benchmark",
            field=models.CharField(
                blank=True, default="", help_text="Slug of the only benchmark; empty: all.", max_length=100
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="apitoken",
            name="scopes",
            field=models.JSONField(default=list, help_text="Names of webapp.accounts.scopes.Scope."),
            preserve_default=False,
        ),
        migrations.RunPython(keep_working, migrations.RunPython.noop),
    ]
