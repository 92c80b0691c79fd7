from __future__ import annotations

from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy

from annotation.models.benchmark import Benchmark


class DeliveryQuerySet(models.QuerySet[Any]):
    def due(self) -> Self:
        """Keep deliveries whose next try is due, by the database's clock, oldest first."""
        found = self.filter(state="waiting", not_before__lte=Now(), webhook__active=True)
        found = found.filter(webhook__benchmark__deleted_at=None)
        return found.order_by("not_before", "pk")


class Webhook(models.Model):
    """An address to which events of a benchmark are sent. ``secret`` is sealed for it."""

    class Format(models.TextChoices):
        JSON = "json", "JSON"
        SLACK = "slack", "Slack"

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=2000)
    secret = models.TextField(help_text="Sealed.")
    kinds = models.JSONField(default=list, help_text="Kinds of events that are sent.")
    format = models.CharField(max_length=5, choices=Format.choices, default=Format.JSON)
    active = models.BooleanField(default=True)
    problem = models.TextField(blank=True, default="", help_text="Why it was disabled.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.url.split("?")[0]


class WebhookDelivery(models.Model):
    """One event for one webhook. ``event`` is the id of the message, the same in every try."""

    class State(models.TextChoices):
        WAITING = "waiting", gettext_lazy("Waiting")
        DELIVERED = "delivered", gettext_lazy("Delivered")
        FAILED = "failed", gettext_lazy("Failed")

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    event = models.CharField(max_length=40)
    kind = models.CharField(max_length=20)
    body = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)
    state = models.CharField(max_length=9, choices=State.choices, default=State.WAITING)
    attempts = models.PositiveIntegerField(default=0)
    not_before = models.DateTimeField(null=True, help_text="When the next try is due. Empty: none.")
    status = models.PositiveIntegerField(null=True, help_text="HTTP status of the last response.")
    error = models.CharField(max_length=300, blank=True, default="")
    delivered_at = models.DateTimeField(null=True)

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [models.UniqueConstraint(fields=["webhook", "event"], name="webhook_delivery_once")]
        indexes = [
            models.Index(fields=["not_before"], name="webhook_delivery_due", condition=Q(state="waiting")),
            models.Index(fields=["webhook", "-created_at", "-id"], name="webhook_delivery_list"),
        ]

    def __str__(self) -> str:
        return f"{self.event} to {self.webhook_id}"
