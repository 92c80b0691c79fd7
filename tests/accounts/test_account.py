"""One's own account, invitations and tokens."""

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone
from rest_framework.decorators import api_view
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory

from tests.conftest import signed_in
from tests.factories import PASSWORD
from webapp.accounts import actions
from webapp.accounts.models import ApiToken, Invitation, Session, User
from webapp.accounts.tokens import TokenAuthentication
from webapp.common.errors import Conflict, InvalidInput, NotFound
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.django_db
NEW = "seven quiet otters"


def test_two_accounts_cannot_differ_in_capitals_only(ana: User) -> None:
    for email in ("ana@example.org", "Ana@example.org"):
        with pytest.raises(IntegrityError), transaction.atomic():
            User.objects.bulk_create([User(email=email, name="Other")])


def test_changing_the_password_keeps_this_browser_and_signs_out_the_others(ana: User) -> None:
    here, elsewhere = signed_in(ana), signed_in(ana)
    assert here.post("/account/password/", {"old": PASSWORD, "new": NEW}).status_code == 302
    ana.refresh_from_db()
    assert ana.check_password(NEW)
    assert here.post("/account/name/", {"name": "Ana L."}).url == "/account/"
    assert elsewhere.post("/account/name/", {"name": "Other"}).url.startswith("/sign-in/")
    assert list(AuditEntry.objects.values_list("action", flat=True).order_by("id")) == [
        "password.change",
        "user.rename",
    ]


