"""The first account of a site: by the link that the server prints, once."""

from __future__ import annotations

from typing import Any

import pytest
from django.core import signing
from django.test import Client

from tests.factories import PASSWORD, make_user
from webapp.accounts.actions import set_up
from webapp.accounts.links import set_up_path
from webapp.accounts.models import User
from webapp.common.errors import InvalidInput, NotFound
from webapp.common.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
LEA = {"email": "Lea@Example.org", "name": "Lea Moreau", "password": PASSWORD}


def test_the_link_creates_a_site_admin_who_is_signed_in(client: Client) -> None:
    answer = client.post(set_up_path(), LEA)
    assert answer.status_code == 302
    lea = User.objects.get()
    assert (lea.email, lea.is_staff, lea.is_superuser, lea.email_verified) == ("lea@example.org", True, True, False)
    assert client.get("/benchmarks/new/").status_code == 200
    assert AuditEntry.objects.get(action="site.set_up").actor == lea


def test_it_works_once(client: Client) -> None:
    link = set_up_path()
    client.post(link, LEA)
    other = Client()
    assert other.get(link).status_code == 404
    assert other.post(link, LEA | {"email": "sam@example.org"}).status_code == 404
    assert User.objects.count() == 1


def test_nobody_sets_up_a_site_that_has_accounts(client: Client) -> None:
    make_user("Ana Lind")
    assert client.get(set_up_path()).status_code == 404


@pytest.mark.parametrize(
    "signed",
    ["", "x", signing.dumps("", salt="another"), "x" * 300],
    ids=["empty", "short", "signed for another", "long"],
)
def test_a_link_that_the_server_did_not_print_opens_nothing(client: Client, signed: str) -> None:
    assert client.get(f"/set-up/{signed}/").status_code == 404
    with pytest.raises(NotFound):
        set_up(signed, **LEA)


def test_it_ends_after_a_day(client: Client, monkeypatch: Any) -> None:
    link = set_up_path()
    monkeypatch.setattr("webapp.accounts.links.SET_UP_SECONDS", -1)
    assert client.get(link).status_code == 404


def test_a_weak_password_is_refused_and_nothing_is_created(client: Client) -> None:
    assert client.post(set_up_path(), LEA | {"password": "1234"}).status_code == 400
    assert not User.objects.exists()
    signed = set_up_path().rstrip("/").rpartition("/")[2]
    with pytest.raises(InvalidInput):
        set_up(signed, **LEA | {"password": "1234"})
