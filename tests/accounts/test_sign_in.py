"""Signing in and out, and how often one may try."""

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings as project
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.annotation.pages_data import make_benchmark
from tests.conftest import signed_in
from tests.factories import PASSWORD
from webapp.accounts import throttle
from webapp.accounts.models import SignInAttempt, User
from webapp.common import http
from webapp.common.http import network_of

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
SIGN_IN = "/sign-in/"


def try_to_sign_in(password: str, *, email: str = "ana@example.org", address: str = "10.0.0.1", **extra: str) -> object:
    data = {"email": email, "password": password, **extra}
    return Client(REMOTE_ADDR=address).post(SIGN_IN, data)


def test_a_person_signs_in_whatever_the_capitals_of_the_address(ana: User) -> None:
    answer = try_to_sign_in(PASSWORD, email="Ana@Example.ORG")
    assert answer.status_code == 302
    assert answer.url == "/"


@pytest.mark.parametrize(
    ("ticked", "lasts"),
    [({}, ""), ({"stay": "on"}, 30 * 24 * 3600)],
    ids=["until the browser closes", "30 days"],
)
def test_the_session_lasts_as_long_as_was_ticked(ana: User, ticked: dict[str, str], lasts: object) -> None:
    cookie = try_to_sign_in(PASSWORD, **ticked).cookies[project.SESSION_COOKIE_NAME]
    assert cookie["max-age"] == lasts
    assert cookie["httponly"]


@pytest.mark.parametrize(
    ("target", "goes_to"),
    [
        ("/jobs/", "/jobs/"),
        ("https://elsewhere.example/", "/"),
        ("//elsewhere.example/", "/"),
        ("javascript:alert(1)", "/"),
    ],
)
def test_after_signing_in_one_stays_on_this_site(ana: User, target: str, goes_to: str) -> None:
    assert try_to_sign_in(PASSWORD, next=target).url == goes_to


def test_a_wrong_address_and_a_wrong_password_are_answered_alike(ana: User) -> None:
    wrong = [try_to_sign_in("wrong"), try_to_sign_in("wrong", email="nobody@example.org")]
    assert {answer.status_code for answer in wrong} == {400}
    assert len({answer.context["problem"] for answer in wrong}) == 1


def test_a_person_who_was_switched_off_does_not_come_in(ana: User) -> None:
    User.objects.update(is_active=False)
    assert try_to_sign_in(PASSWORD).status_code == 400


def test_after_five_failed_tries_the_right_password_does_not_help_and_the_page_says_when_it_will(ana: User) -> None:
    for _ in range(5):
        assert try_to_sign_in("wrong").status_code == 400
    refused = try_to_sign_in(PASSWORD)
    assert refused.status_code == 429
    assert "Try again in 15 min" in refused.context["problem"]
    assert 880 < int(refused["Retry-After"]) <= 900
    SignInAttempt.objects.update(at=timezone.now() - timedelta(minutes=10))
    assert "Try again in 5 min" in try_to_sign_in(PASSWORD).context["problem"]
    SignInAttempt.objects.update(at=timezone.now() - throttle.WINDOW)
    assert try_to_sign_in(PASSWORD).status_code == 302


def test_the_site_of_the_admins_has_no_second_door(ana: User, admin: User) -> None:
    """Its own form would let passwords be guessed without end."""
    door = Client().get("/admin/login/?next=/admin/accounts/user/")
    assert door.url == "/sign-in/?next=/admin/login/%3Fnext%3D/admin/accounts/user/"
    assert Client().post("/admin/login/", {"username": ana.email, "password": PASSWORD}).status_code == 405
    assert signed_in(admin).get("/admin/login/?next=/admin/accounts/user/").url == "/admin/accounts/user/"
    assert signed_in(admin).get("/admin/login/").url == "/admin/"
    assert signed_in(ana).get("/admin/login/").status_code == 403


def test_guesses_of_the_present_password_count_as_those_at_the_door(ana: User) -> None:
    client = signed_in(ana)
    sent = [client.post("/account/password/", {"old": "wrong", "new": "seven quiet otters"}) for _ in range(6)]
    assert [answer.status_code for answer in sent] == [400] * 5 + [429]
    assert "Too many failed sign-in attempts for ana@example.org" in sent[-1].content.decode()
    assert try_to_sign_in(PASSWORD, address="127.0.0.1").status_code == 429


def test_others_sign_in_while_one_account_is_locked_from_one_address(ana: User, rui: User) -> None:
    for _ in range(6):
        try_to_sign_in("wrong")
    assert try_to_sign_in(PASSWORD, email="rui@example.org").status_code == 302
    assert try_to_sign_in(PASSWORD, address="10.0.0.2").status_code == 302


def test_an_account_that_is_guessed_at_from_everywhere_is_locked_everywhere(ana: User) -> None:
    for number in range(throttle.MOST["account"]):
        SignInAttempt.objects.create(email=ana.email, address=f"10.1.0.{number}")
    assert try_to_sign_in(PASSWORD, address="10.0.0.2").status_code == 429


def test_an_address_that_guesses_at_everyone_is_locked(ana: User) -> None:
    for number in range(throttle.MOST["address"]):
        SignInAttempt.objects.create(email=f"{number}@example.org", address="10.0.0.1")
    refused = try_to_sign_in(PASSWORD)
    assert refused.status_code == 429
    assert "from this computer" in refused.context["problem"]


