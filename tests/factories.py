"""Rows for tests, made by hand: each function gives what the test does not care about a sensible value."""

from typing import Any

from annotation.content.changes import content_changed
from annotation.models import FacetValue, Sample
from webapp.accounts.actions import create_token
from webapp.accounts.models import User
from webapp.accounts.scopes import Scope

PASSWORD = "correct horse battery staple"


def make_user(name: str = "Ana Lind", **fields: Any) -> User:
    """A person who can sign in with PASSWORD; the address comes from the first name."""
    email = fields.pop("email", f"{name.split()[0].lower()}@example.org")
    return User.objects.create_user(email, PASSWORD, name=name, **fields)


def facet_of(sample: Sample, name: str, value: str, position: int = 0) -> FacetValue:
    """One more value on a facet of a sample."""
    content_changed(sample.benchmark_id)
    return FacetValue.objects.create(
        sample=sample, benchmark=sample.benchmark, name=name, value=value, position=position
    )


def make_token(user: User) -> str:
    """The secret of a token of this person that may do everything they may."""
    return create_token(name="notebook", actor=user, scopes=list(Scope))[1]
