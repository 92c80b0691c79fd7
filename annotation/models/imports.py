from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy

from annotation.models.benchmark import Benchmark
from annotation.schema import place


class ImportRecord(models.Model):
    """The permanent record of one import: its file, its choices, and the result of every row.

    ``checkpoint`` is where the last committed batch ended, so that a killed import continues there.
    """

    class Kind(models.TextChoices):
        SAMPLES = "samples", gettext_lazy("Samples")
        RUNS = "runs", gettext_lazy("Runs")

    class State(models.TextChoices):
        """An uploaded file is read (dry run), waits for a decision (preview) and then runs. A command runs at once.

        A finished import can be undone."""

        READING = "reading"
        PREVIEW = "preview"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        UNDOING = "undoing"
        UNDONE = "undone"

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="imports")
    kind = models.CharField(max_length=8, choices=Kind)
    state = models.CharField(max_length=8, choices=State, default=State.RUNNING)
    file_name = models.CharField(max_length=500)
    sha256 = models.CharField(max_length=64, blank=True, default="")
    bytes = models.BigIntegerField(default=0)
    format = models.CharField(max_length=40)
    options = models.JSONField(default=dict, blank=True)
    counts = models.JSONField(default=dict, blank=True)
    checkpoint = models.JSONField(default=dict, blank=True)
    upload = models.CharField(max_length=300, blank=True, default="", help_text="Where the uploaded file is stored.")
    preview = models.JSONField(default=dict, blank=True, help_text="What the dry run found: formats, counts, records.")
    job_id = models.CharField(max_length=36, blank=True, default="")
    error = models.TextField(blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.file_name} into {self.benchmark}"


class ImportIssue(models.Model):
    """One rejected, repaired or noted row of an import: file, line, field, value and outcome."""

    record = models.ForeignKey(ImportRecord, on_delete=models.CASCADE, related_name="issues")
    severity = models.CharField(max_length=8)
    rule = models.CharField(max_length=60)
    file = models.CharField(max_length=500, blank=True, default="")
    line = models.BigIntegerField(null=True, blank=True)
    row = models.CharField(max_length=120, blank=True, default="", help_text="Its number in a list: 17, 17 of samples.")
    field = models.CharField(max_length=200, blank=True, default="")
    found = models.TextField(blank=True, default="")
    done = models.TextField()

    class Meta:
        ordering = ["record_id", "pk"]
        indexes = [models.Index(fields=["record", "severity", "rule"], name="import_issue_by_rule")]

    def __str__(self) -> str:
        return f"{self.rule}: {self.done}"

    @property
    def place(self) -> str:
        """The position in the file, as text."""
        return place(self.line, self.row)
