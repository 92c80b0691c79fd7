"""Keys for programs. A token is shown once; only its hash is kept, so a copy of the database opens nothing."""

import hashlib
import secrets
from datetime import timedelta

from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.request import Request

from webapp.accounts.models import ApiToken, User
from webapp.accounts.scopes import in_effect, scopes_for
from webapp.accounts.security_log import note_refused

# A name in front lets a scanner find a token that was published by mistake.
PREFIX = "sightline_"
_LAST_USED_STEP = timedelta(minutes=5)


def new_secret() -> str:
    return PREFIX + secrets.token_urlsafe(32)


def hashed(secret: str) -> str:
    """A plain hash is enough: the secret has 256 random bits, there is nothing to guess."""
    return hashlib.sha256(secret.encode()).hexdigest()


def token_of(request: Request) -> ApiToken | None:
    """Return the token of a request, with its person; None without one.

    Raises ``AuthenticationFailed`` for an unusable one. Its scopes are not checked here.
    """
    return token_in(get_authorization_header(request).decode("latin-1"), request.method or "")


def token_in(header: str, method: str) -> ApiToken | None:
    """The same of the header ``Authorization`` of a request that Django does not read."""
    scheme, _, secret = header.partition(" ")
    if scheme.lower() != "bearer":
        return None
    token = ApiToken.objects.usable().filter(token_hash=hashed(secret.strip())).first()
    if token is None:
        raise AuthenticationFailed(
            "The token is unknown, has expired or was revoked. Create a new one on your account page."
        )
    token.in_effect = in_effect(token.scopes, method)
    token.user.token = token
    return token


class TokenAuthentication(BaseAuthentication):
    """Authorization: Bearer sightline_…

    A token is rejected here if its scopes or its benchmark do not cover the address, regardless of the view's
    permissions. The person keeps a reference to it, so that their permissions are limited to those of the token.
    """

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        token = token_of(request)
        if token is None:
            return None
        self._refuse_outside(token, request)
        self._note_use(token)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"

    def _refuse_outside(self, token: ApiToken, request: Request) -> None:
        """Raise ``PermissionDenied`` for an address that needs another scope, or that belongs to another benchmark."""
        wanted = scopes_for(request.parser_context["view"], request.method or "")
        slug = request.parser_context["kwargs"].get("slug", token.benchmark)
        if not set(wanted) & set(token.scopes):
            needed, held = " or ".join(wanted), ", ".join(token.scopes)
            reason = f"This needs a token with the scope {needed}; this one has {held}."
        elif token.benchmark not in ("", slug):
            reason = f"This token is for the benchmark {token.benchmark} only, not for {slug}."
        else:
            return
        note_refused(token, method=request.method or "", path=request.path)
        raise PermissionDenied(f"{reason} Create one on your account page.", code="scope")

    def _note_use(self, token: ApiToken) -> None:
        now = timezone.now()
        if token.last_used is None or now - token.last_used > _LAST_USED_STEP:
            ApiToken.objects.filter(pk=token.pk).update(last_used=now)
