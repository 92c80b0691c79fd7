"""The settings of a benchmark: its description, its visibility, and its people."""

from __future__ import annotations

from collections.abc import Mapping

from django.conf import settings as site
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from annotation.benchmarks.forms import DetailsForm, InviteForm, TakeOverForm
from annotation.benchmarks.present.people import invitations_of, people_of
from annotation.benchmarks.write.people import change_details
from annotation.common.loading import load_benchmark
from annotation.common.rules import rules_of
from annotation.common.sections import settings_context
from annotation.models import Benchmark
from annotation.workflow import Right, Role
from webapp.accounts.http import SignedInRequest
from webapp.common.errors import Conflict
from webapp.common.once import forget_once, kept_once


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: SignedInRequest, slug: str) -> HttpResponse:
    """Template and context: see ``settings_page``. Posted: title, description, license, public."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    if request.method != "POST":
        return settings_page(request, benchmark)
    # Use a separate record, so that invalid input does not appear in the head of the page.
    form = DetailsForm(request.POST, instance=Benchmark(slug=benchmark.slug))
    if not form.is_valid():
        return settings_page(request, benchmark, details=form)
    try:
        changed = change_details(actor=request.user, benchmark=benchmark, **form.cleaned_data)
    except Conflict as refused:
        form.add_error("public", refused.message)
        return settings_page(request, benchmark, details=form)
    message = (
        gettext("Changed: %(fields)s.") % {"fields": ", ".join(changed)} if changed else gettext("No changes to save.")
    )
    messages.success(request, message)
    return redirect("annotation:settings", slug)


def settings_page(
    request: SignedInRequest,
    benchmark: Benchmark,
    *,
    details: DetailsForm | None = None,
    invite: InviteForm | None = None,
    take_over: Mapping[int, TakeOverForm] | None = None,
) -> HttpResponse:
    """Template annotation/benchmarks/settings.html; context: details (DetailsForm), people (Person), roles (all),
    invitations (Open), invite (InviteForm), link (of an invitation just created, shown once; else ""), sends_email,
    from_file (people came with a file), checks_run (gold checks run, so that the benchmark can't be public).
    """
    invitations = invitations_of(benchmark)
    link = kept_once(request, invitation_to(benchmark))
    people = people_of(benchmark, invitations, take_over)
    context = {
        **settings_context(request, benchmark, "general"),
        "details": details or DetailsForm(instance=benchmark),
        "people": people,
        "roles": [role.value for role in Role],
        "invitations": invitations,
        "invite": invite or InviteForm(),
        "link": link,
        "sends_email": site.SENDS_EMAIL,
        "from_file": any(person.of_file for person in people),
        "checks_run": rules_of(benchmark).checks_run,
    }
    wrong = any(form is not None and form.errors for form in (details, invite, *(take_over or {}).values()))
    answer = render(request, "annotation/benchmarks/settings.html", context, status=400 if wrong else 200)
    return forget_once(answer) if link else answer


def invitation_to(benchmark: Benchmark) -> str:
    """Return the key under which the link of an invitation is kept until the page shows it."""
    return f"invitation {benchmark.pk}"
