from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Benchmark
from evaluation.models.experiment import NAME
from evaluation.models.querysets.prompts import PromptQuerySet


class Prompt(models.Model):
    """A version of a prompt that people wrote. Without a benchmark, it belongs to the site.

    ``role``: its purpose, one of ``evaluation.runner.templates``. ``digest``: SHA-256 of the text. ``frozen``: an
    experiment has used it, so it never changes again; only the newest version of a prompt can be open.
    """

    benchmark = models.ForeignKey(Benchmark, null=True, blank=True, on_delete=models.CASCADE, related_name="prompts")
    slug = models.CharField(max_length=60, validators=[NAME])
    version = models.PositiveIntegerField(default=1)
    role = models.CharField(max_length=16)
    text = models.TextField()
    digest = models.CharField(max_length=64)
    frozen = models.BooleanField(default=False)
    note = models.CharField(max_length=300, blank=True, default="", help_text="Changes in this version.")
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    objects = PromptQuerySet.as_manager()

    class Meta:
        ordering = ["slug", "version"]
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "slug", "version"], name="prompt_once"),
            models.UniqueConstraint(fields=["slug", "version"], name="site_prompt_once", condition=Q(benchmark=None)),
        ]

    def __str__(self) -> str:
        return f"{self.slug}@{self.version}"
