"""Requests as our views get them, and where they come from."""

from django.conf import settings
from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails


class Request(HttpRequest):
    """Any request to a page: htmx or not, signed in or not. The middleware has put there what is declared here."""

    htmx: HtmxDetails


def client_address(request: HttpRequest) -> str | None:
    """The address the request came from, past as many proxies as the settings say are ours.

    A header is believed only where a proxy of ours has written it: what lies further left was sent by the visitor.
    """
    hops = [hop.strip() for hop in request.headers.get("X-Forwarded-For", "").split(",") if hop.strip()]
    if settings.TRUSTED_PROXIES and len(hops) >= settings.TRUSTED_PROXIES:
        return hops[-settings.TRUSTED_PROXIES]
    return request.META.get("REMOTE_ADDR") or None
