from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy

from annotation.models.sample import Sample


class AcceptedChain(models.Model):
    """An alternative reference toolchain, accepted by a reviewer or imported from a file.

    ``digest`` identifies its calls. If an automatic consensus accepted it, ``accepted_by`` is the annotator who
    submitted it.
    """

    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="accepted_chains")
    calls = models.JSONField(help_text="The calls as content JSON has them.")
    digest = models.CharField(max_length=64)
    note = models.CharField(max_length=500, blank=True, default="")
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+", help_text="None: a file."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["sample_id", "pk"]
        constraints = [models.UniqueConstraint(fields=["sample", "digest"], name="accepted_chain_once")]

    def __str__(self) -> str:
        return " → ".join(str(call.get("tool", "")) for call in self.calls)


class VerifiedChain(models.Model):
    """A toolchain that replays on the sample's image, and how its end was compared with the answer.

    It applies only to exactly these calls, this image, and this answer with its options. A schema that requires
    verified ends accepts two kinds: measured ends, and ends from which another person answered, seeing only the last
    image. A different answer from the last image is stored too (``matches``), so that people guess only once. Whether
    a mark verifies the end is computed from ``measurements`` and ``observed``: ``annotation.common.chain_marks``.
    """

    class How(models.TextChoices):
        MEASURED = "measured", gettext_lazy("the last step measured it")
        BLIND = "blind", gettext_lazy("another person answered from the last image")
        SEEN = "seen", gettext_lazy("a person saw it")

    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="verified_chains")
    digest = models.CharField(max_length=64)
    image = models.CharField(max_length=64, help_text="SHA-256 of the image it ran on.")
    result = models.CharField(max_length=64, help_text="SHA-256 of the pixels of its last image.")
    measurements = models.JSONField(default=dict, blank=True)
    answer = models.TextField(blank=True, default="", help_text="The answer as text; accepted ones, one per line.")
    answer_digest = models.CharField(
        max_length=64, blank=True, default="", help_text="Of answer type, options and answers; empty: not known."
    )
    how = models.CharField(max_length=8, choices=How, default=How.SEEN)
    observed = models.TextField(blank=True, default="", help_text="What was measured, or answered.")
    matches = models.BooleanField(default=True, help_text="False: the answer from the last image was another one.")
    reason = models.TextField(
        blank=True, default="", help_text="Why it gives the answer although the last step measured another number."
    )
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["sample_id", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["sample", "digest", "image", "person"], name="verified_chain_once_each")
        ]

    def __str__(self) -> str:
        return f"{self.sample}: {self.digest[:12]}"
