from django.db import migrations, models


def who_was_never_asked(apps, schema_editor):
    """Accounts that came by a link that a lead handed on: nobody knows who receives email at their address."""
    users = apps.get_model("accounts", "User").objects
    users.filter(invitations_accepted=None).update(email_verified=True)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0006_every_token_expires")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="email_verified",
            field=models.BooleanField(
                default=False,
                help_text="Whether this person is known to receive email at this address.",
                verbose_name="address verified",
            ),
        ),
        migrations.AddField(
            model_name="invitation",
            name="mailed",
            field=models.BooleanField(
                default=False, help_text="Whether the link was only sent to the address by email."
            ),
        ),
        migrations.RunPython(who_was_never_asked, migrations.RunPython.noop),
    ]
