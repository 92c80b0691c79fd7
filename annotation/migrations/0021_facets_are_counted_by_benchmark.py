import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0020_facets_know_their_benchmark")]

    operations = [
        migrations.AlterField(
            model_name="facetvalue",
            name="benchmark",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="annotation.benchmark",
            ),
        ),
        migrations.AddIndex(
            model_name="facetvalue",
            index=models.Index(fields=["benchmark", "name", "value", "position"], name="facet_of_benchmark"),
        ),
    ]
