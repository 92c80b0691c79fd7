"""The inbox, the bell, and the choice of channels."""

from __future__ import annotations

from typing import Any

from django.conf import settings as site
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from webapp.accounts.http import SignedInRequest
from webapp.common.htmx import render_page
from webapp.common.paging import page_after
from webapp.notifications.forms import ChannelsForm
from webapp.notifications.kinds import Kind
from webapp.notifications.links import unsubscribed_by
from webapp.notifications.models import Notification
from webapp.notifications.present import shown
from webapp.notifications.read import chosen_by
from webapp.notifications.write import change_settings, end_emails, mark_all_read, mark_read, mark_unread

PAGE_SIZE = 50
TABS = {"unread": gettext_lazy("Unread"), "all": gettext_lazy("All")}


@login_required
@require_safe
def inbox(request: SignedInRequest) -> HttpResponse:
    """Templates notifications/inbox.html and its piece notifications/_inbox.html; context: entries (Shown), page
    (has_next, after), tabs (name, label, count, current), tab, kinds (value, label, count), kind, now (for "mark all").

    Address: ?tab=unread|all &kind=KIND &after=KEY. Five queries with the session's two.
    """
    mine = Notification.objects.of(request.user)
    tab = request.GET.get("tab", "unread")
    tab = tab if tab in TABS else "unread"
    by_kind = {"unread": mine.unread().by_kind(), "all": mine.by_kind()}
    kind = request.GET.get("kind", "")
    kind = kind if kind in Kind.values else ""
    found = mine.unread() if tab == "unread" else mine
    rows = (found.filter(kind=kind) if kind else found).select_related("actor")
    page = page_after(rows, request.GET.get("after", ""), order=("-changed_at", "-id"), size=PAGE_SIZE)
    context = {
        "page": page,
        "entries": [shown(entry) for entry in page.rows],
        "tabs": _tabs(by_kind, tab),
        "tab": tab,
        "kinds": [(value, label, by_kind[tab][value]) for value, label in Kind.choices if value in by_kind[tab]],
        "kind": kind,
        "unread": sum(by_kind["unread"].values()),
        "now": timezone.now().isoformat(),
    }
    return render_page(request, "notifications/inbox.html", "notifications/_inbox.html", context)


def _tabs(by_kind: dict[str, dict[str, int]], current: str) -> list[dict[str, Any]]:
    return [
        {"name": name, "label": label, "count": sum(by_kind[name].values()), "current": name == current}
        for name, label in TABS.items()
    ]


@login_required
@require_safe
def bell(request: SignedInRequest) -> HttpResponse:
    """The bell in the bar. Template notifications/_bell.html; context: unread (how many). One query and those of
    the session."""
    unread = Notification.objects.of(request.user).unread().count()
    return render(request, "notifications/_bell.html", {"unread": unread})


@login_required
@require_POST
def read(request: SignedInRequest, pk: int) -> HttpResponse:
    """Mark an entry as read. POST unread: mark it as unread instead; back: the list that it was on."""
    if not Notification.objects.of(request.user).filter(pk=pk).exists():
        raise Http404(gettext("Not found, or you don't have access."))
    (mark_unread if "unread" in request.POST else mark_read)(actor=request.user, entry=pk)
    return redirect(_back(request))


@login_required
@require_POST
def read_all(request: SignedInRequest) -> HttpResponse:
    """Mark all entries as read that were there when the page was made. POST until: that moment; kind: one kind only."""
    try:
        until = parse_datetime(request.POST.get("until", ""))
    except ValueError:
        until = None
    if until is None or timezone.is_naive(until):
        until = timezone.now()
    count = mark_all_read(actor=request.user, until=until, kind=request.POST.get("kind", ""))
    message = ngettext("%(count)s notification marked as read.", "%(count)s notifications marked as read.", count)
    messages.success(request, message % {"count": count})
    return redirect(_back(request))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: SignedInRequest) -> HttpResponse:
    """Template notifications/settings.html; context: form (ChannelsForm), sends_email (whether the server does).
    Posted: the fields of the form."""
    form = ChannelsForm(request.POST if request.method == "POST" else None, initial=chosen_by(request.user))
    if form.is_valid():
        changed = change_settings(actor=request.user, channels=form.channels(), zone=form.cleaned_data["zone"])
        messages.success(request, gettext("Settings saved.") if changed else gettext("No changes to save."))
        return redirect("notifications:settings")
    context = {"form": form, "sends_email": site.SENDS_EMAIL}
    return render(request, "notifications/settings.html", context, status=400 if form.errors else 200)


@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, signed: str) -> HttpResponse:
    """End emails, by the link of one, signed in or not. A mail program posts it at once (RFC 8058); a person who opens
    the link is asked first. Template notifications/unsubscribe.html; context: valid, done, email."""
    person = unsubscribed_by(signed)
    if request.method == "POST" and person is not None:
        end_emails(actor=person)
    context = {"valid": person is not None, "done": request.method == "POST", "email": person.email if person else ""}
    return render(request, "notifications/unsubscribe.html", context, status=200 if person else 404)


def _back(request: SignedInRequest) -> str:
    """The list that the form was on."""
    back = request.POST.get("back", "")
    inbox_path = reverse("notifications:inbox")
    safe = url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()})
    return back if safe and back.startswith(inbox_path) else inbox_path
