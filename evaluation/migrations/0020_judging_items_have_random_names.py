"""Questions of judging queues have random names; their order is drawn for each judge."""

from __future__ import annotations

import secrets
from functools import partial
from typing import Any

from django.db import migrations, models


def name_all(apps: Any, schema_editor: Any) -> None:
    items = apps.get_model("evaluation", "JudgingItem").objects
    named = []
    for item in items.only("pk").iterator(chunk_size=2000):
        item.key = secrets.token_urlsafe(16)
        named.append(item)
        if len(named) == 2000:
            items.bulk_update(named, ["key"])
            named = []
    items.bulk_update(named, ["key"])


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0019_grounded_may_be_undefined")]

    operations = [
        migrations.RemoveConstraint(model_name="judgingitem", name="judging_item_position_once"),
        migrations.AlterModelOptions(name="judgingitem", options={"ordering": ["queue", "pk"]}),
        migrations.RemoveField(model_name="judgingitem", name="position"),
        migrations.AddField(
            model_name="judgingitem",
            name="key",
            field=models.CharField(default="", max_length=22),
        ),
        migrations.RunPython(name_all, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="judgingitem",
            name="key",
            field=models.CharField(
                default=partial(secrets.token_urlsafe, 16),
                help_text="Its name in addresses. Random.",
                max_length=22,
                unique=True,
            ),
        ),
    ]
