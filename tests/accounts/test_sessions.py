"""Where a person is signed in, and signing out elsewhere."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from tests.conftest import signed_in
from tests.factories import PASSWORD
from webapp.accounts.models import Session, User
from webapp.accounts.sessions import browser_of
from webapp.common.models import AuditEntry

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
EDGE = "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0"


@pytest.mark.parametrize(
    ("agent", "words"), [(FIREFOX, "Firefox on Linux"), (EDGE, "Edge on Windows"), ("curl/8", ""), ("", "")]
)
def test_a_browser_is_named_by_what_it_sends(agent: str, words: str) -> None:
    assert browser_of(agent) == words


@pytest.mark.django_db
def test_the_account_lists_where_and_when_one_signed_in(ana: User) -> None:
    client = Client(headers={"User-Agent": FIREFOX}, REMOTE_ADDR="192.0.2.7")
    client.post("/sign-in/", {"email": ana.email, "password": PASSWORD})
    text = client.get("/account/").content.decode()
    [session] = Session.objects.filter(user=ana)
    assert (session.browser, session.address) == ("Firefox on Linux", "192.0.2.7")
    assert timezone.now() - session.signed_in_at < timedelta(minutes=1)
    assert "Firefox on Linux" in text
    assert "192.0.2.7" in text
    assert "Sign out everywhere else" not in text


@pytest.mark.django_db
def test_signing_out_elsewhere_keeps_this_browser_and_other_people(ana: User, sam: User) -> None:
    here, elsewhere, other = signed_in(ana), signed_in(ana), signed_in(sam)
    assert "Sign out everywhere else" in here.get("/account/").content.decode()
    assert here.post("/account/sessions/sign-out/").url == "/account/"
    assert here.get("/account/").status_code == 200
    assert elsewhere.get("/account/").status_code == 302
    assert other.get("/account/").status_code == 200
    assert AuditEntry.objects.get().data == {"ended": 1}


@pytest.mark.django_db
def test_a_changed_password_keeps_what_this_browser_is_known_by(ana: User) -> None:
    here = signed_in(ana)
    before = Session.objects.get(user=ana).signed_in_at
    signed_in(ana)
    here.post("/account/password/", {"old": PASSWORD, "new": "seven quiet otters"})
    [session] = Session.objects.filter(user=ana)
    assert session.signed_in_at == before
    assert here.get("/account/").status_code == 200


@pytest.mark.django_db
def test_a_session_past_its_time_is_not_listed(ana: User) -> None:
    here, _ = signed_in(ana), signed_in(ana)
    Session.objects.exclude(session_key=here.session.session_key).update(expire_date=timezone.now())
    assert len(here.get("/account/").context["sessions"]) == 1


@pytest.mark.django_db
def test_signing_out_leaves_no_session(ana: User) -> None:
    client = signed_in(ana)
    client.post("/sign-out/")
    assert not Session.objects.filter(user=ana).exists()
