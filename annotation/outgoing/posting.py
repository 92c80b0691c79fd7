"""Sending one message to a checked address, without following redirects."""

from __future__ import annotations

from collections.abc import Mapping

import httpx

from annotation.outgoing.addresses import Address, AddressRejected
from annotation.outgoing.connection import open_client

TIMEOUT = 10.0
"""Seconds for each of connecting, sending and the first bytes of the response."""


def send(
    address: Address, url: str, body: bytes, headers: Mapping[str, str], *, transport: httpx.BaseTransport | None = None
) -> tuple[int | None, str]:
    """POST a body to a URL of this address: the status of the response, and "" or the error. The body of the
    response is not read."""
    path, _, query = url.partition("?")
    target = address.url("/" if path.endswith("/") else "") + (f"?{query}" if query else "")
    try:
        with (
            open_client(address, transport=transport) as client,
            client.stream("POST", target, content=body, headers=dict(headers), timeout=TIMEOUT) as response,
        ):
            status = response.status_code
    except AddressRejected as error:
        return None, str(error)
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        return None, f"{type(error).__name__}: {error}"
    if 300 <= status < 400:
        return status, f"HTTP {status}: redirects are not followed."
    return status, "" if 200 <= status < 300 else f"HTTP {status}"
