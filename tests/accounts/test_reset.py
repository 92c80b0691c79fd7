"""Getting back in by a link, by email or by hand; confirming an address."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from annotation.benchmarks.write.invitations import invite_person
from annotation.content.people import verified_addresses
from annotation.models import Membership
from annotation.workflow import Role
from tests.annotation.pages_data import make_benchmark
from tests.conftest import signed_in
from tests.factories import PASSWORD
from webapp.accounts import actions, letters, links
from webapp.accounts.models import ApiToken, Invitation, Session, SignInAttempt, User
from webapp.accounts.scopes import Scope
from webapp.common.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
NEW = "seven quiet otters"
SITE = "https://sightline.example.org"


@pytest.fixture
def sends_email(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[Any]]:
    """The site sends email; returns what gives all emails that were sent, once they are."""
    settings.SENDS_EMAIL, settings.SITE_URL = True, SITE
    monkeypatch.setattr(letters, "DELAY_SECONDS", 0)

    def sent() -> list[Any]:
        letters.send("verify", "last@example.org", link="").result()
        return [message for message in mail.outbox if message.to != ["last@example.org"]]

    return sent


def path_in(text: str) -> str:
    return next(word for word in text.split() if word.startswith(f"{SITE}/")).removeprefix(SITE)


def actions_logged() -> list[str]:
    done = AuditEntry.objects.exclude(action__startswith="sign_in").order_by("id")
    return list(done.values_list("action", flat=True))


def test_a_link_by_email_sets_a_new_password_once(ana: User, sends_email: Callable[[], list[Any]]) -> None:
    """D4.8"""
    User.objects.filter(pk=ana.pk).update(email_verified=False)
    actions.create_token(name="ci", actor=ana, scopes=[Scope.READ])
    elsewhere, visitor = signed_in(ana), Client()
    assert visitor.post("/reset/", {"email": "Ana@example.org"}).url == "/sign-in/"
    [letter] = sends_email()
    assert letter.to == [ana.email]
    path = path_in(letter.body)
    assert visitor.get(path).status_code == 200
    weak = visitor.post(path, {"password": "short"})
    assert (weak.status_code, list(weak.context["form"].errors)) == (400, ["password"])
    assert visitor.post(path, {"password": NEW}).url == "/sign-in/"
    ana.refresh_from_db()
    assert ana.check_password(NEW)
    assert ana.email_verified, "Whoever opened the link receives email there."
    assert elsewhere.get("/account/").status_code == 302
    assert not ApiToken.objects.exists()
    assert visitor.get(path).status_code == 404
    assert visitor.post(path, {"password": "another one entirely"}).status_code == 404
    assert actions_logged()[-2:] == ["password.reset_request", "password.reset"]


def test_the_answer_does_not_tell_whether_an_address_has_an_account(
    ana: User, sends_email: Callable[[], list[Any]], django_assert_num_queries: Any
) -> None:
    """D4.8: nor does the number of statements, which is most of the time it takes."""
    said = set()
    for email in ("nobody@example.org", ana.email):
        client = Client()
        with django_assert_num_queries(7):
            answer = client.post("/reset/", {"email": email})
        said.add((answer.status_code, answer.url, *map(str, client.get(answer.url).context["messages"])))
    assert len(said) == 1
    assert [letter.to for letter in sends_email()] == [[ana.email]]


def test_requests_for_links_are_limited_and_do_not_lock_the_sign_in(
    ana: User, sends_email: Callable[[], list[Any]]
) -> None:
    """D4.8"""
    asked = [Client().post("/reset/", {"email": ana.email}) for _ in range(4)]
    assert [answer.status_code for answer in asked] == [302, 302, 302, 429]
    assert int(asked[-1]["Retry-After"]) > 800
    assert len(sends_email()) == 3
    assert Client().post("/sign-in/", {"email": ana.email, "password": PASSWORD}).status_code == 302


def test_without_email_the_page_says_whom_to_ask(ana: User) -> None:
    """D4.8"""
    assert Client().get("/reset/").context["sends_email"] is False
    assert Client().post("/reset/", {"email": ana.email}).status_code == 409
    assert not SignInAttempt.objects.exists()


def test_a_command_prints_a_link(ana: User) -> None:
    """D4.8"""
    printed = StringIO()
    call_command("reset_link", "Ana@example.org", stdout=printed)
    path = printed.getvalue().strip().removeprefix("http://127.0.0.1:8000")
    User.objects.update(email_verified=False)
    SignInAttempt.objects.create(email=ana.email)
    assert Client().post(path, {"password": NEW}).url == "/sign-in/"
    ana.refresh_from_db()
    assert ana.check_password(NEW)
    assert not ana.email_verified, "The link came by hand."
    assert not SignInAttempt.objects.exists()
    User.objects.update(is_active=False)
    for email, reason in (("nobody@example.org", "No account"), (ana.email, "can't sign in")):
        with pytest.raises(CommandError, match=reason):
            call_command("reset_link", email)


def test_the_admin_site_shows_a_link_once(ana: User, admin: User) -> None:
    """D4.8: and D7.5, loading the page again creates no second one."""
    client, page = signed_in(admin), f"/admin/accounts/user/{ana.pk}/reset-link/"
    assert page in client.get(f"/admin/accounts/user/{ana.pk}/change/").content.decode()
    assert client.get(page).context["link"] == ""
    assert client.post(page, {"hand": "Create link"}).url == page
    link = client.get(page).context["link"]
    assert client.get(page).context["link"] == ""
    assert Client().post(link.removeprefix("http://testserver"), {"password": NEW}).url == "/sign-in/"
    assert signed_in(ana).get(page).status_code == 302
    assert actions_logged() == ["password.reset_link", "password.reset"]


def test_the_admin_site_sends_a_link(ana: User, admin: User, sends_email: Callable[[], list[Any]]) -> None:
    """D4.8"""
    client, page = signed_in(admin), f"/admin/accounts/user/{ana.pk}/reset-link/"
    client.post(page, {"email": "Send by email"})
    [letter] = sends_email()
    assert client.get(page).context["link"] == ""
    assert Client().get(path_in(letter.body)).status_code == 200


@pytest.mark.parametrize("change", ["late", "signed in since", "other address", "switched off", "another person's"])
def test_a_link_dies_with_what_it_was_made_for(ana: User, sam: User, change: str, settings: Any) -> None:
    """D4.8"""
    path = links.reset_path(ana, by_email=False)
    assert Client().get(path).status_code == 200
    if change == "late":
        settings.PASSWORD_RESET_TIMEOUT = -1
    elif change == "signed in since":
        User.objects.filter(pk=ana.pk).update(last_login=timezone.now())
    elif change == "other address":
        User.objects.filter(pk=ana.pk).update(email="ana.lind@example.org")
    elif change == "switched off":
        User.objects.filter(pk=ana.pk).update(is_active=False)
    else:
        path = path.replace(f"/{ana.pk}/", f"/{sam.pk}/")
    assert Client().get(path).status_code == 404
    assert Client().post(path, {"password": NEW}).status_code == 404


def test_an_inviter_accepts_nothing_for_another(lea: User, sam: User) -> None:
    """D4.9: a second identity of the same person would count as independent work."""
    _, secret = actions.invite(email="ines@example.org", actor=lea)
    for person in (lea, sam):
        client = signed_in(person)
        assert client.get(f"/invitation/{secret}/").status_code == 409
        assert client.post(f"/invitation/{secret}/", {"name": "Ines", "password": NEW}).status_code == 409
    assert not User.objects.filter(email="ines@example.org").exists()
    assert Invitation.objects.open().exists()


def test_an_account_whose_link_went_through_the_hands_of_a_lead_reads_not_verified(lea: User, ana: User) -> None:
    """D4.9: until it is; in People and in Agreement."""
    kitchen = make_benchmark(lea)
    _, secret = invite_person(actor=lea, benchmark=kitchen, email="ines@example.org", roles=[Role.ANNOTATOR])
    Client().post(f"/invitation/{secret}/", {"name": "Ines Duarte", "password": NEW})
    ines = User.objects.get(email="ines@example.org")
    Membership.objects.create(benchmark=kitchen, user=ana, role=Role.ANNOTATOR)
    settings = signed_in(lea).get("/benchmarks/kitchen/settings/")
    assert [one.user for one in settings.context["people"] if not one.user.email_verified] == [ines]
    assert settings.content.decode().count("address not verified") == 1
    assert verified_addresses(kitchen, [ines.pk, ana.pk]) == {ines.pk: False, ana.pk: True}
    ines.email_verified = True
    ines.save()
    assert "address not verified" not in signed_in(lea).get("/benchmarks/kitchen/settings/").content.decode()


def test_an_invitation_by_email_is_shown_to_nobody_and_verifies_the_address(
    lea: User, sends_email: Callable[[], list[Any]]
) -> None:
    """D4.9"""
    make_benchmark(lea, title="Kitchen\r\nBcc: sam@example.org")
    client, page = signed_in(lea), "/benchmarks/kitchen/settings/"
    sent = {"email": "ines@example.org", "roles": ["annotator"], "mailed": "on"}
    assert client.post(f"{page}invitations/", sent).url == page
    [letter] = sends_email()
    assert client.get(page).context["link"] == ""
    assert letter.to == ["ines@example.org"]
    assert "\n" not in letter.subject
    Client().post(path_in(letter.body), {"name": "Ines Duarte", "password": NEW})
    assert User.objects.get(email="ines@example.org").email_verified
    assert client.post(f"{page}invitations/", sent | {"email": "ida@example.org", "mailed": ""}).url == f"{page}#invite"
    assert client.get(page).context["link"]


def test_an_address_is_confirmed_by_a_link(ana: User, sends_email: Callable[[], list[Any]]) -> None:
    """D4.9"""
    User.objects.update(email_verified=False)
    client = signed_in(ana)
    assert client.post("/account/verify/").url == "/account/"
    [letter] = sends_email()
    path = path_in(letter.body)
    assert Client().get(path).status_code == 200
    assert not User.objects.get().email_verified, "Looking at the page confirms nothing."
    assert Client().post(path).url == "/"
    assert User.objects.get().email_verified
    User.objects.update(email="ana.lind@example.org")
    assert Client().post(path).status_code == 404


def test_a_new_address_in_the_admin_site_is_not_verified(ana: User, admin: User) -> None:
    """D4.9"""
    form = {"email": "ana.lind@example.org", "name": ana.name, "is_active": "on", "email_verified": "on",
            "date_joined_0": "2026-01-01", "date_joined_1": "10:00"}  # fmt: skip
    signed_in(admin).post(f"/admin/accounts/user/{ana.pk}/change/", form)
    ana.refresh_from_db()
    assert (ana.email, ana.email_verified) == ("ana.lind@example.org", False)


def test_a_reset_by_link_ends_the_sessions_of_a_thief(ana: User) -> None:
    """D4.1"""
    thief = signed_in(ana)
    Session.objects.update(last_used=timezone.now() - timedelta(minutes=1))
    ana.refresh_from_db()
    Client().post(links.reset_path(ana, by_email=False), {"password": NEW})
    assert thief.get("/account/").status_code == 302
    assert not Session.objects.filter(user=ana).exists()
