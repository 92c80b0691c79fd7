"""The results of a search: groups of links, at most ``MOST`` in total."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from annotation.common.tabs import TABS
from annotation.models import Benchmark, Sample
from evaluation.models import Run, SavedSlice
from evaluation.query.parser import parse
from evaluation.query.syntax import QueryError
from evaluation.search.read.gold import Searchable, Wanted

MOST = 20
SHARES = {"benchmarks": 4, "samples": 5, "runs": 4, "slices": 2}
"""The maximum number of each kind; lists and pages contain the rest."""
QUESTION = 120
"""Characters of a question that are shown."""

_SITE = (
    (gettext_lazy("Home"), "evaluation:home", False),
    (gettext_lazy("Benchmarks"), "annotation:benchmarks", False),
    (gettext_lazy("Cross-benchmark leaderboard"), "evaluation:macro", False),
    (gettext_lazy("Glossary"), "glossary", False),
    (gettext_lazy("Toolbox"), "annotation:toolbox", True),
    (gettext_lazy("Jobs"), "jobs:jobs", True),
    (gettext_lazy("Account"), "accounts:account", True),
    (gettext_lazy("Keyboard shortcuts"), "accounts:keys", True),
)
"""Pages of no benchmark: words, route, whether one has to be signed in."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A result: its words, where it leads, and in which benchmark or of what it is."""

    words: str
    href: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    name: str
    title: str
    hits: Sequence[Hit]


@dataclass(frozen=True, slots=True)
class Found:
    """The results of the queries of a search."""

    benchmarks: Sequence[Benchmark]
    samples: Sequence[Sample]
    runs: Sequence[Run]
    slices: Sequence[SavedSlice]


def shown(
    area: Searchable, wanted: Wanted, found: Found, here: Benchmark | None, run: Run | None, user: Any
) -> list[Group]:
    """The groups that have something, in their order."""
    titles = {one.pk: one.title for one in area.benchmarks}
    slugs = {one.pk: one.slug for one in area.benchmarks}
    groups = [
        Group("benchmarks", gettext("Benchmarks"), [_benchmark(one) for one in found.benchmarks]),
        Group("samples", gettext("Samples"), [_sample(one, slugs, titles) for one in found.samples]),
        Group("runs", gettext("Runs"), [_run(one, slugs, titles) for one in found.runs]),
        Group("slices", gettext("Saved slices"), [_slice(one, slugs, titles) for one in found.slices]),
        Group("lists", gettext("Lists"), _lists(area, wanted, here, run)),
    ]
    left = MOST - sum(len(group.hits) for group in groups)
    pages = (hit for hit in _pages(area, here, user) if wanted.names(hit.words, hit.about))
    groups.append(Group("pages", gettext("Pages"), _first(pages, left)))
    if not wanted.text:
        groups = [groups[-1], groups[0]]
    return [group for group in groups if group.hits]


def _benchmark(benchmark: Benchmark) -> Hit:
    return Hit(benchmark.title, reverse("annotation:benchmark", args=[benchmark.slug]), benchmark.slug)


def _sample(sample: Sample, slugs: Mapping[int, str], titles: Mapping[int, str]) -> Hit:
    gold = getattr(sample, "gold", None)
    question = gold.revision.question[:QUESTION] if gold else ""
    benchmark = sample.benchmark_id
    assert benchmark is not None
    href = reverse("evaluation:sample", args=[slugs[benchmark], sample.key])
    return Hit(sample.key, href, " · ".join(part for part in (question, titles[benchmark]) if part))


def _run(run: Run, slugs: Mapping[int, str], titles: Mapping[int, str]) -> Hit:
    return Hit(str(run), reverse("evaluation:run", args=[slugs[run.benchmark_id], run.pk]), titles[run.benchmark_id])


def _slice(saved: SavedSlice, slugs: Mapping[int, str], titles: Mapping[int, str]) -> Hit:
    href = f"{reverse('evaluation:trajectories', args=[slugs[saved.benchmark_id]])}?{urlencode({'q': saved.query})}"
    return Hit(saved.name, href, titles[saved.benchmark_id])


def _lists(area: Searchable, wanted: Wanted, here: Benchmark | None, run: Run | None) -> list[Hit]:
    """The whole lists of this benchmark that the text narrows."""
    if here is None or not wanted.text or here.pk not in area.open:
        return []
    samples = f"{reverse('annotation:samples', args=[here.slug])}?{urlencode({'q': wanted.text})}"
    narrowed = {"q": _as_query(wanted.text)} | ({"run": run.pk} if run else {})
    trajectories = f"{reverse('evaluation:trajectories', args=[here.slug])}?{urlencode(narrowed)}"
    return [
        Hit(gettext("Samples with “%(text)s”") % {"text": wanted.text}, samples, here.title),
        Hit(
            gettext("Trajectories that match “%(text)s”") % {"text": wanted.text},
            trajectories,
            str(run) if run else here.title,
        ),
    ]


def _as_query(text: str) -> str:
    """The text as a query of the list: itself where it is one, else words to look for."""
    try:
        parse(text)
    except QueryError:
        return '"' + text.replace('"', " ").strip() + '"'
    return text


def _pages(area: Searchable, here: Benchmark | None, user: Any) -> Iterable[Hit]:
    """The tabs of this benchmark as this person has them, then the pages of the site."""
    if here is not None:
        held = area.known[here.pk].rights
        for tab in TABS:
            if tab.right in held:
                yield Hit(str(tab.label), f"{reverse(tab.route, args=[here.slug])}{tab.query}", here.title)
    for words, route, signed_in in _SITE:
        if user.is_authenticated or not signed_in:
            yield Hit(str(words), reverse(route))


def _first(hits: Iterable[Hit], most: int) -> list[Hit]:
    return [hit for place, hit in enumerate(hits) if place < most]
