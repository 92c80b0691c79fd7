"""The job that makes variants of an image."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_noop

from annotation.models import Sample
from annotation.variants.write import run_recipes
from webapp.jobs.context import JobContext
from webapp.jobs.registry import job


@job("annotation.variants", title=gettext_noop("Variants of %(key)s"))
def variants(context: JobContext, sample_id: int, recipes: list[dict[str, Any]]) -> dict[str, Any]:
    sample = Sample.objects.select_related("benchmark").get(pk=sample_id)
    context.result_url = reverse("annotation:variants", args=[sample.benchmark.slug, sample.key])
    return dict(
        run_recipes(
            actor=context.job.created_by,
            sample_id=sample_id,
            recipes=recipes,
            report=lambda done, total: context.progress(done, total, unit=gettext_noop("variants")),
        )
    )
