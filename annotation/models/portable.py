from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy

from annotation.models.benchmark import Benchmark


class PortableUpload(models.Model):
    """A portable file that a person uploaded. A job reads it (``preview``), the person decides, and another job imports
    it. ``benchmark``: the one that it becomes, or with ``updates`` the one that it updates. ``choices``: what becomes
    of conflicts, by sample. ``upload``: its name in the object store, "" after the import.
    """

    class State(models.TextChoices):
        READING = "reading", gettext_lazy("Reading")
        READY = "ready", gettext_lazy("Ready")
        RUNNING = "running", gettext_lazy("Running")
        DONE = "done", gettext_lazy("Done")
        FAILED = "failed", gettext_lazy("Failed")

    WORKING = (State.READING, State.RUNNING)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    file_name = models.CharField(max_length=200)
    bytes = models.BigIntegerField()
    upload = models.CharField(max_length=300, blank=True, default="")
    state = models.CharField(max_length=8, choices=State, default=State.READING)
    preview = models.JSONField(default=dict, blank=True)
    slug = models.CharField(max_length=60, blank=True, default="", help_text="Chosen address of the new benchmark.")
    benchmark = models.ForeignKey(
        Benchmark, null=True, blank=True, on_delete=models.CASCADE, related_name="portable_uploads"
    )
    updates = models.BooleanField(default=False, db_default=False)
    choices = models.JSONField(default=dict, db_default={}, blank=True)
    error = models.TextField(blank=True, default="")
    job_id = models.CharField(max_length=36, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return self.file_name

    @property
    def works(self) -> bool:
        """Whether a job reads or imports it."""
        return self.state in self.WORKING


class PersonUid(models.Model):
    """The identity of a person in the portable files of a benchmark, with names and without.

    ``known_as``: the uid that files have for the person of a placeholder, if an account has that uid here.
    ``address``: as a file gave it, if the address of the placeholder does not contain it. ``verified``: whether the
    address was verified on the server of the file; null for accounts, and if no file says it.
    """

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="person_uids")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    uid = models.UUIDField(default=uuid.uuid4)
    known_as = models.UUIDField(null=True, blank=True)
    address = models.CharField(max_length=254, blank=True, default="")
    verified = models.BooleanField(null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["benchmark", "user"], name="person_uid_one_per_person"),
            models.UniqueConstraint(fields=["benchmark", "uid"], name="person_uid_unique"),
        )

    def __str__(self) -> str:
        return str(self.uid)
