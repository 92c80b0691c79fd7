from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import pgettext_lazy

from annotation.models.benchmark import Benchmark
from annotation.models.sample import HIGHEST_PRIORITY
from annotation.models.time import WorkSession


class WorkPackage(models.Model):
    """Samples that are to be annotated until a moment, and the people who are expected to do it.

    ``query``: the terms of a list of samples, as an address has them. The samples are those that match now.
    ``reminded``: the shortest notice that was given, in hours; 0: none.
    """

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="packages")
    title = models.CharField(max_length=120)
    query = models.TextField(blank=True, default="")
    people = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="packages", blank=True)
    due_at = models.DateTimeField()
    priority = models.PositiveSmallIntegerField(default=0)
    reminded = models.PositiveSmallIntegerField(default=0)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["due_at", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(priority__gte=0, priority__lte=HIGHEST_PRIORITY), name="work_package_priority_to_nine"
            ),
        ]

    def __str__(self) -> str:
        return self.title


class PaySettings(models.Model):
    """The currency in which a benchmark pays, an ISO 4217 code; without a row it does not pay."""

    benchmark = models.OneToOneField(Benchmark, on_delete=models.CASCADE, related_name="pay")
    currency = models.CharField(max_length=3)

    class Meta:
        verbose_name_plural = "pay settings"

    def __str__(self) -> str:
        return f"{self.currency} of {self.benchmark}"


class PayRate(models.Model):
    """The pay of one kind of work, per active hour or per sample. ``person`` empty: everyone without a
    separate rate.
    """

    class Per(models.TextChoices):
        HOUR = "hour", pgettext_lazy("paid per", "active hour")
        SAMPLE = "sample", pgettext_lazy("paid per", "sample")

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="pay_rates")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    role = models.CharField(max_length=10, choices=WorkSession.Role)
    per = models.CharField(max_length=6, choices=Per)
    amount = models.DecimalField(max_digits=10, decimal_places=2)

    class Meta:
        ordering = ["role", "person_id"]
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "role", "person"], name="pay_rate_once_per_person"),
            models.UniqueConstraint(
                fields=["benchmark", "role"], condition=Q(person__isnull=True), name="pay_rate_once_for_all"
            ),
            models.CheckConstraint(condition=Q(amount__gte=0), name="pay_rate_not_negative"),
        ]

    def __str__(self) -> str:
        return f"{self.amount} per {self.per} {self.role}"


class PayPeriod(models.Model):
    """A closed month. Its lines are what was counted then, and never change."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="pay_periods")
    month = models.DateField(help_text="The first day of the month, in UTC.")
    currency = models.CharField(max_length=3, blank=True, default="")
    closed_at = models.DateTimeField()
    closed_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["benchmark_id", "-month"]
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "month"], name="pay_period_once"),
        ]

    def __str__(self) -> str:
        return f"{self.month:%Y-%m} of {self.benchmark}"


class PayLine(models.Model):
    """The work of one person in one role in a closed month. Triggers in the database refuse any change."""

    period = models.ForeignKey(PayPeriod, on_delete=models.CASCADE, related_name="lines")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    role = models.CharField(max_length=10, choices=WorkSession.Role)
    submitted = models.PositiveIntegerField(default=0)
    accepted = models.PositiveIntegerField(default=0)
    reviewed = models.PositiveIntegerField(default=0)
    adjudicated = models.PositiveIntegerField(default=0)
    active_seconds = models.FloatField(null=True, blank=True, help_text="Null: none was recorded.")
    median_seconds = models.FloatField(null=True, blank=True)
    decided = models.PositiveIntegerField(default=0, help_text="Of the submitted annotations, those with a decision.")
    returned = models.PositiveIntegerField(default=0, help_text="Of these, those that were returned at least once.")
    per = models.CharField(max_length=6, choices=PayRate.Per, blank=True, default="")
    rate = models.DecimalField(max_digits=10, decimal_places=2, null=True, blank=True)
    amount = models.DecimalField(max_digits=14, decimal_places=2, null=True, blank=True)

    class Meta:
        ordering = ["period_id", "pk"]
        constraints = [models.UniqueConstraint(fields=["period", "person", "role"], name="pay_line_once")]

    def __str__(self) -> str:
        return f"{self.person} {self.role} in {self.period}"
