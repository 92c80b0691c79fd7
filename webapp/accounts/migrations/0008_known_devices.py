from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0007_verified_addresses")]

    operations = [
        migrations.AddField(
            model_name="signinattempt",
            name="device",
            field=models.CharField(
                blank=True,
                default="",
                help_text="A browser in which this person signed in before.",
                max_length=40,
            ),
        ),
        migrations.AddField(
            model_name="signinattempt",
            name="purpose",
            field=models.CharField(default="sign_in", max_length=10),
        ),
        migrations.AlterField(
            model_name="signinattempt",
            name="address",
            field=models.GenericIPAddressField(help_text="Of IPv6: that of the network, /64.", null=True),
        ),
    ]
