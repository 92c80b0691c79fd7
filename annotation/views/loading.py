"""Find it, and may you: the one way a view gets at a benchmark and what lies in it."""

from __future__ import annotations

from django.http import Http404, HttpRequest

from annotation.actions.access import allowed, benchmark_seen_by, rights_of
from annotation.models import Benchmark
from annotation.workflow import Right
from webapp.common.errors import NotAllowed


def load_benchmark(request: HttpRequest, slug: str, right: Right = Right.VIEW) -> Benchmark:
    """The benchmark at this address. A stranger gets 404; a member without the right gets 403."""
    benchmark = benchmark_seen_by(request.user, slug)
    if benchmark is None:
        raise Http404("There is no such benchmark for this person.")
    if not allowed(request.user, benchmark, right):
        if not request.user.is_authenticated:
            raise NotAllowed(f"This page of {benchmark.title} is for its members. Sign in to see whether you are one.")
        if right is Right.SEE_GOLD:
            raise NotAllowed(f"Gold of {benchmark.title} is kept from annotators at the moment. Ask its lead.")
        raise NotAllowed(f"Your roles on {benchmark.title} do not include this. Ask its lead.")
    return benchmark


def rights_in(request: HttpRequest, benchmark: Benchmark) -> dict[str, bool]:
    """For templates: ``rights.import_runs`` and so on."""
    held = rights_of(request.user, benchmark)
    return {right.value: right in held for right in Right}
