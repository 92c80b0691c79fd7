"""Values that a page shows once after a form was sent, such as a secret that the database does not store.

The form answers with a redirect, so that reloading the page sends nothing again. Until the next page, the secret is in
a signed cookie of the person who requested it; the page that shows it deletes the cookie.
"""

from __future__ import annotations

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

_SECONDS = 120


def keep_once(request: HttpRequest, answer: HttpResponse, about: str, value: str) -> HttpResponse:
    """Keep ``value`` for the next page that asks for what is ``about`` the same."""
    signed = signing.dumps(value, salt=_salt(request, about))
    answer.set_cookie(
        settings.ONCE_COOKIE_NAME, signed, max_age=_SECONDS, secure=settings.HTTPS, httponly=True, samesite="Lax"
    )
    return answer


def kept_once(request: HttpRequest, about: str) -> str:
    """Return the stored value; "" if there is none for this person and page."""
    signed = request.COOKIES.get(settings.ONCE_COOKIE_NAME, "")
    try:
        return str(signing.loads(signed, salt=_salt(request, about), max_age=_SECONDS)) if signed else ""
    except signing.BadSignature:
        return ""


def forget_once(answer: HttpResponse) -> HttpResponse:
    """Remove what was shown once. The page may not be stored by any cache."""
    answer.set_cookie(settings.ONCE_COOKIE_NAME, "", max_age=0, secure=settings.HTTPS, httponly=True, samesite="Lax")
    answer.headers["Cache-Control"] = "private, no-store"
    return answer


def _salt(request: HttpRequest, about: str) -> str:
    return f"once {request.user.pk} {about}"
