"""One's own account, invitations and tokens."""

import json
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory

from annotation.common.token_rights import RIGHTS
from annotation.workflow import Right
from tests.annotation.pages_data import make_benchmark
from tests.conftest import signed_in
from tests.factories import PASSWORD
from webapp.accounts import actions
from webapp.accounts.models import ApiToken, Invitation, Session, User
from webapp.accounts.scopes import Scope
from webapp.common.errors import Conflict, InvalidInput, NotFound
from webapp.common.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
NEW = "seven quiet otters"
JSON_SCHEMA = {"Accept": "application/vnd.oai.openapi+json"}
TOKEN = {"name": "notebook", "scopes": ["read", "import"], "benchmark": "", "lasts": "90", "password": PASSWORD}


@pytest.mark.both_databases
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
    done = AuditEntry.objects.exclude(action__startswith="sign_in").order_by("id")
    assert list(done.values_list("action", flat=True)) == [
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


@pytest.mark.both_databases
def test_who_was_switched_off_and_on_again_has_no_old_session_or_token(ana: User, admin: User) -> None:
    """D4.1"""
    before, secret = signed_in(ana), make_token(ana)
    for is_active in (False, True):
        ana.is_active = is_active
        ana.save()
        assert (before.get("/account/").status_code, ask(secret).status_code) == (302, 401)


def test_an_admin_who_changes_their_own_password_in_the_admin_site_stays_signed_in(admin: User) -> None:
    """D4.1"""
    here, elsewhere = signed_in(admin), signed_in(admin)
    sent = {"password1": NEW, "password2": NEW, "set-password": "1", "usable_password": "true"}
    assert here.post(f"/admin/accounts/user/{admin.pk}/password/", sent).status_code == 302
    assert here.get("/account/").status_code == 200
    assert elsewhere.get("/account/").status_code == 302


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


@pytest.mark.both_databases
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
    with pytest.raises(NotFound, match="already used"):
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
    with pytest.raises(Conflict, match="has an account"):
        actions.accept_invitation(secret, name="Thief", password=NEW)
    with pytest.raises(Conflict, match="signed in as sam"):
        actions.accept_invitation(secret, actor=sam)
    assert signed_in(ana).post(f"/invitation/{secret}/").url == "/"
    assert Invitation.objects.get().accepted_by == ana


@api_view(["GET"])
def whoami(request: Request) -> Response:
    return Response({"email": request.user.email})


def make_token(user: User) -> str:
    return actions.create_token(name="notebook", actor=user, scopes=[Scope.READ])[1]


def ask(secret: str) -> Response:
    return whoami(APIRequestFactory().get("/", headers={"Authorization": f"Bearer {secret}"}))


def test_a_token_is_shown_once_and_opens_the_api_until_it_is_revoked(ana: User) -> None:
    """D7.5: the form answers with a redirect, so that loading the page again creates no second token."""
    client = signed_in(ana)
    assert client.post("/account/tokens/", TOKEN).url == "/account/#tokens"
    page = client.get("/account/")
    secret = page.context["secret"]
    assert page.headers["Cache-Control"] == "private, no-store"
    assert client.get("/account/").context["secret"] == ""
    token = ApiToken.objects.get()
    assert secret not in token.token_hash
    assert (token.scopes, token.benchmark) == (["read", "import"], "")
    assert timedelta(days=89) < token.expires - timezone.now() < timedelta(days=91)
    assert ask(secret).data == {"email": ana.email}
    token.refresh_from_db()
    assert token.last_used is not None
    client.post(f"/account/tokens/{token.pk}/revoke/")
    refused = ask(secret)
    assert refused.status_code == 401
    assert refused.data["error"]["code"] == "authentication_failed"


def test_what_is_shown_once_is_shown_to_who_asked_for_it(ana: User, sam: User) -> None:
    """D7.5: the cookie is signed for one person and one page."""
    asked, other = signed_in(ana), signed_in(sam)
    asked.post("/account/tokens/", TOKEN)
    other.cookies["once"] = asked.cookies["once"].value
    assert other.get("/account/").context["secret"] == ""
    assert asked.get("/account/").context["secret"].startswith("sightline_")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"password": "wrong"}, "password"),
        ({"password": ""}, "password"),
        ({"scopes": []}, "scopes"),
        ({"scopes": ["everything"]}, "scopes"),
        ({"benchmark": "unknown"}, "benchmark"),
        ({"lasts": "0"}, "lasts"),
    ],
    ids=lambda value: str(value),
)
def test_a_token_needs_the_password_a_scope_and_an_end(ana: User, change: dict[str, object], field: str) -> None:
    """D4.2"""
    answer = signed_in(ana).post("/account/tokens/", TOKEN | change)
    assert answer.status_code == 400
    assert list(answer.context["token_form"].errors) == [field]
    assert not ApiToken.objects.exists()


