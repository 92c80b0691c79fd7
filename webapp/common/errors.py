"""Application errors, as a tree: each has a sentence for people and a code for programs.

Actions raise them. Pages show the error page, the API one JSON shape, and a job its error.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string, select_template
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext, gettext_noop

from webapp.common import request_id
from webapp.common.http import host_of

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class ErrorContext:
    """A benchmark that a page has found, and that the person may see: error pages link back to it.

    ``may_search``: whether they may search its samples; evaluated only for an error page.
    """

    slug: str
    title: str
    may_search: Callable[[], bool]


def set_error_context(request: HttpRequest, place: ErrorContext) -> None:
    """Let an error page of this request be one of this benchmark."""
    request.place = place  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Onward:
    """The link on an error page: the list that contains the page."""

    href: str
    label: str


def go_on_at(request: HttpRequest, href: str, label: str) -> None:
    """Should this request stop with a conflict, its page leads there."""
    request.onward = Onward(href, label)  # type: ignore[attr-defined]


class ApplicationError(Exception):
    """A request that cannot be fulfilled, for a reason that the person can read and act on.

    `message` says what happened, to what, and what to do, in the language of the request. `title` is English, and the
    page translates it. `code` is stable, for programs. `field` names the input.
    """

    status = 400
    code = "invalid"
    title = gettext_noop("This request isn't valid")
    titles: Mapping[str, str] = {}
    """Other titles, by code."""

    def __init__(
        self, message: str, *, code: str | None = None, status: int | None = None, field: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.code
        self.status = status or self.status
        self.title = self.titles.get(self.code, self.title)
        self.field = field

    @property
    def headers(self) -> dict[str, str]:
        """Headers of the response in addition to its message, for programs."""
        return {}


class InvalidInput(ApplicationError):
    """A value is missing, malformed or out of range."""


class NotAllowed(ApplicationError):
    """The person may see the thing but not do this to it."""

    status = 403
    code = "not_allowed"
    title = gettext_noop("You don't have permission for this")


class SignedOut(ApplicationError):
    """A script sent a request for a person who is no longer signed in, or with a token from before they signed in."""

    status = 401
    code = "signed_out"
    title = gettext_noop("You're signed out")

    def __init__(self) -> None:
        super().__init__(gettext("You're signed out. Sign in again in another tab, then try again here."))


class NotFound(ApplicationError):
    """There is no such thing, or not for this person."""

    status = 404
    code = "not_found"
    title = gettext_noop("Page not found")


class WrongMethod(ApplicationError):
    """An address was opened that only takes what a form sends, or the other way round."""

    status = 405
    code = "method_not_allowed"
    title = gettext_noop("This address has no page")

    def __init__(self) -> None:
        super().__init__(gettext("This address accepts forms only. Go back and use the button on the previous page."))


class Conflict(ApplicationError):
    """The thing has changed, or is in a state that does not allow this. The code decides on the title."""

    status = 409
    code = "conflict"
    title = gettext_noop("This can't be done now")
    titles: Mapping[str, str] = {
        "wrong_state": gettext_noop("This has changed"),
        "stale": gettext_noop("This has changed"),
        "lease_lost": gettext_noop("You no longer have this reserved"),
        "paused": gettext_noop("Work is paused"),
        "blind_first": gettext_noop("Answer the question first"),
    }


class TooLarge(ApplicationError):
    """A file or image is over a limit of the settings."""

    status = 413
    code = "too_large"
    title = gettext_noop("This request is too large")


class TooManyTries(ApplicationError):
    """Come back later: the message says when, and so does the header Retry-After, from the same ``wait`` in seconds."""

    status = 429
    code = "too_many_tries"
    title = gettext_noop("Too many attempts")

    def __init__(self, message: str, *, wait: float) -> None:
        self.wait = max(1, math.ceil(wait))
        words = gettext("%(problem)s Try again in %(time)s.")
        super().__init__(words % {"problem": message, "time": _in_words(self.wait)})

    @property
    def headers(self) -> dict[str, str]:
        return {"Retry-After": str(self.wait)}


class Unavailable(ApplicationError):
    """Something this needs does not answer."""

    status = 503
    code = "unavailable"
    title = gettext_noop("A required service is unavailable")


@contextmanager
def errors_said_in(form: Any) -> Iterator[None]:
    """Add an error that is raised inside to its field of the form, or above the form if it has no such field."""
    try:
        yield
    except ApplicationError as error:
        form.add_error(error.field if error.field in form.fields else None, error.message)


@contextmanager
def conflict_as_message(request: HttpRequest) -> Iterator[None]:
    """Show the conflict that is raised inside as a message on the next page."""
    try:
        yield
    except Conflict as error:
        messages.error(request, error.message)


def error_body(code: str, message: str, *, field: str | None = None, details: Any = None) -> dict[str, Any]:
    """The one JSON shape of errors."""
    return {
        "error": {
            "code": code,
            "message": message,
            "field": field,
            "details": details or [],
            "reference": request_id.current(),
        }
    }


def error_page(request: HttpRequest, error: ApplicationError) -> HttpResponse:
    """The answer to a page's request, in the form the request came in."""
    words = {"code": error.code, "title": gettext(error.title), "message": error.message}
    answer = error_response(request, error.status, **words, field=error.field)
    return with_headers(answer, error.headers)


