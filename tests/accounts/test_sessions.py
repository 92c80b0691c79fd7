"""Where a person is signed in, and signing out elsewhere."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from tests.conftest import signed_in
from tests.factories import PASSWORD
from webapp.accounts.models import Session, User
from webapp.accounts.sessions import LIMITS, USED_STEP, browser_of, kept_as
from webapp.common.models import AuditEntry
from webapp.jobs.sweeper import sweep

pytestmark = pytest.mark.one_database

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
EDGE = "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0"


@pytest.mark.parametrize(
    ("agent", "words"), [(FIREFOX, "Firefox, Linux"), (EDGE, "Edge, Windows"), ("curl/8", ""), ("", "")]
)
def test_a_browser_is_named_by_what_it_sends(agent: str, words: str) -> None:
    assert browser_of(agent) == words


@pytest.mark.django_db
def test_the_account_lists_where_and_when_one_signed_in(ana: User) -> None:
    client = Client(headers={"User-Agent": FIREFOX}, REMOTE_ADDR="192.0.2.7")
    client.post("/sign-in/", {"email": ana.email, "password": PASSWORD})
    text = client.get("/account/").content.decode()
    [session] = Session.objects.filter(user=ana)
    assert (session.browser, session.address) == ("Firefox, Linux", "192.0.2.7")
    assert timezone.now() - session.signed_in_at < timedelta(minutes=1)
    assert "Firefox, Linux" in text
    assert "192.0.2.7" in text
    assert "/account/sessions/sign-out/" not in text


@pytest.mark.django_db
def test_signing_out_elsewhere_keeps_this_browser_and_other_people(ana: User, sam: User) -> None:
    here, elsewhere, other = signed_in(ana), signed_in(ana), signed_in(sam)
    assert "/account/sessions/sign-out/" in here.get("/account/").content.decode()
    assert here.post("/account/sessions/sign-out/").url == "/account/"
    assert here.get("/account/").status_code == 200
    assert elsewhere.get("/account/").status_code == 302
    assert other.get("/account/").status_code == 200
    assert AuditEntry.objects.get(action="session.end").data == {"ended": 1}


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
    Session.objects.exclude(pk=kept_as(here.session.session_key)).update(expire_date=timezone.now())
    assert len(here.get("/account/").context["sessions"]) == 1


@pytest.mark.django_db
def test_signing_out_leaves_no_session(ana: User) -> None:
    client = signed_in(ana)
    client.post("/sign-out/")
    assert not Session.objects.filter(user=ana).exists()


@pytest.mark.django_db
def test_a_copy_of_the_database_opens_no_session(ana: User) -> None:
    """D4.4: the row holds a hash, and neither it nor anything beside it is a key."""
    here = signed_in(ana)
    row = Session.objects.get(user=ana)
    key = here.cookies[settings.SESSION_COOKIE_NAME].value
    assert row.pk == kept_as(key)
    assert key not in f"{row.pk} {row.session_data}"
    thief = Client()
    thief.cookies[settings.SESSION_COOKIE_NAME] = row.pk
    assert thief.get("/account/").status_code == 302
    assert here.get("/account/").status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize("stays", [False, True])
def test_a_session_ends_when_it_is_not_used_and_at_its_limit_however_much_it_is_used(ana: User, stays: bool) -> None:
    """D4.4: the server ends it; the cookie of the browser says nothing about it."""
    client = Client()
    client.post("/sign-in/", {"email": ana.email, "password": PASSWORD} | ({"stay": "on"} if stays else {}))
    limits, now = LIMITS[stays], timezone.now()
    [session] = Session.objects.filter(user=ana)
    assert abs(session.expire_date - now - limits.idle) < timedelta(minutes=1)

    Session.objects.update(last_used=now - USED_STEP * 2, expire_date=now + timedelta(minutes=1))
    assert client.get("/account/").status_code == 200
    session.refresh_from_db()
    assert session.expire_date - now > limits.idle - timedelta(minutes=1)
    assert now - session.last_used < timedelta(minutes=1)

    almost = now - limits.most + timedelta(minutes=2)
    Session.objects.update(last_used=now - USED_STEP * 2, signed_in_at=almost)
    assert client.get("/account/").status_code == 200
    session.refresh_from_db()
    assert session.expire_date == almost + limits.most

    Session.objects.update(expire_date=now)
    assert client.get("/account/").status_code == 302


@pytest.mark.django_db
def test_looking_at_pages_writes_the_last_use_once_in_a_while(ana: User) -> None:
    client = signed_in(ana)
    before = Session.objects.get(user=ana).last_used
    client.get("/account/")
    assert Session.objects.get(user=ana).last_used == before


@pytest.mark.django_db
@pytest.mark.both_databases
def test_each_session_has_an_end_and_nobody_ends_that_of_another(ana: User, sam: User) -> None:
    """D4.4"""
    here, elsewhere = signed_in(ana), signed_in(ana)
    other = kept_as(elsewhere.session.session_key)
    end = f"/account/sessions/{other}/end/"
    assert end in here.get("/account/").content.decode()
    assert signed_in(sam).post(end).status_code == 404
    assert here.post(end).url == "/account/"
    assert elsewhere.get("/account/").status_code == 302
    assert here.get("/account/").status_code == 200
    own = kept_as(here.session.session_key)
    assert here.post(f"/account/sessions/{own}/end/").url == "/sign-in/"
    assert not Session.objects.filter(user=ana).exists()


@pytest.mark.django_db
@pytest.mark.both_databases
def test_sessions_that_have_ended_are_swept(ana: User, sam: User) -> None:
    signed_in(ana), signed_in(sam)
    now = timezone.now()
    Session.objects.filter(user=ana).update(expire_date=now - timedelta(seconds=1))
    sweep(now)
    assert [session.user for session in Session.objects.all()] == [sam]


SCRIPTS = ({"HX-Request": "true"}, {"Accept": "application/json"})


@pytest.mark.django_db
@pytest.mark.parametrize("headers", SCRIPTS)
@pytest.mark.parametrize("address", ["/account/name/", "/benchmarks/hidden/annotate/submit/a/"])
def test_a_script_is_told_that_its_person_is_signed_out_and_a_page_is_led_to_the_door(
    ana: User, headers: dict[str, str], address: str
) -> None:
    """D7.12: a session that ended and a token from before signing in again look alike; members still get 404."""
    visitor, member = Client(), signed_in(ana)
    assert visitor.post(address, headers=headers).status_code == 401
    assert visitor.post(address).status_code in (302, 404)
    assert member.post(address, headers=headers).status_code != 401
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(ana)
    assert strict.post(address, headers=headers).status_code == 401
    assert strict.post(address).status_code == 403


@pytest.mark.django_db
def test_a_script_learns_who_is_signed_in_and_their_token_and_the_api_keeps_its_answers(ana: User) -> None:
    asked = {"Accept": "application/json"}
    assert Client().get("/session/", headers=asked).json() == {"person": None, "name": "", "token": ""}
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(ana)
    found = strict.get("/session/", headers=asked)
    assert (found.json()["person"], found.headers["Cache-Control"]) == (
        ana.pk,
        "max-age=0, no-cache, no-store, must-revalidate, private",
    )
    sent = strict.post("/account/name/", {"name": "Ana"}, headers=asked | {"X-CSRFToken": found.json()["token"]})
    assert sent.status_code == 302
    assert Client().get("/api/v1/nothing/", headers=asked).status_code == 404
