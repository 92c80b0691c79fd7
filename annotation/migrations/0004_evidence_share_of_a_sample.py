"""How much of its picture the evidence of a sample is, so that lists sort and narrow by it.

Null until the gold of a sample is saved or imported again.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0003_texts_sort_alike")]

    operations = [
        migrations.AddField(
            model_name="sample",
            name="evidence_share",
            field=models.FloatField(
                blank=True,
                help_text="Area of the gold boxes / area of the image; derived when gold is saved.",
                null=True,
            ),
        ),
    ]