def with_headers(answer: HttpResponse, headers: Mapping[str, str]) -> HttpResponse:
    """The answer, with these headers too."""
    for name, value in headers.items():
        answer.headers[name] = value
    return answer


def error_response(
    request: HttpRequest,
    status: int,
    *,
    code: str,
    title: str,
    message: str,
    field: str | None = None,
) -> HttpResponse:
    """The error page, or its JSON below /api/.

    Templates: errors/STATUS.html, else errors/400.html or errors/500.html. Context: status, code, title, message, path,
    reference, again, wanted, onward (Onward or None); ``place``: the benchmark that the page had found before the
    error, else None. Strangers never have one.
    """
    if request.path.startswith("/api/") or request.headers.get("Accept") == "application/json":
        return JsonResponse(error_body(code, message, field=field), status=status)
    template = select_template([f"errors/{status}.html", f"errors/{400 if status < 500 else 500}.html"])
    context = {"status": status, "code": code, "title": title, "message": message, **_where(request)}
    context |= {"place": getattr(request, "place", None), "wanted": _wanted(request)}
    context["onward"] = getattr(request, "onward", None)
    return HttpResponse(template.render(context, request), status=status)


def asked_by_script(request: HttpRequest) -> bool:
    """Whether a script of a page asks, which cannot be led to another page. The API answers in its own way."""
    if request.path.startswith("/api/"):
        return False
    return "HX-Request" in request.headers or request.headers.get("Accept") == "application/json"


def server_error_page(request: HttpRequest) -> HttpResponse:
    """The page of a fault of ours."""
    title = gettext("The server failed to create this page")
    message = gettext(
        "Your saved work is safe. Reload the page. If it fails again, send the reference to your site admin."
    )
    return bare_page(request, 500, code="fault", title=title, message=message)


def bare_page(request: HttpRequest, status: int, *, code: str, title: str, message: str) -> HttpResponse:
    """A stop page that asks nothing of the database or the session: those may be what broke.

    Template: errors/500.html, rendered without a request, so that no user is known in it. Context as in stop().
    """
    if request.path.startswith("/api/"):
        return JsonResponse(error_body(code, message), status=status)
    context = {"status": status, "code": code, "title": title, "message": message, **_where(request)}
    return HttpResponse(render_to_string("errors/500.html", context), status=status)


def _where(request: HttpRequest) -> dict[str, str]:
    """``again``: the page to load again: of what was sent, the one with its form; "" for the address itself."""
    again = "" if request.method in ("GET", "HEAD") else _page_before(request)
    return {"path": request.path, "reference": request_id.current(), "again": again}


def _wanted(request: HttpRequest) -> str:
    """The name of what the address asks for, to look for it; "" for a number, which says nothing."""
    match = request.resolver_match
    return str(match.kwargs.get("key", "")) if match else ""


def _in_words(seconds: int) -> str:
    return f"{seconds} s" if seconds < 60 else f"{math.ceil(seconds / 60)} min"


def _page_before(request: HttpRequest) -> str:
    """Return the address of the page that sent a request, if it is a page of this site; else Home."""
    before = request.headers.get("Referer", "")
    own = url_has_allowed_host_and_scheme(before, {host_of(request)}, require_https=request.is_secure())
    return before if before and own else "/"
