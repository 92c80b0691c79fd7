"""The texts of scripts: the server sends the catalog of a language, and the page names it unless it is English."""

from __future__ import annotations

import json

import pytest
from django.test import Client, RequestFactory

from tests.pseudo_locale import pseudo_locale
from webapp.common.views import ScriptTexts

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def test_a_catalog_has_the_texts_of_its_language_and_the_form_of_each_count() -> None:
    view = ScriptTexts.as_view(packages=["django.contrib.admin"])
    catalog = json.loads(view(RequestFactory().get("/"), language="pl").content)
    assert catalog["texts"]["Cancel"] == "Anuluj"
    assert len(catalog["texts"]["%(sel)s of %(cnt)s selected"]) == 4
    assert [catalog["forms"][n] for n in (0, 1, 2, 5, 12, 22, 102, 112)] == list("20122112")


def test_a_browser_asks_again_and_gets_a_catalog_only_when_it_changed(client: Client) -> None:
    answer = client.get("/texts/pl.json")
    assert answer.status_code == 200
    assert client.get("/texts/pl.json", headers={"If-None-Match": answer["ETag"]}).status_code == 304
    assert client.get("/texts/tlh.json").status_code == 404


def test_only_pages_in_another_language_name_a_catalog(client: Client) -> None:
    assert '<html lang="en">' in client.get("/glossary/").content.decode()
    with pseudo_locale():
        page = client.get("/glossary/").content.decode()
    assert '<html lang="eo" dir="ltr" data-texts="/texts/eo.json">' in page
