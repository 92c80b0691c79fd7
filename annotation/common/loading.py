"""Find it, and may you: the one way a view gets at a benchmark and what lies in it."""

from __future__ import annotations

from functools import partial

from django.http import Http404, HttpRequest

from annotation.common.access import allowed, benchmark_seen_by, known_to, roles_of, withheld
from annotation.models import Benchmark
from annotation.workflow import Right, Role
from webapp.common.errors import ErrorContext, NotAllowed, set_error_context


def load_benchmark(request: HttpRequest, slug: str, right: Right = Right.VIEW) -> Benchmark:
    """The benchmark at this address. A stranger gets 404; a member without the right gets 403."""
    benchmark = benchmark_seen_by(request.user, slug)
    if benchmark is None:
        raise Http404("Benchmark not found, or you don't have access.")
    search = partial(allowed, request.user, benchmark, Right.SEE_GOLD)
    set_error_context(request, ErrorContext(benchmark.slug, benchmark.title, search))
    if not allowed(request.user, benchmark, right):
        if not request.user.is_authenticated:
            raise NotAllowed(f"This page of {benchmark.title} is for its members. Sign in to see whether you are one.")
        raise NotAllowed(withheld(request.user, benchmark, right) or _roles_and_leads(request, benchmark))
    return benchmark


def _roles_and_leads(request: HttpRequest, benchmark: Benchmark) -> str:
    """Which roles a person has here, and who can give others; to who has none, nobody is named."""
    roles = " and ".join(sorted(role.value for role in roles_of(request.user, benchmark)))
    if not roles:
        return f"You have no role on {benchmark.title}, and this page needs one. Ask its lead."
    leads = [str(row.user) for row in benchmark.memberships.filter(role=Role.LEAD.value).select_related("user")[:3]]
    ask = f"{' or '.join(leads)} can give you one that does" if leads else "A site admin can give you one that does"
    return f"On {benchmark.title} you are {roles}, which does not include this page. {ask}."


def rights_in(request: HttpRequest, benchmark: Benchmark) -> dict[str, bool]:
    """For templates: ``rights.import_runs`` and so on."""
    held = known_to(request.user, benchmark).rights
    return {right.value: right in held for right in Right}
