from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from webapp.notifications.kinds import Channel, Kind
from webapp.notifications.querysets import NotificationQuerySet


class Notification(models.Model):
    """One entry of a person's inbox: an event, or several alike. Written in the transaction of the act.

    ``sentence`` names a template of ``webapp.notifications.kinds``, which ``data`` and ``actor`` fill. ``path`` leads
    to what it is about; ``list_path`` replaces it once the entry covers several events.
    """

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notifications")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    sentence = models.CharField(max_length=40)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    benchmark = models.CharField(max_length=100, blank=True, help_text="Slug of the benchmark it happened in.")
    subject = models.CharField(max_length=120, blank=True, help_text="What it is about, as app.model:number.")
    data = models.JSONField(default=dict)
    path = models.CharField(max_length=500, blank=True)
    list_path = models.CharField(max_length=500, blank=True)
    count = models.PositiveIntegerField(default=1, help_text="Number of events of this entry.")
    created_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(default=timezone.now, help_text="When its last event happened.")
    read_at = models.DateTimeField(null=True, blank=True)
    mail_after = models.DateTimeField(null=True, blank=True, help_text="When an email should carry it. Empty: none.")
    mailed_at = models.DateTimeField(null=True, blank=True)

    objects = NotificationQuerySet.as_manager()

    class Meta:
        ordering = ("-changed_at", "-id")
        indexes = (
            models.Index(fields=["person", "-changed_at", "-id"], name="notification_inbox"),
            models.Index(fields=["person", "kind"], name="notification_unread", condition=Q(read_at=None)),
            models.Index(
                fields=["mail_after"], name="notification_mail", condition=Q(read_at=None, mail_after__isnull=False)
            ),
        )

    def __str__(self) -> str:
        return f"{self.sentence} for {self.person_id}"


class NotificationSetting(models.Model):
    """The channel that a person chose for a kind instead of the default."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notification_settings")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    channel = models.CharField(max_length=10, choices=Channel.choices)

    class Meta:
        ordering = ("person", "kind")
        constraints = (models.UniqueConstraint(fields=["person", "kind"], name="notification_setting_once"),)

    def __str__(self) -> str:
        return f"{self.kind}: {self.channel}"


class TimeZone(models.Model):
    """The time zone of a person, for the daily email. Without a row: UTC."""

    person = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="time_zone")
    name = models.CharField(max_length=64, help_text="Name of the IANA database, such as Europe/Lisbon.")

    def __str__(self) -> str:
        return self.name
