"""Requests as our views get them, and where they come from."""

from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails


class Request(HttpRequest):
    """Any request to a page: htmx or not, signed in or not. The middleware has put there what is declared here."""

    htmx: HtmxDetails


def client_address(request: HttpRequest) -> str | None:
    """The address the request came from, past as many proxies as the settings say are ours."""
    return address_behind(request.headers.get("X-Forwarded-For", ""), request.META.get("REMOTE_ADDR", "")) or None


def address_behind(forwarded: str, peer: str) -> str:
    """The address of the client, given X-Forwarded-For and the address that the connection came from.

    A header is believed only where a proxy of ours has written it: what lies further left was sent by the visitor.
    An entry that is no address (some proxies add a port, which is dropped) does not count: the peer's is used.
    """
    hops = [hop.strip() for hop in forwarded.split(",") if hop.strip()]
    if settings.TRUSTED_PROXIES and len(hops) >= settings.TRUSTED_PROXIES:
        return _address(hops[-settings.TRUSTED_PROXIES]) or peer
    return peer


def _address(hop: str) -> str:
    """The IP address of ``1.2.3.4``, ``1.2.3.4:80``, ``::1``, ``[::1]`` or ``[::1]:80``; "" of anything else."""
    bare = hop[1:].partition("]")[0] if hop.startswith("[") else hop
    if bare.count(":") == 1:
        bare = bare.partition(":")[0]
    try:
        found = ip_address(bare)
    except ValueError:
        return ""
    # A scope names an interface of the proxy, and no column of addresses takes it.
    return str(found).partition("%")[0]
