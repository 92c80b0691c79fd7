from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0005_scopes_of_tokens")]

    operations = [migrations.AlterField(model_name="apitoken", name="expires", field=models.DateTimeField())]
