"""Middleware for every request and response."""

import logging
import re
from collections.abc import Callable

from django.conf import settings
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseNotAllowed, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.middleware.http import ConditionalGetMiddleware
from django.shortcuts import resolve_url
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext

from webapp.common import audit, request_id
from webapp.common.errors import (
    ApplicationError,
    InvalidInput,
    SignedOut,
    WrongMethod,
    asked_by_script,
    error_page,
    with_headers,
)
from webapp.common.http import client_address, warn_of_undeclared_proxy
from webapp.common.outages import outage_of, outage_page
from webapp.common.translation import in_english

logger = logging.getLogger(__name__)
Answer = Callable[[HttpRequest], HttpResponseBase]
FORMAT = re.compile(r"(?:^|&)format=")

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
        # Drawn images: thumbnails before they are stored, canvases that are copied.
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "object-src 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


class RequestIdMiddleware:
    """Give each request a short reference for the log, a header of the response, and error pages.

    Warn if the address of the request may be that of a proxy.
    """

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        reference = request_id.taken(request.headers.get("X-Request-Id", ""))
        of = reference, client_address(request) or ""
        with request_id.answer(*of):
            warn_of_undeclared_proxy(request)
            response = self.get_response(request)
        if isinstance(response, StreamingHttpResponse) and not isinstance(response, FileResponse):
            # Streamed parts also belong to the request.
            response.streaming_content = request_id.each_within(*of, iter(response))
        response["X-Request-Id"] = reference
        return response


class CacheControlMiddleware:
    """Set the caching rules of every response that has none.

    Pages for signed-in people are never stored. Responses of the API and pages for visitors may be stored by a browser,
    which revalidates them each time.
    """

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if request.path.startswith("/api/"):
            patch_vary_headers(response, ("Authorization", "Cookie"))
            response.headers.setdefault("Cache-Control", "private, no-cache")
        elif settings.SESSION_COOKIE_NAME in request.COOKIES:
            response.headers.setdefault("Cache-Control", "private, no-store")
        else:
            response.headers.setdefault("Cache-Control", "private, no-cache")
        return response


class CompressTextMiddleware(GZipMiddleware):
    """Send text compressed; images are compressed already.

    Pages contain secrets and text that people typed. The form token is masked again for each response, and Django pads
    compressed responses by a random length, so that their sizes reveal nothing.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        kind = response.headers.get("Content-Type", "")
        return super().process_response(request, response) if kind.startswith(TEXT) else response


TEXT = (
    "text/",
    "application/json",
    "application/x-ndjson",
    "application/xml",
    "application/javascript",
    "image/svg+xml",
)


class SecurityHeadersMiddleware:
    """Put the headers on every answer; an answer that has its own, stricter ones keeps them."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response


class EnglishMiddleware:
    """Use English for the API and files, whatever the language of pages: programs read them, and people keep them.

    A page that is also a file uses ``?format=``. Other views of files are ``in_english``.
    """

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        file = FORMAT.search(request.META.get("QUERY_STRING", "")) is not None
        english = file or request.path.startswith("/api/")
        return (in_english(self.get_response) if english else self.get_response)(request)


class ApplicationErrorMiddleware:
    """Turn an ApplicationError or an outage that a page raises into the page that says it, and the empty answer to a
    method that an address does not take into one with words."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        # Not every database can be asked for it, and no name has it.
        if "\0" in request.path or "%00" in request.META.get("QUERY_STRING", ""):
            return error_page(request, InvalidInput(gettext("The address contains the character NUL. Remove %00.")))
        if _form_holds_nul(request):
            message = gettext("A form field contains the character NUL. Remove it and send the form again.")
            return error_page(request, InvalidInput(message))
        answer = self.get_response(request)
        if isinstance(answer, HttpResponseNotAllowed):
            return with_headers(error_page(request, WrongMethod()), {"Allow": answer["Allow"]})
        return answer

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if (outage := outage_of(exception)) is not None:
            logger.warning("%s %s: %s (%s)", request.method, request.path, outage.reason, repr(exception)[:300])
            return outage_page(request, outage)
        return error_page(request, exception) if isinstance(exception, ApplicationError) else None


def _form_holds_nul(request: HttpRequest) -> bool:
    """Return whether a plain form contains NUL. Forms with files are checked while they are read, and JSON while it
    is parsed."""
    if request.content_type != "application/x-www-form-urlencoded":
        return False
    return b"%00" in request.body or b"\0" in request.body


class SignedOutMiddleware:
    """Report to the script of a page that its person is signed out.

    A redirect would put the sign-in page into its page. Content that is hidden from visitors is not reported as
    missing: it is available again after signing in."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        answer = self.get_response(request)
        if answer.status_code in (302, 403, 404) and asked_by_script(request) and not request.user.is_authenticated:
            to_sign_in = answer.get("Location", "").startswith(resolve_url(settings.LOGIN_URL))
            if to_sign_in or answer.status_code != 302:
                return error_page(request, SignedOut())
        return answer


class ApiConditionalMiddleware(ConditionalGetMiddleware):
    """Add an ETag to every response of the API, and answer 304 if the client has it already. Pages contain tokens, so
    each is new.

    HEAD is answered like GET, without the body, so that clients can check for changes.
    """

    def process_request(self, request: HttpRequest) -> None:
        if request.method == "HEAD" and request.path.startswith("/api/"):
            request.method, request.only_head = "GET", True  # type: ignore[attr-defined]

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if not request.path.startswith("/api/"):
            return response
        answer = super().process_response(request, response)
        return _without_body(answer) if getattr(request, "only_head", False) else answer


class SecurityLogMiddleware:
    """Log rejected requests and downloads of signed-in people.

    Visitors leave no entry: a rejection leads them to the sign-in page, and their downloads are public.
    """

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        action = _security_action(request, response)
        if action and request.user.is_authenticated:
            found = request.resolver_match
            audit.record(
                request.user, action, None, str(found.kwargs.get("slug", ""))[:100] if found else "",
                data={"method": request.method, "path": _path(request), "query": _query(request)},
            )  # fmt: skip
        return response


EXPORTS_OF_GOLD = frozenset({"evaluation:exported", "api-export"})
"""Addresses whose files hold the gold of a whole benchmark."""


def _security_action(request: HttpRequest, response: HttpResponseBase) -> str:
    if response.status_code == 403:
        return "access.refuse"
    if response.status_code != 200 or request.method != "GET":
        return ""
    found = request.resolver_match
    if found is not None and found.view_name in EXPORTS_OF_GOLD:
        return "export.gold"
    return "download.file" if response.get("Content-Disposition", "").startswith("attachment") else ""


SECRETS = frozenset({"secret", "token"})
"""Parts of addresses that open something for who knows them; the log is kept for ever."""


def _path(request: HttpRequest) -> str:
    path, found = request.path, request.resolver_match
    for name, value in found.kwargs.items() if found else ():
        if name in SECRETS:
            path = path.replace(str(value), "…")
    return path[:500]


def _query(request: HttpRequest) -> str:
    return str(request.META.get("QUERY_STRING", ""))[:500]


def _without_body(answer: HttpResponseBase) -> HttpResponseBase:
    """The response with its length, but without its body."""
    if isinstance(answer, StreamingHttpResponse):
        answer.close()
        answer.streaming_content = ()
    elif isinstance(answer, HttpResponse):
        answer.content = b""
    return answer
