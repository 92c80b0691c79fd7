"""The sections of the settings of a benchmark. Each feature puts its own into the one table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_lazy

from annotation.common.tabs import TABS, TabLink, benchmark_context
from annotation.models import Benchmark
from webapp.accounts.http import SignedInRequest
from webapp.common.translation import Text


@dataclass(frozen=True)
class Section:
    """A page of the settings: its name in addresses, its label, its link, and the number of items that wait
    for a lead.
    """

    name: str
    label: Text
    route: str
    place: int = 0
    count: Callable[[Benchmark], int] | None = None


SECTIONS: list[Section] = [
    Section("general", gettext_lazy("General and people"), "annotation:settings"),
    Section("task", gettext_lazy("Task"), "annotation:task", place=3),
    Section("guidelines", gettext_lazy("Guidelines"), "annotation:guidelines-settings", place=4),
    Section("queue", gettext_lazy("Queue"), "annotation:queue-settings", place=5),
    Section("suggestions", gettext_lazy("Suggested boxes"), "annotation:suggestions", place=6),
    Section("tools", gettext_lazy("Tool bank"), "annotation:tools", 7, lambda one: one.tools.proposed().count()),
    Section("webhooks", gettext_lazy("Webhooks"), "annotation:webhooks", place=15),
    Section("log", gettext_lazy("Audit log"), "annotation:log", place=20),
]


def add_sections(sections: list[Section]) -> None:
    """Put sections into the table; called once, when the other half is ready."""
    SECTIONS.extend(section for section in sections if section not in SECTIONS)
    SECTIONS.sort(key=lambda section: section.place)


def settings_context(request: SignedInRequest, benchmark: Benchmark, current: str) -> dict[str, Any]:
    """Return the context of every page of the settings: that of a benchmark's page, and ``sections``."""
    sections = [
        TabLink(
            section.label,
            reverse(section.route, args=[benchmark.slug]),
            section.name == current,
            (section.count(benchmark) or None) if section.count else None,
        )
        for section in SECTIONS
    ]
    tab = current if any(tab.name == current for tab in TABS) else "settings"
    return {**benchmark_context(request, benchmark, tab), "sections": sections}
