"""The versions of a benchmark: frozen versions, the differences between two of them, and freezing the next."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from annotation.common.loading import load_benchmark
from annotation.common.tabs import benchmark_context
from annotation.content.freeze import freeze_version
from annotation.models import Benchmark, Sample, Version
from annotation.project_file import Kind
from annotation.versions.forms import FreezeForm
from annotation.versions.present import rows_of
from annotation.versions.read.difference import Difference, difference
from annotation.versions.read.withdrawn import withdrawn_by_version
from annotation.workflow import Right, SampleState
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import NotFound

PAGE_SIZE = 30
NOW, NOTHING = "now", "nothing"


@dataclass(frozen=True)
class State:
    """A state of the benchmark to compare: its name in URLs, its label, and the version (None: now)."""

    name: str
    words: str
    version: Version | None
    href: str = ""


@require_safe
def versions(request: HttpRequest, slug: str) -> HttpResponse:
    """Template annotation/versions/versions.html. Address: ?from=NUMBER|nothing&to=NUMBER|now&page=N.

    Context: states (State, the newest first), older, newer (State), counts (words, n), same, page, rows (Row), latest,
    changed_n (samples that differ from the latest version), waiting_n (in review: not in the gold yet), golds_n, form,
    next_number, withdrawn (Sample, of the newer version). Twelve queries in addition to those of every page of a
    benchmark, for any number of changes.
    """
    benchmark = load_benchmark(request, slug, Right.SEE_GOLD)
    return versions_page(request, benchmark, FreezeForm())


def versions_page(request: HttpRequest, benchmark: Benchmark, form: FreezeForm) -> HttpResponse:
    states = _states(benchmark)
    latest = states[1].version if len(states) > 1 else None
    newer = _chosen(states, request.GET.get("to") or NOW)
    older = _chosen([*states, State(NOTHING, "nothing", None)], request.GET.get("from") or _before(states, newer))
    shown = _compared(benchmark, older, newer)
    latest_is_shown = newer.name == NOW and older.version == latest
    unfrozen = shown if latest_is_shown else difference(benchmark, latest, None)
    page = Paginator(shown.changes, PAGE_SIZE).get_page(request.GET.get("page"))
    context = {
        **benchmark_context(request, benchmark, "versions"),
        "states": states,
        "older": older,
        "newer": newer,
        "counts": [(kind.value, shown.count(kind)) for kind in (Kind.ADDED, Kind.REMOVED, Kind.CHANGED)],
        "same": shown.same,
        "page": page,
        "rows": rows_of(benchmark, list(page)),
        "changed_n": len(unfrozen.changes),
        "golds_n": unfrozen.same + unfrozen.count(Kind.ADDED) + unfrozen.count(Kind.CHANGED),
        "waiting_n": benchmark.samples.in_state(SampleState.IN_REVIEW).count(),
        "form": form,
        "next_number": latest.number + 1 if latest else 1,
        "latest": latest,
        "withdrawn": _withdrawn(benchmark, newer.version or older.version),
    }
    return render(request, "annotation/versions/versions.html", context, status=400 if form.errors else 200)


@login_required
@require_POST
def freeze(request: SignedInRequest, slug: str) -> HttpResponse:
    """Freeze the current gold, with the posted ``note``."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    form = FreezeForm(request.POST)
    if not form.is_valid():
        return versions_page(request, benchmark, form)
    version = freeze_version(actor=request.user, benchmark=benchmark, note=form.cleaned_data["note"])
    messages.success(
        request, gettext("Version %(number)s is frozen. New scores refer to it.") % {"number": version.number}
    )
    previous = version.number - 1 or NOTHING
    return redirect(f"{reverse('annotation:versions', args=[slug])}?from={previous}&to={version.number}")


def _withdrawn(benchmark: Benchmark, version: Version | None) -> list[Sample]:
    return withdrawn_by_version(benchmark, [version]).get(version.pk, []) if version else []


def _states(benchmark: Benchmark) -> list[State]:
    """The working state, then the versions, the newest first."""
    found = benchmark.versions.select_related("frozen_by").annotate(samples_n=Count("entries")).order_by("-number")
    numbered = [
        State(str(version.number), gettext("Version %(number)s") % {"number": version.number}, version)
        for version in found
    ]
    states = [State(NOW, gettext("Working state"), None), *numbered]
    return [
        State(state.name, state.words, state.version, f"?from={_before(states, state)}&to={state.name}")
        for state in states
    ]


def _before(states: list[State], state: State) -> str:
    """Return the name of the previous state."""
    names = [one.name for one in states]
    return [*names, NOTHING][names.index(state.name) + 1]


def _chosen(states: list[State], name: str) -> State:
    for state in states:
        if state.name == name:
            return state
    raise NotFound(gettext("Unknown version “%(name)s”. See the list of versions.") % {"name": name})


def _compared(benchmark: Benchmark, older: State, newer: State) -> Difference:
    """Compare two states. A comparison of the working state with a version is the reverse one; equal states have no
    difference."""
    if older.name == newer.name:
        return Difference([], same=0)
    if older.name == NOW:
        return difference(benchmark, newer.version, None).reversed()
    return difference(benchmark, older.version, newer.version)
