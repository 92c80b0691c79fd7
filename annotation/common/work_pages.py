"""The pages under the tab Work."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext

from annotation.common.tabs import benchmark_context
from annotation.models import Benchmark


def work_context(request: HttpRequest, benchmark: Benchmark, current: str) -> dict[str, Any]:
    """Shared context of pages under the tab: the head of the benchmark, and ``sections`` (words, address, current)."""
    sections = (
        ("overview", gettext("Overview"), "annotation:work"),
        ("samples", gettext("Choose samples"), "annotation:work-samples"),
        ("plan", gettext("Plan"), "annotation:work-plan"),
        ("time", gettext("Time"), "annotation:work-time"),
        ("queue", gettext("Queue settings"), "annotation:queue-settings"),
    )
    links = [(words, reverse(route, args=[benchmark.slug]), name == current) for name, words, route in sections]
    return {**benchmark_context(request, benchmark, "work"), "sections": links}
