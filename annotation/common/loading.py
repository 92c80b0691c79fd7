"""Loads a benchmark and its objects for views, and checks permission."""

from __future__ import annotations

from functools import partial

from django.http import Http404, HttpRequest
from django.utils.translation import gettext

from annotation.common.access import allowed, benchmark_seen_by, known_to, roles_of, withheld
from annotation.common.words import role_words
from annotation.models import Benchmark
from annotation.workflow import Right, Role
from webapp.common.errors import ErrorContext, NotAllowed, set_error_context
from webapp.common.translation import any_of


def load_benchmark(request: HttpRequest, slug: str, right: Right = Right.VIEW) -> Benchmark:
    """The benchmark at this address. Strangers get 404; members without the permission get 403."""
    benchmark = benchmark_seen_by(request.user, slug)
    if benchmark is None:
        raise Http404(gettext("Benchmark not found, or you don't have access."))
    search = partial(allowed, request.user, benchmark, Right.SEE_GOLD)
    set_error_context(request, ErrorContext(benchmark.slug, benchmark.title, search))
    if not allowed(request.user, benchmark, right):
        if not request.user.is_authenticated:
            raise NotAllowed(
                gettext("This page of %(title)s is for its members. Sign in to see whether you are one.")
                % {"title": benchmark.title}
            )
        raise NotAllowed(withheld(request.user, benchmark, right) or _roles_and_leads(request, benchmark))
    return benchmark


def _roles_and_leads(request: HttpRequest, benchmark: Benchmark) -> str:
    """The roles of a person here, and who can give others. People without a role are given no names."""
    roles = role_words(sorted(roles_of(request.user, benchmark)))
    if not roles:
        message = gettext("You have no role on %(title)s, and this page needs one. Ask its lead.")
        return message % {"title": benchmark.title}
    rows = benchmark.memberships.filter(role=Role.LEAD.value).select_related("user")[:3]
    leads = any_of([str(row.user) for row in rows])
    if leads:
        message = gettext("Your role on %(title)s (%(roles)s) doesn't include this page. Ask %(leads)s for access.")
    else:
        message = gettext("Your role on %(title)s (%(roles)s) doesn't include this page. Ask a site admin for access.")
    return message % {"title": benchmark.title, "roles": roles, "leads": leads}


def rights_in(request: HttpRequest, benchmark: Benchmark) -> dict[str, bool]:
    """For templates: ``rights.import_runs`` and so on."""
    held = known_to(request.user, benchmark).rights
    return {right.value: right in held for right in Right}
