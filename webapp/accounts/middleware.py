"""Limits of what may be sent, before anything reads it: the check against forged requests parses whole forms."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from webapp.accounts.senders import allowance_of
from webapp.common.bodies import ANYBODY, TOO_LARGE
from webapp.common.errors import TooLarge, error_page


class BodyLimitMiddleware:
    """Refuse a body that is larger than its sender may send to the address.

    The server asks the same before it reads one; this holds under every other server and in tests too.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        size = request.META.get("CONTENT_LENGTH") or "0"
        if TOO_LARGE not in request.META and (not size.isdigit() or int(size) <= ANYBODY):
            return self.get_response(request)
        allowed = allowance_of(request)
        if TOO_LARGE in request.META or int(size) > allowed.most:
            return error_page(request, TooLarge(allowed.words))
        return self.get_response(request)
