from django.conf import settings
from django.db import models
from django.utils import timezone


class AuditSeal(models.Model):
    """A block of audit entries, chained to the block before it: see ``webapp.common.audit_chain``.

    ``digest`` is the SHA-256 of the digest of the seal before and those of the entries, in order of their numbers.
    """

    previous = models.CharField(max_length=64, blank=True, unique=True)
    entries = models.PositiveIntegerField()
    digest = models.CharField(max_length=64)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return f"{self.entries} entries, {self.digest[:12]}"


class AuditEntry(models.Model):
    """An action of a person on an object, with the reason. Actions write it; the database refuses changes and deletion.

    ``personal`` contains data that identifies a person: the name of the actor, network address, email addresses. Only
    this can be erased when the person leaves: ``digest`` covers it only by ``personal_digest``.
    """

    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+", help_text="Empty: automatic."
    )
    action = models.CharField(max_length=80)
    subject_type = models.CharField(max_length=80, blank=True)
    subject_id = models.CharField(max_length=80, blank=True)
    benchmark = models.CharField(max_length=100, blank=True, help_text="Slug of the benchmark it happened in.")
    before = models.CharField(max_length=40, blank=True)
    after = models.CharField(max_length=40, blank=True)
    reason = models.TextField(blank=True)
    data = models.JSONField(default=dict, blank=True)
    created = models.DateTimeField(default=timezone.now)
    request = models.CharField(
        max_length=64, blank=True, help_text="Reference of the request; empty: a command, a job."
    )
    personal = models.JSONField(null=True, help_text="Names and addresses, with a salt. Null: erased.")
    personal_digest = models.CharField(max_length=64)
    digest = models.CharField(max_length=64)
    seal = models.ForeignKey(AuditSeal, null=True, on_delete=models.PROTECT, related_name="sealed")

    class Meta:
        verbose_name_plural = "audit entries"
        ordering = ("-created", "-id")
        indexes = (
            models.Index(fields=["subject_type", "subject_id", "-created"], name="audit_subject"),
            models.Index(fields=["benchmark", "-created"], name="audit_benchmark"),
            models.Index(fields=["-created"], name="audit_created"),
            models.Index(fields=["id"], name="audit_unsealed", condition=models.Q(seal=None)),
        )

    def __str__(self) -> str:
        return f"{self.action} {self.subject_type} {self.subject_id}"

    @property
    def actor_name(self) -> str:
        """The name of the actor at that time; "" if there was none or the name was erased."""
        return str((self.personal or {}).get("actor", ""))

    @property
    def address(self) -> str:
        """The network address of a security event; "" elsewhere."""
        return str((self.personal or {}).get("address", ""))


class RequestCount(models.Model):
    """The number of requests of one person that all processes have counted for a limit in one period."""

    key = models.CharField(max_length=120, primary_key=True)
    count = models.PositiveIntegerField()
    until = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.count} of {self.key}"
