"""HTTP connections that lead to checked addresses only."""

from __future__ import annotations

import ssl
from functools import cache

import httpx

from annotation.outgoing.addresses import Address, Resolve, resolve

MOST_CONNECTIONS = 100
_TRIED = 4
"""Addresses of one name that are tried until one connects."""


@cache
def _trusted() -> ssl.SSLContext:
    """The certificates that this machine trusts. Reading them takes 30 ms, so a process reads them once."""
    return httpx.create_ssl_context()


class Pinned(httpx.BaseTransport):
    """Sends each request to an address that was checked, under the name of the endpoint.

    The name is resolved once for each request, so it can't lead elsewhere between check and connection. TLS checks the
    certificate of the name. Raises ``AddressRejected`` before connecting, and the errors of ``httpx``.
    """

    def __init__(
        self, address: Address, *, resolve: Resolve = resolve, transport: httpx.BaseTransport | None = None
    ) -> None:
        self.address = address
        self.resolve = resolve
        limits = httpx.Limits(max_connections=MOST_CONNECTIONS, max_keepalive_connections=MOST_CONNECTIONS)
        self.transport = transport or httpx.HTTPTransport(verify=_trusted(), limits=limits)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        try:
            found = self.address.resolved(self.resolve)
        except OSError:
            raise httpx.ConnectError(f"The name {self.address.host} can't be resolved.", request=request) from None
        for ip in found[:_TRIED]:
            try:
                return self.transport.handle_request(self._to(str(ip), request))
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                failed = error
        raise failed

    def _to(self, ip: str, request: httpx.Request) -> httpx.Request:
        return httpx.Request(
            request.method,
            request.url.copy_with(host=ip),
            headers=request.headers,
            stream=request.stream,
            extensions={**request.extensions, "sni_hostname": self.address.host},
        )

    def close(self) -> None:
        self.transport.close()


def open_client(
    address: Address, *, resolve: Resolve = resolve, transport: httpx.BaseTransport | None = None
) -> httpx.Client:
    """Return a client without redirects, proxies, cookies of earlier requests, or settings of the environment.

    ``transport`` replaces the connections below the check.
    """
    pinned = Pinned(address, resolve=resolve, transport=transport)
    return httpx.Client(transport=pinned, trust_env=False, follow_redirects=False)
