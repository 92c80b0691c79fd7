"""Identifies the sender of a request before any of its body is read."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace
from typing import Any, cast

from django.conf import settings
from django.contrib.auth import get_user
from django.http import HttpRequest
from rest_framework.exceptions import AuthenticationFailed

from webapp.accounts.models import User
from webapp.accounts.tokens import token_of
from webapp.common.bodies import Allowance, allowance


def sender_of(request: HttpRequest) -> User | None:
    """Return the person of the token, or else of the session, of the request; None for a visitor."""
    try:
        token = token_of(cast(Any, request))
    except AuthenticationFailed:
        return None
    if token is not None:
        return token.user
    key = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
    if not key:
        return None
    store = import_module(settings.SESSION_ENGINE).SessionStore(key)
    user = get_user(cast(HttpRequest, SimpleNamespace(session=store)))
    return user if isinstance(user, User) else None


def allowance_of(request: HttpRequest) -> Allowance:
    """Return the number of bytes that the sender of this request may send to its address."""
    return allowance(request.path_info, sender_of(request))
