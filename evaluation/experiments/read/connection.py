"""An endpoint as the client needs it: its settings, limits and prices."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from annotation.outgoing.addresses import Address, AddressRejected
from annotation.outgoing.sealing import KeyRejected, Sealer, SealingUnavailable
from evaluation.endpoints.client import Client, Settings
from evaluation.endpoints.keys import Keys
from evaluation.endpoints.limiter import FIRST_WINDOW, Limiter, Limits
from evaluation.endpoints.outgoing import Link
from evaluation.endpoints.presets import PRESETS
from evaluation.endpoints.prices import Price, Prices, Rates
from evaluation.models import Endpoint
from webapp.common.errors import Conflict, InvalidInput


def address_of(base_url: str) -> Address:
    """The address, checked as text. Raises ``InvalidInput``."""
    try:
        return Address(base_url, tuple(settings.ENDPOINT_HOSTS))
    except AddressRejected as rejected:
        raise InvalidInput(str(rejected), field="base_url") from rejected


def key_of(endpoint: Endpoint) -> str:
    """The key of an endpoint for its present address, "" if it has none. Raises ``Conflict`` if it cannot be used."""
    try:
        address = address_of(endpoint.base_url)
        if endpoint.key_name:
            return Keys(settings.ENDPOINT_KEYS).key(endpoint.key_name, address)
        if endpoint.sealed_key:
            return Sealer(settings.SEAL_KEY).open(endpoint.sealed_key, owner=str(endpoint.pk), address=address)
    except (InvalidInput, KeyRejected, SealingUnavailable, ValueError) as error:
        raise Conflict(str(error), code="endpoint-key") from error
    return ""


def settings_of(endpoint: Endpoint) -> Settings:
    """Return the settings for the client. Raises ``Conflict`` if the address or the key cannot be used."""
    preset = PRESETS[endpoint.preset].defaults() | {"base_url": endpoint.base_url}
    try:
        return Settings(
            **preset, model=endpoint.model, key=key_of(endpoint), allowed_hosts=tuple(settings.ENDPOINT_HOSTS)
        )
    except (AddressRejected, KeyRejected) as rejected:
        raise Conflict(str(rejected), code="endpoint") from rejected


def limits_of(endpoint: Endpoint) -> Limits:
    """The limits that people set, else those of the preset."""
    given: dict[str, Any] = endpoint.limits
    return Limits(
        given.get("requests_per_minute") or None,
        given.get("tokens_per_minute") or None,
        given.get("in_flight") or PRESETS[endpoint.preset].in_flight,
    )


def client_of(
    endpoint: Endpoint, shares: int = 1, *, spent: bool = False, again: bool = False, link: Link | None = None
) -> Client:
    """A client with the limits of the endpoint, divided among ``shares`` workers. ``spent``: as of the limiter;
    ``again``: a worker that stopped may have requests under way. ``link``: as of ``Client``, for a backend."""
    limiter = Limiter(limits_of(endpoint), shares=shares, spent=spent, window=1.0 if again else FIRST_WINDOW)
    return Client(settings_of(endpoint), limiter, link=link if PRESETS[endpoint.preset].backend else None)


def price_of(endpoint: Endpoint) -> Price | None:
    """Return the price that people set, else the published price of the model; None if it is unknown, or if there are
    no tokens.
    """
    if not PRESETS[endpoint.preset].chats:
        return None
    if endpoint.prices:
        given = endpoint.prices
        return Price((Rates(given["input"], given["output"], given.get("cached")),), source="set here")
    return Prices.published().find(endpoint.preset, endpoint.model)
