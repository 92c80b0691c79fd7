"""The pages under the tab Quality, which are for the lead."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy

from annotation.common.tabs import benchmark_context
from annotation.models import Benchmark

SECTIONS = (
    ("checks", gettext_lazy("Gold checks"), "annotation:gold-checks"),
    ("qualification", gettext_lazy("Qualification test"), "annotation:qualification"),
    ("audits", gettext_lazy("Audits"), "annotation:audits"),
    ("opinions", gettext_lazy("Extra annotators"), "annotation:second-opinions"),
)


def quality_context(request: HttpRequest, benchmark: Benchmark, current: str) -> dict[str, Any]:
    """Shared context of these pages: the head of the benchmark, and ``sections`` (words, address, current)."""
    links = [(words, reverse(route, args=[benchmark.slug]), name == current) for name, words, route in SECTIONS]
    return {**benchmark_context(request, benchmark, "quality"), "sections": links}
