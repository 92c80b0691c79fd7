"""The head and the tabs of a benchmark's pages. Each half puts its own tabs into the one table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from annotation.common.loading import rights_in
from annotation.models import Benchmark, Pause
from annotation.workflow import Right


@dataclass(frozen=True)
class Finder:
    """The list that the search field of a page leads to. ``proposals``: the route that says what may be typed."""

    route: str
    words: str
    proposals: str = ""
    right: Right = Right.VIEW


IN_SAMPLES = Finder("annotation:samples", "Find a sample")


@dataclass(frozen=True)
class Tab:
    """A tab: its name in addresses, its words, where it leads, what it counts for a person, the right it needs, and
    where its pages search."""

    name: str
    label: str
    route: str
    count: Callable[[Benchmark, Any], int] | None = None
    right: Right = Right.VIEW
    place: int = 0
    finder: Finder = IN_SAMPLES


@dataclass(frozen=True)
class TabLink:
    """A tab as ``ui/_tabs.html`` draws it."""

    label: str
    href: str
    current: bool
    count: int | None


def _to_review(benchmark: Benchmark, user: Any) -> int:
    """What this person can take now, as on the page of the tab."""
    queues = Benchmark.objects.filter(pk=benchmark.pk).queues_for(user)
    return benchmark.samples.to_review_by(user, queues).count()


def _paused(benchmark: Benchmark, user: Any) -> int:
    return Pause.objects.standing().by_itself().filter(benchmark=benchmark).count()


TABS: list[Tab] = [
    Tab("samples", "Samples", "annotation:samples", lambda b, _: b.samples.count(), Right.SEE_GOLD, 0),
    Tab("annotate", "Annotate", "annotation:annotate", right=Right.ANNOTATE, place=4),
    Tab("review", "Review", "annotation:review", _to_review, Right.REVIEW, 6),
    Tab("work", "Work", "annotation:work", right=Right.MANAGE, place=8),
    Tab("agreement", "Agreement", "annotation:agreement", right=Right.COMPARE_WORK, place=30),
    Tab("quality", "Quality", "annotation:gold-checks", _paused, Right.MANAGE, 32),
    Tab("versions", "Versions", "annotation:versions", right=Right.SEE_GOLD, place=85),
    Tab("settings", "Settings", "annotation:settings", right=Right.MANAGE, place=100),
]


def add_tabs(tabs: list[Tab]) -> None:
    """Put tabs into the table; called once, when the other half is ready."""
    TABS.extend(tab for tab in tabs if tab not in TABS)
    TABS.sort(key=lambda tab: tab.place)


def benchmark_context(request: HttpRequest, benchmark: Benchmark, current: str) -> dict[str, Any]:
    """What ``templates/benchmark.html`` needs: ``benchmark``, ``rights``, ``tabs``, ``version``, ``find``."""
    rights = rights_in(request, benchmark)
    tabs = [
        TabLink(
            tab.label,
            reverse(tab.route, args=[benchmark.slug]),
            tab.name == current,
            tab.count(benchmark, request.user) if tab.count else None,
        )
        for tab in TABS
        if rights[tab.right.value]
    ]
    version = benchmark.versions.order_by("-number").first()
    finder = next((tab.finder for tab in TABS if tab.name == current and rights[tab.finder.right.value]), IN_SAMPLES)
    find = {
        "action": reverse(finder.route, args=[benchmark.slug]),
        "words": finder.words,
        "proposals": reverse(finder.proposals, args=[benchmark.slug]) if finder.proposals else "",
    }
    return {"benchmark": benchmark, "rights": rights, "tabs": tabs, "version": version, "find": find}