def test_guesses_of_the_password_for_a_token_are_counted(ana: User) -> None:
    """D4.2"""
    client = signed_in(ana)
    sent = [client.post("/account/tokens/", TOKEN | {"password": "wrong"}).status_code for _ in range(6)]
    assert sent == [400] * 5 + [429]


def test_a_token_can_be_limited_to_a_benchmark_that_one_sees(ana: User, lea: User) -> None:
    """D4.2"""
    kitchen, _ = make_benchmark(lea), make_benchmark(lea, "street")
    kitchen.memberships.create(user=ana, role="annotator")
    page = signed_in(ana).get("/account/").context["token_form"]
    assert [slug for slug, _ in page.fields["benchmark"].choices] == ["", "kitchen"]
    with pytest.raises(InvalidInput, match="street"):
        actions.create_token(name="ci", actor=ana, scopes=[Scope.READ], benchmark="street")
    _, secret = actions.create_token(name="ci", actor=lea, scopes=[Scope.READ], benchmark="street")
    program = Client(headers={"Authorization": f"Bearer {secret}"})
    assert [row["slug"] for row in program.get("/api/v1/benchmarks/").json()["results"]] == ["street"]


def test_a_scope_passes_no_right_of_another_on(lea: User) -> None:
    """D4.2: scoring needs the scope import; changing the settings of the benchmark with it needs manage too."""
    make_benchmark(lea)
    changes = {"settings": {"threshold": 0.4}}

    def score(*scopes: Scope) -> int:
        _, secret = actions.create_token(name="ci", actor=lea, scopes=scopes)
        program = Client(headers={"Authorization": f"Bearer {secret}"})
        return program.post("/api/v1/benchmarks/kitchen/score/", changes, "application/json").status_code

    assert score(Scope.IMPORT) == 403
    assert score(Scope.IMPORT, Scope.MANAGE) != 403


def test_a_token_that_is_used_outside_its_scopes_leaves_an_entry_once_in_a_while(lea: User) -> None:
    """D4.2: a token that was lost is used so."""
    make_benchmark(lea)
    _, secret = actions.create_token(name="ci", actor=lea, scopes=[Scope.READ], benchmark="kitchen")
    program = Client(headers={"Authorization": f"Bearer {secret}"})
    sent = [program.post("/api/v1/benchmarks/kitchen/score/", {}, "application/json").status_code for _ in range(3)]
    assert sent == [403] * 3
    entry = AuditEntry.objects.get(action="token.refuse")
    assert (entry.actor, entry.benchmark, entry.data["name"]) == (lea, "kitchen", "ci")


def test_every_right_belongs_to_a_scope() -> None:
    """D4.2: a right that belonged to none would be lost with every token."""
    assert frozenset().union(*RIGHTS.values()) == frozenset(Right)
    assert set(RIGHTS) == set(Scope)


@pytest.mark.parametrize("change", ["expired", "user_off", "other"])
def test_a_token_that_does_not_count_opens_nothing(ana: User, change: str) -> None:
    secret = make_token(ana)
    if change == "expired":
        ApiToken.objects.update(expires=timezone.now())
    elif change == "user_off":
        User.objects.update(is_active=False)
    assert ask("x" if change == "other" else secret).status_code == 401


def test_nobody_revokes_the_token_of_another(ana: User, sam: User) -> None:
    make_token(ana)
    token = ApiToken.objects.get()
    assert signed_in(sam).post(f"/account/tokens/{token.pk}/revoke/").status_code == 404
    assert ApiToken.objects.exists()


def test_the_description_of_the_api_names_the_scope_of_each_address() -> None:
    """D4.2"""
    described = json.loads(Client().get("/api/v1/schema/", headers=JSON_SCHEMA).content)
    paths, schemes = described["paths"], described["components"]["securitySchemes"]
    commit = paths["/api/v1/benchmarks/{slug}/imports/{id}/commit/"]["post"]["security"]
    assert {"token_import": []} in commit
    assert {"token_read": []} not in commit
    assert {"token_read": []} in paths["/api/v1/benchmarks/{slug}/samples/"]["get"]["security"]
    assert {f"token_{scope}" for scope in Scope} <= set(schemes)
