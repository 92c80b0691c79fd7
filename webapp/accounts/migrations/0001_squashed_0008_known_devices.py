"""Migrations 0001 to 0008 in one, for new databases: every table as it is after them."""

import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("accounts", "0001_initial"),
        ("accounts", "0002_sessions_know_whose_they_are"),
        ("accounts", "0003_own_keys"),
        ("accounts", "0004_session_keys_are_hashed"),
        ("accounts", "0005_scopes_of_tokens"),
        ("accounts", "0006_every_token_expires"),
        ("accounts", "0007_verified_addresses"),
        ("accounts", "0008_known_devices"),
    ]

    initial = True

    dependencies = [("auth", "0012_alter_user_first_name_max_length")]

    operations = [
        migrations.CreateModel(
            name="User",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                ("email", models.EmailField(max_length=254, unique=True, verbose_name="e-mail")),
                ("name", models.CharField(max_length=120, verbose_name="name, as others see it")),
                ("is_staff", models.BooleanField(default=False, verbose_name="site admin")),
                ("is_active", models.BooleanField(default=True, verbose_name="can sign in")),
                ("date_joined", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
                (
                    "email_verified",
                    models.BooleanField(
                        default=False,
                        help_text="Whether this person is known to receive email at this address.",
                        verbose_name="address verified",
                    ),
                ),
            ],
            options={
                "ordering": ("name", "id"),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("email", django.db.models.functions.text.Lower("email"))),
                        name="user_email_lower_case",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=80)),
                ("token_hash", models.CharField(max_length=64, unique=True)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("last_used", models.DateTimeField(blank=True, null=True)),
                ("expires", models.DateTimeField()),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="api_tokens",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "benchmark",
                    models.CharField(blank=True, help_text="Slug of the only benchmark; empty: all.", max_length=100),
                ),
                ("scopes", models.JSONField(help_text="Names of webapp.accounts.scopes.Scope.")),
            ],
            options={
                "verbose_name": "API token",
                "ordering": ("-created", "-id"),
            },
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("email", models.EmailField(max_length=254)),
                ("token_hash", models.CharField(max_length=64, unique=True)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("expires", models.DateTimeField()),
                ("accepted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "accepted_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="invitations_accepted",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "invited_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="invitations_sent",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "mailed",
                    models.BooleanField(
                        default=False, help_text="Whether the link was only sent to the address by email."
                    ),
                ),
            ],
            options={
                "ordering": ("-created", "-id"),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("email", django.db.models.functions.text.Lower("email"))),
                        name="invitation_email_lower_case",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SignInAttempt",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("email", models.CharField(max_length=254)),
                ("address", models.GenericIPAddressField(help_text="Of IPv6: that of the network, /64.", null=True)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "device",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="A browser in which this person signed in before.",
                        max_length=40,
                    ),
                ),
                ("purpose", models.CharField(default="sign_in", max_length=10)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["email", "at"], name="attempt_email"),
                    models.Index(fields=["address", "at"], name="attempt_address"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Session",
            fields=[
                (
                    "session_key",
                    models.CharField(max_length=64, primary_key=True, serialize=False, verbose_name="hash of the key"),
                ),
                ("session_data", models.TextField(verbose_name="session data")),
                ("expire_date", models.DateTimeField(db_index=True, verbose_name="expire date")),
                ("signed_in_at", models.DateTimeField(null=True)),
                ("address", models.GenericIPAddressField(null=True)),
                ("browser", models.CharField(blank=True, default="", max_length=60)),
                (
                    "user",
                    models.ForeignKey(
                        db_constraint=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sessions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("last_used", models.DateTimeField(default=django.utils.timezone.now)),
                ("stays", models.BooleanField(default=False, help_text="Whether the person asked to stay signed in.")),
            ],
            options={
                "verbose_name": "session",
                "verbose_name_plural": "sessions",
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="OwnKey",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("table", models.CharField(max_length=40)),
                ("name", models.CharField(max_length=40)),
                ("key", models.CharField(max_length=40)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="own_keys",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("user", "table", "name"),
                "constraints": [
                    models.UniqueConstraint(fields=("user", "table", "name"), name="own_key_once"),
                    models.UniqueConstraint(fields=("user", "table", "key"), name="own_key_does_one_thing"),
                ],
            },
        ),
    ]
