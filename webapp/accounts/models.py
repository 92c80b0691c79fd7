from __future__ import annotations

from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models, transaction
from django.db.models.functions import Lower
from django.utils import timezone

from webapp.accounts.querysets import ApiTokenQuerySet, InvitationQuerySet, SignInAttemptQuerySet
from webapp.accounts.scopes import Scope


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        if not email:
            raise ValueError("A user needs an e-mail address.")
        # A person who creates an account manually knows its owner.
        user = self.model(email=email.strip().lower(), **{"email_verified": True, **fields})
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        return self.create_user(email, password, **{**fields, "is_staff": True, "is_superuser": True})

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(email=(username or "").strip().lower())


class User(AbstractBaseUser, PermissionsMixin):
    """A person, known by an e-mail address that is kept in lower case."""

    email = models.EmailField("e-mail", unique=True)
    name = models.CharField("name, as others see it", max_length=120)
    email_verified = models.BooleanField(
        "address verified", default=False, help_text="Whether this person is known to receive email at this address."
    )
    is_staff = models.BooleanField("site admin", default=False)
    is_active = models.BooleanField("can sign in", default=True)
    date_joined = models.DateTimeField(default=timezone.now)

    objects = UserManager()
    token: ApiToken | None = None
    """The token of the request in which this person was authenticated, if it came with one; not in the database."""
    _password: str | None
    """Set by Django between ``set_password`` and ``save``."""
    _locked = False
    """Whether the password was just removed."""

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS = ["name"]

    class Meta:
        ordering = ("name", "id")
        constraints = (models.CheckConstraint(condition=models.Q(email=Lower("email")), name="user_email_lower_case"),)

    def __str__(self) -> str:
        return self.name or self.email

    def clean(self) -> None:
        self.email = self.email.strip().lower()

    def set_unusable_password(self) -> None:
        super().set_unusable_password()
        self._locked = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save. A new password ends all sessions and tokens, whether the person, the admin site or a command sets it.
        So does deactivating the account: they stay ended when it is activated again.

        A stronger hash of the same password is not a new password.
        """
        renewed = self.pk is not None and (self._password is not None or self._locked)
        with transaction.atomic():
            super().save(*args, **kwargs)
            if renewed or not self.is_active:
                self.end_access()
        self._locked = False

    def end_access(self) -> None:
        """End every session and revoke every token of this person."""
        Session.objects.filter(user=self).delete()
        ApiToken.objects.filter(user=self).delete()

    def get_full_name(self) -> str:
        return self.name

    def get_short_name(self) -> str:
        return self.name.split(" ")[0] or self.email

    @property
    def limited_to(self) -> str:
        """The slug of the only benchmark of the token that this request came with; "" means all."""
        return self.token.benchmark if self.token else ""

    @property
    def initials(self) -> str:
        """First letters of the first and the last word of the name, or of the address without one."""
        words = self.name.split() or [self.email]
        ends = words[:1] + words[1:][-1:]
        return "".join(word[0] for word in ends).upper()


class Invitation(models.Model):
    """An invitation to an address; the holder of its token may create the account. Only the hash of the token is
    stored.
    """

    email = models.EmailField()
    token_hash = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="invitations_sent"
    )
    mailed = models.BooleanField(default=False, help_text="Whether the link was only sent to the address by email.")
    takes_over = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE, related_name="+",
        help_text="The person of an imported file, without access until now, whose row becomes the account.",
    )  # fmt: skip
    created = models.DateTimeField(auto_now_add=True)
    expires = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="invitations_accepted"
    )

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ("-created", "-id")
        constraints = (
            models.CheckConstraint(condition=models.Q(email=Lower("email")), name="invitation_email_lower_case"),
        )

    def __str__(self) -> str:
        return self.email

    @property
    def is_open(self) -> bool:
        return self.accepted_at is None and self.expires > timezone.now()


class ApiToken(models.Model):
    """A key for programs, shown once; only its hash is kept. It lets a program do a part of what its person may."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=80)
    scopes = models.JSONField(help_text="Names of webapp.accounts.scopes.Scope.")
    benchmark = models.CharField(max_length=100, blank=True, help_text="Slug of the only benchmark; empty: all.")
    token_hash = models.CharField(max_length=64, unique=True)
    created = models.DateTimeField(auto_now_add=True)
    last_used = models.DateTimeField(null=True, blank=True)
    expires = models.DateTimeField()
    in_effect: frozenset[Scope] = frozenset()
    """The scopes that count in the request that came with it; not in the database."""

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        verbose_name = "API token"
        ordering = ("-created", "-id")

    def __str__(self) -> str:
        return self.name

    @property
    def is_expired(self) -> bool:
        return self.expires <= timezone.now()


class OwnKey(models.Model):
    """A key that a person chose for a function of a page instead of the default (``webapp.accounts.keys``)."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="own_keys")
    table = models.CharField(max_length=40)
    name = models.CharField(max_length=40)
    key = models.CharField(max_length=40)

    class Meta:
        ordering = ("user", "table", "name")
        constraints = (
            models.UniqueConstraint(fields=["user", "table", "name"], name="own_key_once"),
            models.UniqueConstraint(fields=["user", "table", "key"], name="own_key_does_one_thing"),
        )

    def __str__(self) -> str:
        return f"{self.key} for {self.name}"


class SignInAttempt(models.Model):
    """One try to sign in that has not succeeded (success deletes the row), or one request for a reset link."""

    SIGN_IN, RESET = "sign_in", "reset"

    purpose = models.CharField(max_length=10, default=SIGN_IN)
    email = models.CharField(max_length=254)
    address = models.GenericIPAddressField(null=True, help_text="Of IPv6: that of the network, /64.")
    device = models.CharField(
        max_length=40, blank=True, default="", help_text="A browser in which this person signed in before."
    )
    at = models.DateTimeField(default=timezone.now)

    objects = SignInAttemptQuerySet.as_manager()

    class Meta:
        indexes = (
            models.Index(fields=["email", "at"], name="attempt_email"),
            models.Index(fields=["address", "at"], name="attempt_address"),
        )

    def __str__(self) -> str:
        return f"{self.email} from {self.address}"


class Session(AbstractBaseSession):
    """The session of a browser: the person who is signed in, since when, and from where. Written by ``SessionStore``.

    Only the hash of the key is stored, so a copy of the database gives no access. ``expire_date`` moves with use, up to
    a limit (``webapp.accounts.sessions``).
    """

    session_key = models.CharField("hash of the key", max_length=64, primary_key=True)
    # Without a constraint: a session that is saved while its person is deleted must not fail the request.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, db_constraint=False, on_delete=models.CASCADE, related_name="sessions"
    )
    signed_in_at = models.DateTimeField(null=True)
    last_used = models.DateTimeField(default=timezone.now)
    stays = models.BooleanField(default=False, help_text="Whether the person asked to stay signed in.")
    address = models.GenericIPAddressField(null=True)
    browser = models.CharField(max_length=60, blank=True, default="")

    @classmethod
    def get_session_store_class(cls) -> type[SessionBase]:
        return import_module(settings.SESSION_ENGINE).SessionStore