def known_browser(email: str = "ana@example.org", address: str = "10.0.0.1") -> Client:
    """A browser in which this person signed in and out."""
    client = Client(REMOTE_ADDR=address)
    assert client.post(SIGN_IN, {"email": email, "password": PASSWORD}).status_code == 302
    client.post("/sign-out/")
    return client


def test_guesses_of_others_do_not_lock_a_browser_that_is_known(ana: User, sam: User) -> None:
    """D4.5: behind a proxy that is not declared, everybody comes from one address."""
    known, other = known_browser(), known_browser("sam@example.org")
    for number in range(throttle.MOST["address"]):
        SignInAttempt.objects.create(email=f"{number}@example.org", address="10.0.0.1")
    for number in range(throttle.MOST["account"]):
        SignInAttempt.objects.create(email=ana.email, address=f"10.1.0.{number}")
    right = {"email": ana.email, "password": PASSWORD}
    assert Client(REMOTE_ADDR="10.0.0.1").post(SIGN_IN, right).status_code == 429
    assert other.post(SIGN_IN, right).status_code == 429, "It is known for Sam, not for Ana."
    assert known.post(SIGN_IN, right).status_code == 302


def test_a_browser_that_is_known_may_not_guess_without_end(ana: User) -> None:
    """D4.5"""
    known = known_browser()
    wrong = [known.post(SIGN_IN, {"email": ana.email, "password": "wrong"}).status_code for _ in range(6)]
    assert wrong == [400] * 5 + [429]
    assert try_to_sign_in(PASSWORD).status_code == 302, "It locks nobody else out."


def test_a_forged_device_is_not_known(ana: User) -> None:
    """D4.5"""
    known = known_browser()
    value = known.cookies["device"].value
    known.cookies["device"] = value[:-1] + ("A" if value[-1] != "A" else "B")
    for number in range(throttle.MOST["address"]):
        SignInAttempt.objects.create(email=f"{number}@example.org", address="10.0.0.1")
    assert known.post(SIGN_IN, {"email": ana.email, "password": PASSWORD}).status_code == 429


@pytest.mark.parametrize(
    ("address", "counts_as"),
    [
        ("2001:db8:1:2::7", "2001:db8:1:2::"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::"),
        ("2001:db8:1:3::7", "2001:db8:1:3::"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("192.0.2.7", "192.0.2.7"),
        ("fe80::1%eth0", "fe80::"),
        ("junk", None),
        (None, None),
    ],
)
def test_an_ipv6_network_counts_as_one_address(address: str | None, counts_as: str | None) -> None:
    """D4.5: one customer has a whole /64."""
    assert network_of(address) == counts_as


def test_tries_from_all_over_an_ipv6_network_are_counted_together(ana: User) -> None:
    """D4.5"""
    sent = [try_to_sign_in("wrong", address=f"2001:db8::{number}").status_code for number in range(1, 7)]
    assert sent == [400] * 5 + [429]


def test_a_proxy_that_is_not_declared_is_named_in_the_log_once_and_to_admins(
    admin: User, ana: User, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    """D4.5"""
    monkeypatch.setattr(http, "_warned", set())
    for person in (ana, admin, admin):
        client = Client(headers={"X-Forwarded-For": "192.0.2.7"})
        client.post(SIGN_IN, {"email": person.email, "password": PASSWORD})
        told = [str(message) for message in client.get("/account/").context["messages"]]
        assert bool(told) is person.is_staff
        assert all("SIGHTLINE_PROXIES" in text for text in told)
    assert len([record for record in caplog.records if "SIGHTLINE_PROXIES" in record.message]) == 1
    settings.TRUSTED_PROXIES = 1
    assert not http.has_undeclared_proxy(client.get("/account/").wsgi_request)


def test_success_forgets_the_failed_tries(ana: User) -> None:
    for _ in range(4):
        try_to_sign_in("wrong")
    try_to_sign_in(PASSWORD)
    assert not SignInAttempt.objects.exists()


def test_signing_out_needs_a_post(ana: User) -> None:
    client = signed_in(ana)
    assert client.get("/sign-out/").status_code == 405
    assert client.post("/sign-out/").url == SIGN_IN
    assert client.get(reverse("accounts:account")).status_code == 302


@pytest.mark.parametrize(
    ("name", "initials"),
    [("Ada Kern", "AK"), ("Ana", "A"), ("Ines de la Cruz", "IC"), ("", "N")],
)
def test_initials_are_of_the_first_and_last_word(name: str, initials: str) -> None:
    assert User(name=name, email="nameless@example.org").initials == initials


def test_looking_at_public_pages_leaves_no_cookie(lea: User) -> None:
    """D4.10: only a page with a form needs one."""
    make_benchmark(lea, public=True)
    pages = ["/", "/benchmarks/", "/leaderboard/", "/benchmarks/kitchen/", "/benchmarks/kitchen/samples/",
             "/benchmarks/kitchen/leaderboard/", "/benchmarks/kitchen/runs/", "/nothing/"]  # fmt: skip
    visitor = Client()
    assert [page for page in pages if visitor.get(page).cookies] == []
    assert list(visitor.get(SIGN_IN).cookies) == [project.CSRF_COOKIE_NAME]
