from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request as ApiRequest

from webapp.accounts.models import User
from webapp.common.http import Request


class SignedInRequest(Request):
    """A request behind login_required: there is a person."""

    user: User


def person_of(request: ApiRequest) -> User:
    """Return the person of an API request; for views that a visitor cannot use."""
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return request.user
