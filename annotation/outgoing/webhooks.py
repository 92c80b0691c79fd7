"""Messages as Standard Webhooks signs them, and when they are tried again. Pure: no clock, no network.

Signature: ``v1,`` and the Base64 of HMAC-SHA256 over ``id.timestamp.body``, with the bytes of the secret after
``whsec_``.
"""

from __future__ import annotations

import base64
import hmac
import json
import secrets
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

PREFIX = "whsec_"
_BYTES = 32
DELAYS = (30, 120, 600, 1800, 3600, 2 * 3600, 4 * 3600, 6 * 3600, 10 * 3600)
"""Seconds between tries: ten tries in less than 24 hours."""
TRIES = len(DELAYS) + 1
JITTER = 0.1
"""Share of a delay that is left out at random, so that not all messages come at once."""


def new_secret() -> str:
    return PREFIX + base64.b64encode(secrets.token_bytes(_BYTES)).decode()


def new_id() -> str:
    """The id of a message, the same in all its tries."""
    return f"msg_{secrets.token_hex(16)}"


def delay_after(tries: int, chance: float) -> float:
    """Seconds until the next try after this number of failed ones. ``chance``: a random number from 0 to 1."""
    return DELAYS[min(tries, len(DELAYS)) - 1] * (1 - JITTER * chance)


def signature(secret: str, message: str, timestamp: int, body: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = f"{message}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, sha256).digest()).decode()


def headers(secret: str, message: str, timestamp: int, body: bytes) -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "User-Agent": "Sightline-Webhooks",
        "webhook-id": message,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature(secret, message, timestamp, body),
    }


def body_of(form: str, kind: str, at: str, text: str, data: Mapping[str, Any]) -> str:
    """The body of a message: ``json`` (type, timestamp, data), or ``slack`` (text, which links to ``data["url"]``)."""
    if form == "slack":
        link = str(data.get("url", ""))
        shown = _plain(text)
        return json.dumps({"text": f"{shown} <{link}|Open>" if link else shown}, ensure_ascii=False)
    return json.dumps({"type": kind, "timestamp": at, "data": {"text": text, **data}}, ensure_ascii=False)


def _plain(text: str) -> str:
    """Text in which Slack finds no link, channel or person."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
