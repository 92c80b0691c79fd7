"""Browsers in which a person signed in before, identified by a signed cookie that gives no access.

Failed attempts in such a browser are counted separately, so that attackers elsewhere cannot lock this person out of it.
"""

from __future__ import annotations

import secrets
from typing import Any

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

_SALT = "device"
_SECONDS = 180 * 24 * 3600
_MOST_PEOPLE = 5
"""Of those who share a browser, the latest."""


def known_device(request: HttpRequest, email: str) -> str:
    """The id of this browser if this person signed in here before; else ""."""
    kept = _kept(request)
    return str(kept["id"]) if _person(email) in kept["people"] else ""


def remember_device(request: HttpRequest, answer: HttpResponse, email: str) -> None:
    """Remember that this person signed in here."""
    kept, person = _kept(request), _person(email)
    people = [person, *(other for other in kept["people"] if other != person)][:_MOST_PEOPLE]
    answer.set_cookie(
        settings.DEVICE_COOKIE_NAME, signing.dumps({"id": kept["id"], "people": people}, salt=_SALT),
        max_age=_SECONDS, secure=settings.HTTPS, httponly=True, samesite="Lax",
    )  # fmt: skip


def _kept(request: HttpRequest) -> dict[str, Any]:
    try:
        return dict(signing.loads(request.COOKIES.get(settings.DEVICE_COOKIE_NAME, ""), salt=_SALT, max_age=_SECONDS))
    except signing.BadSignature:
        return {"id": secrets.token_hex(16), "people": []}


def _person(email: str) -> str:
    return salted_hmac(_SALT, email.lower(), algorithm="sha256").hexdigest()[:16]