@pytest.mark.parametrize("how", ["page", "admin site", "admin site, none at all", "command", "shell"])
def test_a_new_password_revokes_tokens_and_ends_sessions_however_it_is_set(
    ana: User, sam: User, admin: User, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D4.1"""
    here, elsewhere, other = signed_in(ana), signed_in(ana), signed_in(sam)
    mine, theirs = (make_token(user) for user in (ana, sam))
    assert ask(mine).status_code == 200
    form = f"/admin/accounts/user/{ana.pk}/password/"
    if how == "page":
        here.post("/account/password/", {"old": PASSWORD, "new": NEW})
    elif how == "admin site":
        sent = {"password1": NEW, "password2": NEW, "set-password": "1", "usable_password": "true"}
        assert signed_in(admin).post(form, sent).status_code == 302
    elif how == "admin site, none at all":
        sent = {"usable_password": "false", "unset-password": "1"}
        assert signed_in(admin).post(form, sent).status_code == 302
    elif how == "command":
        monkeypatch.setattr("getpass.getpass", lambda prompt: NEW)
        call_command("changepassword", ana.email, stdout=StringIO())
    else:
        ana.set_password(NEW)
        ana.save()
    ana.refresh_from_db()
    assert not ana.check_password(PASSWORD)
    assert ask(mine).status_code == 401
    assert elsewhere.get("/account/").status_code == 302
    assert Session.objects.filter(user=ana).count() == (how == "page")
    assert ask(theirs).status_code == 200
    assert other.get("/account/").status_code == 200


def test_a_stronger_hash_of_the_same_password_ends_nothing(ana: User, settings: Any) -> None:
    """D4.1: it is saved when somebody signs in, and is no new password."""
    secret, before = make_token(ana), ana.password
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher", *settings.PASSWORD_HASHERS]
    assert ana.check_password(PASSWORD)
    assert ana.password != before
    assert ask(secret).status_code == 200


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [("wrong", NEW, "old"), (PASSWORD, "short", "new"), (PASSWORD, "ana@example.org", "new")],
    ids=["old one wrong", "too short", "like the address"],
)
def test_a_password_that_will_not_do_is_refused_at_its_field(ana: User, old: str, new: str, field: str) -> None:
    answer = signed_in(ana).post("/account/password/", {"old": old, "new": new})
    assert answer.status_code == 400
    assert list(answer.context["password_form"].errors) == [field]
    ana.refresh_from_db()
    assert ana.check_password(PASSWORD)


def test_an_invitation_makes_the_account_once_and_tells_who_asked_to_know(
    lea: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[Invitation, User]] = []
    monkeypatch.setattr(actions, "_when_accepted", [lambda invitation, user: told.append((invitation, user))])
    invitation, secret = actions.invite(email="Ines@Example.org", actor=lea)
    assert secret not in invitation.token_hash
    client = Client()
    answer = client.post(f"/invitation/{secret}/", {"name": "Ines Duarte", "password": NEW})
    assert answer.url == "/"
    ines = User.objects.get(email="ines@example.org")
    assert told == [(invitation, ines)]
    assert client.get("/account/").status_code == 200
    with pytest.raises(NotFound, match="used already"):
        actions.accept_invitation(secret, name="Again", password=NEW)


def test_a_weak_password_leaves_the_invitation_open(lea: User) -> None:
    _, secret = actions.invite(email="ines@example.org", actor=lea)
    with pytest.raises(InvalidInput, match="at least 12"):
        actions.accept_invitation(secret, name="Ines", password="short")
    assert Invitation.objects.open().count() == 1
    assert not User.objects.filter(email="ines@example.org").exists()


def test_an_invitation_that_is_too_old_or_unknown_is_not_found(lea: User) -> None:
    _, secret = actions.invite(email="ines@example.org", actor=lea, lasts=timedelta(seconds=-1))
    assert [Client().get(f"/invitation/{token}/").status_code for token in (secret, "unknown")] == [404, 404]


def test_a_person_with_an_account_accepts_signed_in_and_nobody_accepts_for_another(
    lea: User, ana: User, sam: User
) -> None:
    _, secret = actions.invite(email=ana.email, actor=lea)
    with pytest.raises(Conflict, match="has an account already"):
        actions.accept_invitation(secret, name="Thief", password=NEW)
    with pytest.raises(Conflict, match="you are signed in as sam"):
        actions.accept_invitation(secret, actor=sam)
    assert signed_in(ana).post(f"/invitation/{secret}/").url == "/"
    assert Invitation.objects.get().accepted_by == ana


@api_view(["GET"])
def whoami(request: Request) -> Response:
    return Response({"email": request.user.email})


def make_token(user: User) -> str:
    return actions.create_token(name="notebook", actor=user)[1]


def ask(secret: str) -> Response:
    return whoami(APIRequestFactory().get("/", headers={"Authorization": f"Bearer {secret}"}))


def test_a_token_opens_the_api_until_it_is_revoked(ana: User) -> None:
    answer = signed_in(ana).post("/account/tokens/", {"name": "notebook", "days": "30"})
    secret = answer.context["secret"]
    token = ApiToken.objects.get()
    assert secret not in token.token_hash
    assert ask(secret).data == {"email": ana.email}
    token.refresh_from_db()
    assert token.last_used is not None
    signed_in(ana).post(f"/account/tokens/{token.pk}/revoke/")
    refused = ask(secret)
    assert refused.status_code == 401
    assert refused.data["error"]["code"] == "authentication_failed"


@pytest.mark.parametrize(
    "change", [{"expires": timezone.now() - timedelta(days=1)}, {"user_off": True}, {"other": True}]
)
def test_a_token_that_does_not_count_opens_nothing(ana: User, change: dict[str, object]) -> None:
    _, secret = actions.create_token(name="notebook", actor=ana, expires=change.get("expires"))
    if "user_off" in change:
        User.objects.update(is_active=False)
    request = APIRequestFactory().get("/", headers={"Authorization": f"Bearer {'x' if 'other' in change else secret}"})
    with pytest.raises(AuthenticationFailed):
        TokenAuthentication().authenticate(request)


def test_nobody_revokes_the_token_of_another(ana: User, sam: User) -> None:
    token, _ = actions.create_token(name="notebook", actor=ana)
    assert signed_in(sam).post(f"/account/tokens/{token.pk}/revoke/").status_code == 404
    assert ApiToken.objects.exists()
