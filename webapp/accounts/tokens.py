"""Keys for programs. A token is shown once; only its hash is kept, so a copy of the database opens nothing."""

import hashlib
import secrets
from datetime import timedelta

from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from webapp.accounts.models import ApiToken, User

# A name in front lets a scanner find a token that was published by mistake.
PREFIX = "sightline_"
_LAST_USED_STEP = timedelta(minutes=5)


def new_secret() -> str:
    return PREFIX + secrets.token_urlsafe(32)


def hashed(secret: str) -> str:
    """A plain hash is enough: the secret has 256 random bits, there is nothing to guess."""
    return hashlib.sha256(secret.encode()).hexdigest()


class TokenAuthentication(BaseAuthentication):
    """Authorization: Bearer sightline_…"""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        scheme, _, secret = get_authorization_header(request).decode("latin-1").partition(" ")
        if scheme.lower() != "bearer":
            return None
        token = ApiToken.objects.usable().filter(token_hash=hashed(secret.strip())).first()
        if token is None:
            raise AuthenticationFailed(
                "The token is not known, has expired or was revoked. Make a new one on your page."
            )
        self._note_use(token)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"

    def _note_use(self, token: ApiToken) -> None:
        now = timezone.now()
        if token.last_used is None or now - token.last_used > _LAST_USED_STEP:
            ApiToken.objects.filter(pk=token.pk).update(last_used=now)
