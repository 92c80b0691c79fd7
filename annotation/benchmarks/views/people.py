"""Changing who works on a benchmark: roles, invitations by link."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from annotation.benchmarks.forms import InviteForm, RolesForm, TakeOverForm
from annotation.benchmarks.read.placeholders import placeholders_of
from annotation.benchmarks.views.settings import invitation_to, settings_page
from annotation.benchmarks.write import invitations
from annotation.benchmarks.write.people import set_roles
from annotation.benchmarks.write.take_over import invite_in_place
from annotation.common.access import allowed
from annotation.common.loading import load_benchmark
from annotation.workflow import Right
from webapp.accounts.http import SignedInRequest
from webapp.accounts.models import Invitation, User
from webapp.common.errors import InvalidInput, errors_said_in
from webapp.common.once import keep_once


@login_required
@require_POST
def person(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Give a person exactly the posted ``roles``; none takes the person out."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    user = get_object_or_404(User.objects.filter(memberships__benchmark=benchmark).distinct(), pk=pk)
    form = RolesForm(request.POST)
    if not form.is_valid():
        raise InvalidInput(" ".join(map(str, form.errors["roles"])), field="roles")
    held = set_roles(actor=request.user, benchmark=benchmark, user=user, roles=form.cleaned_data["roles"])
    if held:
        message = gettext("%(user)s is %(roles)s here.") % {"user": user, "roles": ", ".join(sorted(held))}
    else:
        message = gettext("%(user)s has no role on %(title)s any more.") % {"user": user, "title": benchmark.title}
    messages.success(request, message)
    stays = allowed(request.user, benchmark, Right.MANAGE)
    return redirect("annotation:settings", slug) if stays else redirect("annotation:benchmarks")


@login_required
@require_POST
def invite(request: SignedInRequest, slug: str) -> HttpResponse:
    """Create an invitation with the posted ``email`` and ``roles``. Its link is sent (``mailed``), or the settings page
    shows it once."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    form = InviteForm(request.POST)
    if form.is_valid():
        with errors_said_in(form):
            invitation, secret = invitations.invite_person(actor=request.user, benchmark=benchmark, **form.cleaned_data)
            if invitation.mailed:
                messages.success(request, gettext("Invitation sent to %(email)s.") % {"email": invitation.email})
                return redirect("annotation:settings", slug)
            link = request.build_absolute_uri(reverse("accounts:accept-invitation", args=[secret]))
            page = redirect(f"{reverse('annotation:settings', args=[slug])}#invite")
            return keep_once(request, page, invitation_to(benchmark), link)
    return settings_page(request, benchmark, invite=form)


@login_required
@require_POST
def take_over(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Invite the person behind a placeholder: the posted ``email`` gets the link, and ``roles`` replace those of the
    file."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    person = get_object_or_404(placeholders_of(benchmark), pk=pk)
    form = TakeOverForm(request.POST, auto_id=f"id_{person.pk}_%s")
    if form.is_valid():
        with errors_said_in(form):
            invited = invite_in_place(actor=request.user, benchmark=benchmark, person=person, **form.cleaned_data)
            messages.success(request, gettext("Invitation sent to %(email)s.") % {"email": invited.email})
            return redirect("annotation:settings", slug)
    return settings_page(request, benchmark, take_over={person.pk: form})


@login_required
@require_POST
def withdraw(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Close an open invitation of this benchmark."""
    benchmark = load_benchmark(request, slug, Right.MANAGE)
    invited = Invitation.objects.filter(roles__benchmark=benchmark).distinct()
    invitation = get_object_or_404(invited, pk=pk)
    invitations.withdraw(actor=request.user, benchmark=benchmark, invitation=invitation)
    messages.success(request, gettext("Invitation for %(email)s withdrawn.") % {"email": invitation.email})
    return redirect("annotation:settings", slug)
