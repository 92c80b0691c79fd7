"""Anonymization of people who leave: identifying data is removed, their work stays, and no statistic changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.db.models import Field, ForeignKey, OneToOneField, QuerySet
from django.utils.translation import gettext

from webapp.accounts.closing import refuse_last_lead
from webapp.accounts.models import ApiToken, Invitation, Session, SignInAttempt, User
from webapp.common import audit
from webapp.common.errors import Conflict

DOMAIN = "anonymized.invalid"
"""A reserved domain that receives no mail."""
SECRETS = ("password", "token_hash", "session_key", "session_data", "secret")


@dataclass(frozen=True, slots=True)
class Leaving:
    """A person before and after anonymization: the identifying data and its replacement."""

    user: User
    email: str
    name: str
    new_email: str
    new_name: str


WhenAnonymized = Callable[[Leaving], None]
_when_anonymized: list[WhenAnonymized] = []
Described = Callable[[User], str]
_described: list[Described] = []


def when_anonymized(callback: WhenAnonymized) -> WhenAnonymized:
    """Decorator: register a function to run in the same transaction when a person is anonymized."""
    _when_anonymized.append(callback)
    return callback


def described_by(callback: Described) -> Described:
    """Decorator: register a function that returns a person's role as a word ("annotator"), "" if it has none."""
    _described.append(callback)
    return callback


def anonymized() -> QuerySet[User]:
    """Return all people who were anonymized."""
    return User.objects.filter(email__endswith=f"@{DOMAIN}")


def is_anonymized(user: User) -> bool:
    return user.email.endswith(f"@{DOMAIN}")


@transaction.atomic
def anonymize_person(*, actor: User | None, user: User, force: bool = False) -> User:
    """Remove all identifying data of a person and every way to sign in, and replace the name by "Former annotator 7".

    Their annotations, reviews and judgments stay under the new name, so that agreement and all other statistics stay
    unchanged. The audit log keeps its entries without names and addresses. It can't be undone.

    Raises ``Conflict`` for the only lead of a benchmark; ``force``: a request to erase does not wait for another lead,
    and site admins lead the benchmark then.
    """
    user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if is_anonymized(user):
        raise Conflict(gettext("%(name)s is already anonymized.") % {"name": user.name})
    if actor is not None and actor.pk == user.pk:
        raise Conflict(gettext("You can't anonymize yourself. Ask another admin."))
    if not force:
        refuse_last_lead(user)
    word = next((said for describe in _described if (said := describe(user))), "member")
    leaving = Leaving(user, user.email, user.name, f"former-{user.pk}@{DOMAIN}", f"Former {word} {user.pk}")
    # The other half depends on this one, and reads the data that is removed here.
    for callback in reversed(_when_anonymized):
        callback(leaving)
    Session.objects.filter(user=user).delete()
    ApiToken.objects.filter(user=user).delete()
    SignInAttempt.objects.filter(email=leaving.email).delete()
    Invitation.objects.filter(email=leaving.email).update(email=leaving.new_email)
    user.email, user.name = leaving.new_email, leaving.new_name
    user.is_active = user.is_staff = user.is_superuser = False
    user.set_unusable_password()
    user.save()
    user.groups.clear()
    user.user_permissions.clear()
    audit.erase_personal(actor_id=user.pk, email=leaving.email)
    audit.record(actor=actor, action="person.anonymize", subject=user)
    return user


def personal_data(user: User) -> dict[str, list[dict[str, Any]]]:
    """Every row of the site that names this person, by table; secrets are omitted."""
    found: dict[str, list[dict[str, Any]]] = {"accounts.user": _rows(User.objects.filter(pk=user.pk), User)}
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            if isinstance(field, ForeignKey | OneToOneField) and _is_person(field):
                rows = _rows(model._base_manager.filter(**{field.name: user}).order_by("pk"), model)
                if rows:
                    found.setdefault(model._meta.label_lower, []).extend(rows)
    return found


def _is_person(field: Any) -> bool:
    related = field.related_model
    return isinstance(related, type) and issubclass(related, AbstractBaseUser)


def _rows(rows: Any, model: Any) -> list[dict[str, Any]]:
    fields: Iterable[Field[Any, Any]] = model._meta.concrete_fields
    names = [one.attname for one in fields if not any(secret in one.name for secret in SECRETS)]
    return [dict(row) for row in rows.values(*names)]
