"""The head and the tabs of a benchmark's pages. Each half puts its own tabs into the one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy, pgettext_lazy

from annotation.common.loading import rights_in
from annotation.models import Benchmark, Pause
from annotation.task_schema import Use
from annotation.workflow import Right
from webapp.common.translation import Text


@dataclass(frozen=True)
class Tab:
    """A tab: its name in addresses, its label, its target, its count for a person, and the permission it needs.

    ``query``: parameters of its address. ``more``: whether it is in the menu after the last tab. ``shown``: whether
    the task of the benchmark needs it."""

    name: str
    label: Text
    route: str
    count: Callable[[Benchmark, Any], int] | None = None
    right: Right = Right.VIEW
    place: int = 0
    query: str = ""
    more: bool = False
    shown: Callable[[Benchmark], bool] = lambda _: True


@dataclass(frozen=True)
class TabLink:
    """A tab as ``ui/_tabs.html`` draws it."""

    label: Text
    href: str
    current: bool
    count: int | None


@dataclass(frozen=True)
class MoreTabs:
    """The menu behind the last tab. ``here``: the one of its pages that is shown."""

    links: Sequence[TabLink]

    @property
    def here(self) -> TabLink | None:
        return next((link for link in self.links if link.current), None)

    @property
    def count(self) -> int:
        """The sum of the counts of its pages, so that all waiting items are visible."""
        return sum(link.count or 0 for link in self.links)


def _to_review(benchmark: Benchmark, user: Any) -> int:
    """Return the number of samples that this person can review now, as on the page of the tab."""
    queues = Benchmark.objects.filter(pk=benchmark.pk).queues_for(user)
    return benchmark.samples.to_review_by(user, queues).count()


def _paused(benchmark: Benchmark, user: Any) -> int:
    return Pause.objects.standing().by_itself().filter(benchmark=benchmark).count()


def _has_plans(benchmark: Benchmark) -> bool:
    return benchmark.task.plan.use is not Use.OFF


TABS: list[Tab] = [
    Tab("samples", gettext_lazy("Samples"), "annotation:samples", lambda b, _: b.samples.count(), Right.SEE_GOLD, 0),
    Tab("annotate", gettext_lazy("Annotate"), "annotation:annotate", right=Right.ANNOTATE, place=10),
    Tab("review", pgettext_lazy("tab", "Review"), "annotation:review", _to_review, Right.REVIEW, 20),
    Tab("work", gettext_lazy("Work"), "annotation:work", right=Right.MANAGE, place=100, more=True),
    Tab("quality", gettext_lazy("Quality"), "annotation:gold-checks", _paused, Right.MANAGE, 110, more=True),
    Tab("agreement", gettext_lazy("Agreement"), "annotation:agreement", right=Right.COMPARE_WORK, place=120, more=True),
    Tab(
        "board",
        gettext_lazy("Building board"),
        "annotation:board",
        right=Right.COMPARE_WORK,
        place=130,
        more=True,
        shown=_has_plans,
    ),
    Tab("guidelines", gettext_lazy("Guidelines"), "annotation:guidelines", place=138, more=True),
    Tab("versions", gettext_lazy("Versions"), "annotation:versions", right=Right.SEE_GOLD, place=140, more=True),
    Tab("tools", gettext_lazy("Tools"), "annotation:tools", right=Right.MANAGE, place=190, more=True),
    Tab("settings", gettext_lazy("Settings"), "annotation:settings", right=Right.MANAGE, place=200, more=True),
]


def add_tabs(tabs: list[Tab]) -> None:
    """Put tabs into the table; called once, when the other half is ready."""
    TABS.extend(tab for tab in tabs if tab not in TABS)
    TABS.sort(key=lambda tab: tab.place)


def tabs_of(benchmark: Benchmark, rights: Mapping[str, bool], current: str, user: Any = None) -> dict[str, Any]:
    """``tabs`` and ``more_tabs`` of a person with these rights. They count nothing without the person: no query."""
    links: dict[bool, list[TabLink]] = {False: [], True: []}
    for tab in TABS:
        if rights[tab.right.value] and tab.shown(benchmark):
            href = f"{reverse(tab.route, args=[benchmark.slug])}{tab.query}"
            count = tab.count(benchmark, user) if tab.count and user is not None else None
            links[tab.more].append(TabLink(tab.label, href, tab.name == current, count))
    return {"tabs": links[False], "more_tabs": MoreTabs(links[True])}


def benchmark_context(request: HttpRequest, benchmark: Benchmark, current: str) -> dict[str, Any]:
    """Return the context of ``templates/benchmark.html``: ``benchmark``, ``rights``, ``tabs``, ``more_tabs``,
    ``version``.
    """
    rights = rights_in(request, benchmark)
    version = benchmark.versions.order_by("-number").first()
    tabs = tabs_of(benchmark, rights, current, request.user)
    return {"benchmark": benchmark, "rights": rights, "version": version, **tabs}
