"""Types of requests in our views, and their network addresses."""

import logging
from ipaddress import IPv6Address, ip_address, ip_network

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

logger = logging.getLogger(__name__)


class Request(HttpRequest):
    """Any request to a page: htmx or not, signed in or not. The middleware has put there what is declared here."""

    htmx: HtmxDetails


def host_of(request: HttpRequest) -> str:
    """The host that the request names; "" for one that is not ours, which is what the answer says then."""
    try:
        return request.get_host()
    except DisallowedHost:
        return ""


def client_address(request: HttpRequest) -> str | None:
    """The address the request came from, past as many proxies as the settings say are ours."""
    return address_behind(request.headers.get("X-Forwarded-For", ""), request.META.get("REMOTE_ADDR", "")) or None


def address_behind(forwarded: str, peer: str) -> str:
    """Return the address of the client, given X-Forwarded-For and the address of the connection.

    Only entries written by our own proxies are trusted; entries further left were sent by the visitor. An invalid entry
    (some proxies add a port, which is dropped) does not count: the address of the connection is used.
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


def network_of(address: str | None) -> str | None:
    """Return the key for counting requests: the address itself, or the /64 network of an IPv6 address, which usually
    belongs to one customer.
    """
    try:
        found = ip_address((address or "").partition("%")[0])
    except ValueError:
        return None
    if not isinstance(found, IPv6Address):
        return str(found)
    return str(found.ipv4_mapped or ip_network((found, 64), strict=False).network_address)


def has_undeclared_proxy(request: HttpRequest) -> bool:
    """Whether there seems to be a proxy that SIGHTLINE_PROXIES does not count. Everyone then has its address."""
    return not settings.TRUSTED_PROXIES and "X-Forwarded-For" in request.headers


_warned: set[str] = set()


def warn_of_undeclared_proxy(request: HttpRequest) -> None:
    """Say so in the log, once in a process: a visitor can send the header too."""
    if has_undeclared_proxy(request) and not _warned:
        _warned.add("said")
        logger.warning(
            "A request came with X-Forwarded-For, but SIGHTLINE_PROXIES is 0. If a proxy is in front, all visitors "
            "count as one address, and a few incorrect passwords lock out everyone. Set SIGHTLINE_PROXIES to their "
            "number."
        )
